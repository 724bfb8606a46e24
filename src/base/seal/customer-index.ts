/**
 * Finds a customer's orders although their addresses are sealed: a keyed hash of the e-mail address
 * and of the account id is kept with the order.
 *
 * HMAC-SHA-256 under a key derived from the data key, so that without the key addresses cannot be tried.
 * It shows which orders have the same customer, and nothing else. Each data key gives another hash: a
 * search asks for all of them, and sealing again writes the newest, so rotation needs no key of its own.
 */
import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { DataKey, DataKeys } from '../kernel/data-keys.ts';

/** What a customer is found by. */
export type CustomerField = 'customer_email' | 'customer_account_id';

const INFO = 'forestall customer index v1';
const INDEX_KEY_BYTES = 32;

/** Derived once per key: deriving costs as much as several searches. */
const derived = new WeakMap<DataKey, KeyObject>();

function indexKeyOf(key: DataKey): KeyObject {
  const known = derived.get(key);
  if (known !== undefined) return known;
  const bytes = Buffer.from(hkdfSync('sha256', key.bytes, '', INFO, INDEX_KEY_BYTES));
  const made = createSecretKey(bytes);
  derived.set(key, made);
  return made;
}

/** A value of a customer, and whose customer. */
export interface CustomerValue {
  readonly organisationId: string;
  readonly field: CustomerField;
  readonly value: string;
}

/** The hash of an address (in whatever case) or of an account id (as it is). */
export function customerIndex(
  key: DataKey,
  { organisationId, field, value }: CustomerValue,
): Buffer {
  const spelled = field === 'customer_email' ? value.toLowerCase() : value;
  return createHmac('sha256', indexKeyOf(key))
    .update(JSON.stringify([organisationId, field, spelled]))
    .digest();
}

/** The hashes to look for: one per key, since rows may still be sealed under an older one. */
export function customerIndexes(keys: DataKeys, wanted: CustomerValue): Buffer[] {
  return [...keys.byId.values()].map((key) => customerIndex(key, wanted));
}
