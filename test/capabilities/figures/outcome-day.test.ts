/**
 * Guarantee: what came of alerts is counted once, on the day and in the month it ended, whether or not a worker has added
 * it up; a month holds a bounded number of labels and loses no alert for it.
 */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { readActivity } from '../../../src/capabilities/figures/activity.store.ts';
import {
  LABELS_MAX,
  OTHERS,
  readPeriodOutcomes,
  rollUpOutcomes,
} from '../../../src/capabilities/figures/outcome-day.store.ts';
import { readShift } from '../../../src/capabilities/shift-report/shift.store.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const NOW = new Date('2026-11-20T12:30:00Z');
const MONTH = {
  organisationId: ORG,
  from: new Date('2026-11-01T00:00:00Z'),
  to: new Date('2026-12-01T00:00:00Z'),
  now: NOW,
};

const database = useTestDatabase();

beforeEach(async () => {
  await sql`truncate alert, alert_case, outcome_day, fact cascade`.execute(database.db);
});

/** An alert that ended, with its deadline `left` after that. */
async function ended(alert: {
  id: string;
  state: string;
  at: string;
  left?: string;
  missed?: boolean;
  descriptor?: string;
  dispute?: string;
  programme?: string;
  refunded?: string;
}): Promise<void> {
  const { id, state, at, left = '30 hours', missed = false, descriptor = 'SHOP' } = alert;
  const { dispute = null, programme = 'NETA_ALERT', refunded = 'REFUNDED' } = alert;
  await sql`set session_replication_role = replica`.execute(database.db);
  await sql`
    insert into alert (organisation_id, id, status, enrolment_type, merchant_id, amount_minor, currency, descriptor,
      reason_code, refund_outcome, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, 'RESOLVED', ${programme}, 'mch_1', 1000, 'EUR', ${descriptor}, '10.4', ${refunded}, ${at}, '{}', '', 'webhook', ${at}, ${at})`.execute(
    database.db,
  );
  await sql`
    insert into alert_case (organisation_id, alert_id, state, dispute_id, opened_at, deadline_at, closed_at, missed_at, changed_at)
    values (${ORG}, ${id}, ${state}, ${dispute}, ${at}, ${at}::timestamptz + ${left}::interval, ${at},
      ${missed ? at : null}, ${at})`.execute(database.db);
}

async function rollUpAll(now = NOW): Promise<void> {
  while (await rollUpOutcomes(database.db, { organisationId: ORG, now }));
}

test('a claim for a refund is no alert, and avoids no dispute; one that ran out is counted', async () => {
  const at = '2026-11-20T09:00:00Z';
  await ended({ id: 'netalrt_claim_1', state: 'DECLARED_REFUND', at });
  await ended({ id: 'netalrt_claim_2', state: 'DECLARED_REFUND', at, missed: true });
  const { days } = await readPeriodOutcomes(database.db, MONTH);
  expect(days.map(({ outcome, count }) => [outcome, count])).toEqual([['missed', 1]]);
  const counted = await readActivity(database.db, { ...MONTH, stretchHours: 24 });
  expect(counted.map(({ measure, count }) => [measure, count])).toEqual([['missed', 1]]);
  const shift = await readShift(database.db, { organisationId: ORG, now: NOW, hours: 24 });
  const counts = [...shift.counts].filter(([, count]) => count > 0);
  expect(counts).toEqual([['missed', 1]]);
});

test.each(['counted', 'added up'])(
  'a dispute that two networks told of is avoided once, %s',
  async (how) => {
    const twin = { state: 'DECLARED_REFUND', dispute: 'dsp_1' };
    await ended({ ...twin, id: 'a', at: '2026-11-20T08:00:00Z' });
    const rdr = { programme: 'NETB_RDR', state: 'RECONCILED_RDR', dispute: 'dsp_1' };
    await ended({ ...rdr, id: 'b', at: '2026-11-20T09:00:00Z' });
    await ended({
      id: 'c',
      state: 'DECLARED_REFUND',
      dispute: 'dsp_2',
      at: '2026-11-20T09:00:00Z',
    });
    // Not refunded: neither one that was avoided, nor the first of its dispute.
    const open = { ...rdr, refunded: 'NOT_REFUNDED', dispute: 'dsp_3' };
    await ended({ ...open, id: 'd', at: '2026-11-20T09:00:00Z' });
    await ended({ ...twin, id: 'e', dispute: 'dsp_3', at: '2026-11-20T10:00:00Z' });
    if (how === 'added up') await rollUpAll();
    const { days, figures } = await readPeriodOutcomes(database.db, MONTH);
    const counts = days.map(({ outcome, count }) => [outcome, count]).sort();
    expect(counts).toEqual([
      ['network', 1],
      ['otherwise', 1],
      ['refunded', 3],
    ]);
    const again = figures.filter(({ dimension }) => dimension === 'again');
    expect(again).toMatchObject([
      { label: 'mch_1 NETB', outcome: 'network', count: 1, amountMinor: 1_000 },
    ]);
    const activity = await readActivity(database.db, { ...MONTH, stretchHours: 24 });
    const closed = activity.filter(({ measure }) => measure.startsWith('closed'));
    expect(closed.map(({ measure, count }) => [measure, count])).toEqual([
      ['closed:CLOSED_REMOTE', 1],
      ['closed:DECLARED_REFUND', 3],
      ['closed:RECONCILED_RDR', 1],
    ]);
  },
);

