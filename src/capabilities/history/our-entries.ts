/**
 * What our own books tell about a charge, as entries of its history: the payment, the order behind it,
 * and the audit log. Pure.
 */
import type { Selectable } from 'kysely';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import type { AuditSubject, AuditTable } from '../../base/audit/audit.table.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import type { HistoryEntry, HistoryKind } from './history.ts';
import { entryOf } from './history.ts';

export function paymentEntries(charge: ChargeRecord): HistoryEntry[] {
  const { reference, amountMinor, currency } = charge;
  const payment = {
    kind: 'payment',
    actor: charge.source === 'order' ? 'merchant' : 'processor',
    subject: 'charge',
    subjectId: reference,
    amountMinor,
    currency,
  } as const;
  return [
    ...entryOf({ ...payment, at: charge.authorisedAt, text: 'authorised' }),
    ...entryOf({ ...payment, at: charge.settledAt, text: 'settled' }),
  ];
}

export function orderEntries(order: KnownOrder): HistoryEntry[] {
  const about = {
    kind: 'order',
    actor: 'merchant',
    subject: 'order',
    subjectId: order.referenceId,
  } as const;
  const number = order.orderNumber === null ? '' : ` ${order.orderNumber}`;
  return [
    ...entryOf({
      ...about,
      at: order.orderDatetime,
      text: `order${number} placed`,
      amountMinor: order.totalMinor,
      currency: order.currency,
    }),
    ...order.refunds.flatMap((refund) =>
      entryOf({
        ...about,
        at: refund.refund_datetime ?? null,
        text: `refund ${refund.reference_id} stands in the order, ${refund.status ?? 'no status'}`,
        amountMinor: refund.amount_in_cents ?? null,
        currency: refund.currency ?? null,
      }),
    ),
  ];
}

/** Money of somebody else, seen at the processor or stated by a person; our own steps are in the audit. */
export function observedEntries(rows: readonly MovementRow[]): HistoryEntry[] {
  return rows
    .filter(({ kind, idempotency_key }) => idempotency_key === null && kind !== 'network')
    .flatMap((row) =>
      entryOf({
        at: row.created_at,
        kind: 'refund',
        actor: row.observed_from ?? 'processor',
        text: `${OBSERVED[row.kind]} seen${row.processor_reference === null ? '' : `, ${row.processor_reference}`} (${row.state})`,
        subject: 'movement',
        subjectId: row.id,
        amountMinor: row.amount_minor,
        currency: row.currency,
      }),
    );
}

const OBSERVED: Readonly<Record<MovementRow['kind'], string>> = {
  refund: 'refund',
  void: 'authorisation released by somebody else',
  external: 'refund by somebody else',
  network: 'refund by the network',
  chargeback: 'chargeback',
};

const KIND_OF: Partial<Readonly<Record<AuditSubject, HistoryKind>>> = {
  case: 'case',
  refund: 'refund',
  movement: 'refund',
  dispute: 'dispute',
  declaration: 'declaration',
  operator: 'operator',
  order: 'order',
};

/** A step of ours; none of what belongs to no payment. */
export function auditEntry(row: Selectable<AuditTable>): HistoryEntry[] {
  const kind = KIND_OF[row.subject];
  if (kind === undefined) return [];
  const { from_state: from, to_state: to } = row;
  const move = to === null || to === from ? '' : ` (${from ?? 'new'} to ${to})`;
  return entryOf({
    at: row.at,
    kind,
    actor: row.actor,
    text: `${row.what}${move}`,
    subject: row.subject,
    subjectId: row.subject_id,
    alertId: row.alert_id,
  });
}
