/** All SQL of disputes at the processor and of their submissions. */
import { isDeepStrictEqual } from 'node:util';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../../base/db/database.ts';
import { lockOrganisation } from '../../../base/db/organisation-lock.store.ts';
import { cursorOfMoment, directed, momentOfCursor } from '../../../base/db/sort-keys.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import { deriveId } from '../../../base/kernel/ids.ts';
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';
import type { DisputeRow, SubmissionRow, SubmissionState } from './filing.table.ts';

/** Whose disputes, and now. */
export interface At {
  readonly organisationId: string;
  readonly now: Date;
}

/**
 * Notes disputes as the processor shows them. One that asks for a response gets the row of its one submission; an
 * open submission of one that changed is looked at at once. Returns how many submissions are new.
 */
export async function noteDisputes(
  db: Db,
  { organisationId, now }: At,
  disputes: readonly ProcessorDispute[],
): Promise<number> {
  if (disputes.length === 0) return 0;
  const rows = disputes.map(({ staged: _staged, ...shown }) => ({
    ...shown,
    openedAt: shown.openedAt ?? now.toISOString(),
    isAsked: shown.status === 'needs_response' && shown.submission === null,
    key: submissionKey(organisationId, shown.reference),
  }));
  return await inTransaction(db, async (trx) => {
    const shown = sql`json_to_recordset(${JSON.stringify(rows)}::json) as d(reference text, "chargeReference" text,
      "reasonCode" text, "amountMinor" bigint, currency text, status text, "dueBy" timestamptz, "openedAt" timestamptz,
      "acquirerReferenceNumber" text, wants jsonb, "isAsked" boolean, key text)`;
    const { rows: changed } = await sql<{ reference: string }>`
      insert into processor_dispute as p (organisation_id, reference, charge_reference, reason_code, amount_minor, currency,
        status, due_by, opened_at, acquirer_reference_number, wants, seen_at)
      select ${organisationId}, d.reference, d."chargeReference", d."reasonCode", d."amountMinor", d.currency, d.status,
        d."dueBy", d."openedAt", d."acquirerReferenceNumber", d.wants, ${now}
      from ${shown} order by d.reference
      on conflict (organisation_id, reference) do update set charge_reference = excluded.charge_reference,
        reason_code = excluded.reason_code, amount_minor = excluded.amount_minor, currency = excluded.currency,
        status = excluded.status, due_by = excluded.due_by, wants = excluded.wants,
        acquirer_reference_number = coalesce(excluded.acquirer_reference_number, p.acquirer_reference_number),
        seen_at = excluded.seen_at
      where p.status <> excluded.status or p.due_by is distinct from excluded.due_by
        or p.wants <> excluded.wants or p.amount_minor <> excluded.amount_minor or p.currency <> excluded.currency
        or p.charge_reference <> excluded.charge_reference or p.reason_code is distinct from excluded.reason_code
        or coalesce(excluded.acquirer_reference_number, p.acquirer_reference_number) is distinct from p.acquirer_reference_number
      returning p.reference`.execute(trx);
    const added = await sql`
      insert into evidence_submission (organisation_id, dispute_reference, state, problems, idempotency_key, staged,
        attempts, next_at, version, changed_at)
      select ${organisationId}, d.reference, 'WAITING', '[]', d.key, '[]', 0, ${now}, 1, ${now}
      from ${shown} where d."isAsked" order by d.reference
      on conflict do nothing`.execute(trx);
    const references = changed.map(({ reference }) => reference);
    await sql`
      update evidence_submission set next_at = ${now}
      where organisation_id = ${organisationId} and dispute_reference = any(${references}::text[])
        and state in ('WAITING', 'HELD') and next_at > ${now}`.execute(trx);
    return Number(added.numAffectedRows ?? 0n);
  });
}

/** Whether the row says what the processor shows, so that there is nothing to note. */
export function isAsNoted(row: DisputeRow, shown: ProcessorDispute): boolean {
  return (
    row.charge_reference === shown.chargeReference &&
    row.reason_code === shown.reasonCode &&
    row.amount_minor === shown.amountMinor &&
    row.currency === shown.currency &&
    row.status === shown.status &&
    // One that is left out is no news: a list may show less than a read.
    [null, row.acquirer_reference_number].includes(shown.acquirerReferenceNumber) &&
    (row.due_by?.getTime() ?? null) === (shown.dueBy === null ? null : Date.parse(shown.dueBy)) &&
    isDeepStrictEqual(row.wants, JSON.parse(JSON.stringify(shown.wants)))
  );
}

