/**
 * Guarantee: every notice, dispute and payment counts once, where the programmes say; whatever the order in which rows
 * arrive and change, whether or not a worker adds up.
 */
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createSchemeOf } from '../../../src/capabilities/ratios/card-scheme.ts';
import type { CockpitDeps } from '../../../src/capabilities/ratios/cockpit.ts';
import { readCockpit } from '../../../src/capabilities/ratios/cockpit.ts';
import { openProgrammes } from '../../../src/capabilities/ratios/monitoring.ts';
import {
  addUpCounts,
  judgeCounts,
  readCounts,
  readOccurrences,
} from '../../../src/capabilities/ratios/roll-up.store.ts';
import { ORGANISATION_SCOPE, scopeOf } from '../../../src/capabilities/ratios/scope.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import { chargesOfOrder, recordOfProcessorCharge } from '../../../src/orders/charge-record.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import {
  arnOf,
  changeRow,
  insertAlert,
  insertLookup,
  insertNotice,
  insertPayments,
  insertRepresentment,
  ORG,
} from './rows.ts';

const TABLES = [
  'charge',
  'scheme_notice',
  'representment',
  'alert_case',
  'alert',
  'lookup',
  'roll_up',
  'roll_up_change',
  'roll_up_event',
  'roll_up_due',
];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(test.db);
});

const NOW = new Date('2026-11-22T12:00:00Z');

function deps(): CockpitDeps {
  return {
    db: test.db,
    organisationId: ORG,
    programmes: openProgrammes(),
    region: 'EU',
    schemeOf: createSchemeOf(),
    rates: { currency: 'USD', rates: {} },
  };
}

/** Counts of November by measure. */
async function november(): Promise<Record<string, number>> {
  await judgeCounts(test.db, ORG);
  const rows = await readCounts(test.db, {
    organisationId: ORG,
    scope: ORGANISATION_SCOPE,
    grain: 'month',
    from: '2026-11-01',
  });
  const sums: Record<string, number> = {};
  for (const { measure, count } of rows) sums[measure] = (sums[measure] ?? 0) + count;
  return sums;
}

describe('the base', () => {
  it('joins visa of the orders with SCHEME_A of the notices', async () => {
    await insertPayments(test.db, { prefix: 'v', count: 150, day: '2026-11-03', brand: 'visa' });
    await insertPayments(test.db, {
      prefix: 'd',
      count: 50,
      day: '2026-11-03',
      brand: 'Visa Debit',
    });
    await insertPayments(test.db, {
      prefix: 'm',
      count: 70,
      day: '2026-11-03',
      brand: 'mastercard',
    });
    await insertPayments(test.db, { prefix: 't', count: 10, day: '2026-11-03', brand: 'SCHEME_B' });
    await insertNotice(test.db, { id: 'n1', type: 'TC40', day: '2026-11-04' });
    await judgeCounts(test.db, ORG);
    const { programmes } = await readCockpit(deps(), ORGANISATION_SCOPE, NOW);
    const vamp = programmes.find(({ programme }) => programme.id === 'vamp-2026-04');
    expect(vamp?.readings[0]).toMatchObject({ count: 1, base: 200, ratioPercent: 0.5 });
    // The other scheme divides by the month before, which has none.
    const ecp = programmes.find(({ programme }) => programme.id === 'ecp');
    expect(ecp?.readings[0]).toMatchObject({ count: 0, base: null, ratioPercent: null });
  });

  it('divides chargebacks of SCHEME_B by the payments of the month before, and counts no fraud report', async () => {
    await insertPayments(test.db, {
      prefix: 'o',
      count: 400,
      day: '2026-10-31',
      brand: 'mastercard',
    });
    await insertPayments(test.db, {
      prefix: 'n',
      count: 90,
      day: '2026-11-01',
      brand: 'mastercard',
    });
    for (const n of [1, 2, 3]) {
      await insertNotice(test.db, {
        id: `f${n}`,
        type: 'SAF',
        scheme: 'SCHEME_B',
        day: '2026-11-05',
      });
    }
    await insertRepresentment(test.db, { id: 'rep_1', scheme: 'SCHEME_B', day: '2026-11-06' });
    await judgeCounts(test.db, ORG);
    const { programmes } = await readCockpit(deps(), ORGANISATION_SCOPE, NOW);
    const ecp = programmes.find(({ programme }) => programme.id === 'ecp');
    expect(ecp?.readings[0]).toMatchObject({ count: 1, base: 400, ratioPercent: 0.25 });
  });

  it('follows a payment that is settled in another month, and another brand', async () => {
    await insertPayments(test.db, { prefix: 'c', count: 3, day: '2026-10-31', brand: 'visa' });
    await sql`update charge set settled_at = '2026-11-02', card_brand = 'mastercard' where reference = 'c1'`.execute(
      test.db,
    );
    // The same again is no change.
    await sql`update charge set settled_at = '2026-11-02', known_at = now() where reference = 'c1'`.execute(
      test.db,
    );
    const wanted = { organisationId: ORG, scope: ORGANISATION_SCOPE, grain: 'month' as const };
    await judgeCounts(test.db, ORG);
    const rows = await readCounts(test.db, { ...wanted, from: '2026-10-01' });
    expect(rows.map(({ period, brand, count }) => [period, brand, count])).toEqual([
      ['2026-10-01', 'VISA', 2],
      ['2026-11-01', 'MASTERCARD', 1],
    ]);
  });
});

