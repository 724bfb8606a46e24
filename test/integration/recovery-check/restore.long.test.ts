/**
 * Guarantee (F88): on a database restored from a backup of hours ago nothing is sent and nothing is
 * declared before the service has been polled and the processor asked; what happened in the lost time is
 * recognised, nothing is refunded twice, and the books agree at the end.
 *
 * The backup is a copy by template, which PostgreSQL makes of a database without sessions. Oracle: the
 * processor's ledger and the PATCH log of the sandbox, which are not restored.
 */
import type { Kysely } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { WorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { readIdentity } from '../../../src/alerts/guard/database-identity.store.ts';
import {
  readRecoveryCheck,
  readUncheckedCharges,
  writeAlive,
} from '../../../src/alerts/guard/recovery-check.store.ts';
import { writeUncheckedCharges } from '../../../src/alerts/guard/unchecked-charges.store.ts';
import { movementKey } from '../../../src/alerts/ledger/movement-key.ts';
import { RECONCILE_FACTS } from '../../../src/alerts/reconcile/reconcile-facts.ts';
import { beginRecoveryCheck } from '../../../src/alerts/recovery-check/begin-recovery-check.ts';
import { reportLostTime } from '../../../src/alerts/recovery-check/lost-time.ts';
import { createRecoveryCheck } from '../../../src/alerts/recovery-check/recovery-check.job.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { writeNamedValue } from '../../../src/base/jobs/named-value.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { readiness } from '../../../src/running/roles/readiness.ts';
import type { Product } from '../../../src/running/testing/index.ts';
import { PRODUCTS } from '../../../src/running/testing/index.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import type { Processor } from '../../../src/service/wire/processor.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import type { TestDatabase } from '../../support/database.ts';
import { copyDatabase, createTestDatabase } from '../../support/database.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const ALWAYS = 1_000;
const REFUND = 'POST /processor/refunds';
const LOOK_UP = 'GET /processor/refunds';
const READ = 'GET /processor/charges/{reference}';
const ANSWER = 'PATCH /v1/alerts/{alert_id}';

/** What a worker notes that has none. */
const WITHOUT_PROCESSOR: WorkerSettings = {
  mode: 'live',
  hasProcessor: false,
  channels: [],
  pollSeconds: 120,
};

const databases: TestDatabase[] = [];
let world: OpenTestWorld | undefined;
/** What the world around looks like when nobody of ours runs. */
let around: { readonly sandbox: unknown; readonly at: string } | undefined;
afterAll(async () => {
  await world?.close();
  for (const database of databases) await database.drop();
});

/** Everything of ours stops; the world around stays as it is. */
async function leave(): Promise<void> {
  if (world === undefined) return;
  around = { sandbox: world.sandbox.snapshot(), at: nowDate(world.clock).toISOString() };
  await world.close();
  world = undefined;
}

/** The same world continues, on this database. */
async function goOn(
  database: TestDatabase,
  options: { readonly processor?: Processor } = {},
): Promise<OpenTestWorld> {
  await leave();
  const next = await createTestWorld({
    ...options,
    database: database.connectionString,
    ...(around === undefined ? {} : { startsAt: around.at }),
  });
  if (around !== undefined) next.sandbox.restore(around.sandbox);
  next.sandbox.pointWebhooksAt(next.webhookUrl);
  // The worst case: keys do nothing, and a refund is invisible to look-ups for ten minutes.
  next.sandbox.changeProcessor({ idempotency_ttl_hours: 0, lookup_lag_seconds: 600 });
  world = next;
  return next;
}

type Cast = Record<string, { readonly alertId: string; readonly reference: string }>;

async function play(cast: Cast, part: string, product: Product = PRODUCTS.font): Promise<void> {
  const { charge } = await (world as OpenTestWorld).sell(product);
  const alertId = (world as OpenTestWorld).sandbox.createAlertFor(charge.reference).id;
  cast[part] = { alertId, reference: charge.reference };
}

/** What the outside shows: refunds by charge, and answers that took effect. */
function outside(sandbox: Sandbox, cast: Cast): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(cast).map(([part, { alertId, reference }]) => [
      part,
      [
        sandbox.moneyOut(reference).count,
        sandbox.state.alerts.get(alertId)?.transaction_refund_outcome,
        sandbox.patchLog.filter((entry) => entry.alert_id === alertId && entry.http_status === 200)
          .length,
      ],
    ]),
  );
}

