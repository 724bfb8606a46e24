/** What is true, whatever our rows say: the money at the processor, and whether it answers an alert. */
import type { Alert, Doing, Money, World } from './world.ts';
import { breaks, capturedOn, movementAt } from './world.ts';

/** Money that may still come, or only money that is there. */
export type Counting = 'out' | 'settled';

export function counts(money: Money, counting: Counting): boolean {
  return money === 'settled' || (counting === 'out' && money === 'pending');
}

export function isOut(money: Money): boolean {
  return money === 'settled' || money === 'pending';
}

export function trueOursFor(world: World, complaint: number, counting: Counting): number {
  let sum = 0;
  for (const movement of world.movements) {
    if (movement.complaint === complaint && counts(movement.truth, counting))
      sum += movement.amount;
  }
  return sum;
}

/** Refunds by support, by RDR and outside the processor. */
export function trueOthersFor(world: World, complaint: number, counting: Counting): number {
  const { scenario, alerts } = world;
  let sum = alerts[complaint - 1]?.outside ?? 0;
  if (world.supportDispute === complaint && counts(world.support, counting)) {
    sum += scenario.support;
  }
  if (complaint === 1 && networkMoved(world)) sum += scenario.rdr;
  if (complaint === 1 && scenario.olderWasForIt) sum += scenario.older;
  return sum;
}

/** What the issuer took back: no refund, and yet gone. */
export function trueChargeback(world: World): number {
  return world.chargeback === 'settled' ? world.scenario.chargeback : 0;
}

export function trueOursOn(world: World, charge: number, counting: Counting): number {
  let sum = 0;
  for (const movement of world.movements) {
    if (movement.charge === charge && counts(movement.truth, counting)) sum += movement.amount;
  }
  return sum;
}

export function trueOthersOn(world: World, charge: number, counting: Counting): number {
  const { scenario } = world;
  let sum = 0;
  for (const alert of world.alerts) if (alert.charge === charge) sum += alert.outside;
  if (charge !== 0) return sum;
  if (counts(world.support, counting)) sum += scenario.support;
  if (networkMoved(world)) sum += scenario.rdr;
  return sum + scenario.older;
}

/** Whether RDR has moved its money, whatever it says of that. */
export function networkMoved({ rdr }: Pick<World, 'rdr'>): boolean {
  return rdr === 'REFUNDED' || rdr === 'UNSAID, REFUNDED';
}

/** What an alert can claim of its charge, in the charge's currency. */
export function claimOf(world: World, alert: Alert): number {
  const plan = world.scenario.alerts[alert.index];
  const captured = capturedOn(world, alert.charge);
  if (plan === undefined || plan.otherCurrency) return captured;
  return Math.min(plan.amount, captured);
}

export function trueClaim(world: World, complaint: number): number {
  let claim = 0;
  for (const alert of world.alerts) {
    if (alert.service === 'absent' || alert.complaint !== complaint) continue;
    claim = Math.max(claim, claimOf(world, alert));
  }
  return claim;
}

/** L4: settled money of its own in its currency, or the whole charge, or the released authorisation. */
export function trulyCovered(world: World, alert: Alert): boolean {
  const { complaint, charge } = alert;
  const plan = world.scenario.alerts[alert.index];
  if (world.authorisation === 'released' && charge === 0) return true;
  const whole = trueOursOn(world, charge, 'settled') + trueOthersOn(world, charge, 'settled');
  if (whole >= capturedOn(world, charge)) return true;
  if (plan === undefined || plan.otherCurrency) return false;
  const own = trueOursFor(world, complaint, 'settled') + trueOthersFor(world, complaint, 'settled');
  return own >= plan.amount;
}