describe('attempts that failed', () => {
  const order = (status: string | undefined, more: Record<string, unknown> = {}) => ({
    reference_id: 'order_1',
    integration_id: 'int_1',
    transactions: [
      {
        reference_id: 'try_1',
        amount_in_cents: 4500,
        currency: 'USD',
        authorised_at: '2026-11-03T10:00:00Z',
        payment_method_card_brand: 'visa',
        ...(status === undefined ? {} : { authorisation_status: status }),
        ...more,
      },
    ],
  });
  const store = async (charges: ReturnType<typeof chargesOfOrder>): Promise<void> => {
    await test.db.transaction().execute(async (trx) => {
      await recordCharges(trx, ORG, { charges, now: NOW });
    });
  };

  it('are no payments, until the attempt succeeds, and when it is voided', async () => {
    await store(chargesOfOrder(order('Declined')));
    expect(await november()).toEqual({});
    // Nothing said is nothing new.
    await store(chargesOfOrder(order(undefined)));
    expect(await november()).toEqual({});
    await store(chargesOfOrder(order('SETTLED')));
    expect(await november()).toEqual({ payment: 1 });
    await store(chargesOfOrder(order('VOIDED')));
    expect(await november()).toEqual({});
    // Settled all the same: money was taken.
    const settled = { settlement_datetime: '2026-11-05T00:00:00Z' };
    await store(chargesOfOrder(order('VOIDED', settled)));
    expect(await november()).toEqual({ payment: 1 });
  });

  it.each([
    ['authorised', 1],
    ['captured', 1],
    ['declined', 0],
    ['voided', 0],
  ] as const)('as the processor says %s: %i', async (status, payments) => {
    const charge = {
      reference: 'ch_p',
      status,
      amountMinor: 4500,
      currency: 'USD',
      refundableMinor: 0,
      disputed: false,
      authorisedAt: '2026-11-03T10:00:00Z',
      cardBrand: 'visa',
      cardBin: null,
      cardLast4: null,
      acquirerReferenceNumber: null,
      authorisationCode: null,
      orderReference: null,
      subscriptionReference: null,
      refunds: [],
    };
    await store([recordOfProcessorCharge(charge)]);
    expect((await november())['payment'] ?? 0).toBe(payments);
  });
});

describe('attempts that were known before migration 0052', () => {
  it('leave the base where the index of evidence says that they failed', async () => {
    await insertPayments(test.db, { prefix: 'c', count: 4, day: '2026-11-03', brand: 'visa' });
    // Bit 2: failed; bit 1: settled all the same.
    await sql`insert into evidence_key (organisation_id, secret, made_at) values (${ORG}, '\\x00', now()) on conflict do nothing`.execute(
      test.db,
    );
    await sql`insert into payment_evidence (day, traits, organisation, reference)
      select '2026-11-03', traits, (select number from evidence_key where organisation_id = ${ORG}), reference
      from (values ('c1', 2), ('c2', 3), ('c3', 1)) as e (reference, traits)`.execute(test.db);
    const url = new URL('../../../migrations/0052_what_counts.sql', import.meta.url);
    const [backfill = ''] =
      /^update charge c set is_failed[^;]*;/m.exec(readFileSync(url, 'utf8')) ?? [];
    await sql.raw(backfill).execute(test.db);
    expect(await november()).toEqual({ payment: 3 });
  });
});

