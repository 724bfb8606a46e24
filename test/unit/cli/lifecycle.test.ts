/** Guarantee: a command whose output is closed stops as after a signal, and nothing stays behind. */
import { once } from 'node:events';
import { afterEach, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { tellFailure } from '../../../src/people/cli/lifecycle.ts';
import { childEnv } from '../../support/child-env.ts';
import { spawn } from '../../support/child-process.ts';

const CHILD = `
import { runUntilSignal } from './src/people/cli/lifecycle.ts';
const log = { info: () => undefined, error: () => undefined, fatal: () => undefined };
await runUntilSignal(async () => {
  const writing = setInterval(() => process.stdout.write('a line\\n'), 5);
  return {
    log,
    async stop() {
      clearInterval(writing);
      process.send('stopped');
    },
  };
});
process.disconnect();
`;

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

it('tells a failure no wider than the terminal, and whole in a file', () => {
  const errorOutput = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const message = 'Stop that one first, start this one in another folder, or set DATABASE_URL.';
  const { columns } = process.stderr;
  try {
    process.stderr.columns = 40;
    tellFailure(new ConfigError(message));
    Reflect.deleteProperty(process.stderr, 'columns');
    tellFailure(new ConfigError(message));
  } finally {
    if (columns !== undefined) process.stderr.columns = columns;
  }
  expect(errorOutput.mock.calls).toEqual([
    ['Stop that one first, start this one in\nanother folder, or set DATABASE_URL.'],
    [message],
  ]);
});

it('stops cleanly when nobody reads its output any more', async () => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', CHILD], {
    env: childEnv(),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const said: unknown[] = [];
  child.on('message', (message) => said.push(message));
  const ended = once(child, 'exit');
  await once(child.stdout!, 'data');
  child.stdout?.destroy();
  expect(await ended).toEqual([0, null]);
  expect(said).toEqual(['stopped']);
});

it('says nothing to whoever has closed its output, as "| head" does', async () => {
  const main = new URL('../../../src/people/cli/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, '--help'], {
    env: childEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  const messages: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => messages.push(chunk.toString()));
  const [code] = await once(child, 'close');
  expect([code, messages]).toEqual([0, []]);
});
