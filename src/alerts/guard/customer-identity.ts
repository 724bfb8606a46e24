/**
 * Who a customer is, without knowing it: hashes of the account id and of the e-mail address. Pure.
 *
 * Two orders belong to one customer when any of the hashes is the same.
 */
import { deriveId } from '../../base/kernel/ids.ts';

/** The part of an order that says whose it is. */
export interface CustomerOf {
  readonly customerAccountId: string | null;
  readonly customerEmail: string | null;
}

/** The customer's identities, sorted; empty when the order names none. */
export function customerIdentities({ customerAccountId, customerEmail }: CustomerOf): string[] {
  const account = customerAccountId?.trim() ?? '';
  const email = customerEmail?.trim().toLowerCase() ?? '';
  return [
    ...(account === '' ? [] : [deriveId('account', [account])]),
    ...(email === '' ? [] : [deriveId('email', [email])]),
  ].sort();
}
