/**
 * Guarantee: a charge that the processor does not show proves nothing, so findings stay as they are;
 * cases are compared once they rest, and again as planned.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Comparer } from '../../../src/alerts/reconcile/comparer.ts';
import { createComparer, ROUND_MAX } from '../../../src/alerts/reconcile/comparer.ts';
import { listFindings } from '../../../src/base/findings/finding.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Answer, ProcessorCharge } from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';
import { useTestDatabase } from '../../support/database.ts';
import { chargeOf, refundOf } from '../../unit/ledger/fixtures.ts';
import {
  alertObject,
  insertAccount,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  NOW,
  ORG,
} from './rows.ts';

const test = useTestDatabase();
let clock: FixedClock;
let answer: Answer<ProcessorCharge>;
let isAnswering: boolean;
let reads: string[];
let comparer: Comparer;
let duringRead: () => Promise<unknown>;

/** As the refund saga derives it: SHA-256 of ["org_demo","ch_1","1"], by sha256sum. */
const KEY_OF_CH_1 = 'fst_613efc1652cb5de6ebe533528030c837400de6ca';

/** Cases of `rows.ts` last moved at 11:00. */
const MOVED_MS = Date.parse('2026-03-01T11:00:00Z');
const MINUTE = 60_000;

beforeEach(async () => {
  for (const table of [
    'finding',
    'alert_case',
    'cover',
    'movement',
    'dispute',
    'charge_account',
    'alert',
    'book_check',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  clock = createFixedClock(NOW);
  reads = [];
  duringRead = async () => undefined;
  answer = { kind: 'absent' };
  isAnswering = true;
  comparer = createComparer({
    db: test.db,
    clock,
    organisationId: ORG,
    processor: {
      capabilities: async () => (isAnswering ? CAUTIOUS_CAPABILITIES : undefined),
      readCharge: async (reference) => {
        reads.push(reference);
        await duringRead();
        return answer;
      },
    },
  });
});

async function declared(id: string, charge: string): Promise<void> {
  const shown = { status: 'RESOLVED', transaction_refund_outcome: 'REFUNDED' } as const;
  await insertAlert(test.db, alertObject(id, shown));
  await insertMovement(test.db, `r_${id}`, {
    state: 'CONFIRMED',
    charge,
    alertId: id,
    confirmedAt: '2026-03-01T10:31:00Z',
    ...(charge === 'ch_1' ? { key: KEY_OF_CH_1 } : {}),
  });
  const movementId = `r_${id}`;
  await insertCase(test.db, id, { state: 'DECLARED_REFUND', movementId, chargeReference: charge });
}

async function openKinds(): Promise<string[]> {
  const rows = await listFindings(test.db, { organisationId: ORG, state: 'open', limit: 50 });
  return rows.map((row) => row.kind);
}

async function nextAtMs(): Promise<number | undefined> {
  const row = await test.db.selectFrom('book_check').select('next_at').executeTakeFirst();
  return row?.next_at?.getTime();
}

describe('when alerts are compared', () => {
  it.each([
    [5 * MINUTE - 1, 0],
    [5 * MINUTE, 1],
  ])('%i ms after the case moved: %i', async (restMs, compared) => {
    await declared('netalrt_1', 'ch_1');
    clock.setMs(MOVED_MS + restMs);
    expect(await comparer.runOnce()).toMatchObject({ compared });
  });

  it('a case without a charge is none', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    expect(await comparer.runOnce()).toMatchObject({ compared: 0, unread: 0 });
  });

  it('at most twenty charges in a round; the next continues', async () => {
    for (let each = 0; each < ROUND_MAX + 1; each++)
      await declared(`netalrt_${each}`, `ch_${each}`);
    expect(await comparer.runOnce()).toMatchObject({ compared: 20 });
    expect(await comparer.runOnce()).toMatchObject({ compared: 1 });
    expect(new Set(reads).size).toBe(21);
  });
});

describe('a processor that does not show the charge', () => {
  it.each([
    ['unavailable', 10 * MINUTE],
    ['not_offered', 24 * 60 * MINUTE],
  ] as const)('%s: findings stay, and it is asked again after %i ms', async (kind, waitMs) => {
    await declared('netalrt_1', 'ch_1');
    expect(await comparer.runOnce()).toMatchObject({ compared: 1, opened: 1 });
    expect(await openKinds()).toEqual(['charge_unknown']);
    answer = kind === 'unavailable' ? { kind, reason: 'timeout' } : { kind };
    clock.advanceMs(60 * MINUTE);
    expect(await comparer.runOnce()).toEqual({ compared: 0, unread: 1, opened: 0, closed: 0 });
    expect(await openKinds()).toEqual(['charge_unknown']);
    expect(await nextAtMs()).toBe(clock.nowMs() + waitMs);
  });
});

it('a processor that does not say what it offers is not compared with, and findings stay', async () => {
  await declared('netalrt_1', 'ch_1');
  await comparer.runOnce();
  isAnswering = false;
  clock.advanceMs(60 * MINUTE);
  expect(await comparer.runOnce()).toEqual({ compared: 0, unread: 1, opened: 0, closed: 0 });
  expect(await openKinds()).toEqual(['charge_unknown']);
  expect(await nextAtMs()).toBe(clock.nowMs() + 10 * MINUTE);
});

describe('findings of a comparison', () => {
  it('open once, are seen again every hour, and close when the books agree', async () => {
    await declared('netalrt_1', 'ch_1');
    await comparer.runOnce();
    clock.advanceMs(60 * MINUTE - 1);
    expect(await comparer.runOnce()).toMatchObject({ compared: 0 });
    clock.advanceMs(1);
    expect(await comparer.runOnce()).toMatchObject({ compared: 1, opened: 0, closed: 0 });
    answer = { kind: 'found', value: refundedCharge() };
    clock.advanceMs(60 * MINUTE);
    expect(await comparer.runOnce()).toMatchObject({ compared: 1, opened: 0, closed: 1 });
    expect(await openKinds()).toEqual([]);
    const row = await test.db.selectFrom('book_check').selectAll().executeTakeFirstOrThrow();
    expect([row.answer, row.currency]).toEqual(['found', 'USD']);
  });
});

describe('several movements on one charge', () => {
  const shown = { status: 'RESOLVED', transaction_refund_outcome: 'REFUNDED' } as const;

  async function declaredFor(id: string, disputeId: string, amountMinor: number): Promise<void> {
    await insertAlert(
      test.db,
      alertObject(id, { ...shown, transaction_amount_in_cents: amountMinor }),
    );
    await insertCase(test.db, id, {
      state: 'DECLARED_REFUND',
      chargeReference: 'ch_1',
      movementId: 'r_a',
      disputeId,
    });
  }

  it('finds the second part of a charge declared with the first one’s money', async () => {
    await insertAccount(test.db, 'ch_1', 8_400);
    await insertDispute(test.db, 'dsp_a', { charge: 'ch_1', amountMinor: 2_500 });
    await insertDispute(test.db, 'dsp_b', { charge: 'ch_1', amountMinor: 2_000 });
    await insertMovement(test.db, 'r_a', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_a',
      amountMinor: 2_500,
      disputeId: 'dsp_a',
      key: KEY_OF_CH_1,
    });
    await declaredFor('netalrt_a', 'dsp_a', 2_500);
    await declaredFor('netalrt_b', 'dsp_b', 2_000);
    answer = { kind: 'found', value: refundedCharge(2_500, 8_400) };
    await comparer.runOnce();
    expect(await openAbout()).toEqual(['declared_without_money netalrt_b']);
    const checks = await test.db
      .selectFrom('book_check')
      .select(['alert_id', 'refunded_minor'])
      .orderBy('alert_id')
      .execute();
    expect(checks.map((each) => each.refunded_minor)).toEqual([2_500, 0]);
  });

  it.each([
    ['RESOLVED', 'REFUNDED', []],
    ['INVALID', 'REFUNDED', ['declared_without_money netalrt_b']],
    ['RESOLVED', 'NOT_REFUNDED', ['declared_without_money netalrt_b']],
  ] as const)('RDR that is %s %s now, whatever is booked of it: %j', async (...row) => {
    const [status, outcome, expected] = row;
    const rdr = { enrolment_type: 'NETB_RDR', status, transaction_refund_outcome: outcome };
    await insertAlert(test.db, alertObject('rdr_1', rdr));
    await insertAccount(test.db, 'ch_1', 8_400);
    await insertDispute(test.db, 'dsp_a', { charge: 'ch_1', amountMinor: 2_000 });
    await insertMovement(test.db, 'r_a', {
      kind: 'network',
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'rdr_1',
      amountMinor: 12_990,
    });
    await test.db
      .insertInto('cover')
      .values({
        organisation_id: ORG,
        movement_id: 'r_a',
        dispute_id: 'dsp_a',
        amount_minor: 2_000,
      })
      .execute();
    await declaredFor('netalrt_b', 'dsp_a', 2_000);
    answer = { kind: 'found', value: { ...refundedCharge(0, 8_400), refunds: [] } };
    await comparer.runOnce();
    expect(await openAbout()).toEqual(expected);
  });

  it('books what support refunded after the case was over, and tells once that it is too much', async () => {
    await insertAccount(test.db, 'ch_1', 8_400);
    await insertDispute(test.db, 'dsp_a', { charge: 'ch_1', amountMinor: 2_500 });
    await insertMovement(test.db, 'r_a', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_a',
      amountMinor: 2_500,
      disputeId: 'dsp_a',
      key: KEY_OF_CH_1,
    });
    await declaredFor('netalrt_a', 'dsp_a', 2_500);
    const value = refundedCharge(2_500, 8_400);
    const [own] = value.refunds;
    if (own === undefined) throw new Error('no refund');
    const theirs = { ...own, reference: 're_2', idempotencyKey: null, amountMinor: 1_000 };
    answer = { kind: 'found', value: { ...value, refunds: [own, theirs] } };
    await comparer.runOnce();
    const moved = await test.db
      .selectFrom('movement')
      .select(['kind', 'state', 'amount_minor', 'processor_reference'])
      .where('observed_from', '=', 'processor')
      .execute();
    expect(moved).toEqual([
      { kind: 'external', state: 'CONFIRMED', amount_minor: 1_000, processor_reference: 're_2' },
    ]);
    expect(await openAbout()).toEqual(['paid_too_often ch_1']);

    answer = { kind: 'found', value };
    clock.advanceMs(60 * MINUTE);
    await comparer.runOnce();
    expect(await openAbout()).toEqual([]);
  });

  it('concludes nothing from a ledger that changed while the processor was asked', async () => {
    await declared('netalrt_1', 'ch_1');
    await insertAccount(test.db, 'ch_1');
    duringRead = async () => {
      await test.db
        .updateTable('charge_account')
        .set((eb) => ({ version: eb('version', '+', 1) }))
        .execute();
    };
    expect(await comparer.runOnce()).toMatchObject({ compared: 1, opened: 0 });
    expect(await nextAtMs()).toBe(clock.nowMs() + 15 * MINUTE);
    duringRead = async () => undefined;
    clock.advanceMs(15 * MINUTE);
    expect(await comparer.runOnce()).toMatchObject({ compared: 1, opened: 1 });
  });
});

async function openAbout(): Promise<string[]> {
  const rows = await listFindings(test.db, { organisationId: ORG, state: 'open', limit: 50 });
  return rows.map((row) => `${row.kind} ${row.subject_id}`).sort();
}

function refundedCharge(refundedMinor = 12_990, amountMinor = 12_990): ProcessorCharge {
  const refund = refundOf({
    idempotencyKey: KEY_OF_CH_1,
    amountMinor: refundedMinor,
    currency: 'USD',
  });
  const shown = { amountMinor, currency: 'USD', refundableMinor: 0 };
  return chargeOf({ ...shown, refunds: [refund] });
}
