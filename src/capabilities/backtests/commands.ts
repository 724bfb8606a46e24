/** `forestall policy backtest`: past alerts, as they were known then, under another policy. */
import { InvalidArgumentError } from 'commander';
import type { Policy } from '../../alerts/decide/policy.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Money } from '../../base/kernel/money.ts';
import { parseAmount } from '../../base/kernel/units.ts';
import { loadPolicy } from '../../policy/load.ts';
import { findVersion } from '../../policy/version.store.ts';
import type { CommandContext } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readMoment } from '../../surface/terminal/option-values.ts';
import { ASSUMED_FEES } from './backtest-report.ts';
import { showBacktest } from './command-text.ts';
import { replayPast } from './replay.ts';

interface Flags {
  readonly from?: Date;
  readonly to?: Date;
  readonly against?: string;
  readonly alertFee: Money;
  readonly chargebackFee: Money;
  readonly all?: boolean;
}

export const backtestCommand = describeCommand<Flags>({
  usage: 'policy backtest [file]',
  says: 'replays past alerts, as they were known then, under a policy',
  options: (command) =>
    command
      .option('--from <time>', 'decided from this moment on (ISO 8601)', readMoment)
      .option('--to <time>', 'and before this one', readMoment)
      .option('--against <policy>', 'compare with this file or version, not with what was decided')
      .option('--alert-fee <amount>', 'what an alert costs', readAmount, ASSUMED_FEES.alertFee)
      .option(
        '--chargeback-fee <amount>',
        'what a chargeback costs',
        readAmount,
        ASSUMED_FEES.chargebackFee,
      )
      .option('--all', 'list every decision that changed'),
  examples: ['forestall policy backtest policy.yaml'],
  run:
    ({ from, to, against: other, alertFee, chargebackFee, all = false }, file) =>
    async (context) => {
      const tried = await context.readPolicy(file);
      const against = other === undefined ? undefined : await policyOrVersion(context, other);
      const startedMs = performance.now();
      const { db, organisationId, readers } = context;
      const result = await replayPast(db, {
        ...{ policy: tried, against, fees: { alertFee, chargebackFee } },
        ...{ organisationId, from, to },
        readers: await readers(),
      });
      const tookMs = Math.round(performance.now() - startedMs);
      const about = {
        policy: { name: tried.name, version: tried.version },
        against: against === undefined ? null : { name: against.name, version: against.version },
        tookMs,
      };
      return { data: { ...about, ...result }, text: showBacktest(result, { ...about, all }) };
    },
});

async function policyOrVersion(
  { db, organisationId, brands, readPolicy }: CommandContext,
  name: string,
): Promise<Policy> {
  const stored = await findVersion(db, organisationId, name);
  if (stored === undefined) return await readPolicy(name);
  const { kind, version, source, files } = stored;
  if (kind === 'module') {
    throw new ConfigError(
      `Version ${version} is written in TypeScript; only its text is kept. Name its file instead.`,
    );
  }
  return loadPolicy(source, { file: `version ${version}`, files, brands });
}

function readAmount(text: string): Money {
  const parsed = parseAmount(text);
  if (parsed.ok) return parsed.value;
  throw new InvalidArgumentError(parsed.message);
}
