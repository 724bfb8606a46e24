/**
 * Guarantee: a scheme notice or a representment is shown with the dispute it speaks of, and with no other:
 * a recycled reference number, another card or another day name nothing.
 */
import type { Insertable } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  RepresentmentTable,
  SchemeNoticeTable,
} from '../../../src/alerts/apply/entity.table.ts';
import {
  MENTIONS_MAX,
  mentionsOfCharge,
  nameMentions,
} from '../../../src/alerts/ledger/named-dispute.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertCase, insertDispute, ORG } from '../reconcile/rows.ts';

const ARN = '74537606065123456789012';
const RECYCLED = '24537606065123456789019';
const NOW = new Date('2026-03-20T12:00:00Z');

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of [
    'dispute_mention',
    'alert_case',
    'dispute',
    'scheme_notice',
    'representment',
    'charge',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await charge('ch_1', { acquirer_reference_number: ARN });
});

async function charge(
  reference: string,
  over: { acquirer_reference_number: string; authorised_at?: string },
): Promise<void> {
  await test.db
    .insertInto('charge')
    .values({
      organisation_id: ORG,
      reference,
      source: 'order',
      amount_minor: 8_400,
      currency: 'USD',
      authorised_at: '2026-03-01T23:30:00Z',
      card_bin: '411111',
      card_last4: '4242',
      known_at: NOW,
      ...over,
    })
    .execute();
}

/** A dispute of the charge, with an alert that speaks of it. */
async function disputed(id: string, amountMinor: number, chargeReference = 'ch_1'): Promise<void> {
  await insertDispute(test.db, id, { charge: chargeReference, amountMinor });
  await insertCase(test.db, `alert_${id}`, { chargeReference, disputeId: id });
}

const SNAPSHOT = {
  organisation_id: ORG,
  snapshot: '{}',
  snapshot_hash: Buffer.from('00', 'hex'),
  source: 'webhook',
  created_at: '2026-03-10T00:00:00Z',
  updated_at: '2026-03-10T00:00:00Z',
  first_seen_at: '2026-03-10T00:00:00Z',
  changed_at: '2026-03-10T00:00:00Z',
} as const;

async function notice(
  id: string,
  over: Partial<Insertable<SchemeNoticeTable>> = {},
): Promise<void> {
  await test.db
    .insertInto('scheme_notice')
    .values({
      ...SNAPSHOT,
      id,
      amount_minor: 8_400,
      currency: 'USD',
      acquirer_reference_number: ARN,
      card_last4: '4242',
      ...over,
    })
    .execute();
}

async function representment(
  id: string,
  over: Partial<Insertable<RepresentmentTable>> = {},
): Promise<void> {
  await test.db
    .insertInto('representment')
    .values({
      ...SNAPSHOT,
      id,
      amount_minor: 8_400,
      currency: 'USD',
      transaction_reference_id: 'ch_1',
      ...over,
    })
    .execute();
}

async function named(reference = 'ch_1'): Promise<string[]> {
  await nameMentions(test.db, { organisationId: ORG, now: NOW });
  const key = { organisationId: ORG, chargeReference: reference };
  const mentions = await mentionsOfCharge(test.db, key);
  return mentions.map((each) => `${each.entity_id} ${each.dispute_id}: ${each.reason}`).sort();
}

describe('of the disputes of a charge', () => {
  it('the one of the same amount and currency is meant', async () => {
    await disputed('dsp_a', 2_500);
    await disputed('dsp_b', 2_000);
    await notice('n_a', { amount_minor: 2_500 });
    await representment('r_b', { amount_minor: 2_000 });
    expect(await named()).toEqual(['n_a dsp_a: the same amount', 'r_b dsp_b: the same amount']);
  });

  it('the only one is, whatever the amount', async () => {
    await disputed('dsp_a', 2_500);
    await notice('n_a', { amount_minor: 8_400 });
    await representment('r_a', { amount_minor: null, currency: null });
    const why = 'the only dispute of the charge';
    expect(await named()).toEqual([`n_a dsp_a: ${why}`, `r_a dsp_a: ${why}`]);
  });

  it.each([
    ['neither has the amount', 2_500, 2_000, 3_000, 'USD'],
    ['both have it', 2_500, 2_500, 2_500, 'USD'],
    ['it is in another currency', 2_500, 2_000, 2_500, 'EUR'],
  ] as const)('none is meant yet where %s', async (_name, a, b, amountMinor, currency) => {
    await disputed('dsp_a', a);
    await disputed('dsp_b', b);
    await representment('r', { amount_minor: amountMinor, currency });
    expect(await named()).toEqual([]);
  });

  it('a charge without a dispute has none, until an alert opens it', async () => {
    await notice('n');
    expect(await named()).toEqual([]);
    await disputed('dsp_a', 8_400);
    expect(await named()).toEqual(['n dsp_a: the same amount']);
  });

  it('what was named stays, unless people leave its dispute without an alert', async () => {
    await disputed('dsp_a', 8_400);
    await notice('n');
    expect(await named()).toEqual(['n dsp_a: the same amount']);
    await disputed('dsp_b', 8_400);
    expect(await nameMentions(test.db, { organisationId: ORG, now: NOW })).toBe(0);
    await test.db
      .updateTable('alert_case')
      .set({ dispute_id: 'dsp_b' })
      .where('alert_id', '=', 'alert_dsp_a')
      .execute();
    expect(await named()).toEqual(['n dsp_b: the same amount']);
  });
});