/** What another Forestall would have sent for this charge. */
async function refundByHand(
  { sandbox, clock, parts: { organisationId } }: OpenTestWorld,
  { alertId, reference }: { readonly alertId: string; readonly reference: string },
  { priceMinor }: Product = PRODUCTS.bicycle,
): Promise<void> {
  const secret = 'processor-secret-for-tests';
  const processor = createHttpProcessor({ baseUrl: sandbox.processorUrl, secret, clock });
  const outcome = await processor.refund(
    {
      idempotencyKey: movementKey({ organisationId, chargeReference: reference }, 1),
      chargeReference: reference,
      alertId,
      reason: 'chargeback_alert',
      amountMinor: priceMinor,
      currency: 'USD',
    },
    AbortSignal.timeout(5_000),
  );
  expect(outcome.kind).toBe('confirmed');
}

test('a restored database checks before it acts, and recognises what it has forgotten', async () => {
  const live = await createTestDatabase();
  databases.push(live);
  const cast: Cast = {};
  const first = await goOn(live);
  await play(cast, 'done');
  await play(cast, 'held', PRODUCTS.lamp);
  await first.drain();
  // Decided, and not examined yet: the look-up is away. Sent, and the reply lost.
  first.sandbox.addFault({ on: REFUND, kind: 'drop_after' });
  await play(cast, 'unanswered');
  await first.drain();
  first.sandbox.addFault({ on: LOOK_UP, kind: 'status', times: ALWAYS, status: 503 });
  await play(cast, 'decided');
  await first.drain();
  // About to deny a refund: the service takes no answers.
  first.sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503 });
  await play(cast, 'denying', PRODUCTS.bicycle);
  await first.drain();
  const states = await Promise.all(
    Object.values(cast).map(({ alertId }) => first.stateOf(alertId)),
  );
  expect(states).toEqual([
    'DECLARED_REFUND',
    'HUMAN',
    'REFUNDING',
    'DECIDED_REFUND',
    'DECLARE_ACCEPT',
  ]);
  await leave();
  const backup = await copyDatabase(live);
  databases.push(backup);

  // Six hours that the backup does not hold.
  const lost = await goOn(live);
  const denying = cast['denying'] ?? { alertId: '', reference: '' };
  const contains = denying.alertId;
  lost.sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503, contains });
  await play(cast, 'arrived_later');
  await lost.advance(30 * MINUTE_MS, 10 * MINUTE_MS);
  await lost.advance(5 * HOUR_MS);
  const { organisationId } = lost.parts;
  const { alertId = '', reference = '' } = cast['held'] ?? {};
  await applyOperatorDecision(lost.parts.database.db, {
    organisationId,
    alertId,
    action: 'REFUND',
    note: '',
    operator: 'Ines',
    chargeReference: reference,
    now: nowDate(lost.clock),
  });
  await lost.advance(30 * MINUTE_MS);
  await refundByHand(lost, denying);
  const after = outside(lost.sandbox, cast);
  expect(after).toEqual({
    done: [1, 'REFUNDED', 1],
    held: [1, 'REFUNDED', 1],
    unanswered: [1, 'REFUNDED', 1],
    decided: [1, 'REFUNDED', 1],
    denying: [1, null, 0],
    arrived_later: [1, 'REFUNDED', 1],
  });
  const calls = lost.sandbox.patchLog.length;

  const restored = await goOn(backup);
  const { db } = restored.parts.database;
  restored.sandbox.addFault({ on: 'GET /v1/alerts', kind: 'status', times: ALWAYS, status: 503 });
  await restored.drain();
  expect(await readRecoveryCheck(db, organisationId)).toMatchObject({
    reason: 'other_database',
    waitsFor: 'a complete poll of the service',
  });
  restored.sandbox.faults.clear();
  expect((await readiness(restored.parts)).checks).toMatchObject({
    refunding: expect.stringContaining('reconciling first'),
    declaring: expect.stringContaining('reconciling first'),
  });
  expect(outside(restored.sandbox, cast)).toEqual(after);
  await restored.advance(9 * MINUTE_MS, 3 * MINUTE_MS);
  expect(await readRecoveryCheck(db, organisationId)).toMatchObject({
    waitsFor: expect.stringContaining('the processor shows everything, 2026-'),
  });
  // 11.5 minutes after the start: lease, request lifetime and look-up lag.
  await restored.advance(3 * MINUTE_MS);
  expect(await readRecoveryCheck(db, organisationId)).toBeUndefined();
  await restored.advance(HOUR_MS, 10 * MINUTE_MS);
  // The one answer still owed is given, and it is the true one.
  expect(outside(restored.sandbox, cast)).toEqual({ ...after, denying: [1, 'REFUNDED', 1] });
  expect(restored.sandbox.patchLog).toHaveLength(calls + 1);

  // Our book holds every refund of ours that the processor holds, but the one of an alert never seen.
  const booked = await db
    .selectFrom('movement')
    .select(['charge_reference', 'state'])
    .where('kind', '=', 'refund')
    .where('state', '<>', 'REJECTED')
    .execute();
  const expected = ['done', 'held', 'unanswered', 'decided', 'denying'].map((part) => ({
    charge_reference: cast[part]?.reference,
    state: 'CONFIRMED',
  }));
  expect(booked).toHaveLength(expected.length);
  expect(booked).toEqual(expect.arrayContaining(expected));
  expect(await restored.stateOf(cast['held']?.alertId ?? '')).toBe('DECLARED_REFUND');

  // What came and was over in the lost time is read again, and people are notified of what has no list.
  expect(await restored.stateOf(cast['arrived_later']?.alertId ?? '')).toBe('CLOSED_REMOTE');
  const passes = await db.selectFrom('reconcile_request').select('requested_by').execute();
  expect(passes).toEqual([{ requested_by: 'forestall' }]);
  expect(await lostTimeTold(db)).toEqual({ findings: 1, messages: 1 });
});

