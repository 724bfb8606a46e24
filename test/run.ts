/**
 * `npm test`: types, lint and every test, with one exit status.
 *
 * Types and lint are checked while the tests run, most of which wait for PostgreSQL and for sockets.
 * What the checks say is printed in one piece after the tests, so that neither output tears the other.
 * Arguments go to vitest.
 */
import { spawn } from 'node:child_process';

interface Finished {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs an npm script; its output is kept, or goes to the terminal at once. */
function run(script: string, args: readonly string[], output: 'kept' | 'shown'): Promise<Finished> {
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    // Of tsc, which is a Go program: it collects a quarter as often, which saves a quarter of its time.
    env: { GOGC: '400', ...process.env },
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

const [checks, tests] = await Promise.all([
  // To tsc: several threads take twice the processor's time, which the tests need.
  run('check', ['--singleThreaded'], 'kept'),
  run('test:only', process.argv.slice(2), 'shown'),
]);
process.stdout.write(
  `\nTypes and lint: ${checks.ok ? 'no errors' : 'FAILED'}\n${checks.ok ? '' : checks.output}`,
);
process.stdout.write(`Tests: ${tests.ok ? 'passed' : 'FAILED'}\n`);
process.exitCode = checks.ok && tests.ok ? 0 : 1;
