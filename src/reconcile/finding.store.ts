/**
 * All SQL of findings: places where the service, the processor and our rows disagree.
 *
 * A finding is open once per kind and subject, however often it is seen, and it closes by itself
 * when the disagreement is gone. A cause that comes back opens a new one, so that history shows both.
 */
import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Severity } from '../notify/notification.table.ts';
import type { FindingTable } from './finding.table.ts';

/** A finding as read. */
export type FindingRow = Selectable<FindingTable>;

/** What a finding is about: at most one is open per key. */
export interface FindingKey {
  readonly organisationId: string;
  readonly kind: string;
  /** `case`, `refund`, `alert`, `endpoint`, `service` or `clock`. */
  readonly subject: string;
  readonly subjectId: string;
}

/** A disagreement as it was seen. */
export interface NewFinding extends FindingKey {
  readonly severity: Severity;
  /** Ids, states, amounts and moments only. */
  readonly evidence: Record<string, unknown>;
  /** What a person does about it, as an instruction. */
  readonly nextStep: string;
  readonly at: Date;
}

/** Opens the finding, or notes that it is still there. Returns whether it is new. */
export async function openFinding(db: Kysely<Database>, finding: NewFinding): Promise<boolean> {
  const evidence = JSON.stringify(finding.evidence);
  const row = await db
    .insertInto('finding')
    .values({
      organisation_id: finding.organisationId,
      kind: finding.kind,
      severity: finding.severity,
      subject: finding.subject,
      subject_id: finding.subjectId,
      evidence,
      next_step: finding.nextStep,
      opened_at: finding.at,
      last_seen_at: finding.at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'kind', 'subject', 'subject_id'])
        .where('closed_at', 'is', null)
        .doUpdateSet({
          severity: finding.severity,
          evidence,
          next_step: finding.nextStep,
          last_seen_at: finding.at,
        }),
    )
    // A row that this statement inserted has no deleting transaction yet.
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow();
  return row.is_new;
}

/** Closes the finding. Returns whether one was open. */
export async function closeFinding(
  db: Kysely<Database>,
  key: FindingKey,
  at: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('finding')
    .set({ closed_at: at })
    .where('organisation_id', '=', key.organisationId)
    .where('kind', '=', key.kind)
    .where('subject', '=', key.subject)
    .where('subject_id', '=', key.subjectId)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Closes every open finding of a kind whose subject is not in `stillThere`. Returns how many. */
export async function closeOthers(
  db: Kysely<Database>,
  kind: { readonly organisationId: string; readonly kind: string; readonly at: Date },
  stillThere: readonly string[],
): Promise<number> {
  const result = await db
    .updateTable('finding')
    .set({ closed_at: kind.at })
    .where('organisation_id', '=', kind.organisationId)
    .where('kind', '=', kind.kind)
    .where('closed_at', 'is', null)
    .where((eb) => eb.not(eb('subject_id', '=', eb.fn.any(eb.val([...stillThere])))))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Which findings to list. */
export interface FindingQuery {
  readonly organisationId: string;
  readonly state: 'open' | 'closed' | 'all';
  readonly limit: number;
  /** Only findings older than the one with this id. */
  readonly beforeId?: number | undefined;
}

/** Findings, newest first. */
export async function listFindings(
  db: Kysely<Database>,
  query: FindingQuery,
): Promise<FindingRow[]> {
  let rows = db
    .selectFrom('finding')
    .selectAll()
    .where('organisation_id', '=', query.organisationId)
    .orderBy('id', 'desc')
    .limit(query.limit);
  if (query.state === 'open') rows = rows.where('closed_at', 'is', null);
  if (query.state === 'closed') rows = rows.where('closed_at', 'is not', null);
  if (query.beforeId !== undefined) rows = rows.where('id', '<', query.beforeId);
  return await rows.execute();
}

/** Closes the open findings of a kind about these subjects. Returns how many. */
export async function closeFindingsAbout(
  db: Kysely<Database>,
  kind: { readonly organisationId: string; readonly kind: string; readonly at: Date },
  subjectIds: readonly string[],
): Promise<number> {
  const result = await db
    .updateTable('finding')
    .set({ closed_at: kind.at })
    .where('organisation_id', '=', kind.organisationId)
    .where('kind', '=', kind.kind)
    .where('closed_at', 'is', null)
    .where((eb) => eb('subject_id', '=', eb.fn.any(eb.val([...subjectIds]))))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Closes the open findings of a kind about alerts that nobody waits for any more. Returns how many. */
export async function closeFindingsOfSettledAlerts(
  db: Kysely<Database>,
  kind: { readonly organisationId: string; readonly kind: string; readonly at: Date },
): Promise<number> {
  const result = await db
    .updateTable('finding as f')
    .set({ closed_at: kind.at })
    .where('f.organisation_id', '=', kind.organisationId)
    .where('f.kind', '=', kind.kind)
    .where('f.closed_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert_case as c')
            .select('c.alert_id')
            .whereRef('c.organisation_id', '=', 'f.organisation_id')
            .whereRef('c.alert_id', '=', 'f.subject_id')
            .where('c.is_open', '=', true),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alert as a')
            .select('a.id')
            .whereRef('a.organisation_id', '=', 'f.organisation_id')
            .whereRef('a.id', '=', 'f.subject_id')
            .where('a.needs_read', '=', true),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
