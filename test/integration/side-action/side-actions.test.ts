/**
 * Guarantee: what is to be done besides an answer is done at least once, always under the same key, until
 * it is done or a person is notified to do it; and never in shadow mode or while money is stopped.
 */
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { customerIdentities } from '../../../src/alerts/guard/customer-identity.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import {
  endRecoveryCheck,
  writeRecoveryCheck,
} from '../../../src/alerts/guard/recovery-check.store.ts';
import type { CallActions } from '../../../src/alerts/side-action/actions-endpoint.ts';
import { createActionsCall } from '../../../src/alerts/side-action/actions-endpoint.ts';
import type { SideActionDeps } from '../../../src/alerts/side-action/side-action.job.ts';
import {
  createSideActions,
  SIDE_ACTION_ATTEMPTS_MAX,
} from '../../../src/alerts/side-action/side-action.job.ts';
import { listSideActions } from '../../../src/alerts/side-action/side-action.store.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { signCall } from '../../../src/service/processor/processor-call.ts';
import type { Answer, ProcessorCharge } from '../../../src/service/wire/processor.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

type Cancel = Awaited<ReturnType<SideActionDeps['processor']['cancelSubscription']>>;

const test = useTestDatabase();
let world: SagaWorld;
let answers: Cancel[];
const cancelled: { reference: string; key: string }[] = [];
const A = 'netalrt_1';

beforeEach(() => {
  world = createSagaWorld(test.db);
  answers = [];
  cancelled.length = 0;
  subscription = 'sub_1';
});

const now = () => new Date(world.clock.nowMs());
const by = () => ({ organisationId: world.organisationId, operator: 'ada', now: now() });

/** What the processor says of the charge: its own reference, which is not the order's. */
let subscription: 'unreadable' | string | null;

async function readCharge(reference: string): Promise<Answer<ProcessorCharge>> {
  const charge = await world.processor.readCharge(reference);
  if (subscription === 'unreadable') return { kind: 'not_offered' };
  return charge.kind === 'found'
    ? { kind: 'found', value: { ...charge.value, subscriptionReference: subscription } }
    : charge;
}

function sideActions(deps: Partial<SideActionDeps> = {}) {
  return createSideActions({
    db: test.db,
    clock: world.clock,
    log: createLog({ level: 'silent' }),
    organisationId: world.organisationId,
    processor: {
      readCharge,
      async cancelSubscription(reference, key): Promise<Cancel> {
        cancelled.push({ reference, key });
        return await Promise.resolve(answers.shift() ?? 'cancelled');
      },
    },
    callActions: undefined,
    cancelSubscriptions: 'fraud_and_cancellation',
    shadow: false,
    ...deps,
  });
}

/** A charge of an order. */
const chargeRow = (fields: object = {}) => ({
  organisation_id: world.organisationId,
  reference: 'ch_1',
  order_reference: 'order-1',
  source: 'order' as const,
  amount_minor: 5_000,
  currency: 'EUR',
  known_at: now(),
  ...fields,
});

const orderRow = (body: unknown) => ({
  organisation_id: world.organisationId,
  integration_id: 'int_1',
  reference_id: 'order-1',
  type: 'COMPLETE',
  state: 'HELD',
  reason: 'for the test',
  submitted: '{}',
  submitted_hash: Buffer.alloc(32),
  body: JSON.stringify(body),
  accepted_at: now(),
  changed_at: now(),
});

const SUBSCRIBED = { subscription_reference: 'order-1:sub' };

/** A decided alert on a subscription's charge. */
async function open(sideActionsWanted: readonly unknown[] = [], shadow = false): Promise<void> {
  await test.db.insertInto('charge').values(chargeRow(SUBSCRIBED)).execute();
  const order = orderRow({ customer_email: 'ada@example.com' });
  await test.db
    .insertInto('order_record')
    .values(order as never)
    .execute();
  await world.open({ alertId: A });
  await decided(sideActionsWanted, shadow);
}

/** A decision about the alert. */
async function decided(
  sideActionsWanted: readonly unknown[] = [],
  shadow = false,
  db: Db = test.db,
): Promise<void> {
  await db
    .insertInto('decision')
    .values({
      organisation_id: world.organisationId,
      alert_id: A,
      action: 'REFUND',
      decided_by: 'policy',
      sentence: 'by the test',
      inputs: '{}',
      shadow,
      side_actions: JSON.stringify(sideActionsWanted),
      decided_at: now(),
    })
    .execute();
}

async function states(): Promise<string[]> {
  const rows = await listSideActions(test.db, world.organisationId, A);
  return rows.map(({ kind, state }) => `${kind} ${state}`);
}

async function auditOf(): Promise<string[]> {
  const rows = await test.db
    .selectFrom('audit')
    .select('what')
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', A)
    .where('what', 'like', '%subscription%')
    .orderBy('id')
    .execute();
  return rows.map(({ what }) => what);
}

