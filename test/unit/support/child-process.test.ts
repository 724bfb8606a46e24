/** Guarantee: a child that a test starts and forgets is ended, however it was started. */
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { execFile, spawn, spawnSync, withLimit } from '../../support/child-process.ts';

const FOR_EVER = ['--eval', 'setInterval(() => undefined, 1000)'];

it.each([
  [['git'], ['git', { timeout: 9, killSignal: 'SIGKILL' }]],
  [
    ['git', ['log']],
    ['git', ['log'], { timeout: 9, killSignal: 'SIGKILL' }],
  ],
  [
    ['git', { cwd: '/' }],
    ['git', { timeout: 9, killSignal: 'SIGKILL', cwd: '/' }],
  ],
  [
    ['git', ['log'], { timeout: 3 }],
    ['git', ['log'], { timeout: 3, killSignal: 'SIGKILL' }],
  ],
])('%j gets a limit, and keeps its own', (given, limited) => {
  expect(withLimit(given, 9)).toEqual(limited);
});

it('a callback stays the last argument', () => {
  const callback = (): void => undefined;
  expect(withLimit(['git', ['log'], callback], 9)).toEqual([
    'git',
    ['log'],
    { timeout: 9, killSignal: 'SIGKILL' },
    callback,
  ]);
});

it('each way to start one ends it at its limit', async () => {
  const options = { timeout: 200 };
  expect(spawnSync(process.execPath, FOR_EVER, options)).toMatchObject({ signal: 'SIGKILL' });
  expect(await once(spawn(process.execPath, FOR_EVER, options), 'exit')).toEqual([null, 'SIGKILL']);
  await expect(promisify(execFile)(process.execPath, FOR_EVER, options)).rejects.toMatchObject({
    killed: true,
    signal: 'SIGKILL',
  });
});
