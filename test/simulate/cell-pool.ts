/**
 * Shares the cells of a simulation out among processes, each of which takes the next one when it is done.
 * What comes out does not depend on who ran what: it is added up in the cells' order.
 */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { dropDatabase, makeTemplate } from './cell-database.ts';
import type { CellAnswer, CellOrder } from './cell-worker.ts';
import type { RunReport } from './run.ts';
import type { Cell, Totals } from './simulate.ts';
import { addRun, createTotals, rerunCommand, trailHash } from './simulate.ts';

/** Where and how the cells are run. */
export interface PoolOptions {
  readonly serverUrl: string;
  readonly processes: number;
  /** Called after each cell that held, with all that is done so far. */
  readonly onProgress: (done: Totals) => void;
}

/** What a simulation came to. */
export interface PoolResult {
  readonly totals: Totals;
  /** See {@link trailHash}; undefined when not every cell was run to its end. */
  readonly trail: string | undefined;
  /** Most memory of one process, in megabytes. */
  readonly memoryMbMax: number;
  /** Processor time of all processes together, without the database's, in milliseconds. */
  readonly cpuMs: number;
  /** What broke, where, and how to see only that again. Empty: every promise held. */
  readonly failures: readonly string[];
}

const WORKER = new URL('./cell-worker.ts', import.meta.url).pathname;

/** Room for what lives shortly, in megabytes: a step leaves hardly anything behind, so it is rarely copied. */
const MEMORY = ['--max-semi-space-size=32'];

/** A process answers each order once, or dies. */
function ask(child: ChildProcess, order: CellOrder): Promise<CellAnswer> {
  return new Promise((resolve) => {
    const end = (answer: CellAnswer): void => {
      child.off('message', take);
      child.off('exit', die);
      resolve(answer);
    };
    const take = (message: unknown): void => end(message as CellAnswer);
    const die = (): void =>
      end({ cell: order.cell, failure: 'its process ended without a word', memoryMb: 0, cpuMs: 0 });
    child.on('message', take);
    child.on('exit', die);
    child.send(order);
  });
}

/** Runs the cells. No further one is begun after a failure; those under way continue to their end. */
export async function runCells(cells: readonly Cell[], options: PoolOptions): Promise<PoolResult> {
  const { serverUrl, onProgress } = options;
  const template = `simulation_${process.pid}`;
  const totals = createTotals();
  const reports: RunReport[] = [];
  const failures: string[] = [];
  let memoryMbMax = 0;
  let cpuMs = 0;
  const take = ({ cell, report, failure, ...used }: CellAnswer): void => {
    memoryMbMax = Math.max(memoryMbMax, used.memoryMb);
    cpuMs += used.cpuMs;
    if (report === undefined) {
      failures.push(`cell ${cell.index}: ${failure}\n    only this: ${rerunCommand(cell)}`);
      return;
    }
    reports[cell.index] = report;
    addRun(totals, report);
    onProgress(totals);
  };
  const waiting = [...cells];
  const work = async (): Promise<void> => {
    const child = fork(WORKER, { execArgv: [...process.execArgv, ...MEMORY] });
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      take(await ask(child, { cell, serverUrl, template }));
      if (failures.length > 0) break;
    }
    if (child.connected) child.disconnect();
  };
  await makeTemplate(serverUrl, template);
  try {
    const count = Math.min(options.processes, cells.length);
    await Promise.all(Array.from({ length: count }, () => work()));
  } finally {
    await dropDatabase(serverUrl, template);
  }
  const isWhole = failures.length === 0;
  const trail = isWhole ? trailHash(reports.map((report) => report.digest)) : undefined;
  return { totals, trail, memoryMbMax, cpuMs, failures };
}
