/**
 * Loaded into a process before its program: says every half second on its output how late its event loop was at most,
 * and how much processor time it took.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often, in milliseconds. */
const EVERY_MS = 500;

/** The half second that ended at `atMs`. */
export interface Lateness {
  readonly atMs: number;
  readonly lateMs: number;
  readonly cpuMs: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  const lateness: Lateness = {
    atMs: Date.now(),
    lateMs: Math.round(delay.max / 1e6),
    cpuMs: Math.round((user + system) / 1_000),
  };
  delay.reset();
  console.log(`late ${JSON.stringify(lateness)}`);
}, EVERY_MS).unref();
