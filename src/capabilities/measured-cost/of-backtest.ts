/** The price of a policy that is tried on the past: opened with the log, told of each decision, said in words. */

import type { CostModel } from '../../alerts/costs/cost-model.ts';
import { costs } from '../../alerts/costs/setting.ts';
import type { Replayed, ReplayPart, ReplayReader } from '../../alerts/decide/replay-reader.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { percentText } from '../../base/kernel/percent.ts';
import type { AskedPolicies } from '../../surface/policy-questions.ts';
import { saidMoney } from '../../surface/view/locale.ts';
import { priceOf, SECOND_DAYS, windowOf } from './economics.ts';
import { modelOutcomes } from './outcome-model.ts';
import type { Choice, Estimate, PolicyPrice, TrialCase } from './price-policy.ts';
import { createPolicyPricing } from './price-policy.ts';
import { readInputs } from './read-economics.ts';
import type { TrialArm } from './trial-arm.store.ts';
import { readTrialArms } from './trial-arm.store.ts';
import type { Unit } from './unit.ts';
import { DAY_MS, daysUntil } from './unit.ts';

export async function priceOfBacktest({
  db,
  clock,
  organisationId,
  settings,
}: AskedPolicies): Promise<ReplayReader> {
  const model = settings.of(costs);
  const now = nowDate(clock);
  const { from, inputs } = await readInputs(db, model, { organisationId, now });
  const arms = await readTrialArms(db, { organisationId, from });
  const pricing = createPolicyPricing(modelOutcomes(inputs));
  const known = casesOf({ model, now, units: inputs.units, arms });
  const countedUnits = new Set<string>();
  let leftOut = 0;
  return {
    add(replayed: Replayed): void {
      const { alertId, facts, was, is } = replayed;
      const { amountMinor, currency, merchantId, scheme, reasonCode, enrolmentType } = facts.alert;
      const found = known.get(alertId);
      // Alerts of one complaint are one case.
      if (found !== undefined && countedUnits.has(found.unitId)) return;
      if (found !== undefined) countedUnits.add(found.unitId);
      const money = amountMinor === null || currency === null ? null : { amountMinor, currency };
      const priceMinor = money === null ? undefined : priceOf(model, money);
      if (priceMinor === undefined) {
        leftOut += 1;
        return;
      }
      const network = enrolmentType?.split('_')[0] ?? null;
      pricing.add({
        kind: { merchantId, network, scheme, reasonCode },
        amountMinor: priceMinor,
        // The trial accepted it, not the policy: its rule refunds.
        was: found?.arm === undefined ? CHOICES[was.action] : ruleOf(found.arm, was),
        is: CHOICES[is.action],
        trial: found?.trial,
      });
    },
    result: () => partOf(pricing.result(), { currency: model.currency, leftOut }),
  };
}

const CHOICES = {
  REFUND: 'refund',
  ACCEPT_DISPUTE: 'accept',
  REVIEW: 'review',
  NONE: 'none',
} as const satisfies Record<Replayed['was']['action'], Choice>;

function ruleOf(arm: TrialArm['arm'], was: Replayed['was']): Choice {
  return arm === 'accept' && was.action === 'ACCEPT_DISPUTE' ? 'refund' : CHOICES[was.action];
}

interface KnownCase {
  readonly unitId: string;
  readonly arm: TrialArm['arm'] | undefined;
  /** Where it has had its time. */
  readonly trial: TrialCase | undefined;
}

interface Known {
  readonly model: CostModel;
  readonly now: Date;
  readonly units: readonly Unit[];
  readonly arms: readonly TrialArm[];
}

/** By alert. A case counts for the trial by its age alone, not by the outcome: else those with a dispute came in first. */
export function casesOf({ model, now, units, arms }: Known): ReadonlyMap<string, KnownCase> {
  const byAlert = new Map(arms.map((arm) => [arm.alertId, arm]));
  return new Map(
    units.flatMap((unit) => {
      const drawn = unit.alertIds.map((id) => byAlert.get(id)).find((arm) => arm !== undefined);
      const ageDays = (now.getTime() - unit.answeredAt.getTime()) / DAY_MS;
      const windowDays = windowOf(model, unit.reasonCode);
      const isOver = ageDays >= Math.max(windowDays, SECOND_DAYS);
      const trial = drawn === undefined || !isOver ? undefined : trialOf(unit, drawn, windowDays);
      const entry = { unitId: unit.id, arm: drawn?.arm, trial };
      return unit.alertIds.map((id): [string, KnownCase] => [id, entry]);
    }),
  );
}