async function lostTimeTold(db: Kysely<Database>): Promise<{ findings: number; messages: number }> {
  const findings = await db
    .selectFrom('finding')
    .select('id')
    .where('kind', '=', 'unlisted_period')
    .where('next_step', 'like', '%although it was answered 200%')
    .execute();
  const messages = await db
    .selectFrom('notification')
    .select('id')
    .where('kind', '=', 'lost_time')
    .execute();
  return { findings: findings.length, messages: messages.length };
}

test('the check begins as soon as another database answers, not at the next sign of life', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const { db } = database;
  const saga = createSagaWorld(db);
  const { organisationId } = saga;
  const resume = createRecoveryCheck(saga.worker('w1').deps);
  expect(await resume.watch()).toBe(false);
  expect(await readRecoveryCheck(db, organisationId)).toBeUndefined();
  const value = { kind: 'objects', identity: 'another one', atMs: saga.clock.nowMs() } as const;
  await inTransaction(db, (trx) => writeAlive(trx, organisationId, value));
  expect(await resume.watch()).toBe(true);
  const check = await readRecoveryCheck(db, organisationId);
  expect(check).toMatchObject({ reason: 'other_database' });
  expect(await resume.watch()).toBe(false);

  // Until the poll is over there is nothing to hold a lease for; afterwards one process continues.
  const now = nowDate(saga.clock);
  const fact = { organisationId, at: now };
  const leased = (): Promise<unknown[]> =>
    db.selectFrom('cluster_lease').select('holder').where('name', '=', 'reconcile_first').execute();
  expect(await resume.spec.runOnce()).toBe(0);
  const report = { startedAt: now.toISOString() };
  await writeNamedValue(db, { ...fact, name: RECONCILE_FACTS.lastPollReport, value: report });
  expect(await resume.spec.runOnce()).toBe(0);
  expect(await leased()).toEqual([]);
  await writeNamedValue(db, {
    ...fact,
    name: RECONCILE_FACTS.lastPollAt,
    value: now.toISOString(),
  });
  await resume.spec.runOnce();
  expect(await leased()).toEqual([{ holder: 'w1' }]);
  expect((await readRecoveryCheck(db, organisationId))?.waitsFor).not.toBe(check?.waitsFor);
});

test('a silence has lost nothing that was stored, and nobody is notified that it has', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const { db } = database;
  const at = '2026-11-22T10:00:00.000Z';
  const report = (reason: 'silence' | 'asked' | 'forgotten', alive: string | null): Promise<void> =>
    inTransaction(db, (trx) =>
      reportLostTime(trx, 'org_1', {
        check: { since: at, alive, reason, waitsFor: '' },
        now: new Date(at),
      }),
    );
  await report('silence', at);
  await report('asked', at);
  await report('forgotten', null);
  expect(await lostTimeTold(db)).toEqual({ findings: 0, messages: 0 });
  await report('forgotten', at);
  expect(await lostTimeTold(db)).toEqual({ findings: 1, messages: 1 });
});