describe('the charge', () => {
  // Authorised on 2026-03-01 with the card 411111…4242.
  it.each([
    ['the last digits agree', { card_last4: '4242' }, 1],
    ['the last digits differ', { card_last4: '4243' }, 0],
    ['the first digits differ', { card_bin: '411112' }, 0],
    ['the first digits continue', { card_bin: '41111111' }, 1],
    ['placeholders say nothing, and nothing else backs it', { card_last4: '****' }, 0],
    [
      'placeholders say nothing against the day',
      { card_last4: '****', purchase_date: '2026-03-01T00:00:00Z' },
      1,
    ],
    ['no digits, 30 days apart', { card_last4: null, purchase_date: '2026-03-31T23:59:59Z' }, 1],
    ['no digits, 31 days apart', { card_last4: null, purchase_date: '2026-04-01T00:00:00Z' }, 0],
    ['the digits agree, a year apart', { purchase_date: '2025-03-01T00:00:00Z' }, 0],
    ['the number is another', { acquirer_reference_number: RECYCLED }, 0],
    ['the number is a placeholder', { acquirer_reference_number: '0'.repeat(23) }, 0],
    ['the number is too short', { acquirer_reference_number: ARN.slice(1) }, 0],
    ['the notice is half a year old', { fraud_reported_at: '2025-09-21T11:59:59Z' }, 0],
    ['the notice is a second younger', { fraud_reported_at: '2025-09-21T12:00:01Z' }, 1],
  ] as const)('of a notice: %s', async (_name, over, count) => {
    await charge('ch_zero', { acquirer_reference_number: '0'.repeat(23) });
    await charge('ch_short', { acquirer_reference_number: ARN.slice(1) });
    for (const reference of ['ch_1', 'ch_zero', 'ch_short']) {
      await disputed(`dsp_${reference}`, 8_400, reference);
    }
    await notice('n', over);
    expect(await nameMentions(test.db, { organisationId: ORG, now: NOW })).toBe(count);
    expect(await named()).toHaveLength(count);
  });

  it.each([
    ['its reference', { transaction_reference_id: 'ch_1' }, 1],
    [
      'another reference, whatever the number',
      { transaction_reference_id: 'ch_2', acquirer_reference_number: ARN },
      0,
    ],
    ['the number alone', { transaction_reference_id: null, acquirer_reference_number: ARN }, 0],
    ['the number with the day', numbered('2026-03-02'), 1],
    ['the number with a moment', numbered('2026-03-02T10:00:00Z'), 1],
    ['the number with a day far away', numbered('2026-05-02'), 0],
    ['the number with a day that is none', numbered('2026-02-31'), 1],
    ['the number with no day', numbered('2026-13-01'), 0],
    ['the number with a word', numbered('yesterday'), 0],
    ['the number with the year nought', numbered('0000-03-01'), 0],
    ['due half a year ago', { dispute_due_by: '2025-09-21T11:59:59Z' }, 0],
  ] as const)('of a representment: %s', async (_name, over, count) => {
    await disputed('dsp_a', 8_400);
    await representment('r', over);
    expect(await named()).toHaveLength(count);
  });

  it('that two charges share by a recycled number is nobody’s', async () => {
    await charge('ch_2', { acquirer_reference_number: ARN, authorised_at: '2026-03-05T00:00:00Z' });
    await disputed('dsp_a', 8_400);
    await notice('n');
    expect(await named()).toEqual([]);
    await notice('n_2', { purchase_date: '2026-02-01T00:00:00Z' });
    expect(await named()).toEqual(['n_2 dsp_a: the same amount']);
  });
});

function numbered(day: string): Partial<Insertable<RepresentmentTable>> {
  return {
    transaction_reference_id: null,
    acquirer_reference_number: ARN,
    snapshot: JSON.stringify({ transaction_authorisation_date: day }),
  };
}

it('continues where a run ended, and leaves other organisations alone', async () => {
  await disputed('dsp_a', 8_400);
  const many = Array.from({ length: MENTIONS_MAX + 1 }, (_, index) => index);
  for (const each of many) await notice(`n_${each}`);
  await notice('n_x', { organisation_id: 'org_other' });
  const scope = { organisationId: ORG, now: NOW };
  const runs: number[] = [];
  for (let run = 0; run < 3; run += 1) runs.push(await nameMentions(test.db, scope));
  expect(runs).toEqual([500, 1, 0]);
});
