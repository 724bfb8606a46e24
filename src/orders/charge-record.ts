/**
 * A charge as the index holds it: the common form of our orders and of what the processor's search
 * finds.
 */
import type { Selectable } from 'kysely';
import { camelCased } from '../base/db/case-names.ts';
import { withZone } from '../base/kernel/instant.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { ProcessorCharge } from '../service/wire/processor.ts';
import type { ChargeTable } from './charge.table.ts';

/** One payment at the processor. Times are ISO 8601 UTC; a plain date means that day at 00:00 UTC. */
export interface ChargeRecord {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly integrationId: string | null;
  readonly source: 'order' | 'processor';
  readonly amountMinor: number;
  readonly currency: string;
  readonly authorisedAt: string | null;
  readonly settledAt: string | null;
  readonly authorisationCode: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly cardBrand: string | null;
  readonly descriptor: string | null;
  readonly subscriptionReference: string | null;
  /** The attempt took no money: declined, voided, or for nothing. Null or absent: not said. */
  readonly isFailed?: boolean | null;
}

/** A row of the index as a record. */
export function recordOfRow(
  row: Omit<Selectable<ChargeTable>, 'known_at'> & { readonly known_at?: Date },
): ChargeRecord {
  const { organisation_id: _organisation, known_at: _known, ...columns } = row;
  return {
    ...camelCased(columns),
    authorisedAt: row.authorised_at?.toISOString() ?? null,
    settledAt: row.settled_at?.toISOString() ?? null,
  };
}

/** A charge found by the processor as a record. */
export function recordOfProcessorCharge(charge: ProcessorCharge): ChargeRecord {
  return {
    reference: charge.reference,
    orderReference: charge.orderReference,
    integrationId: null,
    source: 'processor',
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    authorisedAt: utcMoment(charge.authorisedAt),
    settledAt: null,
    authorisationCode: charge.authorisationCode,
    acquirerReferenceNumber: charge.acquirerReferenceNumber,
    cardBin: charge.cardBin,
    cardLast4: charge.cardLast4,
    cardBrand: charge.cardBrand,
    descriptor: null,
    subscriptionReference: charge.subscriptionReference,
    isFailed: FAILED_AT_PROCESSOR[charge.status],
  };
}

/** An authorisation may still be captured. */
const FAILED_AT_PROCESSOR = {
  authorised: null,
  captured: false,
  declined: true,
  voided: true,
} as const;

/**
 * The moment as ISO 8601 UTC, or null when it is none; without an offset it is UTC. Done here and not by the database, whose
 * session time zone would move a plain date.
 */
export function utcMoment(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return null;
  const epochMs = Date.parse(withZone(value));
  return Number.isFinite(epochMs) ? new Date(epochMs).toISOString() : null;
}

/**
 * Two records of one charge: the processor's fields first, then the newer ones, each gap filled from
 * the other.
 */
export function mergeRecords(known: ChargeRecord, added: ChargeRecord): ChargeRecord {
  const keepsLead = known.source === 'processor' && added.source === 'order';
  const [lead, other] = keepsLead ? [known, added] : [added, known];
  const said = Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null));
  return { ...other, ...said };
}

// Reads the charges out of an order: one per transaction that names a reference, an amount and
// a currency. Lenient on everything else, because a charge we do not index is an alert we
// cannot match.

type Fields = Readonly<Record<string, unknown>>;

function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * The charges of an order as it is in the interface (`transactions[]`). Pure. An order without
 * usable transactions, or anything that is no order, has none.
 */
export function chargesOfOrder(order: unknown): ChargeRecord[] {
  if (!isRecord(order)) return [];
  const { transactions, subscriptions } = order;
  // Only when there is one can it be said which subscription a payment belongs to.
  const only: unknown =
    Array.isArray(subscriptions) && subscriptions.length === 1 ? subscriptions[0] : undefined;
  const shared = {
    orderReference: textOf(order, 'reference_id'),
    integrationId: textOf(order, 'integration_id'),
    subscriptionReference: isRecord(only) ? textOf(only, 'reference_id') : null,
  };
  const entries = Array.isArray(transactions) ? transactions.filter(isRecord) : [];
  return entries.flatMap((transaction) => chargeOfTransaction(transaction, shared));
}

function chargeOfTransaction(
  transaction: Fields,
  order: Pick<ChargeRecord, 'orderReference' | 'integrationId' | 'subscriptionReference'>,
): ChargeRecord[] {
  const reference = textOf(transaction, 'reference_id');
  const { amount_in_cents: amountMinor, currency } = transaction;
  if (reference === null || !isCurrencyCode(currency)) return [];
  if (!Number.isSafeInteger(amountMinor) || Number(amountMinor) < 0) return [];
  return [
    {
      ...order,
      reference,
      source: 'order',
      amountMinor: Number(amountMinor),
      currency,
      authorisedAt: utcMoment(transaction['authorised_at']),
      settledAt: utcMoment(transaction['settlement_datetime']),
      authorisationCode: textOf(transaction, 'authorisation_code'),
      acquirerReferenceNumber: textOf(transaction, 'acquirer_reference_number'),
      cardBin: textOf(transaction, 'payment_method_card_bin'),
      cardLast4: textOf(transaction, 'payment_method_card_last_4'),
      cardBrand: textOf(transaction, 'payment_method_card_brand'),
      descriptor: textOf(transaction, 'descriptor'),
      isFailed: isFailed(transaction),
    },
  ];
}

/** Beginnings of states in which no money was taken. */
const NO_MONEY = /^(?:DECLIN|FAIL|REFUS|REJECT|VOID|CANCEL|REVERS|EXPIR|ERROR)/i;

/** Whether a state of an authorisation says that no money was taken; the specification lists no states. */
export function isNoMoney(authorisationStatus: string): boolean {
  return NO_MONEY.test(authorisationStatus.trim());
}

/** A moment of settlement says that money was taken, whatever the state. */
function isFailed(transaction: Fields): boolean | null {
  if (transaction['amount_in_cents'] === 0) return true;
  if (utcMoment(transaction['settlement_datetime']) !== null) return false;
  const status = textOf(transaction, 'authorisation_status');
  return status === null ? null : isNoMoney(status);
}