test('a charge that the processor cannot read holds back its own alerts only, and nothing of it is guessed', async () => {
  const live = await createTestDatabase();
  databases.push(live);
  around = undefined;
  const cast: Cast = {};
  const products: Record<string, Product> = {
    fine: PRODUCTS.font,
    sent: PRODUCTS.font,
    never: PRODUCTS.font,
    held: PRODUCTS.lamp,
    denying: PRODUCTS.bicycle,
    closed: PRODUCTS.font,
  };
  const first = await goOn(live);
  for (const on of [LOOK_UP, ANSWER]) {
    first.sandbox.addFault({ on, kind: 'status', times: ALWAYS, status: 503 });
  }
  for (const [part, product] of Object.entries(products)) await play(cast, part, product);
  await first.drain();
  const { organisationId } = first.parts;
  await leave();
  const backup = await copyDatabase(live);
  databases.push(backup);

  const restored = await goOn(backup);
  const { db } = restored.parts.database;
  const { sandbox } = restored;
  // In the lost time another Forestall refunded all but one; of four charges the processor tells nothing.
  for (const [part, product] of Object.entries(products)) {
    const { reference = '' } = cast[part] ?? {};
    const subject = cast[part] ?? { alertId: '', reference };
    if (part !== 'never') await refundByHand(restored, subject, product);
    if (part === 'fine') continue;
    const key = movementKey({ organisationId, chargeReference: reference }, 1);
    for (const [on, contains] of [
      [READ, reference],
      [LOOK_UP, key],
    ] as const) {
      sandbox.addFault({ on, kind: 'status', times: ALWAYS, status: 500, contains });
    }
  }
  await restored.advance(13 * MINUTE_MS, MINUTE_MS);
  expect(await readRecoveryCheck(db, organisationId)).toMatchObject({
    waitsFor: expect.stringContaining('the processor: '),
  });
  await restored.advance(3 * MINUTE_MS, MINUTE_MS);
  expect(await readRecoveryCheck(db, organisationId)).toBeUndefined();
  // The others continue, those that come later too.
  await play(cast, 'new');
  await restored.drain();
  const { alertId: heldId = '' } = cast['held'] ?? {};
  // A person who denies it is not believed either before the processor has been asked.
  const decided = await applyOperatorDecision(db, {
    organisationId,
    alertId: heldId,
    action: 'ACCEPT_DISPUTE',
    note: '',
    operator: 'Ines',
    now: nowDate(restored.clock),
  });
  expect(decided).toMatchObject({ ok: true });
  await restored.advance(30 * MINUTE_MS, 10 * MINUTE_MS);
  expect(outside(sandbox, cast)).toEqual({
    fine: [1, 'REFUNDED', 1],
    sent: [1, null, 0],
    never: [0, null, 0],
    held: [1, null, 0],
    denying: [1, null, 0],
    closed: [1, null, 0],
    new: [1, 'REFUNDED', 1],
  });
  const told = await db
    .selectFrom('notification')
    .select('alert_id')
    .where('kind', '=', 'charge_withheld')
    .execute();
  const withheld = ['sent', 'never', 'held', 'denying', 'closed'].map(
    (part) => cast[part]?.alertId,
  );
  expect(told.map(({ alert_id }) => alert_id).sort()).toEqual(withheld.sort());
  // Answered by a person at the service: nothing depends on that charge any more.
  const { alertId: closedId = '' } = cast['closed'] ?? {};
  sandbox.resolveInDashboard(closedId, 'ACCEPT_DISPUTE');
  await restored.advance(3 * MINUTE_MS, MINUTE_MS);
  expect(await restored.stateOf(closedId)).toBe('CLOSED_REMOTE');
  expect((await readiness(restored.parts)).checks).toMatchObject({
    refunding: expect.stringMatching(/^held back after a restore, .*: 4 charges\. /),
  });

  // It can be asked again: what was sent is recognised, what was not is sent once.
  sandbox.faults.clear();
  await restored.advance(5 * MINUTE_MS, MINUTE_MS);
  expect(outside(sandbox, cast)).toEqual(
    Object.fromEntries(
      Object.keys(cast).map((part) => [
        part,
        part === 'closed' ? [1, 'NOT_REFUNDED', 0] : [1, 'REFUNDED', 1],
      ]),
    ),
  );
  expect((await readiness(restored.parts)).checks).toMatchObject({ refunding: 'ok' });
});

