/** What the fake processor and the cases share: charges, ledger entries, faults. */

/** A charge as the processor shows it, without what it computes. */
export interface ChargeFields {
  readonly reference: string;
  readonly status: 'authorised' | 'captured' | 'declined' | 'voided';
  readonly amount_in_cents: number;
  readonly currency: string;
  readonly disputed: boolean;
  readonly authorised_at: string;
  readonly acquirer_reference_number: string;
  readonly authorisation_code: string;
  readonly card_bin: string;
  readonly card_last4: string;
}

/** One movement of money. `key` is null for a refund by the support team. */
export interface LedgerEntry {
  readonly reference: string;
  readonly charge: string;
  readonly key: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly alertId: string;
  readonly atMs: number;
  status: 'succeeded' | 'pending' | 'failed';
}

/** How a refund call goes wrong; `_after` names the ones behind which the money has moved. */
export type RefundFault =
  | 'hang'
  | 'hang_after'
  | 'reset'
  | 'reset_after'
  | 'error'
  | 'error_after'
  | 'truncated_after'
  | 'html_after'
  | 'late'
  | 'key_in_use'
  | 'key_reused'
  | 'no_balance'
  | 'window_over'
  | 'dispute_open'
  | 'pending';