/** A request of ours takes effect at the processor: here L1, L3, L5 and L8 are checked. */
export function executes(world: World, slot: number, money: 'pending' | 'settled') {
  const movement = movementAt(world, slot);
  if (isOut(movement.truth)) return breaks(world, 'L3 one movement executed twice');
  movement.truth = movement.kind === 'void' ? 'settled' : money;
  if (movement.kind === 'void') world.authorisation = 'released';
  const { complaint, charge } = movement;
  const ours = trueOursFor(world, complaint, 'out');
  const claim = trueClaim(world, complaint);
  if (ours > claim) breaks(world, 'L3 ours exceed the dispute');
  if (movement.otherCurrency) breaks(world, "L1 money moved in another currency than the charge's");
  if (movement.excused) return;
  if (world.alerts.every((it) => it.complaint !== complaint || it.corrected)) {
    breaks(world, 'L3 refunded for an alert that is about another payment by now');
  }
  const taken = complaint === 1 ? trueChargeback(world) : 0;
  if (ours + trueOthersFor(world, complaint, 'out') + taken > claim) breaks(world, onTop(world));
  const gone = trueOursOn(world, charge, 'out') + trueOthersOn(world, charge, 'out');
  if (gone > capturedOn(world, charge))
    breaks(world, 'L1 more than captured went out by our doing');
  if (world.alerts.some((it) => it.complaint === complaint && it.service === 'ACCEPTED')) {
    breaks(world, 'L5 our refund executed on an accepted dispute');
  }
}

function onTop(world: World): string {
  if (networkMoved(world)) return 'L8 refunded on top of network money that was known';
  if (trueChargeback(world) > 0) return 'L3 refunded on top of a chargeback';
  return 'L3 refunded on top of known money for this dispute';
}

/** A fact of somebody else: whoever has looked and not yet acted could not know it, and is excused. */
export function happensBehindLooks(world: World, moneyCame: boolean): void {
  for (const worker of world.workers) if (RESTS_ON_A_LOOK.has(worker.doing)) worker.excused = true;
  for (const movement of world.movements) {
    if (movement.requests > 0 || movement.state === 'SENT') movement.excused = true;
  }
  for (const alert of world.alerts) {
    if (alert.patch === 'REFUND' || (alert.patch === 'ACCEPT' && moneyCame)) {
      alert.patchExcused = true;
    }
  }
}

const RESTS_ON_A_LOOK: ReadonlySet<Doing> = new Set([
  'looked before sending',
  'reserved',
  'looked for a request',
  'looked before declaring',
  'looked before accepting',
  'writes the request',
  'writes the PATCH',
]);

/** Our PATCH takes effect at the service: here L4, L5 and its exception are checked. */
export function patchArrives(world: World, alert: Alert): void {
  const { patch, patchExcused } = alert;
  alert.patch = 'none';
  alert.patchExcused = false;
  if (alert.service !== 'ACTION_REQUIRED') return;
  alert.service = patch === 'REFUND' ? 'REFUNDED' : 'ACCEPTED';
  if (patch === 'REFUND') {
    if (!patchExcused && !trulyCovered(world, alert)) {
      breaks(world, 'L4 REFUND declared without settled cover of its own');
    }
    return;
  }
  acceptArrives(world, alert, patchExcused);
}

function acceptArrives(world: World, alert: Alert, excused: boolean) {
  const { complaint, told } = alert;
  const onTheWire = world.movements.some((it) => it.complaint === complaint && it.requests > 0);
  const ours = trueOursFor(world, complaint, 'out');
  // Whether older money was for it nobody can know before a person says so: missed, it would end the same.
  const unnamed = world.olderNamed || complaint !== 1 || !world.scenario.olderWasForIt;
  const others =
    trueOthersFor(world, complaint, 'out') +
    unassignedSupport(world) -
    (unnamed ? 0 : world.scenario.older);
  if (told > 0) return exceptionArrives(world, alert, { onTheWire, out: ours + others, excused });
  if (ours > 0 || onTheWire) {
    breaks(world, 'L5 ACCEPT_DISPUTE although money of ours is out or in flight');
  } else if (!excused && others > 0) {
    breaks(world, 'L5 ACCEPT_DISPUTE although money of somebody else is out or pending');
  }
}

/** Support's money that our rows have not seen yet could be any dispute's. */
function unassignedSupport(world: World): number {
  return isOut(world.support) && world.supportDispute === 0 ? world.scenario.support : 0;
}

function exceptionArrives(
  world: World,
  alert: Alert,
  seen: { readonly onTheWire: boolean; readonly out: number; readonly excused: boolean },
): void {
  const ours = world.movements.some(
    (it) => it.complaint === alert.complaint && it.truth === 'pending',
  );
  if (seen.onTheWire || ours) {
    breaks(world, 'L5 accepted beside a part that went back, ours still in flight or pending');
  } else if (!seen.excused && seen.out > alert.told) {
    breaks(world, 'L5 accepted with more gone back than the person was told');
  }
  if (alert.told > world.scenario.acceptAbove && !alert.secondAgreed) {
    breaks(world, 'G1 accepted above the limit without a second person');
  }
}
