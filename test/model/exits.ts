/**
 * L7: from every state before the last hour in which no person has acted yet, each open alert can
 * still be answered in time. At the deadline itself each is answered or paged: `invariants.ts`.
 */
import { decode } from './codec.ts';
import type { Found } from './found.ts';
import { wantsMoney } from './readings.ts';
import { isLeftToPeople, isShownHere } from './rim.ts';
import { isLive } from './rows.ts';
import type { Alert, World } from './world.ts';
import { alertAt, LAST_HOUR } from './world.ts';

/** By whom: everybody; without waiting for a pending refund to settle; and without a person. */
const WAYS = [
  { without: [], what: 'has no exit' },
  { without: ['settles'], what: 'has no exit but to wait for another refund to settle' },
  {
    without: ['settles', 'person'],
    what: 'has no exit by the workers alone',
  },
] as const;

export interface DeadEnd {
  readonly state: number;
  readonly what: string;
}

/** Only one whose text begins with `breaks`: what a removal is about. */
export function findDeadEnd(found: Found, breaks: string): DeadEnd | undefined {
  const services = readServices(found);
  for (const { index } of found.first.alerts) {
    for (const [level, way] of WAYS.entries()) {
      const what = `L7 alert ${index + 1} ${way.what}`;
      if (!what.startsWith(breaks)) continue;
      const reached = whoReaches(found, { answered: services[index] ?? [], without: way.without });
      const state = reached.findIndex(
        (it, at) => it === 0 && mustHaveExit(found, at, { index, level }),
      );
      if (state >= 0) return { state, what };
    }
  }
  return undefined;
}

/** For each alert, whether it is answered or withdrawn in each state. */
function readServices(found: Found): Uint8Array[] {
  const lists = found.first.alerts.map(() => new Uint8Array(found.count));
  for (let at = 0; at < found.count; at += 1) {
    const world = decode(found.textAt(at), found.first);
    world.alerts.forEach(({ service }, index) => {
      const list = lists[index];
      const isOpen = service === 'ACTION_REQUIRED' || service === 'absent';
      if (list !== undefined && !isOpen) list[at] = 1;
    });
  }
  return lists;
}

/** Backwards from the answered states, until nothing is added. */
function whoReaches(
  found: Found,
  goal: { readonly answered: ArrayLike<number>; readonly without: readonly string[] },
): Uint8Array {
  const reached = Uint8Array.from(goal.answered);
  for (let changed = true; changed; ) {
    changed = false;
    for (let at = reached.length - 1; at >= 0; at -= 1) {
      if (reached[at] === 0 && hasStep(found, at, { reached, without: goal.without })) {
        reached[at] = 1;
        changed = true;
      }
    }
  }
  return reached;
}

function hasStep(
  { starts, edges }: Found,
  at: number,
  by: { readonly reached: Uint8Array; readonly without: readonly string[] },
): boolean {
  const end = starts[at + 1] ?? 0;
  for (let edge = starts[at] ?? 0; edge < end; edge += 1) {
    if (by.reached[edges.target(edge)] === 1 && !by.without.includes(edges.kind(edge))) return true;
  }
  return false;
}

/**
 * Level 1: only where nothing is pending. Level 2: only while its case is decided and on its way, and
 * nothing has moved for it: where a part went back and the rest cannot, only a person goes on (L5).
 */
function mustHaveExit(
  found: Found,
  at: number,
  { index, level }: { readonly index: number; readonly level: number },
): boolean {
  const world = decode(found.textAt(at), found.first);
  const alert = alertAt(world, index);
  if (world.moment >= LAST_HOUR) return false;
  if (level === 2 && isAskedInVain(world, alert)) return true;
  if (world.people < world.scenario.people) return false;
  if (alert.service !== 'ACTION_REQUIRED' || !isReachable(world)) return false;
  if (level > 0 && isMoneyPending(world, alert)) return false;
  if (level < 2) return true;
  const isElsewhere = world.movements.some((it) => !isShownHere(world, it));
  return isOnItsWay(alert) && !hasMoved(world, alert) && !isLeftToPeople(world) && !isElsewhere;
}

/** A person asked for a refund that cannot be made, and accepting is what the policy planned. */
function isAskedInVain(world: World, alert: Alert): boolean {
  const { scenario, chargeback, chargebackRead, movements } = world;
  if (!scenario.vain || !alert.byPerson || alert.service !== 'ACTION_REQUIRED') return false;
  const isRefunded = movements.some((it) => isLive(it) || it.truth !== 'none');
  const isTaken = chargeback === 'settled' && chargebackRead === 'settled';
  // Where the processor says that it is done already, a person looks.
  const isHeld = alert.case === 'HUMAN' && alert.refusal !== 'done';
  return isHeld && isTaken && !isRefunded;
}

/** Without its order nobody can act; without `factsWake` nobody does. */
function isReachable({ chargeKnown }: World): boolean {
  return chargeKnown;
}

function isMoneyPending(world: World, { complaint }: Alert): boolean {
  const ours = world.movements.some((it) => it.complaint === complaint && it.truth === 'pending');
  return ours || world.support === 'pending';
}

function hasMoved(world: World, { complaint }: Alert): boolean {
  const ours = world.movements.some((it) => it.complaint === complaint && it.truth !== 'none');
  return ours || world.support !== 'none' || world.chargeback !== 'none';
}

function isOnItsWay(alert: Alert): boolean {
  return wantsMoney(alert) && alert.refusal === 'none' && alert.dispute !== 0;
}
