/**
 * Says how far work has come that takes longer than a second: a bar on a terminal, elsewhere a line now
 * and then.
 */
import { Presets, SingleBar } from 'cli-progress';

/** Work shorter than this needs no bar, in milliseconds. */
const QUIET_MS = 1_000;

/** Time between two lines where there is no terminal, in milliseconds. */
const LINE_EVERY_MS = 10_000;

export interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** Where progress is written, and the time. */
export interface ProgressOutput {
  readonly stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly nowMs: () => number;
}

const TO_STDERR: ProgressOutput = {
  stream: process.stderr,
  nowMs: (): number => performance.now(),
};

/** Creates a bar that appears once the work has taken a second; without a terminal, lines. */
export function createProgress(title: string, output: ProgressOutput = TO_STDERR): Progress {
  const { stream, nowMs } = output;
  return stream.isTTY ? createBar(title, nowMs) : createLines(title, { stream, nowMs });
}

function createLines(title: string, { stream, nowMs }: ProgressOutput): Progress {
  let nextMs = nowMs() + LINE_EVERY_MS;
  return {
    update(done, total): void {
      if (nowMs() < nextMs) return;
      nextMs = nowMs() + LINE_EVERY_MS;
      stream.write(`${title} ${Math.floor((100 * done) / Math.max(1, total))} %\n`);
    },
    stop: () => undefined,
  };
}

function createBar(title: string, nowMs: () => number): Progress {
  const startedMs = nowMs();
  let bar: SingleBar | undefined;
  return {
    update(done, total): void {
      if (bar === undefined) {
        if (nowMs() - startedMs < QUIET_MS) return;
        const format = `${title} {bar} {percentage} %, {eta_formatted} left`;
        bar = new SingleBar({ format, stream: process.stderr }, Presets.shades_classic);
        bar.start(total, done);
      }
      bar.update(done);
    },
    stop(): void {
      bar?.stop();
      bar = undefined;
    },
  };
}
