/** Workers' steps: each a transaction, or one write to the outside. */
import type { Offer } from '../move.ts';
import { writeLook } from '../readings.ts';
import { isOut, trueOursFor } from '../truth.ts';
import { leaseEnds, release, rowsChanged } from '../workers.ts';
import type { Worker, World } from '../world.ts';
import { alertAt, breaks, movementAt, workerAt } from '../world.ts';
import { declareAccept, declareRefund } from './declare.ts';
import { endUnsent, resend, reserve, send } from './send.ts';

export function stepMoves(world: World, offer: Offer): void {
  world.workers.forEach((worker, index) => {
    if (worker.doing === 'nothing') return;
    offerAccidents(world, offer, index);
    const step = (label: string, apply: (next: World, worker: Worker) => void): void =>
      offer(label, (next) => apply(next, workerAt(next, index)));
    offerStep(worker, step);
    if (worker.doing === 'reserved' && world.trouble > 0) {
      step('the hourly cap is reached: NOT_SENT', (next, it) => {
        next.trouble -= 1;
        next.capFull = true;
        send(next, it);
      });
    }
  });
  world.movements.forEach((_, slot) => {
    if (endUnsent(world, slot) !== undefined) {
      offer(`the unsent movement ${slot + 1} ends NOT_SENT`, (next) => endUnsent(next, slot)?.());
    }
  });
}

function offerAccidents(world: World, offer: Offer, index: number): void {
  const { doing, leaseOver } = workerAt(world, index);
  if (world.trouble === 0) return;
  offer('kill -9', (next) => {
    release(workerAt(next, index));
    next.trouble -= 1;
  });
  if (!leaseOver && (doing === 'awaits the processor' || !world.rules.leaseRead)) {
    offer('a worker is paused past its lease', (next) => {
      leaseEnds(next, workerAt(next, index));
      next.trouble -= 1;
    });
  }
}

type Step = (label: string, apply: (next: World, worker: Worker) => void) => void;

function offerStep({ doing, alert, answer }: Worker, step: Step) {
  const name = `alert ${alert + 1}`;
  switch (doing) {
    case 'nothing':
      return;
    case 'looked':
      return step('writes what it saw', (next, it) => {
        if (it.saw !== undefined) writeLook(next, it.saw);
        release(it);
        rowsChanged(next);
      });
    case 'looked before sending':
      return step(`${name}: reserved under the lock, INTENT`, reserve);
    case 'reserved':
      return step(`${name}: SENT`, send);
    case 'looked for a request':
      return step('writes what it saw of the request', resend);
    case 'looked before declaring':
      return step(`${name}: cover checked, DECLARE_REFUND`, declareRefund);
    case 'looked before accepting':
      return step(`${name}: checked, DECLARE_ACCEPT`, declareAccept);
    case 'writes the request':
      return step('the request is written to the socket', writeRequest);
    case 'awaits the processor':
      return step('no answer in time: UNKNOWN', timeOut);
    case 'writes the PATCH':
      return step(`PATCH ${answer} for ${name} is written`, writePatch);
    case 'awaits the service':
      return step('the PATCH timed out', (_, it) => release(it));
  }
}

function writeRequest(world: World, worker: Worker): void {
  const movement = movementAt(world, worker.movement);
  movement.requests += 1;
  worker.doing = 'awaits the processor';
  worker.excused = false;
  const { approvalAbove, breakerAfter } = world.scenario;
  const isAgreed = movement.agreed === movement.amount;
  if (movement.kind === 'refund' && !isAgreed) {
    const { complaint, amount, truth } = movement;
    const own = isOut(truth) ? amount : 0;
    const sum = trueOursFor(world, complaint, 'out') - own + amount;
    if (amount <= approvalAbove && sum > approvalAbove) {
      breaks(world, 'G1 the limit of one complaint passed in parts, by one person');
    }
  }
  if (movement.amount > approvalAbove && !isAgreed) {
    breaks(world, 'G1 sent above the limit without a second person for this very movement');
  }
  if (breakerAfter > 0 && world.oursInRow >= breakerAfter) {
    breaks(world, 'G2 sent although the last requests were refused as our mistake');
  }
  const { scenario } = world;
  const plan = scenario.alerts[worker.alert];
  if (
    plan?.otherCurrency === true &&
    !scenario.ratesPropose &&
    !alertAt(world, worker.alert).refused
  ) {
    if (world.people === scenario.people) breaks(world, 'P3 another currency refunded by itself');
  }
}

function timeOut(world: World, worker: Worker): void {
  const movement = movementAt(world, worker.movement);
  const { leaseOver } = worker;
  release(worker);
  if (movement.state !== 'SENT' || leaseOver) return;
  movement.state = 'UNKNOWN';
  rowsChanged(world);
}

function writePatch(world: World, worker: Worker): void {
  const alert = alertAt(world, worker.alert);
  if (worker.answer === 'none') return;
  alert.patch = worker.answer;
  alert.patchExcused = worker.excused;
  worker.answer = 'none';
  worker.doing = 'awaits the service';
  worker.excused = false;
}
