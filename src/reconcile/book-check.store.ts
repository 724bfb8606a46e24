/**
 * All SQL of comparisons with the processor: which alerts are due for one, their rows, and the outcome.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CaseState } from '../cases/case-state.ts';
import type { Database } from '../db/database.ts';
import type { RefundState } from '../refund/refund-state.ts';
import type { AlertBooks, BookedRefund } from './book-comparison.ts';
import type { ProcessorAnswerKind } from './reconcile.table.ts';

/** One alert with its rows, and what the comparison needs beside them. */
export interface ComparableAlert extends AlertBooks {
  readonly openedAt: Date;
  /** Keys used on the charge so far: 1 to `rounds`. */
  readonly rounds: number;
}

/** Which alerts to compare. */
export interface ComparableQuery {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
}

/** A case that moved is left alone for this long: its saga is at work, in milliseconds. */
export const SETTLE_MS = 5 * 60_000;

/** Moves further back than this were compared or had their chance, in milliseconds. */
const MOVED_SINCE_MS = 2 * 24 * 60 * 60_000;

interface BooksRow {
  readonly alert_id: string;
  readonly charge_reference: string;
  readonly case_state: CaseState;
  readonly is_open: boolean;
  readonly opened_at: Date;
  readonly status: string | null;
  readonly enrolment_type: string | null;
  readonly refund_outcome: string | null;
  readonly alert_minor: number | null;
  readonly alert_currency: string | null;
  readonly refund_id: string | null;
  readonly refund_state: RefundState | null;
  readonly kind: 'refund' | 'void' | null;
  readonly round: number | null;
  readonly amount_minor: number | null;
  readonly external_minor: number | null;
  readonly currency: string | null;
  readonly processor_reference: string | null;
  readonly network_alert_id: string | null;
  readonly confirmed_at: Date | null;
  readonly declared: 'REFUND' | 'ACCEPT_DISPUTE' | null;
}

const BOOKS = sql`
  select c.alert_id, c.charge_reference, c.state as case_state, c.is_open, c.opened_at,
    a.status, a.enrolment_type, a.refund_outcome, a.amount_minor as alert_minor, a.currency as alert_currency,
    r.id as refund_id, r.state as refund_state, r.kind, r.round, r.amount_minor, r.external_minor, r.currency,
    r.processor_reference, r.network_alert_id, r.confirmed_at,
    d.action as declared
  from alert_case c
  join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
  left join refund r on r.organisation_id = c.organisation_id and r.charge_reference = c.charge_reference
  left join declaration d on d.organisation_id = c.organisation_id and d.alert_id = c.alert_id and d.state = 'DONE'
  left join book_check b on b.organisation_id = c.organisation_id and b.alert_id = c.alert_id`;

/** Alerts that are due: planned ones first, then those that moved since they were last compared. */
export async function alertsToCompare(
  db: Kysely<Database>,
  { organisationId, now, limit }: ComparableQuery,
): Promise<ComparableAlert[]> {
  const settled = new Date(now.getTime() - SETTLE_MS);
  const since = new Date(now.getTime() - MOVED_SINCE_MS);
  const { rows: planned } = await sql<BooksRow>`
    ${BOOKS} where b.organisation_id = ${organisationId} and b.next_at <= ${now} and c.charge_reference is not null
    order by b.next_at, b.alert_id limit ${limit}`.execute(db);
  const { rows: moved } = await sql<BooksRow>`
    ${BOOKS} where c.organisation_id = ${organisationId} and c.charge_reference is not null
      and c.changed_at > ${since} and c.changed_at <= ${settled}
      and (b.alert_id is null or b.compared_at < c.changed_at)
    order by c.changed_at, c.alert_id limit ${limit}`.execute(db);
  const rows = new Map([...planned, ...moved].map((row) => [row.alert_id, row]));
  return [...rows.values()].slice(0, limit).map(comparableOf);
}

/** Alerts whose case was opened or has moved since `since`, a page after `afterId`, in the order of ids. */
export async function alertsSince(
  db: Kysely<Database>,
  query: ComparableQuery & { readonly since: Date; readonly afterId: string },
): Promise<ComparableAlert[]> {
  const { rows } = await sql<BooksRow>`
    ${BOOKS} where c.organisation_id = ${query.organisationId} and c.charge_reference is not null
      and c.changed_at >= ${query.since} and c.alert_id > ${query.afterId}
    order by c.alert_id limit ${query.limit}`.execute(db);
  return rows.map(comparableOf);
}

function comparableOf(row: BooksRow): ComparableAlert {
  return {
    alertId: row.alert_id,
    chargeReference: row.charge_reference,
    caseState: row.case_state,
    isOpen: row.is_open,
    openedAt: row.opened_at,
    rounds: row.round ?? 1,
    alert: {
      status: row.status ?? 'UNKNOWN',
      enrolmentType: row.enrolment_type,
      refundOutcome: row.refund_outcome,
      amountMinor: row.alert_minor,
      currency: row.alert_currency,
    },
    refund: refundOf(row),
    declared: row.declared ?? undefined,
  };
}

function refundOf(row: BooksRow): BookedRefund | undefined {
  const { refund_id: id, refund_state: state, currency } = row;
  if (id === null || state === null || currency === null) return undefined;
  return {
    id,
    state,
    kind: row.kind ?? 'refund',
    amountMinor: row.amount_minor ?? 0,
    externalMinor: row.external_minor ?? 0,
    currency,
    processorReference: row.processor_reference,
    networkAlertId: row.network_alert_id,
    confirmedAtMs: row.confirmed_at?.getTime() ?? null,
  };
}

/** What a comparison leaves. */
export interface BookCheck {
  readonly organisationId: string;
  readonly alertId: string;
  readonly at: Date;
  /** Null: not again, unless the case moves. */
  readonly nextAt: Date | null;
  readonly answer: ProcessorAnswerKind;
  /** Under our keys. */
  readonly refundedMinor: number | null;
  readonly currency: string | null;
}

/** Writes it over the last one. */
export async function writeBookCheck(db: Kysely<Database>, check: BookCheck): Promise<void> {
  const columns = {
    compared_at: check.at,
    next_at: check.nextAt,
    answer: check.answer,
    refunded_minor: check.refundedMinor,
    currency: check.currency,
  };
  await db
    .insertInto('book_check')
    .values({ organisation_id: check.organisationId, alert_id: check.alertId, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'alert_id']).doUpdateSet(columns),
    )
    .execute();
}