describe('a subscription', () => {
  it('is cancelled once per alert, however often it is decided, and the history shows it', async () => {
    await open([{ kind: 'cancel_subscription' }]);
    await sideActions().runOnce();
    await decided();
    expect(await sideActions().runOnce()).toBe(1);
    expect(cancelled.map(({ reference }) => reference)).toEqual(['sub_1']);
    expect(await states()).toEqual(['cancel_subscription DONE']);
    expect(await auditOf()).toEqual(['cancel subscription planned', 'cancel subscription done']);
  });

  it('is tried again under the same key until the processor answers', async () => {
    answers = ['unknown', 'unknown'];
    await open();
    const loop = sideActions();
    await loop.runOnce();
    expect(await states()).toEqual(['cancel_subscription DUE']);
    expect(await loop.runOnce()).toBe(0);
    world.clock.advanceMs(HOUR_MS);
    await loop.runOnce();
    world.clock.advanceMs(HOUR_MS);
    await loop.runOnce();
    expect(await states()).toEqual(['cancel_subscription DONE']);
    expect(new Set(cancelled.map(({ key }) => key)).size).toBe(1);
    expect(cancelled).toHaveLength(3);
  });

  it.each(['rejected', 'not_offered'] as const)(
    '%s: a person is notified to do it',
    async (answer) => {
      answers = [answer];
      await open();
      await sideActions().runOnce();
      expect(await states()).toEqual(['cancel_subscription FAILED']);
      expect(await world.notifications('side_action_failed')).toBe(1);
    },
  );

  it('is given up after its last attempt, and a person is notified', async () => {
    answers = ['unknown'];
    await open();
    await sideActions({ cancelSubscriptions: 'always', shadow: false }).runOnce();
    await test.db
      .updateTable('side_action')
      .set({ attempts: SIDE_ACTION_ATTEMPTS_MAX - 1, next_attempt_at: now() })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    answers = ['unknown'];
    await sideActions().runOnce();
    expect(await states()).toEqual(['cancel_subscription FAILED']);
    expect(await world.notifications('side_action_failed')).toBe(1);
  });

  it('of an attempt that never came back is tried again', async () => {
    await open();
    await new Promise<void>((called) => {
      const cancelSubscription = (): Promise<never> => {
        called();
        return new Promise(() => undefined);
      };
      sideActions({ processor: { cancelSubscription, readCharge } }).runOnce().catch(called);
    });
    expect(await sideActions().runOnce()).toBe(0);
    world.clock.advanceMs(61_000);
    await sideActions().runOnce();
    expect(await states()).toEqual(['cancel_subscription DONE']);
  });

  it('is raced for by two workers and cancelled once', async () => {
    await open();
    await Promise.all([sideActions().runOnce(), sideActions().runOnce(), sideActions().runOnce()]);
    await sideActions().runOnce();
    expect(cancelled).toHaveLength(1);
  });
});

describe('which subscription it is', () => {
  it.each([
    ['the processor’s own reference', 'sub_9', ['sub_9'], 'DONE'],
    ['the order’s where the processor cannot be read', 'unreadable', ['order-1:sub'], 'DONE'],
    ['none that the processor names: a person is notified', null, [], 'FAILED'],
  ])('%s', async (_name, said, references, state) => {
    subscription = said;
    await open();
    await sideActions().runOnce();
    expect(cancelled.map(({ reference }) => reference)).toEqual(references);
    expect(await states()).toEqual([`cancel_subscription ${state}`]);
  });

  it('is asked again while the processor does not answer', async () => {
    await open();
    world.processor.down = true;
    await sideActions().runOnce();
    expect(await states()).toEqual(['cancel_subscription DUE']);
    world.processor.down = false;
    world.clock.advanceMs(HOUR_MS);
    await sideActions().runOnce();
    expect(await states()).toEqual(['cancel_subscription DONE']);
  });
});

describe('what is planned', () => {
  /** Alerts whose side actions are to be planned. */
  const due = async () =>
    await test.db
      .selectFrom('side_action_due')
      .select('alert_id')
      .where('organisation_id', '=', world.organisationId)
      .execute();

  it('follows from no decision on a charge of which nothing can follow', async () => {
    await test.db.insertInto('charge').values(chargeRow()).execute();
    await test.db
      .insertInto('order_record')
      .values(orderRow({ subscriptions: [] }) as never)
      .execute();
    await world.open({ alertId: A });
    await decided();
    expect(await due()).toEqual([]);
  });

  it.each([
    ['a subscription of the order', { subscriptions: [{ reference_id: 's' }] }],
    ['an order that is sealed', 'sealed:k1:AAAA'],
  ])('follows where there is %s', async (_name, body) => {
    await test.db.insertInto('charge').values(chargeRow()).execute();
    await test.db
      .insertInto('order_record')
      .values(orderRow(body) as never)
      .execute();
    await world.open({ alertId: A });
    expect(await due()).toEqual([{ alert_id: A }]);
  });

  it('follows from what an earlier decision named', async () => {
    await world.open({ alertId: A });
    await decided([{ kind: 'notify', text: 'x' }]);
    await test.db.deleteFrom('side_action_due').execute();
    await decided();
    expect(await due()).toEqual([{ alert_id: A }]);
  });

  it('follows where the charge is named after the decision, in the same transaction', async () => {
    await test.db.insertInto('charge').values(chargeRow(SUBSCRIBED)).execute();
    await world.open({ alertId: A, chargeReference: null });
    expect(await due()).toEqual([]);
    await inTransaction(test.db, async (trx) => {
      await decided([], false, trx);
      await trx
        .updateTable('alert_case')
        .set({ charge_reference: 'ch_1' })
        .where('organisation_id', '=', world.organisationId)
        .where('alert_id', '=', A)
        .execute();
    });
    expect(await due()).toEqual([{ alert_id: A }]);
  });
});

