/** The first state of a scenario: one alert has arrived, nothing has moved. */
import type { Rules } from './rules.ts';
import type { AlertPlan, Scenario } from './scenario.ts';
import type { Alert, World } from './world.ts';
import { EARLY, IDLE, MOVEMENTS_MAX, NO_MOVEMENT } from './world.ts';

export function firstWorld(scenario: Scenario, rules: Rules): World {
  const alerts = scenario.alerts.map(absentAlert);
  const [first] = alerts;
  const [plan] = scenario.alerts;
  if (first === undefined || plan === undefined) throw new RangeError('A world needs an alert.');
  first.service = 'ACTION_REQUIRED';
  first.case = firstCase({ scenario, rules }, plan);
  first.dispute = 1;
  first.complaint = 1;
  const authorisation = scenario.authorisedOnly ? 'authorised' : 'captured';
  return {
    scenario,
    rules,
    breach: '',
    moment: EARLY,
    trouble: scenario.trouble,
    people: scenario.people,
    flips: scenario.flips,
    withdrawals: scenario.withdrawals,
    elsewhere: scenario.elsewhere,
    unanswered: false,
    chargeKnown: scenario.charge === 'known',
    foundNothing: scenario.acceptsUnmatched,
    authorisation,
    authorisationRead: authorisation,
    capFull: false,
    credentialsWrong: scenario.breakerAfter > 0,
    breakerOpen: false,
    breakerStale: false,
    oursInRow: 0,
    support: 'none',
    supportRead: 'none',
    supportDispute: 0,
    rdr: 'none',
    rdrRead: 'none',
    rdrRow: 'none',
    chargeback: 'none',
    chargebackRead: 'none',
    paidTwicePaged: false,
    breakerPaged: false,
    rdrFound: false,
    olderNamed: false,
    rdrSaid: false,
    provider: 0,
    shownSlot: -1,
    shownAmount: 0,
    disputed: false,
    disputedRead: false,
    disputeTold: false,
    capturedMore: false,
    capturedMoreRead: false,
    alerts,
    movements: Array.from({ length: MOVEMENTS_MAX }, () => ({ ...NO_MOVEMENT })),
    workers: Array.from({ length: scenario.workers }, () => ({ ...IDLE })),
  };
}

function absentAlert(plan: AlertPlan, index: number): Alert {
  return {
    index,
    service: 'absent',
    patch: 'none',
    patchExcused: false,
    case: 'none',
    refusal: 'none',
    refused: false,
    dispute: 0,
    complaint: 0,
    charge: plan.charge,
    wanted: 0,
    told: 0,
    secondAgreed: false,
    outside: 0,
    saidAmiss: 0,
    wordSaid: false,
    byPerson: false,
    corrected: false,
    correctedRead: false,
    orphan: false,
    shrinkPaged: false,
    missedPaged: false,
    elsewhere: false,
    withdrawnKnown: false,
  };
}

/** What the policy says about an alert as it arrives: another currency is a person's without rates. */
type Policy = Pick<World, 'scenario' | 'rules'>;

export function firstCase(policy: Policy, plan: AlertPlan): Alert['case'] {
  const isMatched = policy.scenario.charge === 'known' && !plan.weak;
  return isMatched ? matchedCase(policy, plan) : 'UNMATCHED';
}

export function matchedCase({ scenario, rules }: Policy, plan: AlertPlan): Alert['case'] {
  const proposed = scenario.ratesPropose || !rules.ratesNeeded;
  return plan.otherCurrency && !proposed ? 'HUMAN' : 'DECIDED_REFUND';
}