describe('what counts', () => {
  it('tells fraud by its reason code, in the database as in the file', async () => {
    const url = new URL(
      '../../../src/capabilities/ratios/data/fraud-reasons.yaml',
      import.meta.url,
    );
    const { begins } = parse(readFileSync(url, 'utf8')) as { begins: string[] };
    const codes = [...begins, ...begins.map((code) => ` ${code.toLowerCase()}X`)];
    const others = ['13.1', '4853', '11.3', 'C08', '83', '1', 'NO FRAUD'];
    const { rows } = await sql<{ code: string; is: boolean | null }>`
      select code, fraud_reason(code) as is from unnest(${[...codes, ...others, '', ' ']}::text[]) with ordinality as c(code, n) order by n`.execute(
      test.db,
    );
    expect(rows.map((row) => row.is)).toEqual([
      ...codes.map(() => true),
      ...others.map(() => false),
      null,
      null,
    ]);
    const { rows: defined } = await sql<{ source: string }>`
      select prosrc as source from pg_proc where proname = 'fraud_reason'`.execute(test.db);
    const listed = [...(defined[0]?.source ?? '').matchAll(/'([^']+)%'/g)].map(([, code]) => code);
    expect(listed).toEqual(begins);
  });

  it('judges a dispute again when its alert says later that it is about fraud', async () => {
    await insertNotice(test.db, { id: 'd1', type: 'TC15', day: '2026-11-04', arn: arnOf(1) });
    await insertAlert(test.db, {
      id: 'a1',
      day: '2026-11-03',
      outcome: 'NOT_REFUNDED',
      reason: '13.1',
      arn: arnOf(1),
    });
    expect(await november()).toEqual({ dispute: 1 });
    await changeRow(test.db, 'alert', 'a1', "reason_code = '10.4'");
    expect(await november()).toEqual({ dispute_of_fraud: 1 });
    await changeRow(test.db, 'alert', 'a1', "reason_code = '13.1'");
    expect(await november()).toEqual({ dispute: 1 });
    await insertAlert(test.db, {
      id: 'a2',
      day: '2026-11-03',
      outcome: 'NOT_REFUNDED',
      reason: '10.4',
      arn: arnOf(1),
    });
    expect(await november()).toEqual({ dispute_of_fraud: 1 });
  });

  it('counts no claim for a refund among the answered alerts', async () => {
    await insertAlert(test.db, { id: 'netalrt_claim_1', day: '2026-11-04', arn: arnOf(1) });
    await insertAlert(test.db, { id: 'netalrt_1', day: '2026-11-04', arn: arnOf(2) });
    expect(await november()).toEqual({ alert_out: 1 });
  });

  it('moves a notice with the day of its report, and takes it back', async () => {
    await insertNotice(test.db, { id: 'f1', type: 'TC40', day: '2026-11-04' });
    expect(await november()).toEqual({ fraud: 1 });
    await changeRow(test.db, 'scheme_notice', 'f1', "fraud_reported_at = '2026-10-31T23:00:00Z'");
    // It counts in November, and one less is of November by the report.
    expect(await november()).toEqual({ fraud: 1, fraud_moved: -1 });
    await addUpCounts(test.db, ORG);
    await changeRow(test.db, 'scheme_notice', 'f1', 'is_revoked = true');
    expect(await november()).toEqual({ revoked_fraud: 1 });
    await addUpCounts(test.db, ORG);
    expect(await november()).toEqual({ revoked_fraud: 1 });
  });

  it('tells disputes about a fraud report apart, whichever comes first', async () => {
    await insertNotice(test.db, { id: 'd1', type: 'TC15', day: '2026-11-04', arn: arnOf(1) });
    await insertNotice(test.db, { id: 'd2', type: 'TC15', day: '2026-11-04', arn: arnOf(2) });
    await insertNotice(test.db, { id: 'd3', type: 'TC15', day: '2026-11-04' });
    expect(await november()).toEqual({ dispute: 3 });
    await insertNotice(test.db, { id: 'f1', type: 'TC40', day: '2026-11-09', arn: arnOf(1) });
    await insertNotice(test.db, { id: 'f2', type: 'TC40', day: '2026-11-09', arn: arnOf(9) });
    await insertNotice(test.db, { id: 'd9', type: 'TC15', day: '2026-11-09', arn: arnOf(9) });
    expect(await november()).toEqual({ dispute: 2, dispute_of_fraud: 2, fraud: 2 });
    await addUpCounts(test.db, ORG);
    // A revoked report leaves the count, and its dispute is an ordinary one again.
    await changeRow(test.db, 'scheme_notice', 'f1', 'is_revoked = true');
    expect(await november()).toEqual({
      dispute: 3,
      dispute_of_fraud: 1,
      fraud: 1,
      revoked_fraud: 1,
    });
    await addUpCounts(test.db, ORG);
    expect(await november()).toEqual({
      dispute: 3,
      dispute_of_fraud: 1,
      fraud: 1,
      revoked_fraud: 1,
    });
  });

  it('counts both rows of one statement once', async () => {
    await sql`insert into scheme_notice (organisation_id, id, scheme_notice_type, notice_type, scheme, fraud_reported_at, acquirer_reference_number,
        created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
      select ${ORG}, id, type, 'FRAUD_NOTICE', 'SCHEME_A', '2026-11-04', ${arnOf(5)}, '2026-11-04', '2026-11-04', '{}', '\\x00', 'webhook', now(), now()
      from (values ('a', 'TC40'), ('b', 'TC15')) as n (id, type)`.execute(test.db);
    expect(await november()).toEqual({ fraud: 1, dispute_of_fraud: 1 });
  });

  it('counts a dispute with a notice and a representment once', async () => {
    await insertRepresentment(test.db, {
      id: 'rep_1',
      scheme: 'SCHEME_A',
      day: '2026-11-04',
      arn: arnOf(1),
    });
    expect(await november()).toEqual({ dispute: 1 });
    await insertNotice(test.db, { id: 'd1', type: 'TC15', day: '2026-11-05', arn: arnOf(1) });
    expect(await november()).toEqual({ dispute: 1 });
    await insertNotice(test.db, { id: 'f1', type: 'TC40', day: '2026-11-05', arn: arnOf(1) });
    expect(await november()).toEqual({ dispute_of_fraud: 1, fraud: 1 });
    await changeRow(test.db, 'scheme_notice', 'd1', 'is_revoked = true');
    expect(await november()).toEqual({ fraud: 1, revoked_dispute: 1 });
  });

  it('counts a dispute again whose notice turns out to be of another payment', async () => {
    const report = { id: 'rep_1', scheme: 'SCHEME_A', day: '2026-11-04', arn: arnOf(1) };
    await insertRepresentment(test.db, report);
    await insertNotice(test.db, { id: 'd1', type: 'TC15', day: '2026-11-05', arn: arnOf(1) });
    expect(await november()).toEqual({ dispute: 1 });
    await changeRow(test.db, 'scheme_notice', 'd1', `acquirer_reference_number = '${arnOf(2)}'`);
    expect(await november()).toEqual({ dispute: 2 });
  });

  it('follows a dispute without a reference that is told to be of another month', async () => {
    await insertRepresentment(test.db, { id: 'rep_1', scheme: 'SCHEME_A', day: '2026-11-04' });
    expect(await november()).toEqual({ dispute: 1 });
    const october = `snapshot = '{"dispute_schema": "SCHEME_A", "disputed_at": "2026-10-31"}'`;
    await changeRow(test.db, 'representment', 'rep_1', october);
    expect(await november()).toEqual({});
  });

  it('joins nothing by a reference that names no payment', async () => {
    for (const arn of ['0'.repeat(23), '12345']) {
      await insertNotice(test.db, { id: `f${arn}`, type: 'TC40', day: '2026-11-04', arn });
      await insertNotice(test.db, { id: `d${arn}`, type: 'TC15', day: '2026-11-04', arn });
    }
    expect(await november()).toEqual({ fraud: 2, dispute: 2 });
  });

  it('says what became of payments that RDR, alerts and evidence dealt with', async () => {
    await insertAlert(test.db, { id: 'r1', type: 'NETB_RDR', day: '2026-11-04', arn: arnOf(1) });
    await insertAlert(test.db, { id: 'r2', type: 'NETB_RDR', day: '2026-11-04', arn: arnOf(2) });
    await insertAlert(test.db, { id: 'a3', day: '2026-11-04', arn: arnOf(3) });
    await insertAlert(test.db, {
      id: 'a4',
      day: '2026-11-04',
      status: 'ACTION_REQUIRED',
      outcome: null,
    });
    await insertAlert(test.db, { id: 'a5', day: '2026-11-04', outcome: 'NOT_REFUNDED' });
    await insertLookup(test.db, {
      id: 'l1',
      deflection: 'SUCCEEDED',
      day: '2026-11-04',
      arn: arnOf(4),
    });
    await insertLookup(test.db, {
      id: 'l2',
      deflection: 'PENDING',
      day: '2026-11-04',
      arn: arnOf(6),
    });
    expect(await november()).toEqual({ rdr_out: 2, alert_out: 1, evidence_out: 1 });
    await insertNotice(test.db, { id: 'f2', type: 'TC40', day: '2026-11-05', arn: arnOf(2) });
    await insertNotice(test.db, { id: 'd3', type: 'TC15', day: '2026-11-06', arn: arnOf(3) });
    // The network takes a deflection back.
    await changeRow(test.db, 'lookup', 'l1', "deflection_status = 'FAILED'");
    await changeRow(test.db, 'alert', 'a4', "status = 'RESOLVED', refund_outcome = 'REFUNDED'");
    expect(await november()).toEqual({
      rdr_out: 1,
      rdr_fraud: 1,
      alert_counted: 1,
      alert_out: 1,
      fraud: 1,
      dispute: 1,
    });
  });

  it('follows an alert that is refunded, is found under another number, and is not refunded after all', async () => {
    await insertAlert(test.db, {
      id: 'a1',
      day: '2026-11-04',
      outcome: 'NOT_REFUNDED',
      arn: arnOf(1),
    });
    await insertNotice(test.db, { id: 'd1', type: 'TC15', day: '2026-11-05', arn: arnOf(1) });
    await changeRow(test.db, 'alert', 'a1', "refund_outcome = 'REFUNDED'");
    expect(await november()).toEqual({ alert_counted: 1, dispute: 1 });
    await changeRow(test.db, 'alert', 'a1', `acquirer_reference_number = '${arnOf(2)}'`);
    expect(await november()).toEqual({ alert_out: 1, dispute: 1 });
    await changeRow(test.db, 'alert', 'a1', "refund_outcome = 'NOT_REFUNDED'");
    expect(await november()).toEqual({ dispute: 1 });
  });

  it('holds when two transactions add the halves of one payment at once', async () => {
    const arns = Array.from({ length: 20 }, (_, index) => arnOf(100 + index));
    await Promise.all(
      arns.flatMap((arn) => [
        insertNotice(test.db, { id: `f${arn}`, type: 'TC40', day: '2026-11-04', arn }),
        insertNotice(test.db, { id: `d${arn}`, type: 'TC15', day: '2026-11-04', arn }),
        judgeCounts(test.db, ORG),
        addUpCounts(test.db, ORG),
      ]),
    );
    expect(await november()).toEqual({ fraud: 20, dispute_of_fraud: 20 });
  });

  it('never lets two that store wait for each other, whatever payments their rows are about', async () => {
    const store = (trx: typeof test.db, n: number): Promise<void> =>
      insertNotice(trx, { id: `w${n}`, type: 'TC40', day: '2026-11-04', arn: arnOf(n % 2) });
    await test.db.transaction().execute(async (one) => {
      await store(one, 1);
      await test.db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '2s'`.execute(other);
        await store(other, 2);
        await store(other, 3);
      });
      await store(one, 4);
    });
    expect(await november()).toEqual({ fraud: 4 });
  });

  it('keeps what was counted when rows are deleted for their age', async () => {
    await insertPayments(test.db, { prefix: 'c', count: 3, day: '2026-11-02', brand: 'visa' });
    await insertNotice(test.db, { id: 'f1', type: 'TC40', day: '2026-11-04', arn: arnOf(1) });
    expect(await november()).toEqual({ payment: 3, fraud: 1 });
    await sql`delete from charge`.execute(test.db);
    await sql`delete from scheme_notice`.execute(test.db);
    expect(await november()).toEqual({ payment: 3, fraud: 1 });
  });

  it('knows a notice’s descriptor and enrolment by its payment', async () => {
    await insertPayments(test.db, {
      prefix: 'o',
      count: 2,
      day: '2026-11-02',
      brand: 'visa',
      descriptor: 'OUTLET 7',
    });
    await sql`update charge set acquirer_reference_number = ${arnOf(7)} where reference = 'o1'`.execute(
      test.db,
    );
    await insertNotice(test.db, { id: 'f1', type: 'TC40', day: '2026-11-04', arn: arnOf(7) });
    await insertNotice(test.db, { id: 'f2', type: 'TC40', day: '2026-11-04' });
    const rules = [
      { id: 'enrl_o', merchants: ['mrch_o'], descriptors: [{ text: 'OUTLET', isPrefix: true }] },
      { id: 'enrl_s', merchants: ['mrch_s'], descriptors: [{ text: 'SHOP', isPrefix: true }] },
    ];
    await judgeCounts(test.db, ORG);
    const occurrences = await readOccurrences(test.db, ORG, '2026-11-01');
    for (const [kind, id] of [
      ['descriptor', 'OUTLET #'],
      ['enrolment', 'enrl_o'],
      ['merchant', 'mrch_o'],
    ] as const) {
      const scope = scopeOf(kind, id, { rules, occurrences });
      if (scope === undefined) throw new Error(`no scope ${kind}`);
      const counts = await readCounts(test.db, {
        organisationId: ORG,
        scope,
        grain: 'month',
        from: '2026-11-01',
      });
      expect([kind, counts.map(({ measure, count }) => [measure, count])]).toEqual([
        kind,
        [
          ['fraud', 1],
          ['payment', 2],
        ],
      ]);
    }
  });

  it('leaves out order numbers in descriptors, and keeps shops apart', async () => {
    const { rows } = await sql<{ key: string }>`
      select descriptor_key(d) as key from unnest(${['shop*order 123', 'SHOP*ORDER 99881', ' Shop   berlin ', 'SQ *BAKERY', '24SHOP 7']}::text[])
        with ordinality as t (d, n) order by n`.execute(test.db);
    expect(rows.map(({ key }) => key)).toEqual([
      'SHOP*ORDER #',
      'SHOP*ORDER #',
      'SHOP BERLIN',
      'SQ *BAKERY',
      '24SHOP #',
    ]);
  });
});

describe('two transactions that apply overlapping groups in opposite order', () => {
  it('both end, and every row counts', async () => {
    const one = await test.db.startTransaction().execute();
    const two = await test.db.startTransaction().execute();
    await insertNotice(one, { id: 'f1', type: 'TC40', day: '2026-11-03', arn: arnOf(1) });
    let hasEnded = false;
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(two);
    const backwards = async (): Promise<void> => {
      await insertNotice(two, { id: 'd2', type: 'TC15', day: '2026-11-04', arn: arnOf(2) });
      await insertNotice(two, { id: 'd1', type: 'TC15', day: '2026-11-04', arn: arnOf(1) });
      await two.commit().execute();
    };
    const second = backwards().finally(() => {
      hasEnded = true;
    });
    await vi.waitFor(async () => {
      const { rows: waits } = await sql<{ by: number }>`
        select cardinality(pg_blocking_pids(${rows[0]?.pid ?? 0}::int)) as by`.execute(test.db);
      expect(hasEnded || (waits[0]?.by ?? 0) > 0).toBe(true);
    }, 20_000);
    const forwards = async (): Promise<void> => {
      await insertNotice(one, { id: 'f2', type: 'TC40', day: '2026-11-03', arn: arnOf(2) });
      await one.commit().execute();
    };
    const ends = await Promise.allSettled([forwards(), second]);
    expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'ended'))).toEqual([
      'ended',
      'ended',
    ]);
    expect(await november()).toEqual({ fraud: 2, dispute_of_fraud: 2 });
  });
});
