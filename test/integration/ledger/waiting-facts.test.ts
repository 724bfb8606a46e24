/**
 * Guarantee: whatever the match stage would say something about is fetched for a charge, each by an index, however many
 * alerts there are that were accepted without a charge.
 */
import type { Insertable, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Waiting } from '../../../src/alerts/ledger/same-charge.ts';
import { meantIn, waitingForCharge } from '../../../src/alerts/ledger/same-charge.ts';
import { alertFactsOf } from '../../../src/alerts/match/alert-facts.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { meantBy } from '../../../src/alerts/match/matcher.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { recordOfRow } from '../../../src/orders/charge-record.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertAccount, insertDispute, insertMovement, ORG } from '../reconcile/rows.ts';

const NOW = new Date('2026-03-20T12:00:00Z');

const test = useTestDatabase();

/** Few values of each fact, so that each pair shares some; absent, unusable and strange ones among them. */
const CARDS = ['1111', '2222', null, '', '11'] as const;
const DAYS = [
  '2026-03-10T23:59:59Z',
  '2026-03-11T00:00:00Z',
  '2026-03-07T00:00:00Z',
  '2026-03-13T23:59:59Z',
  '2026-03-14T00:00:00Z',
  '2026-01-01T08:00:00Z',
  null,
] as const;
const CODES = ['AB12CD', null] as const;
const SAID_CODES = ['AB12CD', ' ab12cd ', 'ZZ99ZZ', null] as const;
const ARNS = ['74537604221222132710572', '74537604221222132710999', null] as const;
const SUMS = [2990, 1000] as const;
const CURRENCIES = ['USD', 'EUR'] as const;

/** The same numbers in each run: a linear congruential generator. */
function numbers(seed: number): <Value>(values: readonly Value[]) => Value {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return values[(state >> 8) % values.length]!;
  };
}

const KINDS = ['acceptance', 'accepting', 'network'] as const;

async function fill(table: keyof Database, rows: readonly object[]): Promise<void> {
  await test.db
    .insertInto(table)
    .values(rows as Insertable<Database[typeof table]>[])
    .execute();
}

beforeAll(async () => {
  const pick = numbers(33);
  const charges = Array.from({ length: 40 }, (_, index) => ({
    organisation_id: ORG,
    reference: `ch_${index}`,
    source: 'order',
    amount_minor: pick(SUMS),
    currency: pick(CURRENCIES),
    authorised_at: pick(DAYS),
    settled_at: pick([null, null, '2026-03-12T00:00:00Z']),
    authorisation_code: pick(CODES),
    acquirer_reference_number: pick(ARNS),
    card_bin: pick(['411111', null]),
    card_last4: pick(CARDS),
    card_brand: pick(['SCHEME_A', null]),
    descriptor: pick(['SHOP', null]),
    known_at: NOW,
  }));
  const alerts = Array.from({ length: 300 }, (_, index) => ({
    organisation_id: ORG,
    id: `netalrt_${index}`,
    status: 'RESOLVED',
    enrolment_type: index % KINDS.length === 2 ? 'NETB_RDR' : 'NETA_ALERT',
    amount_minor: pick([...SUMS, null]),
    currency: pick([...CURRENCIES, null]),
    authorised_at: pick(DAYS),
    authorisation_code: pick(SAID_CODES),
    acquirer_reference_number: pick(ARNS),
    card_bin: pick(['411111', '522222', null]),
    card_last4: pick(CARDS),
    card_scheme: pick(['SCHEME_A', null]),
    descriptor: pick(['SHOP', 'SHOP 12', null]),
    integration_transaction_id: pick([null, null, null, null, 'ch_7', 'ch_elsewhere']),
    updated_at: NOW,
    snapshot: '{}',
    snapshot_hash: Buffer.alloc(1),
    source: 'webhook',
    first_seen_at: NOW,
    changed_at: NOW,
  }));
  const state = { acceptance: 'DECLARED_ACCEPT', accepting: 'DECIDED_ACCEPT' } as const;
  await fill('charge', charges);
  await fill('alert', alerts);
  const kindOf = (index: number): (typeof KINDS)[number] => KINDS[index % KINDS.length]!;
  await fill(
    'alert_case',
    alerts.flatMap(({ id }, index) => {
      const kind = kindOf(index);
      const shared = { organisation_id: ORG, alert_id: id, opened_at: NOW, deadline_at: NOW };
      const held = kind === 'network' ? 'RECONCILED_RDR' : state[kind];
      return [{ ...shared, state: held, next_action_at: NOW, changed_at: NOW }];
    }),
  );
  await fill(
    'movement',
    alerts
      .filter((_, index) => kindOf(index) === 'network')
      .map(({ id, amount_minor: minor, currency }) => ({
        organisation_id: ORG,
        id: `mv_${id}`,
        charge_reference: null,
        kind: 'network',
        state: 'CONFIRMED',
        alert_id: id,
        observed_from: id,
        amount_minor: minor ?? 0,
        currency: currency ?? 'USD',
        next_action_at: NOW,
        created_at: NOW,
        changed_at: NOW,
      })),
  );
  await sql`analyze`.execute(test.db);
});

