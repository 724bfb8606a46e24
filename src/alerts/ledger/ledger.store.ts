/**
 * The SQL of the charge ledger as a whole: locks a charge, reads its ledger in one statement.
 *
 * Everything that could move or disclaim a charge's money takes {@link lockCharge} first. The lock is
 * the charge's own row, so it holds on every PostgreSQL-compatible engine, and its version says
 * whether a reading taken earlier is still the newest (L9).
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import type { ChargeKey } from './charge-key.ts';
import type { ChargeAccountTable, LedgerRow } from './ledger.table.ts';
import { ACCOUNT_COLUMNS } from './ledger.table.ts';
import type { Ledger } from './ledger.ts';
import { movementKey } from './movement-key.ts';
import { doubtAmong, waitingForCharge } from './same-charge.ts';

export type { ChargeKey } from './charge-key.ts';

/** The charge's own row. */
export type ChargeAccount = Selectable<ChargeAccountTable>;

/** What the processor shows of a charge, to be kept with it. */
export type ShownCharge = Pick<
  ChargeAccount,
  'status' | 'amount_minor' | 'currency' | 'read_at' | 'disputed'
>;

/**
 * Serialises everything that decides about one charge's money until the transaction ends, and counts
 * the change. Taken before any other row of the charge.
 *
 * @param shown what the processor was just seen to show
 * @returns the row as it is now; `version - 1` is what it was before
 */
export async function lockCharge(
  trx: Trx,
  charge: ChargeKey,
  shown: Partial<ShownCharge> = {},
): Promise<ChargeAccount> {
  const { rows } = await lockingCharge(trx, charge, shown).execute(trx);
  const [row] = rows;
  assertInvariant(row !== undefined, `Charge ${charge.chargeReference} was not locked.`);
  return row;
}

/** The same as a part of another statement: one row. */
export function lockingCharge(
  trx: Trx,
  { organisationId, chargeReference }: ChargeKey,
  shown: Partial<ShownCharge>,
): RawBuilder<ChargeAccount> {
  const insert = trx
    .insertInto('charge_account')
    .values({
      ...shown,
      organisation_id: organisationId,
      charge_reference: chargeReference,
      version: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'charge_reference'])
        .doUpdateSet({ ...shown, version: sql<number>`charge_account.version + 1` }),
    );
  return sql<ChargeAccount>`${insert} returning ${ACCOUNT_COLUMNS.of('charge_account')}`;
}

/**
 * Notes, as a change within another statement, that a reading was taken which changes nothing else (L9): no
 * row is returned where the ledger has changed since.
 */
export function notingReading(
  { organisationId, chargeReference }: ChargeKey,
  { version, readAt }: { readonly version: number; readonly readAt: Date },
): RawBuilder<unknown> {
  return sql`update charge_account set version = version + 1, read_at = ${readAt}
    where organisation_id = ${organisationId} and charge_reference = ${chargeReference} and version = ${version}
    returning version`;
}

/** What is known of a ledger before the processor is asked. */
export interface LedgerMark {
  /** 0 while the charge has no ledger. */
  readonly version: number;
  /** The number of the next new key: above every key that may have left. */
  readonly nextRound: number;
  /** An erasure put another word in the place of its reference: our requests for it are under that word. */
  readonly isRenamed?: boolean;
}

/** Reads it. */
export async function readLedgerMark(db: Db, charge: ChargeKey): Promise<LedgerMark> {
  const { rows } = await ledgerMark(charge).execute(db);
  return rows[0] ?? { version: 0, nextRound: 1 };
}

/** The same as a part of another statement: one row. */
export function ledgerMark(charge: ChargeKey): RawBuilder<LedgerMark> {
  const { organisationId, chargeReference } = charge;
  return sql<LedgerMark>`
    select coalesce((select version from charge_account
        where organisation_id = ${organisationId} and charge_reference = ${chargeReference}), 0) as version,
      coalesce((select max(round) from movement where organisation_id = ${organisationId}
        and charge_reference = ${chargeReference} and first_sent_at is not null), 0) + 1 as "nextRound",
      exists (select from movement where organisation_id = ${organisationId} and state <> 'NOT_SENT'
        and idempotency_key = ${movementKey(charge, 1)} and charge_reference <> ${chargeReference}) as "isRenamed"`;
}

/** Reads the ledger. What the network says of its own refunds is as the alerts say it now. */
export async function readLedger(db: Db, charge: ChargeKey): Promise<Ledger> {
  const { rows } = await ledgerQuery(charge).execute(db);
  return ledgerOf(charge.chargeReference, rows[0]);
}