/** The same in every process, and after a backup was restored: what it handed in is known again. */
export function submissionKey(organisationId: string, disputeReference: string): string {
  return deriveId('ev', [organisationId, disputeReference]);
}

/** Until when the processor was asked for what changed; undefined: never. */
/** A list of disputes that is read page by page, over several rounds where need be. */
export interface DisputeWalk {
  /** What changed since then is asked for. */
  readonly since: Date;
  readonly beganAt: Date;
  /** Where the next page begins; null: the first one. */
  readonly cursor: string | null;
  /** Answers that did not come, one after the other, at that place. */
  readonly failures: number;
}

/** Until when everything was read, and the walk that is under way. */
export interface DisputeLooks {
  readonly lookedUntil: Date | null;
  readonly walk: DisputeWalk | undefined;
}

export async function readLooks(db: Db, organisationId: string): Promise<DisputeLooks> {
  const row = await db
    .selectFrom('dispute_look')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  const { looked_until: lookedUntil = null, walk_since: since, walk_began_at: beganAt } = row ?? {};
  if (row === undefined || since == null || beganAt == null)
    return { lookedUntil, walk: undefined };
  const { walk_cursor: cursor, walk_failures: failures } = row;
  return { lookedUntil, walk: { since, beganAt, cursor, failures } };
}

/** Notes how far the walk has come; undefined: it is over, or begins again. A moment that is not given stays. */
export async function noteLooks(
  db: Db,
  organisationId: string,
  { lookedUntil, walk }: Partial<DisputeLooks>,
): Promise<void> {
  const { since = null, beganAt = null, cursor = null, failures = 0 } = walk ?? {};
  await sql`
    insert into dispute_look as l (organisation_id, looked_until, walk_since, walk_began_at, walk_cursor, walk_failures)
    values (${organisationId}, ${lookedUntil ?? null}::timestamptz, ${since}::timestamptz, ${beganAt}::timestamptz, ${cursor}, ${failures})
    on conflict (organisation_id) do update set looked_until = coalesce(excluded.looked_until, l.looked_until),
      walk_since = excluded.walk_since, walk_began_at = excluded.walk_began_at, walk_cursor = excluded.walk_cursor,
      walk_failures = excluded.walk_failures`.execute(db);
}

export interface Due extends At {
  readonly limit: number;
  /** When an attempt that never reports back may be repeated. */
  readonly claimedUntil: Date;
}

