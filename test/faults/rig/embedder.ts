/**
 * A merchant's own program with Forestall inside, and a policy in code that is wrong: what it does depends
 * on the amount. Its settings are those of the `work` role.
 */

import { systemClock } from '../../../src/base/kernel/clock.ts';
import { createForestall, createHttpProcessor, definePolicy } from '../../../src/index.ts';

const setting = (name: string): string => process.env[name] ?? '';

const say =
  (level: string) =>
  (fields: Readonly<Record<string, unknown>>, msg: string): void =>
    void process.stdout.write(`${JSON.stringify({ level, ...fields, msg })}\n`);

const forestall = await createForestall({
  database: setting('DATABASE_URL'),
  service: { url: setting('FORESTALL_SERVICE_URL'), apiKey: setting('FORESTALL_API_KEY') },
  organisationId: setting('FORESTALL_ORGANISATION_ID'),
  webhookSecrets: [setting('FORESTALL_WEBHOOK_SECRETS')],
  processor: createHttpProcessor({
    baseUrl: setting('FORESTALL_PROCESSOR'),
    secret: setting('FORESTALL_PROCESSOR_SECRET'),
    clock: systemClock,
  }),
  policy: definePolicy({
    name: 'Wrong in three ways',
    decide: ({ alert: { amountMinor } }) => {
      if (amountMinor === 1_001) throw new Error('planted failure of the policy');
      if (amountMinor === 1_003)
        return { outcome: { action: 'EVERYTHING' as 'REVIEW', fallback: null }, because: 'x' };
      if (amountMinor === 1_004) return undefined as never;
      return { outcome: { action: 'REFUND', amount: 'full' }, because: 'it is right here' };
    },
  }),
  reconcileSeconds: 10,
  logger: { debug: () => undefined, info: say('info'), warn: say('warn'), error: say('error') },
});

process.on('SIGTERM', () => void forestall.stop().then(() => process.exit(0)));
await forestall.start();
