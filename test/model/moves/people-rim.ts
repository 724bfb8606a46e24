/** What a person ends that no rule can: older money, network money that says too little, an alert that shares only a sign. */
import { isWeak } from '../rim.ts';
import type { Alert, World } from '../world.ts';
import { alertAt } from '../world.ts';
import { matchRdr } from './arrivals.ts';
import type { Act } from './people.ts';

export function rimActs(world: World, act: Act): void {
  for (const alert of world.alerts) {
    if (!isWeak(world, alert)) continue;
    nameActs(world, act, alert);
    untoldAct(act, alert);
  }
  const { scenario, rules, rdrRow, rdrRead, rdrSaid } = world;
  if (scenario.rdrSign && rdrRow === 'waiting' && rules.networkDoubtEnds) {
    act("names the charge of the network's money", (next) => matchRdr(next));
  }
  const isForeign = scenario.rdrOtherCurrency && !rdrSaid && rdrRead === 'REFUNDED';
  if (isForeign && rdrRow === 'matched' && rules.foreignNetworkSaid) {
    act("says how much of the charge the network's money is", (next) => {
      next.rdrSaid = true;
    });
  }
}

/** "The refund of weeks ago was for this one." */
export function olderAct(world: World, act: Act, { index }: Alert): void {
  if (world.olderNamed) return;
  act(`names the older refund for alert ${index + 1}`, (next) => {
    next.olderNamed = true;
  });
}

/** Which payment it is about, also after it was accepted: the charge, or another one. */
function nameActs(world: World, act: Act, { index, dispute, complaint, service }: Alert): void {
  if (dispute !== 0 || service === 'absent' || !world.rules.doubtEndsByPerson) return;
  if (complaint !== 1) {
    act(`says that alert ${index + 1} is about another payment`, (next) => {
      const named = alertAt(next, index);
      named.dispute = index + 1;
      if (isUndecided(named)) named.case = 'DECIDED_ACCEPT';
    });
    return;
  }
  act(`names the charge of alert ${index + 1}`, (next) => {
    const named = alertAt(next, index);
    named.dispute = 1;
    if (isUndecided(named)) named.case = 'DECIDED_REFUND';
  });
}

/** They do not know yet which payment it is: who was told finds out, and says it by {@link nameActs}. */
function untoldAct(act: Act, { index, dispute, case: state }: Alert): void {
  if (dispute !== 0 || state !== 'UNMATCHED') return;
  act(`accepts alert ${index + 1}, told of no charge`, (next) => {
    alertAt(next, index).case = 'DECIDED_ACCEPT';
  });
}

/** Nobody has said what it is about, and nothing is answered. */
function isUndecided({ case: state }: Alert): boolean {
  return state === 'UNMATCHED' || state === 'HUMAN' || state === 'DECIDED_ACCEPT';
}
