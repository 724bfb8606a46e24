/**
 * Guarantee: whoever changed their address between two orders, or on one, is erased under every address of theirs, whichever
 * is given; whoever only shares an account for guests, or the same word for one in another shop, is left alone.
 */
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { ERASED } from '../../../src/base/seal/redact.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { useTestDatabase } from '../../support/database.ts';
import { storedValues } from '../../support/stored-values.ts';

const ORG = 'org_renamed';
const MAIDEN = 'ada.byron@customers.example';
const MARRIED = 'ada.lovelace@customers.example';
const GUEST = 'ada.guest@customers.example';
const BOB = 'bob@customers.example';

const test = useTestDatabase();
let count = 0;

interface Said {
  readonly email: string;
  readonly account?: string;
  readonly shop?: string;
  /** As it was handed in first. */
  readonly first?: string;
  /** Where its receipt goes. */
  readonly receipt?: string;
}

async function order({
  email,
  account,
  shop = 'int_shop',
  first = email,
  receipt,
}: Said): Promise<string> {
  count += 1;
  const reference = `o-${count}`;
  const said = (address: string): string =>
    JSON.stringify({
      customer_email: address,
      order_email: receipt ?? address,
      customer_first_name: 'Ada',
      customer_last_name: `Name-${address}`,
      ...(account === undefined ? {} : { customer_account_id: account }),
    });
  await sql`
    insert into order_record (organisation_id, integration_id, reference_id, type, state, submitted, submitted_hash, body, order_id, accepted_at, changed_at)
    values (${ORG}, ${shop}, ${reference}, 'COMPLETE', 'CREATED', ${said(first)}::jsonb, '', ${said(email)}::jsonb, 'ord', now(), now())`.execute(
    test.db,
  );
  return reference;
}

/** A note that names somebody. */
async function note(text: string): Promise<void> {
  count += 1;
  await sql`insert into notification (organisation_id, dedupe_key, kind, severity, text, created_at, next_attempt_at)
    values (${ORG}, ${`k${count}`}, 'case_held', 'info', ${text}, now(), null)`.execute(test.db);
}

async function erase(customerEmail: string, also: readonly string[] = []): Promise<EraseReport> {
  const about = {
    organisationId: ORG,
    actor: 'operator:test',
    now: new Date('2026-11-20T12:00:00Z'),
  };
  return await eraseCustomer(test.db, { ...about, customerEmail, also, dryRun: false });
}

async function naming(text: string): Promise<string[]> {
  const values = await storedValues(test.db);
  return values.filter(({ value }) => value.toLowerCase().includes(text)).map(({ place }) => place);
}

beforeEach(async () => {
  await sql`delete from order_record`.execute(test.db);
  await sql`delete from notification`.execute(test.db);
});

it.each([MAIDEN, MARRIED])(
  'of three orders with two addresses under one account, by %s',
  async (given) => {
    await order({ email: 'Ada.Byron@Customers.Example', account: 'a-17' });
    await order({ email: MARRIED, account: 'a-17' });
    await order({ email: MAIDEN });
    await order({ email: BOB, account: 'a-18' });
    await order({ email: BOB, account: 'a-17', shop: 'int_other' });
    await note(`${MAIDEN} is ${MARRIED} now, says ${BOB}`);
    const report = await erase(given);
    expect([report.orders, report.sharedAccounts]).toEqual([3, 0]);
    expect(report.left.rows).toEqual({});
    expect(await naming(MAIDEN)).toEqual([]);
    expect(await naming(MARRIED)).toEqual([]);
    const others = ['notification.text', 'order_record.body', 'order_record.submitted'];
    expect(new Set(await naming(BOB))).toEqual(new Set(others));
  },
);

it.each([MAIDEN, MARRIED])(
  'of one order that was handed in under another address, by %s',
  async (given) => {
    await order({ email: MARRIED, first: MAIDEN });
    await order({ email: BOB });
    expect((await erase(given)).orders).toBe(1);
    expect(await naming(MAIDEN)).toEqual([]);
    expect(await naming(MARRIED)).toEqual([]);
    expect((await naming(BOB)).length).toBeGreaterThan(0);
  },
);

it('of an order whose receipt alone went to them', async () => {
  await order({ email: BOB, receipt: MAIDEN });
  expect((await erase(MAIDEN)).orders).toBe(1);
  expect(await naming(MAIDEN)).toEqual([]);
});

it('of five addresses under one account', async () => {
  for (const name of ['one', 'two', 'three', 'four'])
    await order({ email: `ada.${name}@customers.example`, account: 'a-17' });
  await order({ email: MAIDEN, account: 'a-17' });
  const report = await erase(MAIDEN);
  expect([report.orders, report.sharedAccounts]).toEqual([5, 0]);
  expect(await naming('@customers.example')).toEqual([]);
});

it('by an earlier address that is given beside, where no account says so', async () => {
  await order({ email: MAIDEN });
  await order({ email: MARRIED });
  expect((await erase(MARRIED, [MAIDEN])).orders).toBe(2);
  expect(await naming('ada')).toEqual([]);
});

it('an account of guests leads to nobody, and its name stays', async () => {
  await order({ email: GUEST, account: 'guest-checkout' });
  for (const guest of ['one', 'two', 'three', 'four', 'five'])
    await order({ email: `${guest}@guests.example`, account: 'guest-checkout' });
  await note('an order of guest-checkout');
  const report = await erase(GUEST);
  expect([report.orders, report.sharedAccounts]).toEqual([1, 1]);
  expect(await naming(GUEST)).toEqual([]);
  expect((await naming('@guests.example')).length).toBe(10);
  expect(await naming('an order of guest-checkout')).toEqual(['notification.text']);
});

it('an account of guests leads to nobody under an earlier address either', async () => {
  await order({ email: MAIDEN, account: 'guest-checkout' });
  for (const guest of ['one', 'two', 'three', 'four', 'five'])
    await order({ email: `${guest}@guests.example`, account: 'guest-checkout' });
  await order({ email: MAIDEN, account: 'a-17' });
  await order({ email: MARRIED, account: 'a-17' });
  await note('an order of guest-checkout');
  const report = await erase(MARRIED);
  expect([report.orders, report.sharedAccounts]).toEqual([3, 1]);
  expect(await naming(MAIDEN)).toEqual([]);
  expect(await naming('an order of guest-checkout')).toEqual(['notification.text']);
});

it('who is erased already leads to nobody else who is', async () => {
  await order({ email: MAIDEN, account: 'a-17' });
  await order({ email: BOB, account: 'a-18' });
  await erase(MAIDEN);
  await erase(BOB);
  // What was handed in anew has what was taken from it before.
  await order({ email: MAIDEN, account: ERASED });
  expect((await erase(MAIDEN)).orders).toBe(1);
});
