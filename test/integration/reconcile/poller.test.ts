/**
 * Guarantee: polling heals what webhooks missed, never takes an unreadable list for "no alerts", asks
 * about what left the list, polls from one process, and raises and clears its alarms by itself.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  PolledSnapshot,
  PollerOptions,
  SnapshotEffect,
} from '../../../src/alerts/reconcile/poll-port.ts';
import type { Poller } from '../../../src/alerts/reconcile/poller.ts';
import { createPoller } from '../../../src/alerts/reconcile/poller.ts';
import { listFindings } from '../../../src/base/findings/finding.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { ServiceErrorKind } from '../../../src/service/client/service-error.ts';
import { ServiceError } from '../../../src/service/client/service-error.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from './rows.ts';

const test = useTestDatabase();
let clock: FixedClock;

/** The service as this test needs it: what it lists, what it knows, how it fails. */
const service = {
  listed: [] as Alert[],
  known: new Map<string, Alert>(),
  listFailure: undefined as ServiceError | undefined,
  getFailure: undefined as ServiceError | undefined,
  gets: [] as string[],
  lookupLists: 0,
  /** Alerts of every status, as the list without a filter shows them. */
  all: [] as Alert[],
  pageSize: 100,
  pages: [] as number[],
};
const applied: PolledSnapshot[] = [];
const seen = new Map<string, string>();

function failure(kind: ServiceErrorKind, code: string): ServiceError {
  return new ServiceError('failed', {
    kind,
    code,
    retryable: false,
    requestKind: 'read',
    outcome: 'refused',
    endpoint: 'GET /v1/alerts/',
  });
}

const client: PollerOptions['client'] = {
  alerts: {
    async *list(filter) {
      expect(filter).toEqual({ status: 'ACTION_REQUIRED' });
      yield* service.listed;
      if (service.listFailure !== undefined) throw service.listFailure;
    },
    async page({ offset }) {
      service.pages.push(offset);
      if (service.listFailure !== undefined) throw service.listFailure;
      const items = service.all.slice(offset, offset + service.pageSize);
      return { ok: true, items, invalid: [], count: service.all.length };
    },
    async get(alertId) {
      service.gets.push(alertId);
      if (service.getFailure !== undefined) throw service.getFailure;
      const alert = service.known.get(alertId);
      if (alert === undefined) throw failure('refused', 'NOT_FOUND');
      return alert;
    },
  },
  lookups: {
    async *list() {
      service.lookupLists += 1;
      yield* [];
    },
  },
  enrolments: undefined,
};

/** Applies like the real path as far as polling looks: new, changed or the same. */
async function applySnapshots(snapshots: readonly PolledSnapshot[]): Promise<SnapshotEffect[]> {
  return snapshots.map((snapshot) => {
    applied.push(snapshot);
    const before = seen.get(snapshot.object.id);
    const text = JSON.stringify(snapshot.object);
    seen.set(snapshot.object.id, text);
    if (before === undefined) return 'created';
    return before === text ? 'unchanged' : 'changed';
  });
}

function createTestPoller(options: Partial<PollerOptions> = {}): Poller {
  return createPoller({
    db: test.db,
    clock,
    log: createLog({ level: 'silent' }),
    client,
    organisationId: ORG,
    applySnapshots,
    answerAgain: async () => undefined,
    workerId: 'worker_1',
    ...options,
  });
}

