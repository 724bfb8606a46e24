/** The processor: executes, refuses, loses requests; settles, fails and reverses refunds. */
import type { Offer } from '../move.ts';
import { pagePaidTwice, refuseCases, settleRow, wantsMoney } from '../readings.ts';
import { executes, happensBehindLooks, trueOthersOn, trueOursOn } from '../truth.ts';
import { release, rowsChanged, whoAwaits } from '../workers.ts';
import type { Movement, RefusalClass, World } from '../world.ts';
import { capturedOn, disputeOf, movementAt } from '../world.ts';

export function processorMoves(world: World, offer: Offer): void {
  world.movements.forEach((movement, slot) => {
    offerSettling(world, offer, slot);
    if (movement.requests === 0) return;
    const refusal = certainRefusal(world, movement);
    if (refusal === 'none') {
      offerExecution(world, offer, slot);
      offerTrouble(world, offer, slot);
    } else {
      offerRefusal(world, offer, { slot, refusal, label: 'refused', free: true });
    }
  });
}

function offerSettling(world: World, offer: Offer, slot: number): void {
  const { truth, kind } = movementAt(world, slot);
  if (truth === 'pending') {
    const settles = (next: World): void => {
      movementAt(next, slot).truth = 'settled';
    };
    offer(`our refund ${slot + 1} settles`, settles, 'settles');
    offer(`our refund ${slot + 1} fails`, (next) => fails(next, slot), 'settles');
  }
  // What a provider takes back that is no longer set is beyond anybody's look.
  const isSeen = !world.scenario.changesProvider;
  if (truth === 'settled' && kind === 'refund' && world.trouble > 0 && isSeen) {
    offer(`our settled refund ${slot + 1} is reversed`, (next) => {
      next.trouble -= 1;
      fails(next, slot);
    });
  }
}

function fails(world: World, slot: number): void {
  movementAt(world, slot).truth = 'failed';
  happensBehindLooks(world, false);
}

/** Refused whatever happens; `done` also stands for a void of what has been captured meanwhile. */
function certainRefusal(world: World, movement: Movement): RefusalClass {
  if (world.credentialsWrong) return 'ours';
  if (movement.kind === 'void' && world.authorisation !== 'authorised') return 'done';
  if (movement.kind === 'refund' && world.authorisation === 'authorised') return 'final';
  const gone =
    trueOursOn(world, movement.charge, 'out') + trueOthersOn(world, movement.charge, 'out');
  const tooMuch = gone + movement.amount > capturedOn(world, movement.charge);
  return world.scenario.refusesOver && tooMuch ? 'final' : 'none';
}

function offerExecution(world: World, offer: Offer, slot: number): void {
  const movement = movementAt(world, slot);
  const results =
    movement.kind === 'void' ? (['settled'] as const) : (['pending', 'settled'] as const);
  for (const money of results) {
    const label = `request ${slot + 1} executed, ${money}`;
    if (whoAwaits(world, slot) !== undefined) {
      offer(`${label}, answered`, (next) => {
        takesEffect(next, slot, money);
        answered(next, slot, (it) => {
          next.oursInRow = 0;
          settleRow(next, it, money);
        });
      });
    }
    offer(`${label}, answer lost`, (next) => takesEffect(next, slot, money));
  }
}

function takesEffect(world: World, slot: number, money: 'pending' | 'settled'): void {
  movementAt(world, slot).requests -= 1;
  executes(world, slot, money);
}

/** The answer reaches the worker that waits for it and is booked. */
function answered(world: World, slot: number, book: (movement: Movement) => void): void {
  const worker = whoAwaits(world, slot);
  if (worker === undefined) return;
  release(worker);
  const movement = movementAt(world, slot);
  const { state } = movement;
  if (state === 'SENT' || state === 'UNKNOWN' || state === 'HUMAN') {
    book(movement);
    pagePaidTwice(world);
  }
  rowsChanged(world);
}

function offerTrouble(world: World, offer: Offer, slot: number): void {
  const awaited = whoAwaits(world, slot) !== undefined;
  if (awaited && world.scenario.refusesFinally) {
    offerRefusal(world, offer, { slot, refusal: 'final', label: 'refused', free: true });
  }
  if (world.trouble === 0) return;
  offer(`request ${slot + 1} lost before effect`, (next) => {
    movementAt(next, slot).requests -= 1;
    next.trouble -= 1;
  });
  if (!awaited) return;
  for (const refusal of ['retry', 'final', 'done'] as const) {
    offerRefusal(world, offer, { slot, refusal, label: 'refused', free: false });
  }
  offer(`request ${slot + 1} still runs, "provider down"`, (next) => {
    next.trouble -= 1;
    answered(next, slot, (movement) => {
      if (next.rules.refusalIsProof) movement.state = 'UNKNOWN';
      else refused(next, movement, 'retry');
    });
  });
}

interface Refusal {
  readonly slot: number;
  readonly refusal: RefusalClass;
  readonly label: string;
  /** Costs no trouble. */
  readonly free: boolean;
}

function offerRefusal(_world: World, offer: Offer, { slot, refusal, label, free }: Refusal): void {
  offer(`request ${slot + 1} ${label}: ${refusal}`, (next) => {
    movementAt(next, slot).requests -= 1;
    if (!free) next.trouble -= 1;
    answered(next, slot, (movement) => {
      if (movement.kind === 'void' && refusal === 'done') captureOvertook(next, movement);
      else refused(next, movement, refusal);
    });
  });
}

/** A proven refusal: nothing executed. Its class says what follows. */
function refused(world: World, movement: Movement, refusal: RefusalClass): void {
  const isAgain = refusal === 'retry' || refusal === 'ours';
  movement.state = 'REJECTED';
  movement.again = isAgain && world.rules.waitForFallback;
  refuseCases(world, movement.dispute, refusal);
  if (refusal === 'ours') countOurs(world, movement);
}

/** The void came too late: the charge was captured, and the money has to be refunded. */
function captureOvertook(world: World, movement: Movement): void {
  movement.state = 'REJECTED';
  movement.again = false;
  for (const alert of world.alerts) {
    if (disputeOf(alert) !== movement.dispute || !wantsMoney(alert)) continue;
    if (world.rules.voidRefusedLooksAgain) alert.case = 'DECIDED_REFUND';
    else {
      alert.case = 'HUMAN';
      alert.refusal = 'final';
    }
  }
}

function countOurs(world: World, movement: Movement): void {
  const { rules, scenario } = world;
  world.oursInRow += 1;
  const stops = rules.breakerEverywhere || movement.dispute === 1;
  if (!rules.breakerOpens || !stops || world.oursInRow < scenario.breakerAfter) return;
  if (scenario.breakerAfter === 0) return;
  world.breakerOpen = true;
  world.breakerPaged = rules.breakerPaged;
}
