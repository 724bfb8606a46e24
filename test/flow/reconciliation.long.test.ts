/**
 * Guarantee: where the service, the processor and our rows disagree, a finding says so with its
 * evidence, and closes by itself when the cause is gone; the totals of a pass add up; and no repair
 * moves money or answers an alert by itself.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForPass, findRequest } from '../../src/alerts/reconcile/reconcile-request.store.ts';
import type { ReconcileReport } from '../../src/alerts/reconcile/report.ts';
import { inTransaction } from '../../src/base/db/transaction.ts';
import { enqueue } from '../../src/base/jobs/job.store.ts';
import { NIGHT_QUEUE } from '../../src/base/jobs/queues.ts';
import { createFixedClock, nowDate } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { openPolicy } from '../../src/running/roles/policy-source.ts';
import { startWorkRole } from '../../src/running/roles/workers.ts';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, HOUR_MS, MINUTE_MS, refundCalls, refundReference } from './support/books.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ reconcileSeconds: 120 });
  await world.drain();
});
afterAll(async () => {
  await world.close();
});

async function openKinds(): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('finding')
    .select(['kind', 'subject_id'])
    .where('closed_at', 'is', null)
    .orderBy('kind')
    .execute();
  return rows.map((row) => `${row.kind} ${row.subject_id}`);
}

/** Runs a pass as `forestall reconcile` asks for it. */
async function reconcile(sinceMs = 30 * 24 * HOUR_MS): Promise<ReconcileReport> {
  const { db } = world.database;
  const { organisationId } = world.parts;
  const at = nowDate(world.clock);
  const since = new Date(at.getTime() - sinceMs);
  const id = await askForPass(db, { organisationId, since, orders: 20, by: 'operator:test', at });
  await world.advance(2 * MINUTE_MS);
  const request = await findRequest(db, organisationId, id);
  expect(request?.error).toBeNull();
  const report = request?.report;
  if (report == null) throw new Error('The pass left no report.');
  return report;
}

async function answered(): Promise<{ sale: Sale; alertId: string; refund: string }> {
  const sale = await world.sell(PRODUCTS.font);
  const { id: alertId } = world.sandbox.createAlertFor(sale.charge.reference);
  await world.drain();
  expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  return { sale, alertId, refund: refundReference(world, sale.charge.reference) };
}

/** About less than the charge, which a person has to decide. */
async function held(): Promise<{ sale: Sale; alertId: string }> {
  const sale = await world.sell(PRODUCTS.font);
  const fields = { amount_in_cents: 2_000 };
  const { id: alertId } = world.sandbox.createAlertFor(sale.charge.reference, fields);
  await world.drain();
  expect(await world.stateOf(alertId)).toBe('HUMAN');
  return { sale, alertId };
}

function chargeOf(sale: Sale) {
  const charge = world.sandbox.state.charges.get(sale.charge.reference);
  if (charge === undefined) throw new Error('The charge is gone.');
  return charge;
}

describe('books that agree', () => {
  it('give no finding, and the totals of events, alerts and money add up', async () => {
    await answered();
    const rdr = await world.sell(PRODUCTS.magazine);
    world.sandbox.createAlertFor(rdr.charge.reference, {
      enrolment_id: world.sandbox.accounts.rdrEnrolmentId,
      status: 'RESOLVED',
    });
    await world.advance(6 * MINUTE_MS);

    const report = await reconcile();
    expect(report.mismatches).toEqual([]);
    expect(report).toMatchObject({
      addsUp: true,
      alerts: { actionable: 1, resolved: 1, inReview: 0, missed: 0, networkRefunds: 1 },
      compared: { alerts: 2, unread: 0 },
      findings: { open: 0 },
      unknown: [],
    });
    expect(report.money).toEqual([
      {
        currency: 'USD',
        refunds: 1,
        refundedMinor: 2_900,
        declaredMinor: 2_900,
        findingsMinor: 0,
        underWayMinor: 0,
        seenAtProcessorMinor: 2_900,
      },
    ]);
    const { received, applied } = report.events;
    expect(received).toBe(world.sandbox.events().length);
    expect(applied).toBe(received);
  });
});

