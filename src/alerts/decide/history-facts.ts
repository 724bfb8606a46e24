/**
 * What our own data says about the customer and about the charge's past, at the moment of a decision.
 *
 * An e-mail address is kept as a hash and a domain: enough to find it on a list of the merchant's, and
 * no address in the stored decision.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The customer's other orders, and what became of them. */
export interface CustomerFacts {
  readonly accountId: string | null;
  /** {@link emailKey} of the address. */
  readonly emailHash: string | null;
  readonly emailDomain: string | null;
  /** Orders besides this one, at most {@link CUSTOMER_ORDERS_MAX}. */
  readonly orders: number;
  /** ISO 8601, as the oldest of all the customer's orders says it, this one included. */
  readonly firstOrderAt: string | null;
  /** Other orders with a refund. */
  readonly refunds: number;
  /** Alerts about other orders. */
  readonly alerts: number;
  /** Fraud notices about other orders that were not revoked. */
  readonly fraudNotices: number;
  /** On our list of blocked customers. Null: there is no such list. */
  readonly blocked: boolean | null;
}

/** What else happened to the charge of an alert. */
export interface ChargeHistory {
  /** Other alerts about it, whatever became of them. */
  readonly alerts: number;
  /** One of them is open or was answered: the same payment was reported twice. */
  readonly twin: boolean;
  /** One of them was resolved by the network itself (RDR). */
  readonly rdr: boolean;
  /** A fraud notice, not revoked. */
  readonly fraudNotice: boolean;
  readonly disputeNotice: boolean;
  /** A dispute about it is being represented. */
  readonly represented: boolean;
  /** The processor warned of fraud early. Absent in decisions that earlier versions stored. */
  readonly fraudWarning?: boolean;
}

/** Orders of one customer that are looked at; who has more is beyond any rule about few or many. */
export const CUSTOMER_ORDERS_MAX = 500;

/** How an order names its customer. */
export interface CustomerKeys {
  readonly accountId: string | null;
  readonly email: string | null;
  /** As the order says it. */
  readonly orderedAt: string | null;
}

const text = z.string().trim().min(1).nullable().catch(null).default(null);
const keysSchema = z.looseObject({
  customer_account_id: text,
  customer_email: text,
  order_datetime: text,
});

/** Who placed the order; null when it names no customer. Pure. */
export function customerKeysOf(order: unknown): CustomerKeys | null {
  const parsed = keysSchema.safeParse(order);
  if (!parsed.success) return null;
  const { customer_account_id: accountId, customer_email: email, order_datetime } = parsed.data;
  if (accountId === null && email === null) return null;
  return { accountId, email, orderedAt: order_datetime };
}

/** An e-mail address as it is compared and stored: SHA-256 of it in lower case, in hex. */
export function emailKey(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex');
}

/** What follows the last `@`, in lower case; null without one. */
export function emailDomainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  const domain = email
    .slice(at + 1)
    .trim()
    .toLowerCase();
  return at === -1 || domain === '' ? null : domain;
}

/** The earliest of several moments as texts; what is no moment is left out. */
export function earliestOf(moments: readonly (string | null)[]): string | null {
  const known = moments.filter((moment) => moment !== null && Number.isFinite(Date.parse(moment)));
  return known.reduce<string | null>(
    (first, moment) =>
      first === null || Date.parse(moment ?? '') < Date.parse(first) ? moment : first,
    null,
  );
}
