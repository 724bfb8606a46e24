/** What workers hold: looks, leases, and how a change of the rows voids an older look (L9). */

import { takeLook } from './readings.ts';
import { differs } from './rows.ts';
import type { Doing, Look, Worker, World } from './world.ts';
import { IDLE } from './world.ts';

export function release(worker: Worker): void {
  Object.assign(worker, IDLE);
}

/** Workers are alike: the first idle one takes the next step. */
export function idleWorker(world: World): number {
  return world.workers.findIndex(({ doing }) => doing === 'nothing');
}

export interface Task {
  readonly doing: Doing;
  readonly alert: number;
  readonly movement: number;
}

export function startTask(world: World, index: number, task: Task, saw?: Look): Worker {
  const worker = world.workers[index];
  if (worker === undefined) throw new RangeError('No idle worker.');
  Object.assign(worker, IDLE, task, { saw: saw ?? takeLook(world) });
  return worker;
}

/** Its step rests on a look, and has not been written yet. */
function restsOnLook({ saw, doing }: Worker): boolean {
  return saw !== undefined || doing === 'reserved';
}

/** Rows changed: whoever looked before has to look again. */
export function rowsChanged(world: World, by?: Worker): void {
  const voided = world.rules.newerReadingWins && world.rules.lockedSend;
  for (const worker of world.workers) {
    if (worker === by || !restsOnLook(worker)) continue;
    if (voided) release(worker);
    else if (!differs(world)) worker.excused = false;
  }
}

/** Its lease is over: it stops before its next write, unless it only waits for an answer. */
export function leaseEnds(world: World, worker: Worker) {
  const { doing } = worker;
  if (doing === 'nothing') return;
  if (doing === 'awaits the service') return release(worker);
  if (world.rules.leaseRead && doing !== 'awaits the processor') return release(worker);
  worker.leaseOver = true;
}

const ON_A_CASE: ReadonlySet<Doing> = new Set([
  'looked before sending',
  'reserved',
  'looked before declaring',
  'looked before accepting',
  'writes the request',
  'awaits the processor',
  'writes the PATCH',
  'awaits the service',
]);

/** Another worker holds this case. */
export function isClaimed(world: World, alert: number): boolean {
  return world.workers.some((it) => it.alert === alert && !it.leaseOver && ON_A_CASE.has(it.doing));
}

const ON_A_MOVEMENT: ReadonlySet<Doing> = new Set([
  'reserved',
  'writes the request',
  'awaits the processor',
]);

/** A worker with a lease is between the reservation and the answer of this movement. */
export function isHeld(world: World, slot: number): boolean {
  return world.workers.some(
    (it) => it.movement === slot && !it.leaseOver && ON_A_MOVEMENT.has(it.doing),
  );
}

/** The worker that still waits for the answer; one with a lease first. */
export function whoAwaits(world: World, slot: number): Worker | undefined {
  const waiting = world.workers.filter(
    (it) => it.doing === 'awaits the processor' && it.movement === slot,
  );
  return waiting.find(({ leaseOver }) => !leaseOver) ?? waiting[0];
}
