/** Rows of the charge index: every payment that we know of. */
import { columnsOf } from '../base/db/columns.ts';
import type { Nullable, NullableTimestamp, Timestamp } from '../base/db/database.ts';

declare module '../base/db/database.ts' {
  interface Database {
    charge: ChargeTable;
  }
}

/** One payment at the processor, from our orders or from the processor's search. */
export interface ChargeTable {
  organisation_id: string;
  /** The processor's identifier of the payment: `reference_id` of the order's transaction. */
  reference: string;
  order_reference: Nullable<string>;
  integration_id: Nullable<string>;
  source: 'order' | 'processor';
  amount_minor: number;
  currency: string;
  authorised_at: NullableTimestamp;
  settled_at: NullableTimestamp;
  authorisation_code: Nullable<string>;
  acquirer_reference_number: Nullable<string>;
  card_bin: Nullable<string>;
  card_last4: Nullable<string>;
  card_brand: Nullable<string>;
  descriptor: Nullable<string>;
  subscription_reference: Nullable<string>;
  /** Declined, voided, or for nothing: no sale that schemes divide by. Null: not said. */
  is_failed: Nullable<boolean>;
  known_at: Timestamp;
}

export const CHARGE_COLUMNS = columnsOf<ChargeTable>()(
  'organisation_id reference order_reference integration_id source amount_minor currency authorised_at',
  'settled_at authorisation_code acquirer_reference_number card_bin card_last4 card_brand descriptor',
  'subscription_reference is_failed known_at',
);