beforeEach(async () => {
  for (const table of [
    'finding',
    'notification',
    'alert_case',
    'alert',
    'fact',
    'cluster_lease',
    'poll_request',
    'inbox_event',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  clock = createFixedClock(NOW);
  service.listed = [];
  service.known.clear();
  service.listFailure = undefined;
  service.getFailure = undefined;
  service.gets = [];
  service.lookupLists = 0;
  service.all = [];
  service.pageSize = 100;
  service.pages = [];
  applied.length = 0;
  seen.clear();
});

async function openKinds(): Promise<string[]> {
  const rows = await listFindings(test.db, { organisationId: ORG, state: 'open', limit: 50 });
  return rows.map((row) => row.kind).sort();
}

async function messages(): Promise<string[]> {
  const rows = await test.db.selectFrom('notification').select('kind').orderBy('id').execute();
  return rows.map((row) => row.kind);
}

async function fact(name: string): Promise<unknown> {
  const row = await test.db
    .selectFrom('fact')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

async function storeWebhook(at: string): Promise<void> {
  await test.db
    .insertInto('inbox_event')
    .values({
      seq: Date.parse(at),
      received_at: at,
      organisation_id: ORG,
      event_id: `evt_${at}`,
      secret_id: 's',
      signed_at: at,
      body: Buffer.from('{}'),
    })
    .execute();
}

describe('the list', () => {
  it('is applied, and counted by what no webhook had brought', async () => {
    seen.set('netalrt_b', JSON.stringify(alertObject('netalrt_b', { note: 'before' })));
    seen.set('netalrt_c', JSON.stringify(alertObject('netalrt_c')));
    service.listed = ['netalrt_a', 'netalrt_b', 'netalrt_c'].map((id) => alertObject(id));
    const report = await createTestPoller().runOnce();
    expect(report).toMatchObject({
      outcome: 'whole',
      listed: 3,
      newWithoutWebhook: 1,
      healed: 1,
      errors: [],
    });
    expect(await fact('last_poll_at')).toBe(NOW);
    expect(await fact('last_poll_report')).toEqual(report);
  });

  it('goes through the apply path in batches, whole', async () => {
    service.listed = Array.from({ length: 250 }, (_, index) => alertObject(`netalrt_${index}`));
    const report = await createTestPoller().runOnce();
    expect(report.newWithoutWebhook).toBe(250);
    expect(applied).toHaveLength(250);
    expect(applied.every((snapshot) => snapshot.entity === 'alert')).toBe(true);
  });

  it('that cannot be read is an alarm at once, never "no alerts"', async () => {
    await insertCase(test.db, 'netalrt_open');
    service.listFailure = failure('unreadable', 'LIST_INCOMPLETE');
    service.listed = [alertObject('netalrt_seen')];
    const report = await createTestPoller().runOnce();
    expect(report).toMatchObject({ outcome: 'partial', errors: ['LIST_INCOMPLETE'] });
    // What was readable is healed; nothing is concluded about the rest.
    expect(report.newWithoutWebhook).toBe(1);
    expect(service.gets).toEqual([]);
    expect(await openKinds()).toEqual(['poll_failing']);
    expect(await messages()).toEqual(['poll_failing']);
    expect(await fact('last_poll_at')).toBeUndefined();
  });

  it('failing by a broken line alarms in the third round and clears with the next good one', async () => {
    const poller = createTestPoller();
    service.listFailure = failure('network', 'NETWORK');
    await poller.runOnce();
    await poller.runOnce();
    expect(await openKinds()).toEqual([]);
    await poller.runOnce();
    await poller.runOnce();
    expect(await openKinds()).toEqual(['poll_failing']);
    service.listFailure = undefined;
    clock.advanceMs(120_000);
    await poller.runOnce();
    expect(await openKinds()).toEqual([]);
    expect(await messages()).toEqual(['poll_failing', 'poll_failing']);
  });

  it('of another organisation is left alone and reported', async () => {
    service.listed = [alertObject('netalrt_x', { organisation_id: 'org_other' })];
    const report = await createTestPoller().runOnce();
    expect(report).toMatchObject({ foreign: 1, listed: 0 });
    expect(applied).toEqual([]);
    expect(await openKinds()).toEqual(['foreign_alerts']);
  });

  it('does not hide a defect of ours', async () => {
    const poller = createTestPoller({
      applySnapshots: async () => {
        throw new TypeError('defect');
      },
    });
    service.listed = [alertObject('netalrt_a')];
    await expect(poller.runOnce()).rejects.toThrow('defect');
  });
});

describe('what left the list', () => {
  it('is read by itself and healed', async () => {
    await insertCase(test.db, 'netalrt_gone');
    await insertCase(test.db, 'netalrt_here');
    await insertCase(test.db, 'netalrt_done', { state: 'DECLARED_REFUND' });
    seen.set('netalrt_gone', JSON.stringify(alertObject('netalrt_gone')));
    service.known.set('netalrt_gone', alertObject('netalrt_gone', { status: 'RESOLVED' }));
    service.listed = [alertObject('netalrt_here')];
    const report = await createTestPoller().runOnce();
    expect(service.gets).toEqual(['netalrt_gone']);
    expect(report).toMatchObject({ outcome: 'whole', leftTheList: 1, healed: 1 });
    expect(applied.at(-1)?.object).toMatchObject({ id: 'netalrt_gone', status: 'RESOLVED' });
  });

  it('does not count a case that was opened after the list was asked for', async () => {
    await insertCase(test.db, 'netalrt_young');
    await test.db.updateTable('alert_case').set({ opened_at: NOW }).execute();
    await createTestPoller().runOnce();
    expect(service.gets).toEqual([]);
  });

  it('and answers 404 is held for a person, once, without a fallback', async () => {
    await insertAlert(test.db, alertObject('netalrt_404'));
    await insertCase(test.db, 'netalrt_404', { state: 'DECIDED_REFUND' });
    await test.db
      .updateTable('alert_case')
      .set({ fallback_action: 'REFUND', fallback_at: '2026-03-02T00:00:00Z' })
      .execute();
    const poller = createTestPoller();
    const report = await poller.runOnce();
    expect(report).toMatchObject({ notFound: 1, unread: 0 });
    const held = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect(held).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'alert_missing',
      fallback_action: null,
      fallback_at: null,
    });
    expect(held.next_action_at).not.toBeNull();
    expect(await openKinds()).toEqual(['alert_not_found']);
    expect(await messages()).toEqual(['case_held']);
    clock.advanceMs(59 * 60_000);
    await poller.runOnce();
    expect(service.gets).toHaveLength(1);
    clock.advanceMs(2 * 60_000);
    await poller.runOnce();
    expect(service.gets).toHaveLength(2);
    expect(await messages()).toEqual(['case_held']);
    service.listed = [alertObject('netalrt_404')];
    await poller.runOnce();
    expect(await openKinds()).toEqual([]);
  });

  it('and answers 404 while money is under way only alarms', async () => {
    await insertAlert(test.db, alertObject('netalrt_404'));
    await insertCase(test.db, 'netalrt_404', { state: 'REFUNDING' });
    await createTestPoller().runOnce();
    const row = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.version]).toEqual(['REFUNDING', 1]);
    expect(await messages()).toEqual(['alert_not_found']);
  });

  it('and answers 404 while a worker holds the case only alarms', async () => {
    await insertAlert(test.db, alertObject('netalrt_404'));
    await insertCase(test.db, 'netalrt_404', { state: 'DECIDED_REFUND' });
    await test.db
      .updateTable('alert_case')
      .set({ lease_owner: 'w', lease_until: '2026-03-01T12:00:10Z' })
      .execute();
    await createTestPoller().runOnce();
    const row = await test.db.selectFrom('alert_case').selectAll().executeTakeFirstOrThrow();
    expect([row.state, row.version]).toEqual(['DECIDED_REFUND', 1]);
  });

  it('is not read on after a refused key', async () => {
    for (const id of ['netalrt_1', 'netalrt_2', 'netalrt_3']) await insertCase(test.db, id);
    service.getFailure = failure('refused', 'UNAUTHORISED');
    const report = await createTestPoller().runOnce();
    expect(service.gets).toHaveLength(1);
    expect(report).toMatchObject({ outcome: 'partial', unread: 3, errors: ['UNAUTHORISED'] });
  });
});