describe('a refund that fails at the processor after its watch has ended', () => {
  it('is found, put under watch again, and told as reversed; nothing is paid or answered', async () => {
    const { sale, alertId, refund } = await answered();
    await world.database.db
      .updateTable('movement')
      .set({ next_action_at: null })
      .where('alert_id', '=', alertId)
      .execute();
    world.sandbox.settleRefund(refund, 'failed', 'account_closed');
    await world.database.db.updateTable('book_check').set({ next_at: null }).execute();
    const report = await reconcile();

    const listed = report.findings.listed.find(
      ({ subjectId, kind }) => subjectId === alertId && kind === 'refund_failed_at_processor',
    );
    expect(listed).toMatchObject({ severity: 'error', ageHours: 0 });
    expect(listed?.repair).toContain('under watch again');
    await world.drain();
    await world.advance(HOUR_MS + 2 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await openKinds()).toEqual([`declared_without_cover ${alertId}`]);
    expect(refundCalls(world, sale.charge.reference)).toBe(1);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    // The person refunded by another way: the comparison books it, and the declaration is true again.
    world.sandbox.refundInDashboard(sale.charge.reference, 2_900);
    await reconcile();
    await reconcile();
    expect(await openKinds()).toEqual([]);
  });
});

describe('a charge on which more was refunded than we know of', () => {
  it('is a finding until the other refund is taken back', async () => {
    const { sale } = await answered();
    const charge = chargeOf(sale);
    Object.assign(charge, { amount_in_cents: 9_900 });
    world.sandbox.refundInDashboard(sale.charge.reference, 2_900);
    const report = await reconcile();
    expect(report.findings.listed.map(({ kind }) => kind)).toEqual(['paid_too_often']);
    const second = charge.refunds.at(-1)?.reference ?? '';
    world.sandbox.settleRefund(second, 'failed', 'cancelled');
    await world.advance(HOUR_MS + 2 * MINUTE_MS, HOUR_MS + 2 * MINUTE_MS);
    expect(await openKinds()).toEqual([]);
    expect(refundCalls(world, sale.charge.reference)).toBe(1);
  });
});

describe('an alert that somebody resolved in the dashboard as refunded', () => {
  it('is a finding while the processor shows no money', async () => {
    const { sale, alertId } = await held();
    world.sandbox.resolveInDashboard(alertId, 'REFUND');
    await world.drain();
    await world.advance(6 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await openKinds()).toEqual([`declared_without_money ${alertId}`]);

    world.sandbox.refundInDashboard(sale.charge.reference);
    await world.advance(HOUR_MS + 2 * MINUTE_MS, HOUR_MS + 2 * MINUTE_MS);
    expect(await openKinds()).toEqual([]);
    expect(refundCalls(world, sale.charge.reference)).toBe(0);
  });
});

describe('a customer whom support refunded while the alert waits for a person', () => {
  it('is a finding that names the answer to give', async () => {
    const { sale, alertId } = await held();
    world.sandbox.refundInDashboard(sale.charge.reference);
    const report = await reconcile();
    const [listed] = report.findings.listed;
    expect(listed).toMatchObject({ kind: 'refunded_but_open', subjectId: alertId });
    expect(listed?.nextStep).toContain('Decide REFUND');
    world.sandbox.resolveInDashboard(alertId, 'REFUND');
    await world.drain();
    await world.advance(HOUR_MS + 6 * MINUTE_MS, HOUR_MS + 6 * MINUTE_MS);
    expect(await openKinds()).toEqual([]);
  });
});

describe('an order that the service holds with another content', () => {
  it('is found by the sample, and closes when the copies agree again', async () => {
    const sale = await world.sell(PRODUCTS.lamp);
    const reference = String(sale.order['reference_id']);
    await world.drain();
    const copies = [...world.sandbox.state.orders.values()];
    const copy = copies.find(({ reference_id: id }) => id === reference);
    if (copy === undefined) throw new Error('The service has no copy.');
    const { fields } = copy;
    copy.fields = { ...fields, order_number: 'another' };
    await reconcile();
    await reconcile();
    expect(await openKinds()).toEqual([`order_differs ${reference}`]);
    copy.fields = fields;
    await reconcile();
    await reconcile();
    expect(await openKinds()).toEqual([]);
  });
});

