/**
 * Notes what each measurement cost in processor time, and how much of the machine others used
 * meanwhile: rates of two measurements compare only when the rest of the machine was equally quiet.
 */
import type { CpuTimes } from './machine.ts';

/** Processor time per event, in microseconds, and what others used. */
export interface Cost {
  readonly server: number;
  readonly postgres: number;
  readonly load: number;
  /** Share of the machine that other processes used, from 0 to 1. */
  readonly others: number;
  /** Share of the machine that its host gave to somebody else, from 0 to 1. */
  readonly stolen: number;
}

/** Collects costs by phase, each measured once. */
export interface CostBook {
  note<Result>(
    phase: string,
    run: () => Promise<{ readonly events: number; readonly result: Result }>,
  ): Promise<Result>;
  readonly costs: ReadonlyMap<string, Cost>;
}

/** Opens a book. `read` gives processor times, or undefined where the system does not tell. */
export function openCostBook(read: () => Promise<CpuTimes | undefined>, cores: number): CostBook {
  const costs = new Map<string, Cost>();
  return {
    costs,
    async note(phase, run) {
      const before = await read();
      const startedAt = performance.now();
      const { events, result } = await run();
      const available = ((performance.now() - startedAt) / 1_000) * cores;
      const after = await read();
      if (before !== undefined && after !== undefined && events > 0) {
        costs.set(phase, costOf(before, after, { events, available }));
      }
      return result;
    },
  };
}

function costOf(
  before: CpuTimes,
  after: CpuTimes,
  run: { readonly events: number; readonly available: number },
): Cost {
  const spent = (pick: (times: CpuTimes) => number): number => pick(after) - pick(before);
  const [server, postgres, load] = [
    spent((times) => times.server),
    spent((times) => times.postgres),
    spent((times) => times.load),
  ];
  const others = spent((times) => times.all) - server - postgres - load;
  const each = (seconds: number): number => (seconds / run.events) * 1_000_000;
  return {
    server: each(server),
    postgres: each(postgres),
    load: each(load),
    others: Math.max(0, others) / run.available,
    stolen: spent((times) => times.stolen) / run.available,
  };
}
