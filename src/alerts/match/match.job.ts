/**
 * Matches a new alert to its charge: the step of `RECEIVED`. (The second look: `rematch.job.ts`.)
 *
 * Durable before: the case and the alert's row. Durable after, in one transaction: the match with
 * its evidence, what the processor's search taught us, and the case's move. The only outside call is
 * the processor's search; run again from the start it does the same.
 */

import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { recordCharges } from '../../orders/charge.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { CaseState } from '../cases/case-state.ts';
import { closeRemote } from '../cases/hold-case.ts';
import type { MatchDeps, Matched } from './keep-match.ts';
import {
  bookNetworkMoney,
  findFor,
  NO_LONGER_HELD,
  newMatch,
  readAlertOf,
  wakeOthers,
} from './keep-match.ts';
import type { StoredAlert } from './match.store.ts';
import { insertingMatch } from './match.store.ts';
import type { MatchOutcome } from './matcher.ts';

const STATE_OF: Readonly<Record<MatchOutcome, CaseState>> = {
  single: 'MATCHED',
  none: 'UNMATCHED',
  several: 'AMBIGUOUS',
};

/** Waits for a search that is away, and how often; minutes in all, then a person may look. */
const ASK_AGAIN = { baseMs: 2_000, maxMs: 60_000 };
const ASK_ATTEMPTS_MAX = 6;

/** The step of `RECEIVED`. */
export function createMatchStep(deps: MatchDeps): CaseStep {
  return async function matchStep(claim, signal): Promise<void> {
    const alert = await readAlertOf(deps, claim);
    const isRdr = alert.enrolment_type === 'NETB_RDR';
    if (alert.status === 'INVALID' || (alert.status === 'RESOLVED' && !isRdr)) {
      return await close(deps, claim, alert);
    }
    if (alert.status !== 'ACTION_REQUIRED' && alert.status !== 'RESOLVED') {
      return await holdUnknown(deps, claim, alert);
    }
    const found = await findFor(deps, alert, signal);
    if (found.unanswered && claim.attempts < ASK_ATTEMPTS_MAX) return await askAgain(deps, claim);
    const matched = { deps, claim, alert, found };
    return isRdr ? await bookNetworkMoney(matched) : await commitMatch(matched);
  };
}

/** The processor's search is away for a moment: the alert waits a little before it is called unmatched. */
async function askAgain({ db, clock }: MatchDeps, claim: CaseRow): Promise<void> {
  const now = nowDate(clock);
  const retryAt = new Date(now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN));
  await postponeCase(db, claim, { now, retryAt, error: 'the processor’s search cannot be asked' });
}

/** Mostly the search taught us nothing: then match and move are one statement, and need no transaction. */
async function commitMatch(matched: Matched): Promise<void> {
  const { deps, found } = matched;
  const now = nowDate(deps.clock);
  if (found.learnt.length === 0) return void (await moveToMatch(deps.db, matched, now));
  const news = await inTransaction(deps.db, async (trx) => {
    const charges = found.learnt;
    const learnt = await recordCharges(trx, deps.organisationId, { charges, now });
    await moveToMatch(trx, matched, now);
    return learnt;
  });
  await wakeOthers(deps, { news });
}

async function moveToMatch(db: Db, matched: Matched, now: Date): Promise<void> {
  const { claim, found } = matched;
  const { result } = found;
  await moveCase(db, claim, {
    to: STATE_OF[result.outcome],
    now,
    nextActionAt: now,
    what: result.sentence,
    detail: { tier: result.tier },
    set: { charge_reference: result.chargeReference },
    beside: { matched: insertingMatch(newMatch(matched, now), sql`from held`) },
    setFrom: { match_id: sql<number>`(select id from matched)` },
    detailOf: sql`(select jsonb_build_object('match_id', id) from matched)`,
  });
}

async function close(deps: MatchDeps, claim: CaseRow, alert: StoredAlert): Promise<void> {
  const now = nowDate(deps.clock);
  const { status, refund_outcome: refundOutcome } = alert;
  await inTransaction(deps.db, (trx) => closeRemote(trx, claim, { status, refundOutcome, now }));
}

/** A status the specification does not name: nothing is done, and a person is notified. */
async function holdUnknown(deps: MatchDeps, claim: CaseRow, alert: StoredAlert): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    await moveCase(trx, claim, {
      to: 'HUMAN',
      now,
      nextActionAt: claim.deadline_at > now ? claim.deadline_at : now,
      what: `status ${alert.status} is not known`,
      set: { ...NO_LONGER_HELD, hold_reason: 'alert_status_unknown' },
    });
    await notify(trx, {
      organisationId: deps.organisationId,
      dedupeKey: `hold:${alert.id}:alert_status_unknown`,
      kind: 'case_held',
      severity: 'error',
      alertId: alert.id,
      text: `Alert ${alert.id} has a status Forestall does not know. Nothing is done about it. Look at it in the service's dashboard before ${utcWords(claim.deadline_at)}.`,
      at: now,
    });
  });
}
