/**
 * `forestall organisations`: the organisations of an installation, in the file that `FORESTALL_INSTALLATION`
 * names.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { SHARED_PATH_MAX } from '../../alerts/receive/organisation-receptions.ts';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { readInstallationPath, readVariables } from '../../running/config.ts';
import { addOrganisation } from '../../running/installation/add-organisation.ts';
import type { SecretSource } from '../../running/installation/installation-file.ts';
import { installationJsonSchema } from '../../running/installation/installation-file.ts';
import type { Organisation } from '../../running/installation/installation-watcher.ts';
import {
  readLoosenings,
  readOrganisations,
} from '../../running/installation/installation-watcher.ts';
import { InstallationFileError } from '../../running/installation/read-installation.ts';
import { sharedAccounts } from '../../running/installation/shared-accounts.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { table } from '../../surface/terminal/lined-up.ts';
import { print, printJson, say } from '../../surface/terminal/print.ts';
import { runCommand } from './lifecycle.ts';

interface FileFlags {
  readonly file?: string;
  readonly json?: boolean;
}

interface AddFlags extends FileFlags {
  readonly id: string;
  readonly name: string;
  readonly path?: string;
  readonly mode?: string;
  readonly keyFile?: string;
  readonly keyEnv?: string;
  readonly secretFile?: string;
  readonly secretEnv?: string;
}

const FILE_HELP = 'the installation file; without it, the one that FORESTALL_INSTALLATION names';

export function registerOrganisations(program: Command): void {
  const organisations = program.command('organisations');
  organisations
    .command('list')
    .description('every organisation of the installation')
    .option('--file <file>', FILE_HELP)
    .option('--json', 'print JSON')
    .action((flags: FileFlags) => runCommand(async () => list(flags)));
  organisations
    .command('check')
    .description('whether the file can be used; exit status 1 when not')
    .option('--file <file>', FILE_HELP)
    .action((flags: FileFlags) => runCommand(async () => check(flags)));
  organisations
    .command('add')
    .description('writes one more into the file; a running installation takes it within seconds')
    .requiredOption('--id <id>', 'org_…, as the service calls it')
    .requiredOption('--name <name>', 'how people call it')
    .option('--path <path>', 'the name in the path of its webhooks; without it, made of the name')
    .option('--mode <mode>', 'live, or shadow: decides and does nothing', 'shadow')
    .option('--key-file <path>', 'a file that holds its API key')
    .option('--key-env <name>', 'a variable that holds its API key')
    .option('--secret-file <path>', 'a file that holds its signing secret')
    .option('--secret-env <name>', 'a variable that holds its signing secret')
    .option('--file <file>', FILE_HELP)
    .action((flags: AddFlags) => runCommand(() => add(flags)));
  organisations
    .command('schema')
    .description('prints the JSON Schema of the file, for editors')
    .action(() => printJson(installationJsonSchema()));
}

function fileOf({ file = readInstallationPath() }: FileFlags): string {
  if (file === undefined) {
    throw new ConfigError(
      'No installation file is named. Set FORESTALL_INSTALLATION, or use --file.',
    );
  }
  return file;
}

function list(flags: FileFlags): void {
  const rows = readOrganisations(fileOf(flags), readVariables()).map(rowOf);
  print(flags, rows, tableOf(rows));
}

function check(flags: FileFlags): void {
  const file = fileOf(flags);
  try {
    const organisations = readOrganisations(file, readVariables());
    const loose = readLoosenings(file, readVariables());
    if (loose.length > 0) {
      console.error(loose.join('\n'));
      process.exitCode = EXIT.wrong;
      return;
    }
    say(`${file} is in order: ${organisations.length} organisations.`);
    for (const { account, organisationIds } of sharedAccounts(organisations)) {
      say(
        `${organisationIds.join(', ')} name the same processor (${account}). If it is one account, what one of them refunds on a charge counts for the others, and they wait for each other there.`,
      );
    }
    const late = organisations.slice(SHARED_PATH_MAX);
    if (late.length > 0) {
      say(
        `The shared path /webhooks tries the first ${SHARED_PATH_MAX}; ${late.length} receive at their own path only.`,
      );
    }
  } catch (error) {
    if (!(error instanceof InstallationFileError)) throw error;
    console.error(error.message);
    process.exitCode = EXIT.wrong;
  }
}

async function add(flags: AddFlags): Promise<void> {
  const file = fileOf(flags);
  const { id, name, path, mode } = flags;
  const text = addOrganisation(
    { file, text: await readIfThere(file), env: readVariables() },
    {
      id,
      name,
      path,
      mode,
      apiKey: sourceOf('--key', flags.keyFile, flags.keyEnv),
      webhookSecrets: [sourceOf('--secret', flags.secretFile, flags.secretEnv)],
    },
  );
  await writeFile(file, text);
  const added = readOrganisations(file, readVariables()).find((each) => each.id === id);
  say(
    `${id} is in ${file}. What runs takes it within seconds.
Next:
  1. In the dashboard, send its webhooks to https://…/webhooks/${added?.path ?? ''}
  2. forestall doctor, with FORESTALL_ORGANISATION_ID=${id}
  3. When what it decides is right: mode: live`,
  );
}

function sourceOf(option: string, file: string | undefined, env: string | undefined): SecretSource {
  if ((file === undefined) === (env === undefined)) {
    throw new ConfigError(`Give ${option}-file or ${option}-env: where the secret is read.`);
  }
  return file === undefined ? { env } : { file };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read. Check the path.`, { cause: error });
  }
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly webhooks: string;
  readonly mode: string;
  readonly processor: string;
  /** Whose policy decides. */
  readonly policy: string;
  /** Which layers of guards hold. */
  readonly guards: string;
}

interface OrganisationRow extends Row {
  readonly merchants: readonly Row[];
}

function rowOf({ id, name, path, current }: Organisation): OrganisationRow {
  const { mode, processor, layers, policyPath } = current();
  const merchants = layers?.merchants ?? [];
  const above = layers?.guardsOf ?? [];
  const policy = layers?.policy ?? (policyPath === undefined ? 'none' : 'environment');
  return {
    ...{ id, name, webhooks: `/webhooks/${path}`, mode, processor: processor.kind, policy },
    guards: above.join(' + ') || 'none',
    merchants: merchants.map((merchant) => ({
      id: merchant.id,
      name: merchant.name,
      webhooks: '',
      mode,
      processor: merchant.processor?.kind ?? 'organisation',
      policy: merchant.policyPath === undefined ? policy : 'merchant',
      guards:
        [...above, ...(merchant.guards === undefined ? [] : ['merchant'])].join(' + ') || 'none',
    })),
  };
}

function tableOf(organisations: readonly OrganisationRow[]): string {
  const rows = organisations.flatMap((row): Row[] => [
    row,
    ...row.merchants.map((merchant) => ({ ...merchant, id: `  ${merchant.id}` })),
  ]);
  return table([
    ['ID', 'NAME', 'WEBHOOKS', 'MODE', 'PROCESSOR', 'POLICY', 'GUARDS'],
    ...rows.map(({ id, name, webhooks, mode, processor, policy, guards }) => [
      id,
      name,
      webhooks,
      mode,
      processor,
      policy,
      guards,
    ]),
  ]);
}