/** Claims submissions whose moment has come, those due first. The claim is the next attempt's moment. */
export async function claimSubmissions(
  db: Db,
  { organisationId, now, limit, claimedUntil }: Due,
): Promise<SubmissionRow[]> {
  const rows = await db
    .with('due', (qb) =>
      qb
        .selectFrom('evidence_submission')
        .select(['organisation_id', 'dispute_reference'])
        .where('organisation_id', '=', organisationId)
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .orderBy('dispute_reference')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('evidence_submission as s')
    .from('due')
    .set({
      next_at: claimedUntil,
      attempts: sql<number>`s.attempts + 1`,
      version: sql<number>`s.version + 1`,
    })
    .whereRef('s.organisation_id', '=', 'due.organisation_id')
    .whereRef('s.dispute_reference', '=', 'due.dispute_reference')
    .returningAll('s')
    .execute();
  return rows.sort((a, b) => (a.dispute_reference < b.dispute_reference ? -1 : 1));
}

/** What a step makes of a submission. What is left out stays. */
export interface SubmissionChange {
  readonly state: SubmissionState;
  readonly heldReason?: SubmissionRow['held_reason'];
  readonly problems?: SubmissionRow['problems'];
  readonly contentHash?: string;
  readonly packRule?: string;
  readonly staged?: SubmissionRow['staged'];
  readonly sentAt?: Date;
  readonly submittedAt?: Date;
  readonly nextAt: Date | null;
  readonly error?: string | null;
  /** For the audit, where this is a step worth one. */
  readonly what?: string;
  readonly detail?: Record<string, unknown>;
}

/**
 * Writes a step. Returns the row; undefined: somebody else has moved it since it was read, and nothing was written.
 */
export async function moveSubmission(
  trx: Trx,
  row: SubmissionRow,
  now: Date,
  change: SubmissionChange,
): Promise<SubmissionRow | undefined> {
  const { state, heldReason = null, problems = [], nextAt, error = null } = change;
  const moved = await trx
    .updateTable('evidence_submission')
    .set({
      state,
      held_reason: state === 'HELD' ? heldReason : null,
      problems: JSON.stringify(problems),
      content_hash: change.contentHash ?? row.content_hash,
      pack_rule: change.packRule ?? row.pack_rule,
      staged: JSON.stringify(change.staged ?? row.staged),
      sent_at: change.sentAt ?? row.sent_at,
      submitted_at: change.submittedAt ?? row.submitted_at,
      next_at: nextAt,
      last_error: error,
      version: row.version + 1,
      changed_at: now,
    })
    .where('organisation_id', '=', row.organisation_id)
    .where('dispute_reference', '=', row.dispute_reference)
    .where('version', '=', row.version)
    .returningAll()
    .executeTakeFirst();
  if (moved !== undefined && change.what !== undefined) {
    await writeAudit(trx, {
      organisationId: row.organisation_id,
      at: now,
      subject: 'dispute',
      subjectId: row.dispute_reference,
      what: change.what,
      fromState: row.state,
      toState: state,
      ...(change.detail === undefined ? {} : { detail: change.detail }),
    });
  }
  return moved;
}

export async function findDispute(
  db: Db,
  organisationId: string,
  reference: string,
): Promise<DisputeRow | undefined> {
  return await db
    .selectFrom('processor_dispute')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('reference', '=', reference)
    .executeTakeFirst();
}

export async function findSubmission(
  db: Db,
  organisationId: string,
  disputeReference: string,
): Promise<SubmissionRow | undefined> {
  return await db
    .selectFrom('evidence_submission')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('dispute_reference', '=', disputeReference)
    .executeTakeFirst();
}

/** The same, until the transaction ends. */
async function lockSubmission(
  trx: Trx,
  organisationId: string,
  disputeReference: string,
): Promise<SubmissionRow | undefined> {
  return await trx
    .selectFrom('evidence_submission')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('dispute_reference', '=', disputeReference)
    .forUpdate()
    .executeTakeFirst();
}

/** What a person says about a submission; `about`: which representment is meant. */
export type Word = 'file' | 'agree' | 'give_up' | 'about';

/**
 * Notes a person's word, where the row is as the page showed it. Returns whether it was noted: not when the
 * submission has moved since, is final or sent, or when the second person is the first.
 */
export async function noteWord(
  db: Db,
  word: Word,
  on: At & {
    readonly disputeReference: string;
    readonly version: number;
    readonly operator: string;
    /** With `about`. */
    readonly representmentId?: string;
  },
): Promise<boolean> {
  const { organisationId, disputeReference, version, operator, now, representmentId } = on;
  return await inTransaction(db, async (trx) => {
    const row = await lockSubmission(trx, organisationId, disputeReference);
    if (row?.version !== version) return false;
    const saying = sayingOf(row, { word, operator });
    if (saying === undefined) return false;
    if (representmentId !== undefined) {
      const about = { reference: disputeReference, representmentId };
      if (!(await noteRepresentment(trx, organisationId, about))) return false;
    }
    await trx
      .updateTable('evidence_submission')
      .set({ ...saying, next_at: now, version: version + 1, changed_at: now })
      .where('organisation_id', '=', organisationId)
      .where('dispute_reference', '=', disputeReference)
      .execute();
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'dispute',
      subjectId: disputeReference,
      actor: `operator:${operator}`,
      what: WORDS[word],
      ...(representmentId === undefined ? {} : { detail: { representment: representmentId } }),
    });
    return true;
  });
}

type Saying = Partial<
  Pick<SubmissionRow, 'asked_by' | 'agreed_by' | 'given_up_by' | 'state' | 'held_reason'>
>;

/** What the word changes; undefined: it is none that can be said now. */
function sayingOf(
  row: SubmissionRow,
  { word, operator }: { readonly word: Word; readonly operator: string },
): Saying | undefined {
  if (row.state !== 'HELD' && row.state !== 'WAITING') return undefined;
  switch (word) {
    case 'file':
      return { asked_by: operator, agreed_by: null, state: 'WAITING', held_reason: null };
    case 'agree':
      return row.asked_by === operator ? undefined : { agreed_by: operator };
    case 'give_up':
      return { given_up_by: operator, state: 'ACCEPTING', held_reason: null };
    case 'about':
      return {};
    default:
      return word satisfies never;
  }
}

