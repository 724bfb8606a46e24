/**
 * All SQL of comparisons with the processor: which alerts are due for one, their rows, and the outcome.
 * The ledger is read with the charge in hand, so that neither is older than the other.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { FindingKinds } from '../../base/findings/finding.store.ts';
import { closingKinds } from '../../base/findings/finding.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { ledgerOf, ledgerQuery } from '../ledger/ledger.store.ts';
import type { LedgerRow } from '../ledger/ledger.table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ObservedState } from '../ledger/movement-state.ts';
import { networkReadings } from '../ledger/observe.store.ts';
import type { AlertBooks } from './alert-books.ts';
import type { ProcessorAnswerKind } from './reconcile.table.ts';

/** One alert with its rows, and what the comparison needs besides them. */
export interface ComparableAlert extends Omit<AlertBooks, 'ledger' | 'confirmedAtMs'> {
  readonly openedAt: Date;
}

export interface ComparableQuery {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
}

/** A case that moved is left alone for this long: its saga is at work, in milliseconds. */
export const SETTLE_MS = 5 * 60_000;

/** Moves further back than this were compared or had their chance, in milliseconds. */
const MOVED_SINCE_MS = 2 * 24 * 60 * 60_000;

type BooksRow = Omit<ComparableAlert, 'declared'> & {
  readonly declared: ComparableAlert['declared'] | null;
};

const BOOKS = sql`
  select c.alert_id as "alertId", c.charge_reference as "chargeReference", c.state as "caseState", c.is_open as "isOpen",
    c.opened_at as "openedAt", c.dispute_id as "disputeId", c.movement_id as "movementId", d.action as declared,
    json_build_object('status', coalesce(a.status, 'UNKNOWN'), 'enrolmentType', a.enrolment_type,
      'refundOutcome', a.refund_outcome, 'amountMinor', a.amount_minor, 'currency', a.currency) as alert
  from alert_case c
  join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
  left join declaration d on d.organisation_id = c.organisation_id and d.alert_id = c.alert_id and d.state = 'DONE'
  left join book_check b on b.organisation_id = c.organisation_id and b.alert_id = c.alert_id`;

/** Alerts that are due: planned ones first, then those that moved since they were last compared. */
export async function alertsToCompare(
  db: Db,
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
  const rows = new Map([...planned, ...moved].map((row) => [row.alertId, row]));
  return [...rows.values()].slice(0, limit).map(comparableOf);
}

/** Alerts whose case was opened or has moved since `since`, a page after `afterId`, in the order of ids. */
export async function alertsSince(
  db: Db,
  query: ComparableQuery & { readonly since: Date; readonly afterId: string },
): Promise<ComparableAlert[]> {
  const { rows } = await sql<BooksRow>`
    ${BOOKS} where c.organisation_id = ${query.organisationId} and c.charge_reference is not null
      and c.changed_at >= ${query.since} and c.alert_id > ${query.afterId}
    order by c.alert_id limit ${query.limit}`.execute(db);
  return rows.map(comparableOf);
}

function comparableOf(row: BooksRow): ComparableAlert {
  return { ...row, declared: row.declared ?? undefined };
}

/** The charge's ledger for a comparison. */
export interface ComparedLedger extends Pick<AlertBooks, 'ledger' | 'confirmedAtMs'> {
  /** Of the ledger: 0 while the charge has none. */
  readonly version: number;
}

/** A movement with what the network's alert says of it now. */
interface ShownMovement {
  readonly id: string;
  /** When a refund of ours was confirmed, in milliseconds since 1970. */
  readonly confirmedAtMs: number | null;
  readonly state: ObservedState | null;
  readonly amountMinor: number | null;
}

/**
 * Reads it, in one statement: the network's refunds are as their alerts say it now, whether or not the saga
 * has booked them so.
 */
export async function ledgerToCompare(db: Db, charge: ChargeKey): Promise<ComparedLedger> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<LedgerRow & { readonly shown: readonly ShownMovement[] | null }>`
    select l.*,
      (select json_agg(json_build_object('id', m.id, 'state', r.state, 'amountMinor', r.amount, 'confirmedAtMs',
          case when m.idempotency_key is not null then (extract(epoch from m.confirmed_at) * 1000)::bigint end))
        from movement m
        left join (${networkReadings(organisationId)}) r on m.kind = 'network' and r.alert_id = m.observed_from
        where m.organisation_id = ${organisationId} and m.charge_reference = ${chargeReference}) as shown
    from (${ledgerQuery(charge)}) l`.execute(db);
  const [row] = rows;
  const shown = row?.shown ?? [];
  const confirmed = shown.flatMap(({ confirmedAtMs }) => confirmedAtMs ?? []);
  return {
    ledger: withReadings(ledgerOf(chargeReference, row), shown),
    confirmedAtMs: confirmed.length === 0 ? null : Math.max(...confirmed),
    version: row?.version ?? 0,
  };
}

function withReadings(ledger: Ledger, shown: readonly ShownMovement[]): Ledger {
  const readings = new Map(shown.map((each) => [each.id, each]));
  const movements = ledger.movements.map((each) => {
    const { state = null, amountMinor = null } = readings.get(each.id) ?? {};
    return state === null || amountMinor === null ? each : { ...each, state, amountMinor };
  });
  return { ...ledger, movements };
}

export interface BookCheck {
  readonly organisationId: string;
  readonly alertId: string;
  readonly at: Date;
  /** Null: not again, unless the case moves. */
  readonly nextAt: Date | null;
  readonly answer: ProcessorAnswerKind;
  /** Under our keys, for the alert's dispute. */
  readonly refundedMinor: number | null;
  readonly currency: string | null;
}

/** Writes it over the last one, and closes findings that it sees no more. Returns how many those were. */
export async function writeBookCheck(
  db: Db,
  check: BookCheck,
  gone?: Pick<FindingKinds, 'kinds' | 'subjectIds'>,
): Promise<number> {
  const { organisationId, alertId, at } = check;
  const columns = {
    compared_at: at,
    next_at: check.nextAt,
    answer: check.answer,
    refunded_minor: check.refundedMinor,
    currency: check.currency,
  };
  const written = db
    .insertInto('book_check')
    .values({ organisation_id: organisationId, alert_id: alertId, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'alert_id']).doUpdateSet(columns),
    );
  if (gone === undefined) {
    await written.execute();
    return 0;
  }
  const { rows } = await sql<{ closed: number }>`
    with written as (${written}), closed as (${closingKinds(db, { ...gone, organisationId, at })})
    select count(*)::int as closed from closed`.execute(db);
  return rows[0]?.closed ?? 0;
}
