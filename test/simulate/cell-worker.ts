/**
 * A process of its own that runs cells, one after the other, as `cell-pool.ts` hands them out. Each gets
 * a database of its own, which is gone when the cell is over, and nothing of it stays in memory.
 */
import { messageOf } from '../../src/base/kernel/errors.ts';
import { openCellDatabase } from './cell-database.ts';
import type { RunReport } from './run.ts';
import { BrokenRun, simulateRun } from './run.ts';
import type { Cell } from './simulate.ts';
import { simulatedPolicy } from './simulate.ts';

/** What a worker is told. */
export interface CellOrder {
  readonly cell: Cell;
  readonly serverUrl: string;
  readonly template: string;
}

/** What it answers. */
export interface CellAnswer {
  readonly cell: Cell;
  readonly report?: RunReport;
  /** What broke, with the alert's trail. */
  readonly failure?: string;
  /** Memory of the process, in megabytes. */
  readonly memoryMb: number;
  /** Processor time of the process for this cell, in milliseconds. */
  readonly cpuMs: number;
}

const policy = simulatedPolicy();

/** Runs one cell on a database of its own. */
async function runCell({ cell, serverUrl, template }: CellOrder): Promise<RunReport> {
  const name = `${template}_cell_${cell.index}`;
  const database = await openCellDatabase(serverUrl, { template, name });
  try {
    const { index: _place, ...wanted } = cell;
    return await simulateRun({ ...wanted, policy, database });
  } finally {
    await database.close();
  }
}

function describe(error: unknown): string {
  if (!(error instanceof BrokenRun))
    return error instanceof Error ? (error.stack ?? '') : messageOf(error);
  return [error.message, ...error.trail.map((line) => `    ${line}`)].join('\n');
}

async function answer(order: CellOrder): Promise<void> {
  const { cell } = order;
  const before = process.cpuUsage();
  const outcome = await runCell(order).then(
    (report) => ({ report }),
    (error: unknown) => ({ failure: describe(error) }),
  );
  const memoryMb = Math.round(process.memoryUsage.rss() / 1_000_000);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  process.send?.({ cell, ...outcome, memoryMb, cpuMs } satisfies CellAnswer);
}

process.on('message', (order) => void answer(order as CellOrder));
// Killed processes of ours leave timers behind: nothing waits for them.
process.on('disconnect', () => process.exit(0));