describe('nothing is done', () => {
  it('in shadow mode, nor later when the mode is left', async () => {
    await open([{ kind: 'notify', text: 'x' }]);
    await sideActions({ shadow: true }).runOnce();
    await sideActions().runOnce();
    expect(cancelled).toEqual([]);
    expect(await states()).toEqual([]);
  });

  it('about a decision taken in shadow', async () => {
    await open([{ kind: 'stop_fulfilment' }], true);
    await sideActions().runOnce();
    // The saga world's own decision is a live one without wishes: only the rule about fraud speaks.
    expect(await states()).toEqual(['cancel_subscription DONE']);
  });

  it('while money is stopped; it is done afterwards', async () => {
    await open();
    await pauseMoney(test.db, { ...by(), reason: '' });
    await sideActions().runOnce();
    expect(cancelled).toEqual([]);
    await resumeMoney(test.db, by());
    await sideActions().runOnce();
    expect(cancelled).toHaveLength(1);
  });

  it('while Forestall checks before it acts; it is done afterwards', async () => {
    await open();
    const { organisationId } = world;
    const check = {
      since: now().toISOString(),
      alive: null,
      reason: 'asked',
      waitsFor: '',
    } as const;
    await writeRecoveryCheck(test.db, organisationId, { check, now: now() });
    expect(await sideActions().runOnce()).toBe(0);
    expect(cancelled).toEqual([]);
    await inTransaction(test.db, (trx) => endRecoveryCheck(trx, organisationId, check));
    await sideActions().runOnce();
    expect(cancelled).toHaveLength(1);
  });
});

describe('what the merchant must do', () => {
  const wanted = [{ kind: 'stop_fulfilment' }, { kind: 'block_customer' }];
  const SECRET = 'actions-secret-for-tests';
  let server: Server;
  let call: CallActions;
  let status: number;
  const received: { headers: IncomingMessage['headers']; path: string; body: string }[] = [];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push({ headers: request.headers, path: request.url ?? '', body });
      response.writeHead(status).end();
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
  });
  afterAll(() => {
    server.close();
  });
  beforeEach(() => {
    received.length = 0;
    status = 200;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/actions`;
    call = createActionsCall({ url, secret: SECRET }, world.clock);
  });

  it('is told to it, signed, and the customer is on our own list', async () => {
    await open(wanted);
    await sideActions({ callActions: call, cancelSubscriptions: 'never' }).runOnce();
    expect(await states()).toEqual(['block_customer DONE', 'stop_fulfilment DONE']);
    const bodies = received.map(({ body }) => JSON.parse(body) as unknown);
    expect(bodies).toContainEqual({
      action: 'stop_fulfilment',
      alert_id: A,
      order_reference: 'order-1',
    });
    expect(bodies).toContainEqual({
      action: 'block_customer',
      alert_id: A,
      order_reference: 'order-1',
    });
    const [first] = received;
    const signature = String(first?.headers['x-signature']);
    const atSeconds = Number(/t=(\d+)/.exec(signature)?.[1]);
    const signed = { method: 'POST', pathAndQuery: '/actions', body: first?.body ?? '' };
    expect(signature).toBe(signCall(signed, SECRET, atSeconds));
    expect(first?.headers['idempotency-key']).toMatch(/^sa_/);
    const blocked = await test.db.selectFrom('blocked_customer').selectAll().execute();
    const identities = customerIdentities({
      customerAccountId: null,
      customerEmail: 'ada@example.com',
    });
    expect(blocked.map((row) => [row.organisation_id, row.identity, row.alert_id])).toEqual(
      identities.map((identity) => [world.organisationId, identity, A]),
    );
  });

  it.each([
    [503, 'DUE'],
    [401, 'DUE'],
    [404, 'FAILED'],
  ])('answered with %i it is %s', async (answer, state) => {
    status = answer;
    await open([{ kind: 'stop_fulfilment' }]);
    await sideActions({ callActions: call, cancelSubscriptions: 'never' }).runOnce();
    expect(await states()).toEqual([`stop_fulfilment ${state}`]);
  });

  it('without an endpoint: a person stops the order, and our own list still blocks', async () => {
    await open(wanted);
    await sideActions({ cancelSubscriptions: 'never' }).runOnce();
    expect(await states()).toEqual(['block_customer DONE', 'stop_fulfilment FAILED']);
    expect(await world.notifications('side_action_failed')).toBe(1);
  });
});