/** The selection of a charge's ledger: one row. */
export function ledgerQuery(charge: ChargeKey): RawBuilder<LedgerRow> {
  const { organisationId: org, chargeReference: reference } = charge;
  return sql<LedgerRow>`
    select a.status, a.amount_minor, a.currency, a.read_at, a.disputed, coalesce(a.version, 0) as version,
      ${waitingForCharge(org, reference)} as waiting,
      (select json_agg(json_build_object('id', m.id, 'kind', m.kind, 'state', m.state, 'version', m.version,
          'disputeId', m.dispute_id, 'alertId', m.alert_id, 'key', m.idempotency_key, 'round', m.round,
          'amountMinor', m.amount_minor, 'currency', m.currency, 'reference', m.processor_reference,
          'observedFrom', m.observed_from, 'failureCode', m.failure_code, 'failureClass', m.failure_class,
          'wasSent', m.first_sent_at is not null, 'processor', m.processor, 'movedAtMs', (extract(epoch from m.moved_at) * 1000)::float8,
          'covers', coalesce((select json_agg(json_build_object('disputeId', c.dispute_id, 'amountMinor', c.amount_minor) order by c.dispute_id)
            from cover c where c.organisation_id = m.organisation_id and c.movement_id = m.id), '[]'::json))
          order by m.created_at, m.id)
        from movement m where m.organisation_id = ${org} and m.charge_reference = ${reference}) as movements,
      (select json_agg(json_build_object('id', d.id, 'amountMinor', d.amount_minor, 'currency', d.currency) order by d.opened_at, d.id)
        from dispute d where d.organisation_id = ${org} and d.charge_reference = ${reference}) as disputes,
      (select json_agg(json_build_object('disputeId', k.dispute_id, 'alertId', k.alert_id, 'caseState', k.state,
          'enrolmentType', l.enrolment_type, 'status', l.status, 'amountMinor', l.amount_minor, 'currency', l.currency,
          -- A claim of our own that is left unrefunded is no word to anybody: an alert may still come.
          'isAccepted', k.alert_id not like ${CLAIM_IDS} and (
            coalesce(d.action = 'ACCEPT_DISPUTE' and d.state in ('DUE', 'SENT', 'DONE'), false)
            -- What the network let through is no answer; the complaint may still come as an alert.
            or coalesce(l.status = 'RESOLVED' and l.refund_outcome = 'NOT_REFUNDED' and l.enrolment_type <> 'NETB_RDR', false)),
          'despiteMinor', coalesce(d.despite_minor, 0),
          'isRefundDeclared', coalesce(d.action = 'REFUND' and d.state in ('DUE', 'SENT', 'DONE'), false),
          'isToBeRefunded', k.state in ('DECIDED_REFUND', 'REFUNDING') or (k.state = 'HUMAN'
            and (k.retry_at is not null or k.hold_reason in ('approval_needed', 'paused'))),
          'raisedAtMs', (extract(epoch from coalesce(l.created_at, k.opened_at)) * 1000)::float8)
          -- Of alerts that came together the one about most is placed first.
          order by k.opened_at, l.amount_minor desc nulls last, k.alert_id)
        from alert_case k
        left join alert l on l.organisation_id = k.organisation_id and l.id = k.alert_id
        left join declaration d on d.organisation_id = k.organisation_id and d.alert_id = k.alert_id
        where k.organisation_id = ${org} and k.charge_reference = ${reference}) as alerts
    from (select 1) one
    left join charge_account a on a.organisation_id = ${org} and a.charge_reference = ${reference}`;
}

/** The ledger of a row of {@link ledgerQuery}. */
export function ledgerOf(
  chargeReference: string,
  row: Omit<LedgerRow, 'version'> | undefined,
): Ledger {
  const alerts = row?.alerts ?? [];
  return {
    chargeReference,
    status: row?.status ?? null,
    amountMinor: row?.amount_minor ?? null,
    currency: row?.currency ?? null,
    readAtMs: row?.read_at?.getTime() ?? null,
    isDisputed: row?.disputed ?? null,
    movements: row?.movements ?? [],
    disputes: (row?.disputes ?? []).map((dispute) => ({
      ...dispute,
      alerts: alerts.filter(({ disputeId }) => disputeId === dispute.id),
    })),
    unplaced: alerts.filter(({ disputeId }) => disputeId === null),
    networkInDoubt: doubtAmong(row?.waiting ?? [], 'network'),
    acceptanceInDoubt: doubtAmong(row?.waiting ?? [], 'acceptance'),
  };
}
