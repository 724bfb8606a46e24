/** Several searches at a time, each in a thread of its own; results are told in the order of the runs. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Done, Run } from './runs.ts';

/** The largest search needs about half of it. */
const HEAP_MB_MAX = 4096;

type Tell = (run: Run, done: Done) => void;

export async function runAll(runs: readonly Run[], processes: number, tell: Tell): Promise<void> {
  const done: Done[] = [];
  let next = 0;
  let told = 0;
  const lane = async (): Promise<void> => {
    const url = new URL('run-worker.ts', import.meta.url);
    const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } });
    try {
      for (let at = next++; at < runs.length; at = next++) {
        worker.postMessage(runs[at]);
        const [result] = (await once(worker, 'message')) as [Done];
        done[at] = result;
        for (let run = runs[told]; run !== undefined; run = runs[told]) {
          const finished = done[told];
          if (finished === undefined) break;
          told += 1;
          tell(run, finished);
        }
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(processes, runs.length) }, lane));
}
