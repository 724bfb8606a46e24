/**
 * Guarantee: the command loads what it needs. `--version` and `--help` load the table of commands and
 * nothing else of ours; each command of the table is the one that its file holds.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMAND_NAMES, createProgram } from '../../../src/people/cli/program.ts';
import { SYNC_LIMIT_MS, spawnSync } from '../../support/child-process.ts';

const ROOT = new URL('../../../', import.meta.url);

/** Prints every file that was loaded, at the end. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      loaded.add(found.url);
      return found;
    },
  });
  process.on('exit', () => writeSync(2, JSON.stringify([...loaded])));
`)}`;

/** What a run of the command loaded: our files, and packages by name. */
function loadedBy(args: readonly string[]): {
  readonly output: string;
  readonly ours: string[];
  readonly packages: string[];
} {
  const main = fileURLToPath(new URL('src/people/cli/main.ts', ROOT));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=forestall-source', '--import', RECORDER, main, ...args],
    { encoding: 'utf8', timeout: SYNC_LIMIT_MS },
  );
  const files = (JSON.parse(stderr) as string[]).filter((url) => url.startsWith('file:'));
  const packages = files.flatMap(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  );
  const ours = files.flatMap((url) => /\/src\/(.*)$/.exec(url)?.[1] ?? []);
  return { output: stdout, ours: ours.sort(), packages: [...new Set(packages)] };
}

const TABLE = [
  'capabilities/commands.ts',
  ...['help', 'main', 'node-version', 'program', 'run'].map((name) => `people/cli/${name}.ts`),
  'surface/terminal/exit.ts',
];

test.each([
  ['--version', /^\d+\.\d+\.\d+\n$/],
  ['--help', /^Usage: forestall/],
])('%s loads the table of commands only', (flag, expected) => {
  const { output, ours, packages } = loadedBy([flag]);
  expect(output).toMatch(expected);
  expect(ours).toEqual(TABLE);
  expect(packages).toEqual(['commander']);
});

test('a command loads its own file, and not those of others', () => {
  const { output, ours } = loadedBy(['pause', '--help']);
  expect(output).toMatch(/^Usage: forestall pause/);
  expect(ours).toContain('people/cli/pause.ts');
  expect(ours).not.toContain('people/cli/start.ts');
  expect(ours.filter((file) => file.startsWith('sandbox/'))).toEqual([]);
});

test('--help names every command with what it is for', async () => {
  const program = await createProgram([]);
  expect(program.commands.map((command) => command.name())).toEqual(COMMAND_NAMES);
  for (const command of program.commands)
    expect(command.description(), command.name()).not.toBe('');
});

test('each name is the command that its file holds, once and in its place', async () => {
  for (const name of COMMAND_NAMES) {
    const program = await createProgram([name]);
    expect(program.commands.map((command) => command.name())).toEqual(COMMAND_NAMES);
    const command = program.commands.find((each) => each.name() === name);
    expect(command?.description(), name).not.toBe('');
    // Loaded, not only named: it can be run, or has commands that can.
    const listeners = command?.commands.length ?? 0;
    expect(listeners > 0 || isRunnable(command), name).toBe(true);
  }
});

function isRunnable(command: object | undefined): boolean {
  return typeof Reflect.get(command ?? {}, '_actionHandler') === 'function';
}
