/**
 * All SQL of findings: places where the service, the processor and our rows disagree.
 *
 * A finding is open once per kind and subject, however often it is seen, and it closes by itself
 * when the disagreement is gone. A cause that comes back opens a new one, so that history shows both.
 */
import type { Kysely, RawBuilder, Selectable, UpdateQueryBuilder } from 'kysely';
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
  /** For example `case`, `charge`, `alert`, `order`, `endpoint`, `service` or `clock`. */
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

/** What open findings of one kind say when they are seen again. */
export interface SeenAgain extends FindingKind, Pick<NewFinding, 'severity' | 'nextStep'> {
  readonly found: readonly Pick<NewFinding, 'subject' | 'subjectId' | 'evidence'>[];
}

/**
 * Notes in one statement that findings are still there: a check that finds the same hundreds in every round asks for each
 * nothing more. Returns the subjects of those that are open; the others are new.
 */
export async function noteOpenFindings(
  db: Kysely<Database>,
  { organisationId, kind, at, severity, nextStep, found }: SeenAgain,
): Promise<ReadonlySet<string>> {
  if (found.length === 0) return new Set();
  const rows = found.map(({ subject, subjectId, evidence }) => ({
    subject,
    subject_id: subjectId,
    evidence,
  }));
  const { rows: open } = await sql<{ id: string }>`
    update finding as f set severity = ${severity}, evidence = s.evidence, next_step = ${nextStep}, last_seen_at = ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s(subject text, subject_id text, evidence jsonb)
    where f.organisation_id = ${organisationId} and f.kind = ${kind} and f.subject = s.subject
      and f.subject_id = s.subject_id and f.closed_at is null
    returning f.subject_id as id`.execute(db);
  return new Set(open.map(({ id }) => id));
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

/** Notes the repair that was made by itself on the open finding. */
export async function setRepair(
  db: Kysely<Database>,
  key: FindingKey,
  repair: string,
): Promise<void> {
  await db
    .updateTable('finding')
    .set({ repair })
    .where('organisation_id', '=', key.organisationId)
    .where('kind', '=', key.kind)
    .where('subject', '=', key.subject)
    .where('subject_id', '=', key.subjectId)
    .where('closed_at', 'is', null)
    .execute();
}

/** Which findings to list. */
export interface FindingQuery {
  readonly organisationId: string;
  readonly state: 'open' | 'closed' | 'all';
  readonly limit: number;
  /** Only findings older than the one with this id. */
  readonly beforeId?: number | undefined;
  /** Errors before warnings, whatever is newest; not for a list in pages. @default false */
  readonly worstFirst?: boolean | undefined;
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
    .limit(query.limit);
  if (query.worstFirst === true) {
    rows = rows.orderBy(sql`case severity when 'error' then 0 when 'warning' then 1 else 2 end`);
  }
  rows = rows.orderBy('id', 'desc');
  if (query.state === 'open') rows = rows.where('closed_at', 'is', null);
  if (query.state === 'closed') rows = rows.where('closed_at', 'is not', null);
  if (query.beforeId !== undefined) rows = rows.where('id', '<', query.beforeId);
  return await rows.execute();
}

/** The findings of one kind, and the moment at which some of them are closed. */
export interface FindingKind {
  readonly organisationId: string;
  readonly kind: string;
  readonly at: Date;
}

/** Closes every open finding of a kind whose subject is not in `stillThere`. Returns how many. */
export async function closeOthers(
  db: Kysely<Database>,
  kind: FindingKind,
  stillThere: readonly string[],
): Promise<number> {
  return await closeWhere(db, kind, sql`not subject_id = any(${[...stillThere]}::text[])`);
}

/** Closes the open findings of a kind about these subjects. Returns how many. */
export async function closeFindingsAbout(
  db: Kysely<Database>,
  kind: FindingKind,
  subjectIds: readonly string[],
): Promise<number> {
  return await closeWhere(db, kind, sql`subject_id = any(${[...subjectIds]}::text[])`);
}

/** Findings of several kinds about some subjects, and the moment at which they are closed. */
export interface FindingKinds {
  readonly organisationId: string;
  readonly kinds: readonly string[];
  readonly subjectIds: readonly string[];
  readonly at: Date;
}

/** Closes those that are open, as a change within another statement: one row for each. */
export function closingKinds(
  db: Kysely<Database>,
  { organisationId, kinds, subjectIds, at }: FindingKinds,
): UpdateQueryBuilder<Database, 'finding', 'finding', { id: number }> {
  return db
    .updateTable('finding')
    .set({ closed_at: at })
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`kind = any(${[...kinds]}::text[])`)
    .where(sql<boolean>`subject_id = any(${[...subjectIds]}::text[])`)
    .where('closed_at', 'is', null)
    .returning('id');
}

/** Closes the open findings of a kind that were opened before `moment`. Returns how many. */
export async function closeFindingsOpenedBefore(
  db: Kysely<Database>,
  kind: FindingKind,
  moment: Date,
): Promise<number> {
  return await closeWhere(db, kind, sql`opened_at < ${moment}`);
}

/** Closes the open findings of a kind about alerts that are not waited for any more. Returns how many. */
export async function closeFindingsOfSettledAlerts(
  db: Kysely<Database>,
  kind: FindingKind,
): Promise<number> {
  return await closeWhere(
    db,
    kind,
    sql`not exists (select from alert_case c where c.organisation_id = f.organisation_id
        and c.alert_id = f.subject_id and c.is_open)
      and not exists (select from alert a where a.organisation_id = f.organisation_id
        and a.id = f.subject_id and a.needs_read)`,
  );
}

async function closeWhere(
  db: Kysely<Database>,
  { organisationId, kind, at }: FindingKind,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const result = await db
    .updateTable('finding as f')
    .set({ closed_at: at })
    .where('f.organisation_id', '=', organisationId)
    .where('f.kind', '=', kind)
    .where('f.closed_at', 'is', null)
    .where(sql<boolean>`${condition}`)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** How many findings opened and closed in the period, and how many are open now. */
export async function countFindings(
  db: Kysely<Database>,
  scope: { readonly organisationId: string; readonly from: Date; readonly to: Date },
): Promise<{ readonly opened: number; readonly closed: number; readonly open: number }> {
  const { organisationId, from, to } = scope;
  return await db
    .selectFrom('finding')
    .select([
      sql<number>`(count(*) filter (where opened_at >= ${from} and opened_at < ${to}))::int`.as(
        'opened',
      ),
      sql<number>`(count(*) filter (where closed_at >= ${from} and closed_at < ${to}))::int`.as(
        'closed',
      ),
      sql<number>`(count(*) filter (where closed_at is null))::int`.as('open'),
    ])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
}

/** The open findings, the worst first and then the oldest. */
export async function findingsOfReport(
  db: Kysely<Database>,
  organisationId: string,
  limit: number,
): Promise<FindingRow[]> {
  return await db
    .selectFrom('finding')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('closed_at', 'is', null)
    .orderBy(sql`case severity when 'error' then 0 when 'warning' then 1 else 2 end`)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** What the open findings of a kind are about. */
export async function openSubjects(
  db: Kysely<Database>,
  organisationId: string,
  kind: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('finding')
    .select('subject_id')
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', kind)
    .where('closed_at', 'is', null)
    .execute();
  return rows.map((row) => row.subject_id);
}
