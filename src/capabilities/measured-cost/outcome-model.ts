/** What one case would cost, by what was counted: with the shares of its reason code, else with those of all. Pure. */
import type { CostTerms } from '../../alerts/costs/cost-model.ts';
import type { EconomicsInputs } from './economics.ts';
import { curvesOf, reviewsOf, sharesOf, termsOf } from './economics.ts';
import type { Unit } from './unit.ts';
import type { Shares, Terms } from './verdict.ts';

/** By what a case's costs differ, besides its amount. */
export type CaseKind = Pick<Unit, 'merchantId' | 'network' | 'scheme' | 'reasonCode'>;

export interface CaseCosts {
  readonly terms: Terms;
  readonly shares: Shares;
  /** Reviews that end in a refund. */
  readonly reviewRefund: number;
}

export type OutcomeModel = (kind: CaseKind) => CaseCosts;

export function modelOutcomes(inputs: EconomicsInputs): OutcomeModel {
  const { model, units } = inputs;
  const sharesBy = sharesByReason(inputs);
  const reviews = kept((costs: CostTerms) => reviewsOf(costs, units).value);
  const known = new Map<string, CaseCosts>();
  return (kind) => {
    const { merchantId, network, scheme, reasonCode } = kind;
    const key = JSON.stringify([merchantId, network, scheme, reasonCode]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const costs = model.merchants.get(merchantId ?? '') ?? model.terms;
    const made = {
      terms: termsOf(inputs, costs, [kind]).terms,
      shares: sharesBy(costs)(reasonCode ?? ''),
      reviewRefund: reviews(costs),
    };
    known.set(key, made);
    return made;
  };
}

/** A share of the reason code where it was counted, else that of all. */
function sharesByReason(inputs: EconomicsInputs): (costs: CostTerms) => (reason: string) => Shares {
  const groups = Map.groupBy(inputs.units, ({ reasonCode }) => reasonCode ?? '');
  const curves = new Map([...groups].map(([reason, group]) => [reason, curvesOf(inputs, group)]));
  const whole = curvesOf(inputs, inputs.units);
  return kept((costs: CostTerms) => {
    const all = sharesOf(costs, whole, []);
    return kept((reason: string): Shares => {
      const own = curves.get(reason);
      if (own === undefined) return all;
      const siblings = [...curves].flatMap(([each, other]) => (each === reason ? [] : [other]));
      const mine = sharesOf(costs, own, siblings);
      const pick = (name: keyof Shares): Shares[keyof Shares] =>
        mine[name].source === 'observed' ? mine[name] : all[name];
      return {
        dispute: pick('dispute'),
        leak: pick('leak'),
        second: pick('second'),
        contested: pick('contested'),
        won: pick('won'),
      };
    });
  });
}

/** Works each out once. */
function kept<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = work(key);
    known.set(key, made);
    return made;
  };
}
