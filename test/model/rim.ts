/**
 * What our rows make of what they know in part: older money, network money that says too little, alerts that share no more
 * than a sign with the charge, and another provider.
 */
import type { Counting } from './truth.ts';
import { networkMoved } from './truth.ts';
import type { Alert, Movement, World } from './world.ts';
import { capturedRow } from './world.ts';

/** Only a person ties it to its charge. */
export function isWeak({ scenario }: World, { index }: Alert): boolean {
  return scenario.alerts[index]?.weak === true;
}

/** RDR as a reading of network money: what may have gone out, or what is known to have come back. */
export function network(world: World, counting: Counting): number {
  const { rdrRead, rules, scenario } = world;
  const certainty = certaintyOf(world);
  if (certainty === 'none') return 0;
  const moved = rdrRead === 'REFUNDED' || (rdrRead === 'NOT_REFUNDED' && !rules.rdrAmount);
  if (moved && certainty === 'sure') return scenario.rdr;
  const isUnsaid = rdrRead === 'UNSAID, REFUNDED' || rdrRead === 'UNSAID, LET THROUGH';
  if (!moved && !isUnsaid) return 0;
  return counting === 'out' ? mayBeAll(world, isUnsaid) : isTakenAsCover(world, isUnsaid);
}

/** Whether RDR is this charge's, or only may be. Waiting RDR is compared by its reference number. */
function certaintyOf(world: World): 'sure' | 'doubt' | 'none' {
  const { rdrRow, rules, scenario, chargeKnown, rdrSaid } = world;
  if (rdrRow === 'waiting') {
    if (scenario.rdrSign) return rules.networkDoubtStops ? 'doubt' : 'none';
    const isCompared = scenario.rdrWithoutOrder && rules.rdrComparedByReference && chargeKnown;
    return isCompared ? 'sure' : 'none';
  }
  if (rdrRow !== 'matched') return 'none';
  return scenario.rdrOtherCurrency && !rdrSaid ? 'doubt' : 'sure';
}

/** Nobody says how much, or whether: the whole charge for what may go out. */
function mayBeAll(world: World, isUnsaid: boolean): number {
  const { unsaidMayBeAll, foreignNetworkStops } = world.rules;
  if (isUnsaid) return unsaidMayBeAll ? capturedRow(world, 0) : 0;
  if (world.scenario.rdrOtherCurrency) return foreignNetworkStops ? capturedRow(world, 0) : 0;
  return capturedRow(world, 0);
}

/** And nothing for what may be declared. */
function isTakenAsCover({ rules, scenario }: World, isUnsaid: boolean): number {
  return isUnsaid && !rules.unsaidIsNoCover ? scenario.rdr : 0;
}

/** Older money of support as it answers the first dispute: by a person's word. */
export function olderFor({ scenario, rules, olderNamed }: World): number {
  return olderNamed || !rules.olderNeedsWord ? scenario.older : 0;
}

/** Older money that may have been for this part: nothing goes on top of it by itself. */
export function isHeldByOlder(world: World, { dispute, byPerson }: Alert): boolean {
  const { scenario, rules, olderNamed } = world;
  const isAsked = scenario.older > 0 && !olderNamed && rules.olderAsksPerson;
  return isAsked && dispute === 1 && !byPerson;
}

/** Whether the provider of today can tell about a movement. */
export function isShownHere({ provider, rules }: World, movement: Movement): boolean {
  return movement.provider === provider || !rules.ownProvider;
}

/** Money that went back, and of which only a person, or the network's next word, says what it answers. */
export function isLeftToPeople(world: World): boolean {
  const isUnnamed = world.scenario.older > 0 && !world.olderNamed;
  return isUnnamed || (networkMoved(world) && network(world, 'settled') === 0);
}