function trialOf(unit: Unit, { arm, propensity }: TrialArm, windowDays: number): TrialCase {
  const within = (days: number | null, end: number): boolean => days !== null && days < end;
  return {
    ...{ arm, propensity },
    refunded: unit.answer === 'refunded',
    disputed: within(daysUntil(unit, ['dispute']), windowDays),
    second: within(daysUntil(unit, ['rdr', 'further_alert']), SECOND_DAYS),
  };
}

interface Around {
  readonly currency: string;
  /** Cases whose amount is not known, or has no rate. */
  readonly leftOut: number;
}

export function partOf(price: PolicyPrice, { currency, leftOut }: Around): ReplayPart {
  return {
    name: 'cost',
    title: 'What it would cost',
    lines: price.cases === 0 ? [nothing()] : linesOf(price, { currency, leftOut }),
    data: { currency, leftOut, ...price },
  };
}

function nothing(): ReplayPart['lines'][number] {
  return { label: 'Cases', says: 'none of these can be priced' };
}

function linesOf(price: PolicyPrice, { currency, leftOut }: Around): ReplayPart['lines'] {
  const { cases, byTrial, byModel, matched, clipped, weightMax, assumed, nothing: none } = price;
  const money = (amountMinor: number): string => saidMoney({ amountMinor, currency });
  const range = ({ costMinor, lowMinor, highMinor }: Estimate): string =>
    `${money(costMinor)} (${money(lowMinor)} to ${money(highMinor)})`;
  const clip = `a weight is ${weightMax} at most${clipped === 0 ? '' : `, which ${clipped} would pass`}`;
  const left = [
    ...(none === 0 ? [] : [`${counted(none, 'case')} with nothing to decide`]),
    ...(leftOut === 0
      ? []
      : [`${counted(leftOut, 'case')} whose amount has no rate to ${currency}`]),
  ];
  return [
    { label: 'Verdict', says: verdictText(price, currency) },
    { label: 'This policy', says: range(price.is) },
    { label: 'Compared with', says: range(price.was) },
    {
      label: 'By the trial',
      says:
        byTrial === 0
          ? 'no case: none was in a trial, has had its time, and is answered by an arm that enough cases had'
          : `${percentText(byTrial / cases)} of ${counted(cases, 'case')}, from ${counted(matched, 'case')} whose arm was this policy’s answer; each counts with 1 over its chance, ${clip}`,
    },
    {
      label: 'By the outcomes counted',
      says: `${percentText(byModel / cases)} of ${counted(cases, 'case')}, as if each went like those of its reason code${
        assumed.length === 0
          ? ''
          : `; assumed, because nothing was counted: ${assumed.map((name) => ASSUMED[name]).join(', ')}`
      }`,
    },
    ...(left.length === 0 ? [] : [{ label: 'Left out', says: left.join('; ') }]),
  ];
}

const ASSUMED = {
  dispute: 'how many accepted cases become a dispute',
  leak: 'how many refunded cases do',
  second: 'how many come back',
  contested: 'how many disputes are contested',
  won: 'how many of those are won',
} as const;

function verdictText({ verdict, difference, changed }: PolicyPrice, currency: string): string {
  const { costMinor, lowMinor, highMinor } = difference;
  const by = (amountMinor: number): string => {
    const text = saidMoney({ amountMinor: Math.abs(amountMinor), currency });
    return `${text} ${amountMinor < 0 ? 'less' : 'more'}`;
  };
  if (verdict === 'same') return 'the same: it answers no case otherwise';
  const word = verdict === 'unknown' ? 'not known which is cheaper' : `this policy is ${verdict}`;
  return `${word}: ${by(costMinor)}, from ${by(lowMinor)} to ${by(highMinor)}, for the ${counted(changed, 'case')} that it answers otherwise`;
}
