/**
 * A progress bar for what takes longer than a second, and only on a terminal.
 */
import { Presets, SingleBar } from 'cli-progress';

/** Work shorter than this needs no bar, in milliseconds. */
const QUIET_MS = 1_000;

export interface Progress {
  update(done: number, total: number): void;
  stop(): void;
}

/** Makes a bar that appears once the work has taken a second. */
export function createProgress(title: string): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const startedMs = performance.now();
  let bar: SingleBar | undefined;
  return {
    update(done, total): void {
      if (bar === undefined) {
        if (performance.now() - startedMs < QUIET_MS) return;
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
