/**
 * Guarantee: deaths around the saga, in the order feed, in a migration and by an orderly stop in the
 * middle of a call lose no refund and no answer, and repeat none.
 *
 * Each x {refund, accept, already refunded} x {one, two workers}. The oracle is the processor's ledger
 * and the service's log of PATCHes.
 */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { migrateToLatest, pendingMigrations } from '../../src/base/db/migrate.ts';
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import type { Work } from '../../src/running/roles/work.ts';
import { createRounds } from '../../src/running/testing/rounds.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { answersTo, MINUTE_MS, outcomeOf, refundCalls } from '../flow/support/books.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { planDeath } from './support/crash.ts';
import type { SagaWorld } from './support/saga-world.ts';
import { createSagaWorld } from './support/saga-world.ts';

afterEach(() => {
  vi.useRealTimers();
  setCrashHook(undefined);
});

const SCENARIOS = ['refund', 'accept', 'already refunded'] as const;
type Scenario = (typeof SCENARIOS)[number];

/** What the books must show in the end: our refund calls that moved money, and the one answer. */
const BOOKS = {
  refund: { calls: 1, action: 'REFUND', state: 'DECLARED_REFUND' },
  accept: { calls: 0, action: 'ACCEPT_DISPUTE', state: 'DECLARED_ACCEPT' },
  'already refunded': { calls: 0, action: 'REFUND', state: 'DECLARED_REFUND' },
} as const;

/** What was sold for a scenario, and the alert about it. */
interface Sold {
  readonly alertId: string;
  readonly chargeReference: string;
  readonly orderReference: string;
}

const A = 'netalrt_a';

async function openIn(world: SagaWorld, scenario: Scenario): Promise<void> {
  if (scenario === 'already refunded') world.processor.supportRefund('ch_1', 5000);
  await world.open({
    alertId: A,
    decision: scenario === 'accept' ? 'ACCEPT_DISPUTE' : 'REFUND',
  });
}

async function expectTheBooks(world: SagaWorld, scenario: Scenario): Promise<void> {
  const { calls, action, state } = BOOKS[scenario];
  expect(world.processor.calls).toHaveLength(calls);
  expect(world.processor.count('ch_1')).toBe(calls);
  expect(world.service.effective(A).map((patch) => patch.action)).toEqual([action]);
  expect(world.service.patches).toHaveLength(1);
  expect(await world.state(A)).toBe(state);
}

describe.each([1, 2])('in the order feed, %i worker(s)', (workers) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ workers });
  });
  afterAll(() => world.close());

  /** One of the workers dies; the others, and a new one in its place, continue. */
  async function dieAt(point: CrashPoint): Promise<void> {
    const [victim, ...others] = world.works;
    const death = planDeath({ db: world.database.db }, { point, manner: 'kill' });
    await world.sandbox.settle();
    // The dead renew no lease: what the victim repeats in the background never comes.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await Promise.race([createRounds(victim!, world.clock)(), death.reached]);
    vi.useRealTimers();
    expect(death.happened()).toBe(true);
    await world.replaceWorkers();
    // The world forgets all its workers at once; those that live come back.
    (world.works as Work[]).push(...others);
  }

  describe.each(['orders.answered', 'orders.created_stored'] as const)('at %s', (point) => {
    const sold = new Map<Scenario, Sold>();
    const refusedReference = `refused-${point}`;

    beforeAll(async () => {
      const { sandbox } = world;
      for (const scenario of SCENARIOS) {
        const product = scenario === 'accept' ? PRODUCTS.bicycle : PRODUCTS.font;
        const { charge, order } = await world.sell(product);
        if (scenario === 'already refunded') sandbox.refundInDashboard(charge.reference);
        const { id: alertId } = sandbox.createAlertFor(charge.reference);
        const orderReference = String(order['reference_id']);
        sold.set(scenario, { alertId, chargeReference: charge.reference, orderReference });
        if (scenario !== 'accept') continue;
        // One order of the batch is refused, so that the batch succeeds in part.
        const refused = { reference_id: refusedReference, integration_id: 'int_of_nobody' };
        await world.recordOrder({ ...order, ...refused });
      }
      await dieAt(point);
      await world.live(2 * MINUTE_MS);
    });

    it.each(SCENARIOS)('%s', async (scenario) => {
      const { alertId, chargeReference, orderReference } = sold.get(scenario)!;
      expect(refundCalls(world, chargeReference)).toBe(BOOKS[scenario].calls);
      expect(answersTo(world, alertId)).toEqual([`${BOOKS[scenario].action} 200`]);
      const outcome = scenario === 'accept' ? 'NOT_REFUNDED' : 'REFUNDED';
      expect(outcomeOf(world, alertId)).toBe(`RESOLVED ${outcome}`);
      const held = [...world.sandbox.state.orders.values()].filter(
        (each) => each.reference_id === orderReference,
      );
      expect(held).toHaveLength(1);
      expect(await stateOfOrder(orderReference)).toBe('CREATED');
      expect(await stateOfOrder(refusedReference)).toBe('REFUSED');
    });
  });

  async function stateOfOrder(reference: string): Promise<string | undefined> {
    const row = await world.database.db
      .selectFrom('order_record')
      .select('state')
      .where('reference_id', '=', reference)
      .executeTakeFirst();
    return row?.state;
  }
});

