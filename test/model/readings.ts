/** A look becomes rows: readings are written anew, and what shrinks or was paid twice is paged. */

import { covered, paidTwice } from './rows.ts';
import type { Alert, Look, Money, Movement, MovementState, RefusalClass, World } from './world.ts';
import { disputeOf } from './world.ts';

/** The case still wants money: undecided between sending, waiting and trying again. */
export function wantsMoney(alert: Alert): boolean {
  return alert.case === 'DECIDED_REFUND' || alert.case === 'REFUNDING';
}

/** Answered or withdrawn, as our rows know it. */
export function isClosed({ case: state }: Alert): boolean {
  return state.startsWith('CLOSED') || state === 'CONFLICT' || state.startsWith('DECLARED');
}

/** No answer stands or is on its way: a person or a refusal may still change the case. */
export function isChangeable(alert: Alert): boolean {
  return wantsMoney(alert) || alert.case === 'HUMAN' || alert.case === 'DECIDED_ACCEPT';
}

export function takeLook(world: World): Look {
  return {
    // Another provider knows nothing of what was sent before.
    ours: world.movements.map(({ truth, provider }) =>
      provider === world.provider ? truth : 'none',
    ),
    support: world.support,
    rdr: world.rdr,
    chargeback: world.chargeback,
    authorisation: world.authorisation,
    disputed: world.disputed,
    capturedMore: world.capturedMore,
  };
}

/** A look that nobody answered, taken for an answer: only where that rule is removed. */
export function emptyLook(world: World): Look {
  return {
    ours: world.movements.map(() => 'none' as const),
    support: 'none',
    rdr: 'none',
    chargeback: 'none',
    authorisation: world.authorisationRead,
    disputed: false,
    capturedMore: false,
  };
}

/** Every case of the dispute that waits for money hears that it was refused. */
export function refuseCases(world: World, dispute: number, refusal: RefusalClass): void {
  for (const alert of world.alerts) {
    if (alert.case === 'none' || disputeOf(alert) !== dispute) continue;
    if (!wantsMoney(alert) && alert.case !== 'HUMAN') continue;
    // Matched again: it asks this charge for nothing any more.
    if (alert.correctedRead) continue;
    refuseCase(alert, refusal);
  }
}

export function refuseCase(alert: Alert, refusal: RefusalClass): void {
  alert.refusal = refusal;
  alert.refused = true;
  alert.case = refusal === 'retry' || refusal === 'ours' ? 'REFUNDING' : 'HUMAN';
}

const STATE_OF: Readonly<Record<Money, MovementState>> = {
  none: 'UNKNOWN',
  pending: 'PENDING',
  settled: 'CONFIRMED',
  failed: 'REJECTED',
};

/** What the processor says about one movement of ours. */
export function settleRow(world: World, movement: Movement, money: Money): void {
  if (money === 'none') return;
  const was = movement.state;
  movement.state = STATE_OF[money];
  if (movement.kind === 'void' && money === 'settled') world.authorisationRead = 'released';
  if (money !== 'failed') return;
  if (was === 'CONFIRMED') movement.state = 'REVERSED';
  if (was !== 'REJECTED' && was !== 'REVERSED') refuseCases(world, movement.dispute, 'final');
}

function mayBeRead(world: World, { state }: Movement): boolean {
  if (state === 'UNKNOWN' || state === 'PENDING' || state === 'CONFIRMED') return true;
  if (state === 'HUMAN') return world.rules.humanExit;
  return !world.rules.newerReadingWins && (state === 'REJECTED' || state === 'REVERSED');
}

/** Writes a look over the rows. */
export function writeLook(world: World, look: Look): void {
  world.movements.forEach((movement, slot) => {
    const money = look.ours[slot];
    if (money !== undefined && mayBeRead(world, movement)) settleRow(world, movement, money);
  });
  world.supportRead = look.support;
  if (look.support !== 'none' && world.supportDispute === 0) bookSupport(world);
  world.chargebackRead = look.chargeback;
  world.authorisationRead = look.authorisation;
  tellDisputed(world, look);
  const isMore = look.capturedMore && !world.capturedMoreRead;
  world.capturedMoreRead = look.capturedMore || world.capturedMoreRead;
  // RDR that we know of is asked for again before anything irreversible.
  const { rdrRow, rules } = world;
  const known = rdrRow === 'matched' || rdrRow === 'waiting';
  if (known && rules.rdrRecomputed && rules.freshBeforeDeclare) world.rdrRead = look.rdr;
  if (!isMore || world.rules.captureShrinkPaged) pageShrunk(world);
  pagePaidTwice(world);
}

/** A8: a dispute of what was refunded is told in the transaction that reads it. */
function tellDisputed(world: World, { disputed }: Look): void {
  if (!disputed || world.disputedRead) return;
  world.disputedRead = true;
  if (world.rules.disputeTold) world.disputeTold = true;
}

/** Support's money goes to the first dispute that lacks it. */
function bookSupport(world: World): void {
  const lacking = world.alerts.find(
    (alert) => alert.case !== 'none' && alert.dispute !== 0 && !covered(world, alert),
  );
  world.supportDispute = lacking === undefined ? 1 : disputeOf(lacking);
}

/** L6: what was declared, or is being declared, on cover that shrank. */
export function pageShrunk(world: World): void {
  if (!world.rules.shrinkPaged) return;
  for (const alert of world.alerts) {
    const declaring = alert.case === 'DECLARE_REFUND' && world.rules.shrinkSeesDeclaring;
    const declared = alert.case === 'DECLARED_REFUND';
    if ((declared || declaring) && !covered(world, alert)) alert.shrinkPaged = true;
  }
}

export function pagePaidTwice(world: World): void {
  const { paidTwicePaged } = world.rules;
  if (paidTwicePaged && paidTwice(world, world.rules)) world.paidTwicePaged = true;
}
