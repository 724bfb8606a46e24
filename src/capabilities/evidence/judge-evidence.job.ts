/**
 * Judges what is new, once each, and keeps what was said: figures of a month need it, and the comparison
 * with the service must not know what came later.
 */
import type { Insertable } from 'kysely';
import type { EvidenceRules } from '../../alerts/evidence/evidence-rules.ts';
import { judgeSubject } from '../../alerts/evidence/judge-subject.ts';
import type { KnownSubject } from '../../alerts/evidence/payment.ts';
import type { Database, Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { findUnjudged, SUBJECT_KINDS } from './subject.store.ts';

/** How often it is looked for something new, in milliseconds. */
export const JUDGE_EVERY_MS = 5 * 60_000;

/** Judged of one kind in one round. */
export const JUDGE_BATCH = 200;

/** After a start, what changed within so many days is looked at. */
const FIRST_LOOK_MS = 45 * 86_400_000;

/** What was stored by a transaction that took this long is still found. */
const OVERLAP_MS = 3_600_000;

/** Creates the step. It returns how many it judged. */
export function createEvidenceJudge(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
  readonly rules: EvidenceRules;
}): () => Promise<number> {
  let since = new Date(nowDate(deps.clock).getTime() - FIRST_LOOK_MS);
  return async () => {
    const now = nowDate(deps.clock);
    let judged = 0;
    let isFull = false;
    for (const kind of SUBJECT_KINDS) {
      const due = await findUnjudged(deps.db, deps.organisationId, {
        kind,
        since,
        limit: JUDGE_BATCH,
      });
      await storeJudgements(deps.db, deps, { due, now });
      judged += due.length;
      isFull ||= due.length === JUDGE_BATCH;
    }
    if (!isFull) since = new Date(now.getTime() - OVERLAP_MS);
    return judged;
  };
}

/** Judges one after the other, and keeps what was said in one statement. */
async function storeJudgements(
  db: Db,
  { organisationId, rules }: { readonly organisationId: string; readonly rules: EvidenceRules },
  { due, now }: { readonly due: readonly KnownSubject[]; readonly now: Date },
): Promise<void> {
  const rows: Insertable<Database['evidence_judgement']>[] = [];
  for (const known of due) {
    const { ce3, fpt } = await judgeSubject(db, organisationId, { ...known, rules });
    rows.push({
      organisation_id: organisationId,
      subject: known.subject.kind,
      subject_id: known.subject.id,
      charge_reference: known.chargeReference,
      judged_at: now,
      ce3: ce3.verdict,
      fpt: fpt.verdict,
      ce3_why: ce3.why,
      fpt_why: fpt.why,
      ce3_missing: [...ce3.missing],
      fpt_missing: [...fpt.missing],
    });
  }
  if (rows.length === 0) return;
  await db
    .insertInto('evidence_judgement')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
