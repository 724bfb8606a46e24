/** Guarantee: every figure is a count of rows of this organisation, at this moment. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import { ALL_METRICS } from '../../../src/capabilities/index.ts';
import { readMetrics, renderMetrics } from '../../../src/health/metrics.ts';
import { readOperations } from '../../../src/health/operations.store.ts';
import { readOverview } from '../../../src/health/overview.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertCase, insertMovement, NOW, ORG } from '../reconcile/rows.ts';

const test = useTestDatabase();
const now = new Date(NOW);

beforeAll(async () => {
  const { db } = test;
  await insertCase(db, 'netalrt_1', { state: 'HUMAN', deadlineAt: '2026-03-01T14:00:00Z' });
  await insertCase(db, 'netalrt_2', { deadlineAt: '2026-03-02T00:00:00Z', missedAt: NOW });
  await insertCase(db, 'netalrt_3', {
    state: 'DECLARED_REFUND',
    deadlineAt: '2026-02-01T00:00:00Z',
  });
  // Answered at 11:00 with an hour and a half left; the one above 28 days and 11 hours too late.
  await insertCase(db, 'netalrt_5', {
    state: 'DECLARED_ACCEPT',
    deadlineAt: '2026-03-01T12:30:00Z',
  });
  await insertCase(db, 'netalrt_4', { organisationId: 'org_other', missedAt: NOW });
  await insertMovement(db, 'r1', {
    state: 'CONFIRMED',
    charge: 'a',
    alertId: 'x',
    amountMinor: 100,
  });
  await insertMovement(db, 'r2', {
    state: 'CONFIRMED',
    charge: 'b',
    alertId: 'x',
    amountMinor: 250,
  });
  await insertMovement(db, 'r3', {
    state: 'CONFIRMED',
    charge: 'c',
    alertId: 'x',
    amountMinor: 5_000,
    currency: 'JPY',
  });
  await insertMovement(db, 'r5', { state: 'REJECTED', charge: 'e', alertId: 'x', amountMinor: 9 });
  await insertMovement(db, 'r6', { state: 'REVERSED', charge: 'f', alertId: 'x', amountMinor: 9 });
  await insertMovement(db, 'r4', {
    kind: 'external',
    state: 'CONFIRMED',
    charge: 'd',
    alertId: 'x',
    amountMinor: 700,
  });
  await db
    .insertInto('inbox_work')
    .values([
      { seq: 1, received_at: '2026-03-01T11:59:18Z', organisation_id: ORG, event_id: 'evt_1' },
      { seq: 2, received_at: '2026-03-01T11:59:59Z', organisation_id: ORG, event_id: 'evt_2' },
    ])
    .execute();
  for (const resolved_at of [null, null, NOW]) {
    await db
      .insertInto('quarantine')
      .values({
        organisation_id: ORG,
        event_id: 'evt_q',
        reason: 'shape',
        quarantined_at: NOW,
        resolved_at,
      })
      .execute();
  }
  await db
    .insertInto('request_budget')
    .values({
      organisation_id: ORG,
      pool: 'PATCH /v1/alerts/{alert_id}',
      grants: ['2026-03-01T11:58:59Z', '2026-03-01T11:59:01Z', '2026-03-01T11:59:59Z'].map(
        (at) => new Date(at),
      ),
      paused_until: '2026-03-01T12:00:07Z',
    })
    .execute();
  await db
    .insertInto('worker_heartbeat')
    .values({
      worker_id: 'worker_1',
      organisation_id: ORG,
      role: 'work',
      started_at: NOW,
      seen_at: '2026-03-01T11:59:55Z',
    })
    .execute();
  for (const key of ['waiting', 'sent', 'given up']) {
    await notify(db, {
      organisationId: ORG,
      dedupeKey: key,
      kind: 'x',
      severity: 'info',
      text: 'x',
      at: new Date('2026-03-01T11:50:00Z'),
    });
  }
  await db
    .updateTable('notification')
    .set({ sent_at: NOW, next_attempt_at: null })
    .where('dedupe_key', '=', 'sent')
    .execute();
  await db
    .updateTable('notification')
    .set({ next_attempt_at: null })
    .where('dedupe_key', '=', 'given up')
    .execute();
  await openFinding(db, {
    organisationId: ORG,
    kind: 'missed',
    severity: 'error',
    subject: 'case',
    subjectId: 'netalrt_2',
    evidence: {},
    nextStep: 'Look.',
    at: now,
  });
});

describe('readOverview', () => {
  it('counts cases, refunds and money', async () => {
    const overview = await readOverview(test.db, ORG);
    expect(overview).toMatchObject({
      open: 2,
      missed: 1,
      lastMissedAt: now,
      nearestDeadlineAt: new Date('2026-03-01T14:00:00Z'),
      refunded: [
        { currency: 'JPY', count: 1, amountMinor: 5_000 },
        { currency: 'USD', count: 2, amountMinor: 350 },
      ],
    });
    expect(overview.casesByState.get('HUMAN')).toBe(1);
    expect(overview.casesByState.get('CONFLICT')).toBe(0);
    expect(overview.refundsByState.get('CONFIRMED')).toBe(3);
    expect(overview.refundsByState.get('REJECTED')).toBe(1);
    expect(overview.refundsByState.get('UNKNOWN')).toBe(0);
  });

  it('has no nearest deadline without open cases', async () => {
    const overview = await readOverview(test.db, 'org_empty');
    expect(overview).toMatchObject({
      open: 0,
      missed: 0,
      lastMissedAt: null,
      nearestDeadlineAt: null,
      refunded: [],
    });
  });
});

describe('readOperations', () => {
  it('says who works, what waits and how much of each limit is used', async () => {
    expect(await readOperations(test.db, { organisationId: ORG, now })).toEqual({
      workers: [{ workerId: 'worker_1', role: 'work', ageSeconds: 5 }],
      inboxWaiting: 2,
      inboxLagSeconds: 42,
      quarantineOpen: 2,
      pools: [{ pool: 'PATCH /v1/alerts/{alert_id}', used: 2, limit: 100, pausedSeconds: 7 }],
      notifications: { waiting: 1, oldestSeconds: 600, givenUp: 1, loggedOnly: 0 },
      findingsOpen: new Map([
        ['error', 1],
        ['warning', 0],
        ['info', 0],
      ]),
      lastWebhookAt: null,
      lastPollAt: null,
    });
  });
});

describe('readMetrics', () => {
  it('shows what the receiver counted and what the feed holds only where they are', async () => {
    const sources = { db: test.db, organisationId: ORG, now };
    const without = renderMetrics(await readMetrics(sources));
    expect(without).not.toContain('forestall_events_');
    expect(without).not.toContain('forestall_feed_backlog');
    expect(without).not.toContain('forestall_last_poll_age_seconds');
    expect(without).toContain('forestall_nearest_deadline_seconds 7200\n');
    expect(without).toContain('forestall_cases{state="HUMAN"} 1\n');
    expect(without.match(/^forestall_answer_headroom.*$/gm)).toEqual([
      'forestall_answer_headroom_seconds_bucket{le="0"} 1',
      'forestall_answer_headroom_seconds_bucket{le="900"} 1',
      'forestall_answer_headroom_seconds_bucket{le="3600"} 1',
      'forestall_answer_headroom_seconds_bucket{le="14400"} 2',
      'forestall_answer_headroom_seconds_bucket{le="43200"} 2',
      'forestall_answer_headroom_seconds_bucket{le="86400"} 2',
      'forestall_answer_headroom_seconds_bucket{le="172800"} 2',
      'forestall_answer_headroom_seconds_bucket{le="259200"} 2',
      'forestall_answer_headroom_seconds_bucket{le="+Inf"} 2',
      `forestall_answer_headroom_seconds_sum ${5_400 - (28 * 86_400 + 11 * 3_600)}`,
      'forestall_answer_headroom_seconds_count 2',
    ]);
    expect(without).toContain('forestall_reconciling_first 0\n');
    expect(without).toContain('forestall_refunded_minor_total{currency="JPY"} 5000\n');
    const whole = renderMetrics(
      await readMetrics({
        ...sources,
        receiveCounts: () => ({
          stored: 7,
          duplicate: 2,
          quarantined: { shape: 1 },
          refused: { digest_mismatch: 4, method: 0 },
          ofDoors: [
            { name: 'forestall_processor_events_received_total', value: 5 },
            {
              name: 'forestall_processor_events_refused_total',
              labels: { reason: 'no_match' },
              value: 2,
            },
          ],
        }),
        feedBacklog: async () => ({ orders: 3 }),
      }),
      ALL_METRICS,
    );
    expect(whole).toContain('forestall_events_received_total 7\n');
    expect(whole).toContain('forestall_events_duplicate_total 2\n');
    expect(whole).toContain('forestall_events_refused_total{reason="digest_mismatch"} 4\n');
    expect(whole).toContain('forestall_events_quarantined_total{reason="shape"} 1\n');
    expect(whole).toContain('forestall_processor_events_received_total 5\n');
    expect(whole).toContain('forestall_processor_events_refused_total{reason="no_match"} 2\n');
    expect(whole).toContain('forestall_feed_backlog{queue="orders"} 3\n');
  });
});
