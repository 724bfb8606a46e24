/** Decisions of an earlier policy, as a database holds them, for commands that look at the past. */
import { decide, decideFallback } from '../../../src/alerts/decide/decide.ts';
import { insertingDecision } from '../../../src/alerts/decide/decision.store.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { insertActivation } from '../../../src/policy/version.store.ts';
import { chargeHistory, facts, foundCharge } from '../../unit/decide/fixtures.ts';

export const ORG = 'org_1';
/** The policy that decided. */
export const OLD = loadPolicy(
  'name: Old\nauthor: jane\nrules: [{name: small, when: {amount: {at_most: 50 USD}}, then: REFUND, also: notify}]\notherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}\n',
  { file: 'old.yaml' },
);
/** Another one, to be tried on them. */
export const NEW =
  'name: New\nrules: [{name: tiny, when: {amount: {at_most: 10 USD}}, then: REFUND}]\notherwise: ACCEPT_DISPUTE\nexamples: [{name: e, given: {amount: 11 USD}, expect: REFUND}]\n';

/** {@link OLD} in force, and what it decided: more than one page of the reader, one of them stored by an earlier version. */
export async function storePastDecisions(db: Db): Promise<void> {
  await activate(db, OLD, '2026-01-01T00:00:00Z');
  for (let index = 0; index < 3; index++) await store(db, `a${index}`, 900 + index * 2_000);
  await store(db, 'a3', 9_000, { history: undefined });
  await store(db, 'late', 900, {
    now: '2026-04-01T00:00:00Z',
    deadlineAt: '2026-04-02T00:00:00Z',
  });
  await fallBack(db, 'a3');
}

export async function activate(db: Db, policy: typeof OLD, at: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    await insertActivation(trx, {
      organisationId: ORG,
      policy,
      author: policy.author ?? 'user:ops',
      origin: 'old.yaml',
      now: new Date(at),
    });
  });
}

export async function store(
  db: Db,
  id: string,
  amountMinor: number,
  over: Partial<Record<keyof DecisionFacts, unknown>> = {},
): Promise<void> {
  const known = {
    ...facts({
      alert: { id, amountMinor },
      charge: foundCharge({ amountMinor, refundableMinor: amountMinor }),
      history: chargeHistory(),
    }),
    ...over,
  } as DecisionFacts;
  await write(db, id, known, decide(OLD, known));
}

export async function fallBack(db: Db, id: string): Promise<void> {
  const known = facts({
    alert: { id, amountMinor: 9_000 },
    charge: foundCharge({ disputed: true }),
  });
  await write(db, id, known, decideFallback({ action: 'ACCEPT_DISPUTE' }, known));
}

async function write(
  db: Db,
  alertId: string,
  known: DecisionFacts,
  decision: ReturnType<typeof decide>,
): Promise<void> {
  const now = new Date(known.now);
  await inTransaction(db, async (trx) => {
    await insertingDecision(trx, {
      organisationId: ORG,
      alertId,
      decision,
      facts: known,
      now,
    }).execute(trx);
  });
}

/** Without the breaks of a terminal's lines. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
