/** Guarantee: what a decision knows of a customer and of a charge is what our own rows say, and nothing of anybody else. */

import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  chargeHistory,
  readCustomerFacts,
} from '../../../src/alerts/decide/history-facts.store.ts';
import {
  customerKeysOf,
  earliestOf,
  emailDomainOf,
  emailKey,
} from '../../../src/alerts/decide/history-facts.ts';
import { blockCustomer } from '../../../src/alerts/guard/blocked.store.ts';
import { customerIdentities } from '../../../src/alerts/guard/customer-identity.ts';
import { useTestDatabase } from '../../support/database.ts';

const ORG = 'org_1';
const AT = '2026-03-11T12:00:00.000Z';
const database = useTestDatabase();

beforeAll(async () => {
  await order('now', { customer_account_id: 'C-1', customer_email: 'Anna@Example.com' });
  await order('by-account', {
    customer_account_id: 'C-1',
    order_datetime: '2025-01-02T00:00:00Z',
    refunds: [{ reference_id: 'r1' }],
  });
  await order('by-email', {
    customer_email: 'anna@EXAMPLE.com',
    order_datetime: '2024-05-06T00:00:00+02:00',
    refunds: [],
  });
  await order('stranger', { customer_account_id: 'C-2', customer_email: 'bob@example.com' });
  await order('elsewhere', { customer_account_id: 'C-1' }, 'org_2');
  await charge('ch_now', 'now', 'ARN-NOW');
  await charge('ch_1', 'by-account', 'ARN-1');
  await charge('ch_2', 'by-email', 'ARN-2');
  await charge('ch_3', 'stranger', 'ARN-3');
  await alert('al_now', 'ch_now');
  await alert('al_1', 'ch_1');
  await alert('al_2', 'ch_2', { status: 'RESOLVED' });
  await alert('al_3', 'ch_3');
  await notice('sn_1', 'ARN-1');
  await notice('sn_revoked', 'ARN-2', { is_revoked: true });
  await notice('sn_dispute', 'ARN-2', { notice_type: 'DISPUTE_NOTICE' });
  await notice('sn_stranger', 'ARN-3');
});

async function order(reference: string, body: object, organisation = ORG): Promise<void> {
  await database.db
    .insertInto('order_record')
    .values({
      organisation_id: organisation,
      integration_id: 'int_1',
      reference_id: reference,
      type: 'COMPLETE',
      state: 'CREATED',
      order_id: `ord_${reference}`,
      submitted: '{}',
      submitted_hash: Buffer.from('00', 'hex'),
      body: JSON.stringify({ reference_id: reference, ...body }),
      accepted_at: AT,
      changed_at: AT,
    } as never)
    .execute();
}

async function charge(reference: string, orderReference: string, arn: string): Promise<void> {
  await database.db
    .insertInto('charge')
    .values({
      organisation_id: ORG,
      reference,
      order_reference: orderReference,
      source: 'order',
      amount_minor: 1000,
      currency: 'USD',
      acquirer_reference_number: arn,
      known_at: AT,
    })
    .execute();
}

async function alert(id: string, chargeReference: string, over: object = {}): Promise<void> {
  const row = { organisation_id: ORG, id, status: 'ACTION_REQUIRED', enrolment_type: 'NETA_ALERT' };
  await database.db
    .insertInto('alert')
    .values({
      ...row,
      updated_at: AT,
      snapshot: '{}',
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'poll',
      first_seen_at: AT,
      changed_at: AT,
      ...over,
    } as never)
    .execute();
  await database.db
    .insertInto('alert_case')
    .values({
      organisation_id: ORG,
      alert_id: id,
      state: 'MATCHED',
      opened_at: AT,
      deadline_at: AT,
      next_action_at: AT,
      charge_reference: chargeReference,
      changed_at: AT,
    })
    .execute();
}

async function notice(id: string, arn: string, over: object = {}): Promise<void> {
  await database.db
    .insertInto('scheme_notice')
    .values({
      organisation_id: ORG,
      id,
      notice_type: 'FRAUD_NOTICE',
      acquirer_reference_number: arn,
      is_revoked: false,
      updated_at: AT,
      snapshot: '{}',
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: AT,
      changed_at: AT,
      ...over,
    } as never)
    .execute();
}

const ask = (keys: { accountId: string | null; email: string | null }, asksBlocked = false) =>
  readCustomerFacts(database.db, {
    organisationId: ORG,
    keys: { ...keys, orderedAt: '2026-03-01T00:00:00Z' },
    orderReference: 'now',
    alertId: 'al_now',
    asksBlocked,
  });