describe.each([1, 2])('in a migration, %i worker(s) after it', (workers) => {
  let empty: TestDatabase;
  let ends: PromiseSettledResult<string[]>[];

  /** The replica that reaches the twentieth change of the schema loses its connection in it. */
  beforeAll(async () => {
    empty = await createTestDatabase({ template: 'template0' });
    // Unlogged: a count that is written to the log gives the transaction a number, and an index is dropped
    // concurrently only by one that has none.
    await sql`create unlogged sequence public.changes_seen`.execute(empty.db);
    await sql`create function public.die_once() returns event_trigger language plpgsql as $$
      begin
        if nextval('public.changes_seen') = 20 then perform pg_terminate_backend(pg_backend_pid()); end if;
      end $$`.execute(empty.db);
    await sql`create event trigger die_once on ddl_command_start execute function public.die_once()`.execute(
      empty.db,
    );
    ends = await Promise.allSettled([1, 2, 3].map(() => migrateToLatest(empty.db)));
    await sql`drop event trigger die_once`.execute(empty.db);
  });
  afterAll(() => empty.drop());

  it('one of three replicas died, the others completed it, and a rerun has nothing to do', async () => {
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(failures).toEqual([expect.any(Error)]);
    expect(await pendingMigrations(empty.db)).toEqual([]);
    expect(await migrateToLatest(empty.db)).toEqual([]);
  });

  it.each(SCENARIOS)('%s', async (scenario) => {
    const world = createSagaWorld(empty.db);
    await openIn(world, scenario);
    const all = ['w1', 'w2'].slice(0, workers).map((name) => world.worker(name));
    await world.settle(all);
    await expectTheBooks(world, scenario);
  });
});

describe('by an orderly stop in the middle of a call', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Holds the next call to the outside that changes something until the test lets it go. */
  function holdCall(world: SagaWorld, scenario: Scenario) {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const wait = async (): Promise<void> => {
      reached.resolve();
      await gate.promise;
    };
    if (scenario === 'refund') world.processor.beforeRefund = wait;
    const act = world.service.act.bind(world.service);
    if (scenario !== 'refund') {
      world.service.act = async (...call) => {
        await wait();
        return await act(...call);
      };
    }
    return { reached: reached.promise, answer: () => gate.resolve() };
  }

  it.each(SCENARIOS.flatMap((scenario) => [1, 2].map((workers) => ({ scenario, workers }))))(
    '$scenario, $workers worker(s): the call is waited for, its end is written, nothing is held on to',
    async ({ scenario, workers }) => {
      const world = createSagaWorld(database.db);
      await openIn(world, scenario);
      const call = holdCall(world, scenario);
      const [first, ...others] = ['w1', 'w2'].slice(0, workers).map((name) => world.worker(name));
      const loops = first!.start();
      await call.reached;
      let isStopped = false;
      const stop = Promise.all(loops.map((loop) => loop.stop())).then(() => {
        isStopped = true;
      });
      for (const other of others) await other.round();
      expect(isStopped).toBe(false);
      call.answer();
      await stop;
      const { organisationId } = world;
      for (const table of ['alert_case', 'movement'] as const) {
        const held = await database.db
          .selectFrom(table)
          .select('version')
          .where('organisation_id', '=', organisationId)
          .where('lease_owner', '=', 'w1')
          .execute();
        expect(held).toEqual([]);
      }
      await world.settle(others.length === 0 ? [world.worker('w3')] : others);
      await expectTheBooks(world, scenario);
    },
  );
});