const WORDS: Readonly<Record<Word, string>> = {
  file: 'asked to hand evidence in',
  agree: 'agreed to hand evidence in',
  give_up: 'asked to give the dispute up',
  about: 'said which representment the dispute is about',
};

/** A dispute with its submission, for people. */
export interface FiledDispute {
  readonly dispute: DisputeRow;
  readonly submission: SubmissionRow | undefined;
}

/** `open`: something is still to be done for its evidence. The others are what the processor says. */
export const DISPUTE_LISTS = ['open', 'under_review', 'won', 'lost', 'all'] as const;
export type DisputeList = (typeof DISPUTE_LISTS)[number];

export interface DisputeQuery {
  readonly list: DisputeList;
  readonly limit: number;
  /** The key and reference of the last row of the page before. */
  readonly after?: readonly [key: string, reference: string] | undefined;
}

/** A row of the list. */
export type ListedDispute = FiledDispute & { readonly key: string };

function isOn(list: DisputeList): RawBuilder<unknown> {
  if (list === 'all') return sql``;
  if (list !== 'open') return sql`and p.status = ${list}`;
  return sql`and exists (select from evidence_submission s where s.organisation_id = p.organisation_id
    and s.dispute_reference = p.reference and s.next_at is not null)`;
}

/** Open ones by the moment they are due, what is due at no known moment first; the others newest first. */
export async function listFiled(
  db: Db,
  organisationId: string,
  { list, limit, after }: DisputeQuery,
): Promise<ListedDispute[]> {
  const isByDue = list === 'open';
  const moment = isByDue ? sql`coalesce(p.due_by, '-infinity')` : sql`p.opened_at`;
  const { direction, sign } = directed(isByDue ? 'due' : '-opened');
  const begins =
    after === undefined
      ? sql``
      : sql`and (${moment}, p.reference) ${sign} (${momentOfCursor(after[0])}, ${after[1]}::text)`;
  const { rows } = await sql<DisputeRow & { key: string }>`
    select p.*, ${cursorOfMoment(moment)} as key from processor_dispute p
    where p.organisation_id = ${organisationId} ${isOn(list)} ${begins}
    order by ${moment} ${direction}, p.reference ${direction} limit ${limit}`.execute(db);
  const references = rows.map(({ reference }) => reference);
  const submissions =
    references.length === 0
      ? []
      : await db
          .selectFrom('evidence_submission')
          .selectAll()
          .where('organisation_id', '=', organisationId)
          .where('dispute_reference', 'in', references)
          .execute();
  const byDispute = new Map(submissions.map((each) => [each.dispute_reference, each]));
  return rows.map(({ key, ...dispute }) => ({
    key,
    dispute,
    submission: byDispute.get(dispute.reference),
  }));
}

/** How many disputes each list holds. */
export async function countFiled(
  db: Db,
  organisationId: string,
): Promise<Readonly<Record<DisputeList, number>>> {
  const { rows } = await sql<Record<DisputeList, number>>`
    select count(*)::int as "all", count(*) filter (where status = 'under_review')::int as under_review,
      count(*) filter (where status = 'won')::int as won, count(*) filter (where status = 'lost')::int as lost,
      (select count(*)::int from evidence_submission where organisation_id = ${organisationId} and next_at is not null) as open
    from processor_dispute where organisation_id = ${organisationId}`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('A count has one row.');
  return counts;
}

/** Notes which representment is about it. Returns whether it was: not where another dispute has it. */
export async function noteRepresentment(
  trx: Trx,
  organisationId: string,
  { reference, representmentId }: { readonly reference: string; readonly representmentId: string },
): Promise<boolean> {
  // One at a time: two disputes may want it at once.
  await lockOrganisation(trx, organisationId, 'representment');
  const result = await sql`
    update processor_dispute p set representment_id = ${representmentId}
    where p.organisation_id = ${organisationId} and p.reference = ${reference}
      and (${representmentId} = '' or not exists (select from processor_dispute q
        where q.organisation_id = p.organisation_id and q.representment_id = ${representmentId} and q.reference <> p.reference))`.execute(
    trx,
  );
  return result.numAffectedRows === 1n;
}