describe('a pass that was asked for', () => {
  async function ask(): Promise<string> {
    const { organisationId } = world.parts;
    const at = nowDate(world.clock);
    const asked = {
      organisationId,
      since: new Date(at.getTime() - HOUR_MS),
      orders: 0,
      by: 'x',
      at,
    };
    return await askForPass(world.database.db, asked);
  }

  async function served(id: string) {
    return await findRequest(world.database.db, world.parts.organisationId, id);
  }

  it('of an earlier version, without a job, is served', async () => {
    const id = await ask();
    await world.database.pool.query('delete from forestall_jobs.job');
    // The killed one held the lease of the poll.
    await world.replaceWorkers();
    await world.advance(6 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await served(id)).toMatchObject({ error: null, finished_at: expect.any(Date) });
  });

  it('and fails each time ends with the reason', async () => {
    const id = await ask();
    const { pool } = world.database;
    const later = 'update forestall_jobs.job set start_after = now()';
    await pool.query('alter table book_check rename to gone');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await world.advance(2 * MINUTE_MS);
      await pool.query(later);
    }
    expect(await served(id)).toMatchObject({ finished_at: null });
    await pool.query('alter table gone rename to book_check');
    await world.advance(2 * MINUTE_MS);
    expect(await served(id)).toMatchObject({
      report: null,
      error: 'relation "book_check" does not exist',
      finished_at: expect.any(Date),
    });
  });

  it('is left to the process that polls', async () => {
    const { db } = world.database;
    const { organisationId } = world.parts;
    const until = new Date(world.clock.nowMs() + 10 * MINUTE_MS);
    const lease = { holder: 'another', until };
    await db.updateTable('cluster_lease').set(lease).where('name', '=', 'poll').execute();
    const id = await ask();
    await world.advance(4 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await served(id)).toMatchObject({ started_at: null, finished_at: null });
    const { rows } = await world.database.pool.query(
      "select retry_count, state from forestall_jobs.job where name like '%.pass.v1' and state < 'completed'",
    );
    expect(rows).toEqual([{ retry_count: 0, state: 'created' }]);
    await world.advance(8 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await served(id)).toMatchObject({
      organisation_id: organisationId,
      error: null,
      finished_at: expect.any(Date),
    });
  });
});

describe('the night’s job of the cluster', () => {
  // Nothing newer than a week is ever deleted by the database's own clock, so this night lies in the past.
  const NIGHT = '2025-03-02T03:17:00Z';

  async function servedPass(finishedAt: string | null): Promise<string> {
    const { db } = world.database;
    const { organisationId } = world.parts;
    const at = new Date('2024-11-01T00:00:00Z');
    const id = await askForPass(db, { organisationId, since: at, orders: 0, by: 'x', at });
    await db
      .updateTable('reconcile_request')
      .set({ finished_at: finishedAt })
      .where('id', '=', id)
      .execute();
    return id;
  }

  it('deletes passes that were served 30 days ago', async () => {
    const { parts, sandbox, database } = world;
    const { db } = database;
    const { organisationId } = parts;
    const over = Promise.withResolvers<void>();
    const destination = {
      write: (line: string) => {
        if (line.includes('partitions in use')) over.resolve();
      },
    };
    const [old, young] = [
      await servedPass('2025-01-31T03:16:59Z'),
      await servedPass('2025-01-31T03:17:00Z'),
    ];
    const clock = createFixedClock(NIGHT);
    const baseUrl = sandbox.processorUrl;
    const worker = await startWorkRole(
      { ...parts, clock, log: createLog({ destination }) },
      {
        processor: createHttpProcessor({ baseUrl, secret: 'unused-in-this-test', clock }),
        policy: openPolicy({
          demonstration: true,
          brands: IDENTITY_BRAND_TOKENS,
          log: parts.log,
          path: undefined,
        }),
        mode: 'live',
        reconcileSeconds: 120,
      },
    );
    await inTransaction(db, (trx) => enqueue(trx, NIGHT_QUEUE, { organisationId, id: 'night' }));
    await over.promise;
    await worker.stop();
    expect(await findRequest(db, organisationId, old)).toBeUndefined();
    expect(await findRequest(db, organisationId, young)).toMatchObject({ id: young });
  });
});
