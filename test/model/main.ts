/**
 * `npm run model`: searches the charge ledger whole, in small worlds, and shows for every rule that
 * the design breaks without it.
 *
 * Exit status 0: the demanded design holds, and every removal breaks what it must. 1: not so. 2: the
 * options are wrong.
 */
import { parseArgs } from 'node:util';
import { runAll } from './pool.ts';
import { lineOf, traceLines } from './report.ts';
import { planRuns } from './runs.ts';

const USAGE = `npm run model -- [options]
  --only NAME     runs whose name holds NAME (a scenario or a rule)
  --trace         the shortest way into every break
  --processes P   searches at the same time (2)`;

interface Options {
  readonly only: string;
  readonly trace: boolean;
  readonly processes: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      trace: { type: 'boolean' },
      processes: { type: 'string' },
    },
  });
  const processes = Number(values.processes ?? 2);
  if (!Number.isSafeInteger(processes) || processes < 1) {
    throw new RangeError('--processes must be a whole number from 1 on.');
  }
  return { only: values.only ?? '', trace: values.trace === true, processes };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<number> {
  const { only, trace, processes } = readOptions();
  const runs = planRuns(only);
  if (runs.length === 0) throw new RangeError(`No scenario or rule holds "${only}" in its name.`);
  const startedMs = performance.now();
  let states = 0;
  let wrong = 0;
  await runAll(runs, processes, (run, done) => {
    states += done.states;
    if (!done.asItMust) wrong += 1;
    print(lineOf(run, done));
    if (trace || !done.asItMust) for (const line of traceLines(done)) print(line);
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const verdict = wrong === 0 ? 'all as it must be' : `${wrong} NOT as it must be`;
  print(`${runs.length} runs, ${states} states, ${seconds} s: ${verdict}`);
  return wrong === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n${USAGE}\n`);
  process.exitCode = 2;
}
