/**
 * A Shopify order's payments and refunds, from its transactions.
 *
 * Shopify has one transaction for the authorisation and one for each capture. What the card showed, and
 * when, is on the authorisation alone; the captures name it as their parent.
 * https://shopify.dev/docs/api/admin-rest/latest/resources/transaction
 */
import type { JsonObject } from 'forestall/adapter';
import { fromDecimal, integerAt, isObject, objectsAt, textAt, utcAt } from 'forestall/adapter';

/** The gateway's own reference, or the id that Shopify's API takes. */
export type ShopifyReferences = 'gateway' | 'shopify';

/** Every transaction once: those handed over, and those that the order's refunds hold. */
export function transactionsOf(order: unknown, handed: readonly unknown[]): JsonObject[] {
  const ofRefunds = objectsAt(order, 'refunds').flatMap((refund) =>
    objectsAt(refund, 'transactions'),
  );
  const byId = new Map<number | null, JsonObject>();
  for (const transaction of [...handed.filter(isObject), ...ofRefunds]) {
    const id = integerAt(transaction, 'id');
    if (!byId.has(id)) byId.set(id, transaction);
  }
  return [...byId.values()];
}

/** What took money: each sale, and each capture of an authorisation. */
export function paymentsOf(
  order: unknown,
  transactions: readonly JsonObject[],
  references: ShopifyReferences,
): JsonObject[] {
  return transactions
    .filter((transaction) => isDone(transaction, ['sale', 'capture']))
    .map((transaction) => ({
      // What your processor adapter refunds by.
      reference_id: referenceOf(transaction, references),
      ...paymentOf(order, transaction, authorisationOf(transaction, transactions)),
    }));
}

/** What went back. Null when one of them cannot be read: leaving it out would show too little. */
export function refundsOf(
  transactions: readonly JsonObject[],
  references: ShopifyReferences,
): JsonObject[] | null {
  const refunds: JsonObject[] = [];
  for (const refund of transactions) {
    if (!isDone(refund, ['refund'])) continue;
    const money = moneyOf(refund);
    if (money === null) return null;
    const parent = parentOf(refund, transactions);
    refunds.push({
      reference_id: referenceOf(refund, references),
      ...money,
      status: 'SUCCEEDED',
      original_transaction_reference_id:
        parent === undefined ? null : referenceOf(parent, references),
      refund_datetime: utcAt(refund, 'processed_at') ?? utcAt(refund, 'created_at'),
    });
  }
  return refunds;
}

function isDone(transaction: JsonObject, kinds: readonly string[]): boolean {
  const isWanted = kinds.includes(textAt(transaction, 'kind') ?? '');
  return isWanted && textAt(transaction, 'status') === 'success';
}

function parentOf(
  transaction: JsonObject,
  transactions: readonly JsonObject[],
): JsonObject | undefined {
  const parentId = integerAt(transaction, 'parent_id');
  if (parentId === null) return undefined;
  return transactions.find((other) => integerAt(other, 'id') === parentId);
}

/** The authorisation behind a capture; a sale is its own. */
function authorisationOf(transaction: JsonObject, transactions: readonly JsonObject[]): JsonObject {
  const isCapture = textAt(transaction, 'kind') === 'capture';
  return (isCapture ? parentOf(transaction, transactions) : undefined) ?? transaction;
}

function paymentOf(order: unknown, taken: JsonObject, authorised: JsonObject): JsonObject {
  const card = (field: string): string | null =>
    textAt(taken, 'payment_details', field) ?? textAt(authorised, 'payment_details', field);
  const number = card('credit_card_number');
  const cvv = card('cvv_result_code');
  return {
    ...moneyOf(taken),
    payment_method_type: number === null ? null : 'CARD',
    authorisation_status: 'SETTLED',
    authorised_at: utcAt(authorised, 'processed_at'),
    cvc_verified: cvv === null ? null : cvv === 'M',
    payment_method_card_brand: card('credit_card_company'),
    payment_method_card_bin: card('credit_card_bin'),
    payment_method_card_last_4: lastDigits(number),
    billing_address: addressAt(order, 'billing_address'),
  };
}

function referenceOf(transaction: JsonObject, references: ShopifyReferences): string {
  const id = integerAt(transaction, 'id');
  if (references === 'shopify') return `gid://shopify/OrderTransaction/${id}`;
  return textAt(transaction, 'authorization') ?? `shopify-${id}`;
}

/** In the currency that the customer paid in, which is what an alert names. */
function moneyOf(transaction: JsonObject): JsonObject | null {
  const currency = textAt(transaction, 'currency');
  if (currency === null) return null;
  const amount = fromDecimal(textAt(transaction, 'amount'), currency);
  return amount === null ? null : { amount_in_cents: amount, currency };
}

/** Shopify shows `•••• •••• •••• 4242`. */
function lastDigits(shown: string | null): string | null {
  return /(\d{4})$/.exec(shown ?? '')?.[1] ?? null;
}

/** An address of the order, or null when it has none. */
export function addressAt(order: unknown, name: string): JsonObject | null {
  const address = {
    line_1: textAt(order, name, 'address1'),
    city: textAt(order, name, 'city'),
    country_subdivision: textAt(order, name, 'province_code') ?? textAt(order, name, 'province'),
    postal_code: textAt(order, name, 'zip'),
    country: textAt(order, name, 'country_code'),
  };
  return Object.values(address).every((value) => value === null) ? null : address;
}
