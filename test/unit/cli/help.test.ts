/**
 * Guarantee: help fits a plain terminal, shows an example for every command that works as written, and no
 * person ever meets a stack, whatever the machine refuses.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ConfigError, DatabaseError } from '../../../src/base/kernel/errors.ts';
import { examplesOf, pathsWithExamples } from '../../../src/people/cli/help.ts';
import { failureLines } from '../../../src/people/cli/lifecycle.ts';
import { OLDEST_NODE, tooOldNode } from '../../../src/people/cli/node-version.ts';
import { createWholeProgram, withDefaultCommand } from '../../../src/people/cli/program.ts';
import { childEnv } from '../../support/child-env.ts';
import { SYNC_LIMIT_MS, spawnSync } from '../../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));

/** Every command with its path. */
function commandsOf(command: Command, path: string[] = []): [string, Command][] {
  return command.commands
    .filter((child) => child.name() !== 'help')
    .flatMap((child): [string, Command][] => {
      const childPath = [...path, child.name()];
      return [[childPath.join(' '), child], ...commandsOf(child, childPath)];
    });
}

const COMMANDS = commandsOf(await createWholeProgram());

/** The whole help as it is printed, examples among it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

describe('help', () => {
  it('is there for every command, with an example', () => {
    expect(COMMANDS.length).toBeGreaterThan(30);
    expect(COMMANDS.map(([path]) => path).filter((path) => examplesOf(path).length === 0)).toEqual(
      [],
    );
    const known = new Set(COMMANDS.map(([path]) => path));
    expect(pathsWithExamples().filter((path) => !known.has(path))).toEqual([]);
  });

  it.each(COMMANDS)('%s: 80 columns, plain defaults, examples that exist', (path, command) => {
    const text = helpOf(command);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toMatch(/default: "|choices:|@default|default: \d{6}/);
    for (const example of examplesOf(path)) {
      expect(text).toContain(`  $ ${example}`);
      const [words = ''] = example.replace(/^(?:[A-Z_]+=\S+ )*forestall /, '').split(' --');
      expect(`${words} `.startsWith(path.split(' ')[0] ?? ''), example).toBe(true);
      const target = COMMANDS.filter(([one]) => `${words} `.startsWith(`${one} `)).at(-1);
      for (const option of example.match(/--[a-z-]+/g) ?? []) {
        expect(
          target?.[1].options.map(({ long }) => long),
          example,
        ).toContain(option);
      }
    }
  });
});

describe('a command line', () => {
  it.each([
    [[], ['start']],
    [['--quiet'], ['start', '--quiet']],
    [['doctr'], ['doctr']],
    [['--help'], ['--help']],
    [['-V'], ['-V']],
    [['help'], ['help']],
    [
      ['help', 'orders', 'import'],
      ['orders', 'import', '--help'],
    ],
  ])('%j means %j', (args, meant) => {
    expect(withDefaultCommand(args)).toEqual(meant);
  });

  it('that is misspelt says what was meant', () => {
    const { stderr, status } = spawnSync(process.execPath, [MAIN, 'doctr'], {
      env: childEnv(),
      encoding: 'utf8',
      timeout: SYNC_LIMIT_MS,
    });
    expect(stderr).toContain('Did you mean doctor?');
    expect(status).toBe(2);
  });

  it.each([
    ['reconcile', 'reprot', 'Did you mean report?'],
    ['policy', 'chekc', 'Did you mean check?'],
    ['orders', 'import', 'See forestall orders import --help.'],
    [
      'resume',
      '--breaker --processor',
      "option '--breaker' cannot be used with option '--processor'",
    ],
  ])('below another one, %s %s, says so as well', async (command, word, meant) => {
    let said = '';
    const program = await createWholeProgram();
    const quiet = {
      writeErr: (text: string) => (said += text),
      writeOut: (text: string) => (said += text),
    };
    const all = [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)];
    for (const each of all) each.configureOutput(quiet);
    await expect(
      program.parseAsync([command, ...word.split(' ')], { from: 'user' }),
    ).rejects.toThrow();
    expect(said).toContain(meant);
  });
});

describe('a failure', () => {
  it.each([
    ['EACCES', 'Run it where you may write'],
    ['EROFS', 'The place is read-only.'],
    ['ENOSPC', 'The disk is full.'],
    ['EADDRINUSE', 'Another program has the port.'],
  ])('of the machine (%s) names the next step', (code, step) => {
    const error = Object.assign(new Error(`${code}: refused, mkdir '.forestall'`), { code });
    const lines = failureLines(error);
    expect(lines.join('\n')).toContain(step);
    expect(lines.join('\n')).not.toContain('    at ');
  });

  it('of ours shows no stack either, and how to see it', () => {
    const lines = failureLines(new TypeError('x is undefined')).join('\n');
    expect(lines).toContain('Unexpected: x is undefined');
    expect(lines).toContain('FORESTALL_LOG_LEVEL=debug shows where');
    expect(lines).not.toContain('    at ');
  });

  it('with a cause names it, unless a setting would be quoted', () => {
    const cause = new Error('connection refused');
    expect(failureLines(new DatabaseError('No database.', { cause }))).toEqual([
      'No database.',
      'Cause: connection refused',
    ]);
    expect(failureLines(new ConfigError('Wrong.', { cause }))).toEqual(['Wrong.']);
  });

  it('in a folder that cannot be written to is a sentence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'forestall-read-only-'));
    chmodSync(folder, 0o500);
    // Root may write everywhere, but for what no process may.
    const cwd = process.getuid?.() === 0 ? '/proc' : folder;
    const { stderr, status } = spawnSync(process.execPath, [MAIN, 'start'], {
      cwd,
      env: { ...childEnv(), HOME: folder },
      encoding: 'utf8',
      timeout: SYNC_LIMIT_MS,
    });
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).not.toContain('    at ');
    expect(stderr).toMatch(/mkdir '?\.?.*\.forestall/);
  });
});

describe('Node.js', () => {
  const { engines } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );

  it.each([
    ['18.19.0', true],
    ['20.20.1', true],
    ['22.19.9', true],
    ['22.20.0', false],
    ['24.1.0', false],
  ])('%s is too old: %s', (version, isTooOld) => {
    expect(tooOldNode(version) !== undefined).toBe(isTooOld);
    expect(engines.node).toBe(`>=${OLDEST_NODE.join('.')}.0`);
  });
});
