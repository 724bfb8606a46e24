/**
 * `npm test`: types, lint and every test, with one exit status.
 *
 * Types and lint are checked while the tests run, most of which wait for PostgreSQL and for sockets.
 * What the checks say is printed in one piece after the tests, so that neither output tears the other.
 * Arguments go to vitest.
 */
import { spawn } from 'node:child_process';
import { COMPILER } from './support/compiler.ts';

interface Finished {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs an npm script; its output is kept, or goes to the terminal at once. */
function run(script: string, args: readonly string[], output: 'kept' | 'shown'): Promise<Finished> {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    env: { ...COMPILER.env, ...process.env },
    stdio: output === 'kept' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    shell: process.platform === 'win32',
  });
  const parts: Buffer[] = [];
  child.stdout?.on('data', (part: Buffer) => parts.push(part));
  child.stderr?.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ ok: code === 0, output: Buffer.concat(parts).toString('utf8') }),
    );
  });
}

const startedMs = performance.now();
const [checks, tests] = await Promise.all([
  run('check', COMPILER.arguments, 'kept'),
  run('test:only', process.argv.slice(2), 'shown'),
]);
process.stdout.write(
  `\nTypes and lint: ${checks.ok ? 'no errors' : 'FAILED'}\n${checks.ok ? '' : checks.output}`,
);
const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`Tests: ${tests.ok ? 'passed' : 'FAILED'}, after ${seconds} s\n`);
process.exitCode = checks.ok && tests.ok ? 0 : 1;