test('the same figures whether they are added up or counted', async () => {
  await ended({ id: 'a', state: 'DECLARED_REFUND', at: '2026-11-20T09:00:00Z' });
  await ended({ id: 'b', state: 'DECLARED_REFUND', at: '2026-11-20T12:20:00Z', left: '5 hours' });
  await ended({
    id: 'c',
    state: 'DECLARED_ACCEPT',
    at: '2026-11-19T23:59:59Z',
    left: '59 minutes',
  });
  await ended({ id: 'd', state: 'RECONCILED_RDR', at: '2026-11-20T00:00:00Z' });
  await ended({ id: 'e', state: 'CLOSED_REMOTE', at: '2026-11-20T10:00:00Z', missed: true });
  // The month before.
  await ended({ id: 'f', state: 'DECLARED_REFUND', at: '2026-10-31T23:59:59Z' });
  const counted = await readPeriodOutcomes(database.db, MONTH);
  await rollUpAll();
  const added = await readPeriodOutcomes(database.db, MONTH);
  expect(added.figures).toEqual(counted.figures);
  expect(added.missing).toBeNull();
  const day = (text: string): Date => new Date(`${text}T00:00:00Z`);
  expect(added.days).toEqual(counted.days);
  expect(added.days.toSorted((a, b) => a.outcome.localeCompare(b.outcome))).toEqual([
    { day: day('2026-11-19'), outcome: 'accepted', count: 1 },
    { day: day('2026-11-20'), outcome: 'missed', count: 1 },
    { day: day('2026-11-20'), outcome: 'network', count: 1 },
    { day: day('2026-11-20'), outcome: 'refunded', count: 2 },
  ]);
  const answers = added.figures.filter(({ dimension }) => dimension === 'answer');
  expect(answers.map(({ label, count }) => [label, count]).sort()).toEqual([
    ['0', 1],
    ['1', 1],
    ['24', 1],
  ]);
  expect(added.figures).toContainEqual({
    dimension: 'merchant',
    label: 'mch_1 NETA',
    outcome: 'refunded',
    currency: 'EUR',
    count: 2,
    amountMinor: 20_00,
  });
});

test('adding up again adds nothing twice, and later hours join their day', async () => {
  await ended({ id: 'a', state: 'DECLARED_REFUND', at: '2026-11-20T09:00:00Z' });
  await rollUpAll();
  await rollUpAll();
  await ended({ id: 'b', state: 'DECLARED_REFUND', at: '2026-11-20T13:00:00Z' });
  const later = new Date('2026-11-20T15:00:00Z');
  await rollUpAll(later);
  const { days, missing } = await readPeriodOutcomes(database.db, { ...MONTH, now: later });
  expect(days).toEqual([{ day: new Date('2026-11-20T00:00:00Z'), outcome: 'refunded', count: 2 }]);
  expect(missing).toBeNull();
});

test('a past that nobody has added up is said to be missing, never shown as nothing', async () => {
  await ended({ id: 'a', state: 'DECLARED_REFUND', at: '2026-11-05T09:00:00Z' });
  const { days, missing } = await readPeriodOutcomes(database.db, MONTH);
  expect(days).toEqual([]);
  expect(missing).toEqual({ from: MONTH.from, to: new Date('2026-11-18T12:30:00Z') });
  // A week at a time: there is more to do after the first.
  expect(await rollUpOutcomes(database.db, { organisationId: ORG, now: NOW })).toBe(true);
  await rollUpAll();
  const after = await readPeriodOutcomes(database.db, MONTH);
  expect(after.missing).toBeNull();
  expect(after.days).toHaveLength(1);
});

test('a month keeps its most frequent labels; the others are one line, and no alert is lost', async () => {
  await sql`set session_replication_role = replica`.execute(database.db);
  const many = LABELS_MAX + 50;
  await sql`insert into alert (organisation_id, id, status, amount_minor, currency, descriptor, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${ORG}, 'n' || n, 'RESOLVED', 100, 'EUR', 'SHOP*' || case when n <= 5 then 0 else n end, ${NOW}, '{}', '', 'webhook', ${NOW}, ${NOW} from generate_series(1, ${many}::int) n`.execute(
    database.db,
  );
  await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, closed_at, changed_at)
    select ${ORG}, 'n' || n, 'DECLARED_REFUND', ${NOW}, ${NOW}, '2026-11-20T09:00:00Z', ${NOW} from generate_series(1, ${many}::int) n`.execute(
    database.db,
  );
  await rollUpAll();
  const { figures } = await readPeriodOutcomes(database.db, MONTH);
  const descriptors = figures.filter(({ dimension }) => dimension === 'descriptor');
  expect(descriptors).toHaveLength(LABELS_MAX + 1);
  expect(descriptors.reduce((sum, { count }) => sum + count, 0)).toBe(many);
  // 246 labels in all, of which 46 are beyond the 200.
  expect(descriptors.find(({ label }) => label === OTHERS)?.count).toBe(46);
  expect(descriptors.find(({ label }) => label === 'SHOP*0')?.count).toBe(5);
});
