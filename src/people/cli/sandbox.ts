/**
 * `forestall sandbox`: the service's interface on its own, for other programs to develop against.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import { readSettings } from '../../running/config.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { createSandbox, readSeedFile } from '../../sandbox/index.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import type { Running } from './lifecycle.ts';
import { runCommand, runUntilSignal } from './lifecycle.ts';

interface SandboxFlags {
  readonly webhooks?: string;
  readonly seed: string;
  readonly seedFile?: string;
  readonly snapshot?: string;
}

export function registerSandbox(program: Command): void {
  program
    .command('sandbox')
    .option('--webhooks <url>', 'where events are sent')
    .option('--seed <number>', 'everything random follows from it', '1')
    .option('--seed-file <file>', 'YAML: organisations, charges, orders, alerts to begin with')
    .option(
      '--snapshot <file>',
      'goes on from this file when it is there, and writes it at the end',
    )
    .action(async (flags: SandboxFlags) => {
      await runCommand(async () => await runUntilSignal(() => startSandbox(flags)));
    });
}

async function startSandbox(flags: SandboxFlags): Promise<Running> {
  const settings = readSettings();
  const log = createLog({ level: settings.logLevel === 'info' ? 'warn' : settings.logLevel });
  const seed = Number(flags.seed);
  if (!Number.isSafeInteger(seed)) throw new ConfigError('--seed must be a whole number.');
  const sandbox = await createSandbox({
    port: settings.sandboxPort,
    seed,
    log,
    brandTokens: createBrandTokens(settings.brandTokens),
    ...(flags.webhooks === undefined ? {} : { webhookUrl: flags.webhooks }),
  });
  const { snapshot } = flags;
  try {
    if (snapshot !== undefined) await restore(sandbox, snapshot);
    if (flags.seedFile !== undefined) sandbox.seed(await readSeedFile(flags.seedFile));
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  printAccounts(sandbox);
  return {
    log,
    async stop(): Promise<void> {
      if (snapshot !== undefined) await save(sandbox, snapshot);
      await sandbox.close();
    },
  };
}

/** Writes beside the file first: one that is cut off half-way never replaces a good one. */
async function save(sandbox: Sandbox, file: string): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(sandbox.snapshot()));
  await rename(`${file}.new`, file);
}

/** Goes on from the file; one that is not there yet is written at the end. */
async function restore(sandbox: Sandbox, file: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return;
  }
  try {
    sandbox.restore(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(`The snapshot ${file} cannot be used. Remove it to begin afresh.`, {
      cause: error,
    });
  }
}

function printAccounts({ accounts, url }: Sandbox): void {
  console.log(`
The sandbox listens on ${url}, everything in memory. See ${url}/sandbox

  FORESTALL_SERVICE_URL=${url}
  FORESTALL_API_KEY=${accounts.organisationKey}
  FORESTALL_PARTNER_API_KEY=${accounts.partnerKey}
  FORESTALL_WEBHOOK_SECRETS=${accounts.webhookSecret}
  FORESTALL_ORGANISATION_ID=${accounts.organisationId}
  FORESTALL_INTEGRATION_ID=${accounts.integrationId}
`);
}
