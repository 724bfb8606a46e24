/**
 * Loaded into a process before its program: says every half second on its output how much processor time its thread took at
 * most between two turns of its event loop. That is what a request waits for on a machine with nothing else to do; how late the loop
 * is (`flood-late.ts`) counts whatever else the machine does, too.
 */

/** How often, in milliseconds. */
const EVERY_MS = 500;

/** The half second that ended at `atMs`. */
export interface LoopWork {
  readonly atMs: number;
  /** At a stretch, in milliseconds of processor time. */
  readonly mostMs: number;
}

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let mostMs = 0;
let before = usedMs();
setInterval(() => {
  const now = usedMs();
  mostMs = Math.max(mostMs, now - before);
  before = now;
}, 1).unref();
setInterval(() => {
  const work: LoopWork = { atMs: Date.now(), mostMs: Math.round(mostMs) };
  mostMs = 0;
  console.log(`work ${JSON.stringify(work)}`);
}, EVERY_MS).unref();
