/**
 * Runs commands of `forestall` one after the other in this process, each as a process of its own would: for
 * commands that end by themselves. What they print goes to their outputs; after each comes a line with its status.
 */
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Call } from './run-in-turn.ts';
import { endLine } from './run-in-turn.ts';

const RUN = new URL('../../src/people/cli/run.ts', import.meta.url);
const STDOUT = 1;

const [node = '', , given = '[]'] = process.argv;
const own = { ...process.env };
// Each of them listens once for what a process has only once.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);

for (const [place, { args, env }] of (JSON.parse(given) as readonly Call[]).entries()) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, own, env);
  process.argv = [node, fileURLToPath(RUN), ...args];
  process.exitCode = 0;
  // Under another address it runs again; what it loads is there.
  await import(`${RUN.href}?${place}`);
  writeSync(STDOUT, endLine(process.exitCode));
}
process.exitCode = 0;
