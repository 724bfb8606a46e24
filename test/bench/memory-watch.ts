/** Loaded into a process before its program: says every second on its output how much memory it takes. */

/** How often, in milliseconds. */
const EVERY_MS = 1_000;

/** At one moment. */
export interface MemoryLook {
  readonly atMs: number;
  /** Resident, in bytes. */
  readonly rss: number;
  /** Of JavaScript's heap in use, in bytes; it falls at each collection. */
  readonly heapUsed: number;
}

setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  const look: MemoryLook = { atMs: Date.now(), rss, heapUsed };
  console.log(`memory ${JSON.stringify(look)}`);
}, EVERY_MS).unref();
