/**
 * Guarantee: with webhooks dead, polling through the real client finds every alert and every change
 * within one round, and a list of any shape is read whole or alarmed about (F18, F19, F68, F70).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { createApplyPolled } from '../../../src/alerts/reconcile/apply-polled.ts';
import type { Poller } from '../../../src/alerts/reconcile/poller.ts';
import { createPoller } from '../../../src/alerts/reconcile/poller.ts';
import { listFindings } from '../../../src/base/findings/finding.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createSkewMeter } from '../../../src/service/client/clock-skew.ts';
import type { ClientHooks } from '../../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../../src/service/client/index.ts';
import { useTestDatabase } from '../../support/database.ts';

const log = createLog({ level: 'silent' });
const MINUTE = 60_000;
const test = useTestDatabase();
let clock: FixedClock;
let sandbox: Sandbox;

beforeEach(async () => {
  for (const table of [
    'finding',
    'notification',
    'alert_case',
    'alert',
    'lookup',
    'enrolment',
    'fact',
    'cluster_lease',
    'poll_request',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  clock = createFixedClock('2026-03-01T00:00:00Z');
  sandbox = await createSandbox({ clock });
  return () => sandbox.close();
});

interface PollerTestOptions {
  readonly partnerKey?: string;
  readonly clockSkewMs?: () => number | undefined;
  readonly hooks?: ClientHooks;
}

function createTestPoller(
  respond?: (real: Response) => Promise<Response>,
  { partnerKey, clockSkewMs, hooks }: PollerTestOptions = {},
): Poller {
  const client = createServiceClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.accounts.organisationKey,
    partnerApiKey: partnerKey,
    budget: unlimitedBudget,
    clock,
    hooks,
    wait: async () => undefined,
    ...(respond === undefined
      ? {}
      : { fetch: async (input, init) => respond(await fetch(input, init)) }),
  });
  const { organisationId } = sandbox.accounts;
  const shared = { db: test.db, clock, log, organisationId };
  return createPoller({
    ...shared,
    client: { ...client, enrolments: partnerKey === undefined ? undefined : client.enrolments },
    answerAgain: async () => undefined,
    applySnapshots: createApplyPolled(shared),
    workerId: 'worker_1',
    ...(clockSkewMs === undefined ? {} : { clockSkewMs }),
  });
}

async function statuses(): Promise<Record<string, string>> {
  const rows = await test.db.selectFrom('alert').select(['id', 'status']).execute();
  return Object.fromEntries(rows.map((row) => [row.id, row.status]));
}

async function openKinds(): Promise<string[]> {
  const { organisationId } = sandbox.accounts;
  const rows = await listFindings(test.db, { organisationId, state: 'open', limit: 50 });
  return rows.map((row) => row.kind).sort();
}

describe('with webhooks dead', () => {
  it('every alert is found and opens a case, and silence is told within minutes', async () => {
    const poller = createTestPoller();
    await poller.runOnce();
    const ids: string[] = [];
    for (let hour = 0; hour < 6; hour++) {
      await sandbox.advance(60 * MINUTE);
      ids.push(sandbox.createAlert().id, sandbox.createAlert().id);
      clock.setMs(sandbox.clock.nowMs());
      const report = await poller.runOnce();
      expect(report).toMatchObject({ outcome: 'whole', newWithoutWebhook: 2, listed: ids.length });
    }
    expect(Object.keys(await statuses()).sort()).toEqual([...ids].sort());
    const cases = await test.db.selectFrom('alert_case').selectAll().execute();
    expect(cases.map((row) => row.state)).toEqual(ids.map(() => 'RECEIVED'));
    expect(await openKinds()).toContain('webhooks_silent');
    const history = await test.db.selectFrom('entity_change').select('source').execute();
    expect(history.every((row) => row.source === 'poll')).toBe(true);
  });

  it('a second round changes nothing', async () => {
    sandbox.createAlert();
    const poller = createTestPoller();
    await poller.runOnce();
    const before = await test.db.selectFrom('alert').selectAll().execute();
    clock.advanceMs(2 * MINUTE);
    const report = await poller.runOnce();
    expect(report).toMatchObject({ newWithoutWebhook: 0, healed: 0 });
    const after = await test.db.selectFrom('alert').selectAll().execute();
    expect(after.map(({ read_at: _, ...row }) => row)).toEqual(
      before.map(({ read_at: _, ...row }) => row),
    );
  });

  it('what was resolved or withdrawn elsewhere is read by itself', async () => {
    const [resolved, withdrawn, open] = [1, 2, 3].map(() => sandbox.createAlert());
    const poller = createTestPoller();
    await poller.runOnce();
    await sandbox.advance(MINUTE);
    sandbox.resolveInDashboard(resolved!.id, 'ACCEPT_DISPUTE');
    sandbox.invalidateAlert(withdrawn!.id);
    clock.setMs(sandbox.clock.nowMs());
    const report = await poller.runOnce();
    expect(report).toMatchObject({ leftTheList: 2, healed: 2, listed: 1, outcome: 'whole' });
    expect(await statuses()).toEqual({
      [resolved!.id]: 'RESOLVED',
      [withdrawn!.id]: 'INVALID',
      [open!.id]: 'ACTION_REQUIRED',
    });
  });

  it('lookups are read too', async () => {
    const { insightEnrolmentId } = sandbox.accounts;
    sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT', enrollment_id: insightEnrolmentId });
    expect((await createTestPoller().runOnce()).lookups).toBe(1);
    expect(await test.db.selectFrom('lookup').select('source').execute()).toEqual([
      { source: 'poll' },
    ]);
  });
});

describe('what the list of open alerts never shows', () => {
  it('the network refunds by itself, an alert changes after its end: the sweep reads both', async () => {
    const { rdrEnrolmentId } = sandbox.accounts;
    const poller = createTestPoller();
    const late = sandbox.createAlert();
    sandbox.resolveInDashboard(late.id, 'REFUND');
    await poller.runOnce();
    // The saga closes what the service has closed; nobody asks about it any more.
    await test.db
      .updateTable('alert_case')
      .set({ state: 'CLOSED_REMOTE', next_action_at: null })
      .execute();
    const rdr = sandbox.createAlert({ enrolment_id: rdrEnrolmentId, status: 'RESOLVED' });
    sandbox.invalidateAlert(late.id);
    await sandbox.advance(59 * MINUTE);
    clock.setMs(sandbox.clock.nowMs());
    expect(await poller.runOnce()).toMatchObject({ swept: null, newWithoutWebhook: 0 });
    expect(await statuses()).toEqual({ [late.id]: 'RESOLVED' });

    await sandbox.advance(MINUTE);
    clock.setMs(sandbox.clock.nowMs());
    const report = await poller.runOnce();
    expect(report).toMatchObject({ swept: 2, sweepDone: true, newWithoutWebhook: 1, healed: 1 });
    expect(await statuses()).toEqual({ [late.id]: 'INVALID', [rdr.id]: 'RESOLVED' });
  });

  it('is read back to the last sweep however long ago that was', async () => {
    const poller = createTestPoller();
    await poller.runOnce();
    const { rdrEnrolmentId } = sandbox.accounts;
    const first = sandbox.createAlert({ enrolment_id: rdrEnrolmentId, status: 'RESOLVED' });
    for (let day = 0; day < 40; day++) {
      await sandbox.advance(24 * 60 * MINUTE);
      for (let each = 0; each < 3; each++) {
        sandbox.createAlert({ enrolment_id: rdrEnrolmentId, status: 'RESOLVED' });
      }
    }
    clock.setMs(sandbox.clock.nowMs());
    expect(await poller.runOnce()).toMatchObject({ swept: 121, sweepDone: true });
    expect((await statuses())[first.id]).toBe('RESOLVED');
    // From now on two weeks are enough: 14 days of three a day, and the page that leads there.
    await sandbox.advance(60 * MINUTE);
    clock.setMs(sandbox.clock.nowMs());
    expect(await poller.runOnce()).toMatchObject({ swept: 100, sweepDone: true });
  });
});

describe('enrolments', () => {
  it('are read with a partner key, and a change that no webhook brought is healed', async () => {
    const poller = createTestPoller(undefined, { partnerKey: sandbox.accounts.partnerKey });
    expect(await poller.runOnce()).toMatchObject({ enrolments: 3, outcome: 'whole' });
    const rows = await test.db.selectFrom('enrolment').select(['id', 'source']).execute();
    const { alertEnrolmentId, rdrEnrolmentId, insightEnrolmentId } = sandbox.accounts;
    expect(rows.map((row) => row.id).sort()).toEqual(
      [alertEnrolmentId, rdrEnrolmentId, insightEnrolmentId].sort(),
    );
    expect(rows.every((row) => row.source === 'poll')).toBe(true);
  });

  it('that cannot be read are a warning of their own, never a failure to read alerts', async () => {
    const alert = sandbox.createAlert();
    sandbox.addFault({ on: 'GET /v2/enrolments', kind: 'status', status: 403, code: 'FORBIDDEN' });
    const poller = createTestPoller(undefined, { partnerKey: sandbox.accounts.partnerKey });
    expect(await poller.runOnce()).toMatchObject({ outcome: 'whole', enrolments: null, listed: 1 });
    expect(await statuses()).toEqual({ [alert.id]: 'ACTION_REQUIRED' });
    expect(await openKinds()).toEqual(['enrolments_unreadable']);
  });
});

describe('clocks', () => {
  it.each([
    [600_000, ['clock_skew']],
    [-600_000, ['clock_skew']],
    [60_000, []],
  ])('the service is %i ms ahead by its Date header: %j (F19)', async (aheadMs, kinds) => {
    const skew = createSkewMeter(clock);
    const poller = createTestPoller(
      async (real) => {
        const date = new Date(clock.nowMs() + aheadMs).toUTCString();
        return new Response(await real.text(), {
          status: real.status,
          headers: { 'content-type': 'application/json', date },
        });
      },
      { clockSkewMs: skew.skewMs, hooks: { onResponse: skew.onResponse } },
    );
    await poller.runOnce();
    expect(await openKinds()).toEqual(kinds);
  });
});

describe('a service in trouble', () => {
  it('that answers 500 for a while loses nothing and is alarmed about in the third round', async () => {
    const alert = sandbox.createAlert();
    sandbox.addFault({ on: 'GET /v1/alerts', kind: 'status', status: 503, rate: 1 });
    sandbox.addFault({ on: 'GET /v1/alerts/', kind: 'status', status: 503, rate: 1 });
    const poller = createTestPoller();
    for (const kinds of [[], [], ['poll_failing']]) {
      expect((await poller.runOnce()).outcome).toBe('partial');
      expect(await openKinds()).toEqual(kinds);
      clock.advanceMs(2 * MINUTE);
    }
    sandbox.faults.clear();
    expect((await poller.runOnce()).newWithoutWebhook).toBe(1);
    expect(await statuses()).toEqual({ [alert.id]: 'ACTION_REQUIRED' });
    expect(await openKinds()).toEqual([]);
  });

  it('that refuses the key is alarmed about at once', async () => {
    sandbox.createAlert();
    const client = createServiceClient({
      baseUrl: sandbox.url,
      apiKey: 'a-key-nobody-knows',
      budget: unlimitedBudget,
    });
    const { organisationId } = sandbox.accounts;
    const shared = { db: test.db, clock, log, organisationId };
    const applySnapshots = createApplyPolled(shared);
    const read = { ...client, enrolments: undefined };
    const answerAgain = async (): Promise<void> => undefined;
    const poller = createPoller({
      ...shared,
      client: read,
      applySnapshots,
      answerAgain,
      workerId: 'w',
    });
    expect(await poller.runOnce()).toMatchObject({ outcome: 'partial', errors: ['UNAUTHORISED'] });
    expect(await openKinds()).toEqual(['poll_failing']);
  });

  /** Answers of the list in another shape; single reads pass. */
  const shapes: [string, (body: { items: unknown[] }) => unknown, boolean][] = [
    ['a bare array', (body) => body.items, true],
    ['items without a count', (body) => ({ items: body.items }), true],
    ['an empty object', () => ({}), false],
    ['null', () => null, false],
    ['a string', () => 'alerts', false],
    ['a count above what can be read', (body) => ({ items: body.items, count: 500 }), false],
    ['a count that is no number', (body) => ({ items: body.items, count: '2' }), false],
    ['an item without an id', (body) => ({ items: [...body.items, {}], count: 3 }), false],
  ];
  it.each(shapes)('that lists as %s', async (_name, reshape, readable) => {
    for (let index = 0; index < 2; index++) sandbox.createAlert();
    const known = createTestPoller();
    await known.runOnce();
    await test.db.deleteFrom('cluster_lease').execute();
    const poller = createTestPoller(async (real) => {
      const body = (await real.json()) as { items?: unknown[] };
      if (body.items === undefined || real.url.includes('lookups')) return Response.json(body);
      return Response.json(reshape({ items: body.items }));
    });
    clock.advanceMs(2 * MINUTE);
    const report = await poller.runOnce();
    expect(report.outcome).toBe(readable ? 'whole' : 'partial');
    expect(await openKinds()).toEqual(readable ? [] : ['poll_failing']);
    // Whatever the shape, nothing is taken for over.
    expect(report.leftTheList).toBe(0);
    expect(Object.values(await statuses())).toEqual(['ACTION_REQUIRED', 'ACTION_REQUIRED']);
  });

  it('that answers HTML is alarmed about', async () => {
    sandbox.createAlert();
    const poller = createTestPoller(
      async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    );
    expect((await poller.runOnce()).outcome).toBe('partial');
    expect(await openKinds()).toEqual(['poll_failing']);
  });

  it('that forgot an alert has its case held for a person', async () => {
    const alert = sandbox.createAlert();
    const poller = createTestPoller();
    await poller.runOnce();
    sandbox.state.alerts.delete(alert.id);
    clock.advanceMs(2 * MINUTE);
    expect(await poller.runOnce()).toMatchObject({ leftTheList: 1, notFound: 1 });
    const row = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.hold_reason]).toEqual(['HUMAN', 'alert_missing']);
    expect(sandbox.patchLog).toEqual([]);
  });
});

describe('an object that cannot be placed', () => {
  it('is alarmed about, and the others are applied', async () => {
    const good = sandbox.createAlert();
    sandbox.createAlert();
    const poller = createTestPoller(async (real) => {
      const body = (await real.json()) as { items?: { id: string }[] };
      for (const item of body.items ?? []) {
        if (item.id.startsWith('netalrt_') && item.id !== good.id) item.id = 'no alert id';
      }
      return Response.json(body);
    });
    const report = await poller.runOnce();
    expect(report).toMatchObject({ outcome: 'partial', errors: ['OBJECT_UNUSABLE'] });
    expect(Object.keys(await statuses())).toEqual([good.id]);
    expect(await openKinds()).toEqual(['poll_failing']);
  });
});
