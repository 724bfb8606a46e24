/** `forestall sandbox`: the service's interface on its own, for other programs to develop against. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError, codeOf, KitError } from '../../base/kernel/errors.ts';
import { readSandboxSettings } from '../../running/config.ts';
import type { Sandbox, ScenarioReport } from '../../sandbox/index.ts';
import {
  createSandbox,
  readScenarioFile,
  readSeedExample,
  readSeedFile,
  runScenario,
} from '../../sandbox/index.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { wrapWords } from '../../surface/terminal/wrap-words.ts';
import type { StartedProgram } from './lifecycle.ts';
import { runCommand, runUntilSignal } from './lifecycle.ts';
import type { SandboxFlags } from './sandbox-flags.ts';
import { sandboxLog, sandboxOptions } from './sandbox-flags.ts';

const SEED_FILE = 'forestall-sandbox.yaml';

export function registerSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .option('--port <number>', 'where it listens; 0 takes a free port (default: 8082)')
    .option('--host <address>', '0.0.0.0 lets other containers in', '127.0.0.1')
    .option('--webhooks <url>', 'where events are sent')
    .option('--clock <time>', 'when its clock begins, for example 2026-11-01T00:00Z')
    .option('--rate <number>', 'how fast it runs: 1 as ours, 60 a minute per second, 0 not at all')
    .option('--seed <number>', 'everything random follows from it', '1')
    .option('--seed-file <file>', 'YAML: organisations, charges, orders, alerts to begin with')
    .option('--scenario <file>', 'plays a story first and says how each step went')
    .option('--once', 'ends after the scenario, with status 1 when a step went wrong')
    .option('--record <file>', 'writes what happened as a scenario file at the end')
    .option(
      '--snapshot <file>',
      'continues from this file if it is there, and writes it at the end',
    )
    .action(async (flags: SandboxFlags) => {
      await runCommand(async () => {
        if (flags.once === true) await playOnce(flags);
        else await runUntilSignal(() => startSandbox(flags));
      });
    });
  sandbox
    .command('init')
    .description('writes a commented seed file')
    .argument('[file]', `where to (default: ${SEED_FILE})`)
    .action(async (file = SEED_FILE) => {
      await runCommand(async () => await writeSeedFile(file));
    });
}

/** A sandbox with all that it begins with, and whether its scenario went as told. */
interface Begun {
  readonly sandbox: Sandbox;
  readonly ok: boolean;
}

async function begin(flags: SandboxFlags): Promise<Begun> {
  if (flags.record !== undefined && flags.snapshot !== undefined) {
    throw new ConfigError('--record tells a session from its beginning: leave --snapshot out.');
  }
  const scenario =
    flags.scenario === undefined ? undefined : await readScenarioFile(flags.scenario);
  const options = sandboxOptions(flags, scenario, readSandboxSettings());
  const sandbox = await createSandbox(options).catch(failAsConfig);
  try {
    if (flags.snapshot !== undefined) await restore(sandbox, flags.snapshot);
    if (flags.seedFile !== undefined) await seed(sandbox, flags.seedFile);
    console.log(accountsText(sandbox, flags));
    if (scenario === undefined) return { sandbox, ok: true };
    const report = await runScenario(sandbox, scenario);
    console.log(scenarioText(report));
    return { sandbox, ok: report.ok };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

async function seed(sandbox: Sandbox, file: string): Promise<void> {
  const data = await readSeedFile(file);
  try {
    sandbox.seed(data);
  } catch (error) {
    failAsConfig(error);
  }
}

/** A rule of the sandbox refused what a flag or a file says. */
function failAsConfig(error: unknown): never {
  if (error instanceof KitError && error.code === 'REFUSED') {
    throw new ConfigError(error.message, { cause: error });
  }
  throw error;
}

async function playOnce(flags: SandboxFlags): Promise<void> {
  if (flags.scenario === undefined) {
    throw new ConfigError('--once ends after a scenario: name one with --scenario FILE.');
  }
  const { sandbox, ok } = await begin(flags);
  await end(sandbox, flags);
  if (!ok) process.exitCode = EXIT.wrong;
}

async function startSandbox(flags: SandboxFlags): Promise<StartedProgram> {
  const { sandbox } = await begin(flags);
  return { log: sandboxLog(readSandboxSettings()), stop: () => end(sandbox, flags) };
}

/** Writes what was asked for, then closes. */
async function end(sandbox: Sandbox, { snapshot, record }: SandboxFlags): Promise<void> {
  try {
    if (snapshot !== undefined) await write(snapshot, JSON.stringify(sandbox.snapshot()));
    if (record !== undefined) await write(record, sandbox.recording());
  } finally {
    await sandbox.close();
  }
}

/** Writes beside the file first: one that is cut off half-way never replaces a good one. */
async function write(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
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

async function writeSeedFile(file: string): Promise<void> {
  try {
    // Fails when the file is there: somebody may have edited it.
    await writeFile(file, await readSeedExample(), { flag: 'wx' });
  } catch (cause) {
    const why = codeOf(cause) === 'EEXIST' ? 'is there already' : 'cannot be written';
    throw new ConfigError(`${file} ${why}. Name another file.`, { cause });
  }
  console.log(`${file} is written. Edit it, then:\n  forestall sandbox --seed-file ${file}`);
}

const WIDTH_CHARS = 80;

/** Where it listens, and the settings that point a program at it. */
function accountsText({ accounts, clock, url }: Sandbox, { host, webhooks }: SandboxFlags): string {
  const now = new Date(clock.nowMs()).toISOString();
  const runs = clock.standsStill ? 'and stands still' : `and runs ${clock.rate} times as fast`;
  const time = clock.rate === 1 ? now : `${now} ${runs}`;
  return `
The sandbox listens on ${host === '0.0.0.0' ? `${url} and beyond this machine` : url}.
Everything is in memory.

  Page      ${url}/sandbox
  Clock     ${time}
  Webhooks  ${webhooks ?? 'nowhere yet: --webhooks URL, or on the page'}

FORESTALL_SERVICE_URL=${url}
FORESTALL_API_KEY=${accounts.organisationKey}
FORESTALL_PARTNER_API_KEY=${accounts.partnerKey}
FORESTALL_WEBHOOK_SECRETS=${accounts.webhookSecret}
FORESTALL_ORGANISATION_ID=${accounts.organisationId}
FORESTALL_INTEGRATION_ID=${accounts.integrationId}
`;
}

/** One line per step, and what was not as told. */
function scenarioText({ name, ok, steps }: ScenarioReport): string {
  const lines = steps.flatMap(({ step, problems }) => [
    ...indented(`${problems.length === 0 ? '✓' : '✗'} ${step}`, 2),
    ...problems.flatMap((problem) => indented(problem, 6)),
  ]);
  const verdict = ok ? 'Every step went as the scenario says.' : 'The last step went otherwise.';
  return [...indented(name, 0), ...lines, verdict].join('\n');
}

/** Broken between words; a word that is too long is cut. */
function indented(text: string, by: number): string[] {
  const room = WIDTH_CHARS - by;
  return wrapWords(text.replaceAll('\n', ' '), room).map(
    (line) => ' '.repeat(by) + (line.length > room ? `${line.slice(0, room - 1)}…` : line),
  );
}