describe('a customer', () => {
  test('is known by account and by e-mail, in any case, with other orders only', async () => {
    expect(await ask({ accountId: 'C-1', email: 'ANNA@example.com' })).toEqual({
      accountId: 'C-1',
      emailHash: emailKey('anna@example.com'),
      emailDomain: 'example.com',
      orders: 2,
      firstOrderAt: '2024-05-06T00:00:00+02:00',
      refunds: 1,
      alerts: 2,
      // The revoked one and the dispute notice do not count, nor does a stranger's.
      fraudNotices: 1,
      blocked: null,
    });
  });

  test('of whom only one of the two is known', async () => {
    const identities = customerIdentities({ customerAccountId: 'C-1', customerEmail: null });
    const block = {
      organisationId: ORG,
      identities,
      by: 'policy',
      alertId: 'al_1',
      now: new Date(AT),
    };
    await database.db.transaction().execute((trx) => blockCustomer(trx, block));
    expect(await ask({ accountId: 'C-1', email: null }, true)).toMatchObject({
      orders: 1,
      alerts: 1,
      firstOrderAt: '2025-01-02T00:00:00Z',
      emailHash: null,
      emailDomain: null,
      blocked: true,
    });
    expect(await ask({ accountId: null, email: 'anna@example.com' })).toMatchObject({
      orders: 1,
      refunds: 0,
      fraudNotices: 0,
    });
    expect(await ask({ accountId: 'C-2', email: 'anna@example.com' }, true)).toMatchObject({
      blocked: false,
    });
  });

  test('without other orders is a customer since this one', async () => {
    expect(await ask({ accountId: 'C-9', email: null })).toMatchObject({
      orders: 0,
      alerts: 0,
      firstOrderAt: '2026-03-01T00:00:00Z',
    });
  });
});

describe('a charge', () => {
  const history = async (chargeReference: string, alertId: string, arn: string | null = null) => {
    const of = { organisation_id: ORG, alert_id: alertId, charge_reference: chargeReference };
    return (await chargeHistory(of, sql`${arn}::text`).execute(database.db)).rows[0];
  };

  test('with nothing else about it', async () => {
    expect(await history('ch_now', 'al_now')).toEqual({
      alerts: 0,
      twin: false,
      rdr: false,
      fraudNotice: false,
      fraudWarning: false,
      disputeNotice: false,
      represented: false,
    });
  });

  test('with a fraud notice, found by its own number or by the alert’s', async () => {
    expect(await history('ch_1', 'al_1')).toMatchObject({
      fraudNotice: true,
      disputeNotice: false,
    });
    expect(await history('ch_now', 'al_now', 'ARN-1')).toMatchObject({ fraudNotice: true });
    expect(await history('ch_2', 'al_2')).toMatchObject({
      fraudNotice: false,
      disputeNotice: true,
    });
  });

  test('with a twin, with one the network resolved, and with one that is invalid', async () => {
    await charge('ch_twice', 'stranger', 'ARN-T');
    await alert('al_first', 'ch_twice');
    expect(await history('ch_twice', 'al_first')).toMatchObject({ alerts: 0, twin: false });
    await alert('al_invalid', 'ch_twice', { status: 'INVALID' });
    expect(await history('ch_twice', 'al_first')).toMatchObject({ alerts: 1, twin: false });
    await alert('al_rdr', 'ch_twice', { enrolment_type: 'NETB_RDR', status: 'RESOLVED' });
    expect(await history('ch_twice', 'al_first')).toMatchObject({
      alerts: 2,
      twin: false,
      rdr: true,
    });
    await alert('al_second', 'ch_twice');
    expect(await history('ch_twice', 'al_first')).toMatchObject({
      alerts: 3,
      twin: true,
      rdr: true,
    });
  });
});

describe('what an order says of its customer', () => {
  test.each<[unknown, unknown]>([
    [{ customer_account_id: ' C-1 ' }, { accountId: 'C-1', email: null, orderedAt: null }],
    [{ customer_email: '', customer_account_id: '' }, null],
    [{ customer_email: 5 }, null],
    [undefined, null],
  ])('%j', (order, keys) => {
    expect(customerKeysOf(order)).toEqual(keys);
  });

  test('an address becomes a hash and a domain', () => {
    // printf anna@example.com | openssl dgst -sha256
    expect(emailKey(' ANNA@Example.com ')).toBe(
      'f7d54c22dda5b1780276601cd005909b70543fc4a6ba72d735b4cb9bbb611f01',
    );
    expect(emailDomainOf('"a@b"@Shop.Example')).toBe('shop.example');
    expect(emailDomainOf('nobody')).toBeNull();
    expect(earliestOf(['soon', null, '2026-01-02', '2026-01-01T23:00:00-02:00'])).toBe(
      '2026-01-02',
    );
  });
});
