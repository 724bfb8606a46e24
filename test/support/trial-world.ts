/** Alerts that a policy with a trial refunds, decided by several workers at once. */
import { decide } from '../../src/alerts/decide/decide.ts';
import type { Decision } from '../../src/alerts/decide/decision.ts';
import type { DecisionFacts } from '../../src/alerts/decide/facts.ts';
import { tryDecision } from '../../src/alerts/decide/try-decision.ts';
import type { Db } from '../../src/base/db/database.ts';
import { inTransaction } from '../../src/base/db/transaction.ts';
import type { LoadedPolicy } from '../../src/policy/load.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import {
  account,
  chargeHistory,
  customerFacts,
  facts,
  foundCharge,
  orderFacts,
  standing,
} from '../unit/decide/fixtures.ts';

export const TRIAL_ORGANISATION = 'org_trial';

export function trialPolicy(explore: string): LoadedPolicy {
  return loadPolicy(
    `rules: [{name: small, when: {amount: {at_most: 100.00 USD}}, then: REFUND}]
otherwise: REVIEW
explore: ${explore}
`,
    { file: 'trial.yaml' },
  );
}

/** An alert that may be tried: of customer `n`, of so many cents. */
export function triable(
  n: number,
  over: Partial<DecisionFacts> = {},
  amountMinor = 2990,
): DecisionFacts {
  const amounts = { amountMinor, disputeMinor: amountMinor, missingMinor: amountMinor };
  const money = { ...amounts, capturedMinor: amountMinor, roomMinor: amountMinor };
  return facts({
    charge: foundCharge({
      reference: `ch_${n}`,
      amountMinor,
      refundableMinor: amountMinor,
      isChargedBack: false,
    }),
    account: account({ standing: standing(money) }),
    customer: customerFacts({ accountId: `C-${n}` }),
    history: chargeHistory({ alerts: 0, twin: false, fraudNotice: false, fraudWarning: false }),
    order: orderFacts(),
    ratio: { percent: 0.1, headroom: 500, line: 'a line', measuredAt: '2026-03-11T11:00:00.000Z' },
    ...over,
    alert: { id: `netalrt_${n}`, amountMinor, ...over.alert },
  });
}

/** Decides one alert in a transaction of its own. */
export async function decideTried(
  db: Db,
  given: { policy: LoadedPolicy; facts: DecisionFacts; now?: Date },
): Promise<Decision> {
  const { policy, facts: known, now = new Date(known.now) } = given;
  const organisationId = TRIAL_ORGANISATION;
  return await inTransaction(db, (trx) =>
    tryDecision(trx, {
      organisationId,
      policy,
      facts: known,
      decision: decide(policy, known),
      now,
    }),
  );
}

export interface TrialSums {
  readonly accepted: number;
  readonly acceptedMinor: number;
  readonly arms: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Decides so many alerts, of which every third is a twin of the one before, by so many workers at once. */
export async function runTrial(
  db: Db,
  given: {
    policy: LoadedPolicy;
    alerts: number;
    workers: number;
    headroom: number;
    facts?: typeof triable;
  },
): Promise<TrialSums> {
  const { policy, alerts, workers, headroom } = given;
  let [next, accepted, acceptedMinor] = [0, 0, 0];
  const arms = new Map<string, Set<string>>();
  const work = async (): Promise<void> => {
    for (let n = next++; n < alerts; n = next++) {
      const customer = n % 3 === 2 ? n - 1 : n;
      const amountMinor = 500 + ((n * 7919) % 3500);
      const ratio = { percent: 0.1, headroom, line: null, measuredAt: '2026-03-11T11:00:00.000Z' };
      const known = triable(
        n,
        { ratio, customer: customerFacts({ accountId: `C-${customer}` }) },
        amountMinor,
      );
      const { action, trial } = await decideTried(db, { policy, facts: known });
      if (trial !== undefined) {
        const key = `C-${customer}`;
        arms.set(key, (arms.get(key) ?? new Set()).add(trial.arm));
      }
      if (action !== 'ACCEPT_DISPUTE') continue;
      accepted += 1;
      acceptedMinor += amountMinor;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { accepted, acceptedMinor, arms };
}