describe('what was asked for', () => {
  it('is read once and struck off, also when the service does not know it', async () => {
    for (const alert_id of ['netalrt_known', 'netalrt_unknown']) {
      await test.db
        .insertInto('poll_request')
        .values({ organisation_id: ORG, alert_id, reason: 'stale', requested_at: NOW })
        .execute();
    }
    service.known.set('netalrt_known', alertObject('netalrt_known'));
    const report = await createTestPoller().runOnce();
    expect(report.requested).toBe(2);
    expect(applied.map(({ object }) => object.id)).toEqual(['netalrt_known']);
    expect(await test.db.selectFrom('poll_request').selectAll().execute()).toEqual([]);
    expect(await openKinds()).toEqual([]);
  });

  it('stays when it could not be read', async () => {
    await test.db
      .insertInto('poll_request')
      .values({ organisation_id: ORG, alert_id: 'netalrt_1', reason: 'stale', requested_at: NOW })
      .execute();
    service.getFailure = failure('timeout', 'TIMEOUT');
    await createTestPoller().runOnce();
    expect(await test.db.selectFrom('poll_request').selectAll().execute()).toHaveLength(1);
  });

  it('includes alerts whose snapshots tie', async () => {
    await insertAlert(test.db, alertObject('netalrt_tie'));
    await test.db.updateTable('alert').set({ needs_read: true }).execute();
    service.known.set('netalrt_tie', alertObject('netalrt_tie'));
    const report = await createTestPoller().runOnce();
    expect(report.requested).toBe(1);
    expect(service.gets).toEqual(['netalrt_tie']);
  });
});

