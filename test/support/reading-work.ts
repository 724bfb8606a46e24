/**
 * How much is executed while a text is read for card numbers, as V8 counts it. In a thread of its own: V8 counts blocks
 * only in what it compiles after counting began.
 */
import { Session } from 'node:inspector';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Of one text. */
interface ReadingWork {
  readonly holds: boolean;
  /** Blocks of code that were entered. */
  readonly steps: number;
  /** Regular expressions that were run; how long each took is not counted. */
  readonly expressions: number;
}

const TIME_LIMIT_MS = 60_000;

/** Of each text. Fails after a minute. */
export async function workOfReading(texts: readonly string[]): Promise<readonly ReadingWork[]> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: texts,
    execArgv: ['--conditions=forestall-source'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<readonly ReadingWork[]>();
  const timer = setTimeout(() => {
    reject(new Error(`Not counted within ${TIME_LIMIT_MS} ms.`));
  }, TIME_LIMIT_MS);
  worker.once('message', resolve).once('error', reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

async function count(texts: readonly string[]): Promise<readonly ReadingWork[]> {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const { holdsCardNumber } = await import('../../src/base/kernel/card-number.ts');
  const exec = RegExp.prototype.exec;
  return texts.map((text) => {
    stepsSinceLast(session);
    let expressions = 0;
    // Every other way to run an expression goes through this one.
    RegExp.prototype.exec = function counted(string) {
      expressions += 1;
      return exec.call(this, string);
    };
    const holds = holdsCardNumber(text);
    RegExp.prototype.exec = exec;
    return { holds, expressions, steps: stepsSinceLast(session) };
  });
}

function stepsSinceLast(session: Session): number {
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    for (const { url, functions } of result) {
      if (!url.includes('/src/base/kernel/')) continue;
      for (const { ranges } of functions) for (const range of ranges) steps += range.count;
    }
  });
  return steps;
}

if (!isMainThread && parentPort !== null && Array.isArray(workerData)) {
  parentPort.postMessage(await count(workerData as readonly string[]));
}