describe('beside each charge', () => {
  it('is fetched whatever is named, contradicted or possible by the match stage, of each kind', async () => {
    const charges = await test.db.selectFrom('charge').selectAll().execute();
    const alerts = await test.db.selectFrom('alert').selectAll().orderBy('id').execute();
    const seen = new Set<string>();
    for (const charge of charges) {
      const meant = alerts.flatMap((alert) => {
        const facts = alertFactsOf({ ...alert, snapshot: {} });
        const word = meantBy(facts, recordOfRow(charge), DEFAULT_MATCH_SETTINGS);
        if (word !== 'not') seen.add(word);
        return word === 'not' ? [] : [`${alert.id} ${word}`];
      });
      const { rows } = await sql<{ waiting: readonly Waiting[] | null }>`
        select ${waitingForCharge(ORG, charge.reference)} as waiting`.execute(test.db);
      const fetched = rows.flatMap(({ waiting }) => waiting ?? []);
      const found = fetched
        .map((each) => `${each.alert.id} ${meantIn(each)}`)
        .filter((each) => !each.endsWith(' not'));
      expect(found.sort()).toEqual(meant.sort());
    }
    expect([...seen].sort()).toEqual(['contradicted', 'named', 'possible']);
  });
});

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Node Type'?: string;
  readonly Plans?: readonly Plan[];
}

/** The index of each scan, or the table that is read without one. */
function scansOf(plan: Plan): readonly string[] {
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type, Plans = [] } = plan;
  const own = index ?? (table === undefined ? undefined : `${type} of ${table}`);
  return [...(own === undefined ? [] : [own]), ...Plans.flatMap(scansOf)];
}

async function indexesOf(statement: RawBuilder<unknown>): Promise<string[]> {
  return await test.db.transaction().execute(async (trx) => {
    // So that a small table is read as a large one would be.
    await sql`set local enable_seqscan = off`.execute(trx);
    await sql`set local enable_bitmapscan = off`.execute(trx);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
      explain (costs off, format json) select ${statement}`.execute(trx);
    return [...new Set(scansOf(rows[0]!['QUERY PLAN'][0].Plan))].sort();
  });
}

const FACT_INDEXES = [
  'alert_by_arn',
  'alert_by_card_day',
  'alert_by_plain_code',
  'alert_by_sum_day',
  'alert_by_sum_day_without_card',
  'alert_by_transaction',
];

it('each fact is looked up by its index, and what waits by the alerts that were found', async () => {
  const waiting = await indexesOf(waitingForCharge(ORG, 'ch_1'));
  const found = ['alert_case_pkey', 'movement_of_network'];
  expect(waiting).toEqual(expect.arrayContaining([...FACT_INDEXES, ...found]));
  expect(waiting.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
});

it('refunds of a dispute, which each new one is held against, are looked up by its id', async () => {
  await insertAccount(test.db, 'ch_held');
  await insertDispute(test.db, 'dsp_held', { charge: 'ch_held' });
  const scans = await test.db.transaction().execute(async (trx) => {
    // So that a small table is read as a large one would be.
    await sql`set local enable_seqscan = off`.execute(trx);
    await sql`set local enable_bitmapscan = off`.execute(trx);
    await insertMovement(trx, 'mv_held', {
      ...{ state: 'SENT', charge: 'ch_held', alertId: 'netalrt_0', disputeId: 'dsp_held' },
    });
    const { rows } = await sql<{ count: number }>`
      select pg_stat_get_xact_numscans('movement_by_dispute'::regclass)::int as count`.execute(trx);
    return rows[0]?.count;
  });
  expect(scans).toBe(1);
});