describe('one poller in the cluster', () => {
  it('polls; the other stands by, and follows when the lease has ended', async () => {
    const first = createTestPoller();
    const second = createTestPoller({ workerId: 'worker_2' });
    expect((await first.runOnce()).outcome).toBe('whole');
    expect((await second.runOnce()).outcome).toBe('standby');
    expect((await first.runOnce()).outcome).toBe('whole');
    clock.advanceMs(134_999);
    expect((await second.runOnce()).outcome).toBe('standby');
    clock.advanceMs(1);
    expect((await second.runOnce()).outcome).toBe('whole');
    expect((await first.runOnce()).outcome).toBe('standby');
    await second.release();
    expect((await first.runOnce()).outcome).toBe('whole');
  });

  it('ends its round when another has taken over meanwhile', async () => {
    for (const id of ['netalrt_1', 'netalrt_2']) {
      await insertCase(test.db, id);
      service.known.set(id, alertObject(id));
    }
    const poller = createTestPoller({
      applySnapshots: async (snapshots) => {
        await test.db
          .updateTable('cluster_lease')
          .set({ holder: 'worker_2', until: '2026-03-01T13:00:00Z' })
          .execute();
        return applySnapshots(snapshots);
      },
    });
    expect((await poller.runOnce()).outcome).toBe('standby');
    expect(service.gets).toHaveLength(1);
    expect(await fact('last_poll_report')).toBeUndefined();
  });
});

describe('alarms', () => {
  it('webhooks silent: raised while polling finds changes, cleared by the next webhook', async () => {
    const poller = createTestPoller();
    await storeWebhook('2026-03-01T11:59:00Z');
    service.listed = [alertObject('netalrt_history')];
    await poller.runOnce();
    clock.advanceMs(120_000);
    service.listed = ['netalrt_1', 'netalrt_2', 'netalrt_3'].map((id) =>
      alertObject(id, { updated_at: '2026-03-01T12:01:00Z' }),
    );
    await poller.runOnce();
    expect(await openKinds()).toEqual([]);
    clock.advanceMs(180_000);
    await poller.runOnce();
    expect(await openKinds()).toEqual(['webhooks_silent']);
    const [sent] = await test.db.selectFrom('notification').selectAll().execute();
    expect(sent?.text).toContain('endpoint is probably disabled');
    await storeWebhook('2026-03-01T12:06:00Z');
    clock.advanceMs(120_000);
    await poller.runOnce();
    expect(await openKinds()).toEqual([]);
    expect(await messages()).toEqual(['webhooks_silent', 'webhooks_silent']);
  });

  it.each([
    [119_999, []],
    [120_000, ['clock_skew']],
    [-120_000, ['clock_skew']],
  ])('clocks that differ by %i ms give %j', async (skewMs, kinds) => {
    await createTestPoller({ clockSkewMs: () => skewMs }).runOnce();
    expect(await openKinds()).toEqual(kinds);
  });
});

describe('lookups', () => {
  it('are read in the first round and then in every so many', async () => {
    const poller = createTestPoller({ lookupEvery: 3 });
    const counts: (number | null)[] = [];
    for (let round = 0; round < 5; round++) counts.push((await poller.runOnce()).lookups);
    expect(counts).toEqual([0, null, null, 0, null]);
    expect(service.lookupLists).toBe(2);
  });
});
