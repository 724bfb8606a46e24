/** What the service sent about a payment, as entries of its history: one per snapshot that counted. */
import type { EntityKind } from '../../alerts/apply/entity.table.ts';
import type { HistoryEntry, HistoryKind, Link } from './history.ts';
import { entryOf } from './history.ts';

/** A snapshot that counted. */
export interface ServiceChange {
  readonly entity: EntityKind;
  readonly entityId: string;
  readonly at: Date;
  readonly before: Snapshot | null;
  readonly after: Snapshot;
}

type Snapshot = Readonly<Record<string, unknown>>;

/** The entry of one snapshot; none when nothing a person would tell has changed. Pure. */
export function serviceEntry(change: ServiceChange, link: Link | null): HistoryEntry[] {
  if (change.entity === 'enrolment') return [];
  const tell = TELLERS[change.entity];
  const text = tell.text(change.after);
  if (change.before !== null && tell.text(change.before) === text) return [];
  return entryOf({
    at: change.at,
    kind: tell.kind(change.after),
    actor: 'service',
    text,
    subject: change.entity,
    subjectId: change.entityId,
    alertId: change.entity === 'alert' ? change.entityId : null,
    amountMinor: amountOf(change.after[tell.amount]),
    currency: wordOf(change.after[tell.currency]),
    link,
  });
}

interface Teller {
  readonly kind: (after: Snapshot) => HistoryKind;
  readonly text: (after: Snapshot) => string;
  readonly amount: string;
  readonly currency: string;
}

const TELLERS: Readonly<Record<Exclude<EntityKind, 'enrolment'>, Teller>> = {
  alert: {
    kind: (after) => (isRdr(after) ? 'rdr' : 'alert'),
    text: (after) => {
      const outcome = wordOf(after['transaction_refund_outcome']);
      const what = isRdr(after) ? 'RDR' : 'alert';
      const reason = wordOf(after['chargeback_reason_code']);
      return `${what} ${wordOf(after['status']) ?? 'of unknown status'}${outcome === null ? '' : `, ${outcome}`}${reason === null ? '' : `, reason ${reason}`}`;
    },
    amount: 'transaction_amount_in_cents',
    currency: 'transaction_currency_code',
  },
  lookup: {
    kind: () => 'lookup',
    text: (after) =>
      `lookup ${wordOf(after['type']) ?? 'of unknown type'} ${wordOf(after['lookup_status']) ?? ''}, deflection ${wordOf(after['deflection_status']) ?? 'not told'}`,
    amount: 'transaction_amount',
    currency: 'transaction_currency',
  },
  representment: {
    kind: () => 'representment',
    text: (after) =>
      `representment ${wordOf(after['dispute_status']) ?? 'of unknown status'}, due ${wordOf(after['dispute_due_by']) ?? 'not told'}`,
    amount: 'dispute_amount_in_cents',
    currency: 'dispute_currency_code',
  },
  scheme_notice: {
    kind: () => 'scheme_notice',
    text: (after) =>
      `scheme notice ${wordOf(after['scheme_notice_type']) ?? 'of unknown type'}${after['is_revoked'] === true ? ', taken back' : ''}`,
    amount: 'transaction_amount_in_cents',
    currency: 'transaction_currency_code',
  },
};

function isRdr(after: Snapshot): boolean {
  return after['enrolment_type'] === 'NETB_RDR';
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}