test('a takeover without a processor denies nothing that an earlier installation may have refunded', async () => {
  const live = await createTestDatabase();
  databases.push(live);
  around = undefined;
  const cast: Cast = {};
  const first = await goOn(live);
  await play(cast, 'done');
  await first.drain();
  first.sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503 });
  await play(cast, 'denying', PRODUCTS.bicycle);
  await first.drain();
  expect(await first.stateOf(cast['denying']?.alertId ?? '')).toBe('DECLARE_ACCEPT');
  const denying = cast['denying'] ?? { alertId: '', reference: '' };
  await refundByHand(first, denying);
  await leave();
  const backup = await copyDatabase(live);
  databases.push(backup);

  const bare = await goOn(backup, { processor: createNoProcessor() });
  const { db } = bare.parts.database;
  const { organisationId } = bare.parts;
  bare.sandbox.faults.clear();
  await bare.advance(30 * MINUTE_MS, 2 * MINUTE_MS);
  expect(await readRecoveryCheck(db, organisationId)).toBeUndefined();
  expect([...(await readUncheckedCharges(db, organisationId)).keys()]).toEqual([denying.reference]);
  // A further start, which finds that the worker before had no processor either.
  const scope = { organisationId, now: nowDate(bare.clock) };
  await writeWorkerSettings(db, scope, WITHOUT_PROCESSOR);
  await leave();
  const still = await goOn(backup, { processor: createNoProcessor() });
  const begin = { reason: 'asked', aliveMs: null, nowMs: still.clock.nowMs() } as const;
  await inTransaction(still.parts.database.db, (trx) =>
    beginRecoveryCheck(trx, organisationId, begin),
  );
  await still.advance(HOUR_MS, 10 * MINUTE_MS);
  expect(outside(still.sandbox, cast)).toEqual({
    done: [1, 'REFUNDED', 1],
    denying: [1, null, 0],
  });

  const whole = await goOn(backup);
  await whole.advance(30 * MINUTE_MS, 2 * MINUTE_MS);
  expect(outside(whole.sandbox, cast)).toEqual({
    done: [1, 'REFUNDED', 1],
    denying: [1, 'REFUNDED', 1],
  });
});

test('where no worker could refund, a check without a processor holds nothing back', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  around = undefined;
  const cast: Cast = {};
  const processor = createNoProcessor();
  const first = await goOn(database, { processor });
  const scope = { organisationId: first.parts.organisationId, now: nowDate(first.clock) };
  await writeWorkerSettings(first.parts.database.db, scope, WITHOUT_PROCESSOR);
  first.sandbox.addFault({ on: ANSWER, kind: 'status', times: ALWAYS, status: 503 });
  await play(cast, 'denying', PRODUCTS.bicycle);
  await first.drain();
  await leave();
  const next = await goOn(database, { processor });
  next.sandbox.faults.clear();
  await next.sandbox.advance(20 * MINUTE_MS);
  await next.advance(30 * MINUTE_MS, 2 * MINUTE_MS);
  expect(outside(next.sandbox, cast)).toEqual({ denying: [0, 'NOT_REFUNDED', 1] });
});

test('a database that is exchanged under a worker takes no refund', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const saga = createSagaWorld(database.db);
  const worker = saga.worker('w1');
  const seen = async (identity: string): Promise<void> => {
    const value = { kind: 'objects', identity, atMs: saga.clock.nowMs() } as const;
    await inTransaction(database.db, (trx) => writeAlive(trx, saga.organisationId, value));
  };
  await seen('another one');
  await saga.open({ alertId: 'netalrt_1' });
  await saga.pass([worker], 1);
  expect(saga.processor.calls).toEqual([]);
  expect(await saga.movements()).toEqual([]);
  // Control: the same worker sends once the database is the one it knows.
  await seen(await readIdentity(database.db, 'objects'));
  const holdBack = async (charges: Record<string, string>): Promise<void> => {
    const unchecked = new Map(Object.entries(charges));
    const now = nowDate(saga.clock);
    await inTransaction(database.db, (trx) =>
      writeUncheckedCharges(trx, saga.organisationId, { unchecked, now }),
    );
  };
  // Nor for a charge that is held back, whatever became of its case.
  await holdBack({ ch_1: 'HTTP 500', ch_2: 'HTTP 500' });
  await saga.pass([worker], 1);
  expect(saga.processor.calls).toEqual([]);
  await holdBack({ ch_2: 'HTTP 500' });
  await saga.pass([worker], 1);
  expect(saga.processor.ours('ch_1')).toBe(5_000);
  expect(await saga.state('netalrt_1')).toBe('DECLARED_REFUND');
});
