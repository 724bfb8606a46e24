/**
 * Whose data it is: the orders of the person who is erased, and all by which they go.
 *
 * Anyone who changed their address between two orders is one person still. So the orders of an address lead to the account that
 * they name, and the account to its other orders and their addresses. An account under which many addresses order is the
 * merchant's word for guests, and leads nowhere.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { Person } from '../../base/seal/person.ts';
import { IDENTIFIER_LENGTH_MIN, personOf } from '../../base/seal/person.ts';
import { ERASED, identifiersOf } from '../../base/seal/redact.ts';
import type { OrderRef, OwnOrder, Whose } from './erase.store.ts';
import { findOrdersOf, readOwnOrders } from './erase.store.ts';
import { sealedOrdersOf } from './erase-sealed.ts';

export interface SubjectRequest {
  readonly organisationId: string;
  readonly customerEmail: string;
  /** What else names the person and no order says: telephone numbers, names, earlier e-mail addresses. */
  readonly also?: readonly string[];
}

export interface Subject {
  readonly refs: readonly OrderRef[];
  readonly identifiers: readonly string[];
  /**
   * By what they go in another customer's order: addresses of e-mail, and what somebody gave. A house or a telephone is
   * that of others too.
   */
  readonly sure: Person;
  /** Accounts of theirs under which so many addresses order that none but those given can be said to be theirs. */
  readonly sharedAccounts: number;
}

/** Addresses of one person. An account with more of them is that of several people. */
const ADDRESSES_MAX = 5;

/** Orders under one account; one that holds so many is read no further. */
const ORDERS_MAX = 5_000;

/** Orders read at once. */
const BATCH = 100;

/** @throws {ConfigError} when the address is none, or what else names them is too short */
export async function findSubject(
  db: Db,
  { organisationId, customerEmail, also = [] }: SubjectRequest,
): Promise<Subject> {
  checkWords(customerEmail, also);
  const given = also.map(plain);
  const emails = [plain(customerEmail), ...given.filter((text) => text.includes('@'))];
  const rows = { db, organisationId };
  const byAddress = await ordersOf(rows, { emails, accounts: [] });
  const accounts = accountsIn(byAddress);
  const under = await ordersUnder(rows, accounts);
  const earlier = addressesIn(under.theirs).filter((email) => !emails.includes(email));
  const byEarlier = await ordersOf(rows, { emails: earlier, accounts: [] });
  // These lead no further, but an account of guests is no name of theirs here either.
  const later = accountsIn([...under.theirs, ...byEarlier]).filter(
    (account) => !accounts.some((known) => isDeepStrictEqual(known, account)),
  );
  const shared = [...under.shared, ...(await ordersUnder(rows, later)).shared];
  const orders = eachOnce([...byAddress, ...under.theirs, ...byEarlier]);
  const named = orders.flatMap(({ body, submitted }) => [
    ...identifiersOf(body),
    ...identifiersOf(submitted),
  ]);
  const words = new Set([...emails, ...given, ...named.map(plain)]);
  const identifiers = [...words].filter((text) => !shared.includes(text));
  const sure = identifiers.filter((text) => text.includes('@') || given.includes(text));
  const refs = orders.map(({ integrationId, referenceId }) => ({ integrationId, referenceId }));
  return { refs, identifiers, sure: personOf(sure), sharedAccounts: shared.length };
}

/** The orders under accounts of one person, and the names of those of several. */
async function ordersUnder(
  rows: Rows,
  accounts: readonly Account[],
): Promise<{ readonly theirs: readonly OwnOrder[]; readonly shared: readonly string[] }> {
  const theirs: OwnOrder[] = [];
  const shared: string[] = [];
  for (const account of accounts) {
    const orders = await ordersOf(rows, { emails: [], accounts: [account], most: ORDERS_MAX });
    if (orders.length < ORDERS_MAX && addressesIn(orders).length <= ADDRESSES_MAX)
      theirs.push(...orders);
    else shared.push(plain(account.accountId));
  }
  return { theirs, shared };
}

function checkWords(customerEmail: string, also: readonly string[]): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(customerEmail)) {
    throw new ConfigError('That is no e-mail address. Give the one that stands in the orders.');
  }
  const short = also.find((text) => text.trim().length < IDENTIFIER_LENGTH_MIN);
  if (short !== undefined) {
    throw new ConfigError(
      `What else names the customer needs ${IDENTIFIER_LENGTH_MIN} characters or more: shorter words stand inside others.`,
    );
  }
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}

interface Rows {
  readonly db: Db;
  readonly organisationId: string;
}

async function ordersOf({ db, organisationId }: Rows, whose: Whose): Promise<OwnOrder[]> {
  const refs = [
    ...(await findOrdersOf(db, organisationId, whose)),
    ...(await sealedOrdersOf(db, organisationId, whose)),
  ].slice(0, whose.most);
  const orders: OwnOrder[] = [];
  for (let start = 0; start < refs.length; start += BATCH) {
    const batch = refs.slice(start, start + BATCH);
    orders.push(...(await inTransaction(db, (trx) => readOwnOrders(trx, organisationId, batch))));
  }
  return orders;
}

/** An account is a word of one shop: another integration may have the same word for somebody else. */
type Account = Whose['accounts'][number];

function textsOf(order: OwnOrder, fields: readonly string[]): string[] {
  return [order.body, order.submitted].flatMap((part) =>
    fields.flatMap((field) => {
      const value = isRecord(part) ? part[field] : undefined;
      return typeof value === 'string' && value.trim() !== '' && value !== ERASED ? [value] : [];
    }),
  );
}

function accountsOf(order: OwnOrder): Account[] {
  const { integrationId } = order;
  return textsOf(order, ['customer_account_id']).map((accountId) => ({ integrationId, accountId }));
}

function accountsIn(orders: readonly OwnOrder[]): Account[] {
  const byKey = new Map(
    orders.flatMap(accountsOf).map((each) => [`${each.integrationId}/${each.accountId}`, each]),
  );
  return [...byKey.values()];
}

function addressesIn(orders: readonly OwnOrder[]): string[] {
  const texts = orders.flatMap((order) => textsOf(order, ['customer_email', 'order_email']));
  return [...new Set(texts.map(plain))];
}

function eachOnce(orders: readonly OwnOrder[]): OwnOrder[] {
  return [
    ...new Map(
      orders.map((order) => [`${order.integrationId}/${order.referenceId}`, order]),
    ).values(),
  ];
}
