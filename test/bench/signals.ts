/**
 * `node test/bench/signals.ts [orders] [--processes P] [--seed S]`: the test of the five signals about one charge with
 * that many orders of arrival (10,000 unless told otherwise), spread over processes with a PostgreSQL each.
 *
 * Exit status 0: every charge ended as it may. Else the seed of each part that failed is printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { processes: { type: 'string' }, seed: { type: 'string' } },
});
const ORDERS = Number(positionals[0] ?? 10_000);
const PROCESSES = Number(values.processes ?? availableParallelism());
const SEED = Number(values.seed ?? 1);

const ROOT = new URL('../../', import.meta.url);
const VITEST = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT));
const ARGUMENTS = [
  'run',
  '--config',
  'test/vitest.config.ts',
  '--mode',
  'long',
  'test/capabilities/signals/signals-property.long.test.ts',
];

/** Runs one part; true: it passed. */
async function runPart(part: number): Promise<boolean> {
  const orders =
    Math.floor(((part + 1) * ORDERS) / PROCESSES) - Math.floor((part * ORDERS) / PROCESSES);
  const seed = SEED + part;
  const child = spawn(process.execPath, [VITEST, ...ARGUMENTS], {
    cwd: ROOT,
    env: {
      ...process.env,
      FORESTALL_SIGNAL_ORDERS: String(orders),
      FORESTALL_SIGNAL_SEED: String(seed),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) console.log(output);
  console.log(`${orders} orders with seed ${seed}: ${status === 0 ? 'right' : 'WRONG'}`);
  return status === 0;
}

const startedMs = performance.now();
const parts = await Promise.all(Array.from({ length: PROCESSES }, (_, part) => runPart(part)));
console.log(`${ORDERS} orders in ${Math.round((performance.now() - startedMs) / 1_000)} s`);
process.exitCode = parts.every(Boolean) ? 0 : 1;
