/** What an alert says about the payment it is about, ready to be compared. */
import type { Selectable } from 'kysely';
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { AlertTable } from '../apply/entity.table.ts';
import {
  usableArn,
  usableBin,
  usableCode,
  usableLast4,
  utcDay,
  utcMomentMs,
} from './identifiers.ts';

/** The alert's side of a comparison. Null: not told, or not usable. */
export interface AlertFacts {
  readonly alertId: string;
  /** `integration_transaction_id`: the service itself found the transaction. */
  readonly reference: string | null;
  readonly integrationId: string | null;
  readonly arn: string | null;
  readonly authorisationCode: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly cardBrand: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** UTC calendar day, counted from 1970-01-01. */
  readonly day: number | null;
  /** The moment of the payment, in milliseconds since 1970; midday UTC where only a day was told. */
  readonly momentMs: number | null;
  readonly descriptor: string | null;
}

/** The columns of an alert that matching reads. */
export type AlertRow = Pick<
  Selectable<AlertTable>,
  | 'id'
  | 'integration_id'
  | 'integration_transaction_id'
  | 'acquirer_reference_number'
  | 'authorisation_code'
  | 'card_bin'
  | 'card_last4'
  | 'card_scheme'
  | 'amount_minor'
  | 'currency'
  | 'authorised_at'
  | 'descriptor'
  | 'snapshot'
>;

/** Reads the facts out of an alert's row. */
export function alertFactsOf(row: AlertRow): AlertFacts {
  const authorisedAt = authorisedAtOf(row);
  return {
    alertId: row.id,
    reference: row.integration_transaction_id === '' ? null : row.integration_transaction_id,
    integrationId: row.integration_id,
    arn: usableArn(row.acquirer_reference_number),
    authorisationCode: usableCode(row.authorisation_code),
    cardBin: usableBin(row.card_bin),
    cardLast4: usableLast4(row.card_last4),
    cardBrand: row.card_scheme,
    amountMinor: row.amount_minor,
    currency: isCurrencyCode(row.currency) ? row.currency : null,
    day: utcDay(authorisedAt),
    momentMs: utcMomentMs(authorisedAt),
    descriptor: row.descriptor,
  };
}

/** The snapshot's own text first: it still shows whether only a day was given. */
function authorisedAtOf(row: AlertRow): string | null {
  const authorisedAt = row.snapshot['transaction_authorised_at'];
  if (typeof authorisedAt === 'string') return authorisedAt;
  return row.authorised_at?.toISOString() ?? null;
}
