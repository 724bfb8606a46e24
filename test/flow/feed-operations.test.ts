/** Guarantee: a person sees what is in the way, and can send again, release and compare, without doing anything twice. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFeedStatus } from '../../src/orders/feed-status.store.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import { parseProgrammes } from '../../src/orders/programme.ts';
import { releaseOrders, replayOrders } from '../../src/orders/replay.ts';
import { registerOrdersCommands } from '../../src/people/cli/orders.ts';
import type { CommandRun } from '../support/run-command.ts';
import { runCommand } from '../support/run-command.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder } from './feed-support.ts';

let world: FeedWorld;
beforeEach(async () => {
  world = await createFeedWorld();
});
afterEach(async () => {
  process.exitCode = undefined;
  await world.close();
});

const programmes = parseProgrammes(['compelling-evidence']);

function status() {
  return readFeedStatus(
    world.database.db,
    world.context.organisationId,
    new Date(world.clock.nowMs()),
  );
}

function request(selection: Parameters<typeof replayOrders>[1]['selection'], dryRun = false) {
  return replayOrders(world.database.db, {
    organisationId: world.context.organisationId,
    selection,
    now: new Date(world.clock.nowMs()),
    actor: 'operator:test',
    dryRun,
  });
}

function noDevice(reference: string) {
  const { device_ip_address: _device, ...order } = makeOrder(reference);
  return order;
}

describe('status', () => {
  it('counts states, finds the oldest, the rate, the last error and readiness', async () => {
    await world.accept([
      makeOrder('A-1'),
      makeOrder('A-2'),
      makeOrder('BAD', { integration_id: 'int_x' }),
    ]);
    await world.deps.orders.findByReferenceId('warm-up');
    await world.drain();
    const drained = await status();
    expect(drained.orders).toEqual({ CREATED: 2, REFUSED: 1 });
    expect(drained.lastError).toMatchObject({ referenceId: 'BAD', code: 'INVALID_INTEGRATION' });
    await acceptOrders({ ...world.context, programmes }, [noDevice('H-1'), makeOrder('A-3')]);
    await world.sandbox.advance(90_000);
    const now = await status();
    expect(now.orders).toEqual({ CREATED: 2, REFUSED: 1, HELD: 1, WAITING: 1 });
    expect(now.oldestWaiting).toEqual({ referenceId: 'A-3', ageSeconds: 90 });
    expect(now.troubles.map(({ state, count }) => [state, count]).sort()).toEqual([
      ['HELD', 1],
      ['REFUSED', 1],
    ]);
    expect(
      now.readiness.find(({ programme }) => programme === 'compelling-evidence'),
    ).toMatchObject({
      orders: 5,
      ready: 4,
      percent: 80,
      mostMissing: { field: 'device_ip_address|device_id|device_fingerprint', orders: 1 },
    });
  });

  it('counts a field once per order, at whatever place of its list it is missing', async () => {
    const refund = (reference_id: string) => ({
      reference_id,
      amount_in_cents: 1,
      currency: 'USD',
    });
    await acceptOrders({ ...world.context, programmes }, [
      makeOrder('R-1', { refunds: [refund('r1'), refund('r2')] }),
      makeOrder('R-2', {
        refunds: [{ ...refund('r3'), refund_datetime: '2026-11-20T00:00:00Z' }, refund('r4')],
      }),
    ]);
    const { readiness } = await status();
    expect(readiness.find(({ programme }) => programme === 'receipt-neta')).toMatchObject({
      mostMissing: { field: 'refunds[].refund_datetime', orders: 2 },
    });
  });

  it('shows orders created within five minutes as a rate', async () => {
    await world.accept(Array.from({ length: 50 }, (_, index) => makeOrder(`A-${index}`)));
    const { createFeedSender } = await import('../../src/orders/feed-sender.ts');
    await createFeedSender(world.deps).runOnce();
    expect((await status()).createdPerMinute).toBe(10);
  });
});

describe('replay', () => {
  it('sends a refused order again once the cause is gone; a dry run only counts', async () => {
    const { integrations } = world.sandbox.seed({
      integrations: [{ type: 'STRIPE', enrichment_enabled: false }],
    });
    const integration = integrations[0]!;
    await world.accept([
      { type: 'PARTIAL', reference_id: 'ch_1', integration_id: integration.id, device_id: 'd' },
      makeOrder('A-1'),
    ]);
    await world.drain();
    expect((await world.row('ch_1')).state).toBe('REFUSED');
    world.sandbox.state.integrations.set(integration.id, {
      ...integration,
      enrichment_enabled: true,
    });
    const expected = { sentAgain: 1, readBack: 0, updates: 0, held: 0, erased: 0 };
    expect(await request({ kind: 'failed' }, true)).toEqual(expected);
    expect((await world.row('ch_1')).state).toBe('REFUSED');
    expect(await request({ kind: 'failed' })).toEqual(expected);
    await world.drain();
    expect((await world.row('ch_1')).state).toBe('CREATED');
  });

  it('reads created orders of a time range back, repairs what differs and re-creates what is gone', async () => {
    await world.accept([makeOrder('A-1'), makeOrder('A-2')]);
    await world.drain();
    const from = new Date(world.clock.nowMs());
    await world.accept([makeOrder('B-1'), makeOrder('B-2')]);
    await world.drain();
    const { order_id } = await world.row('B-1');
    Object.assign(world.sandbox.state.orders.get(order_id!)!.fields, { order_status: 'OTHER' });
    const gone = (await world.row('B-2')).order_id!;
    const record = world.sandbox.state.orders.get(gone)!;
    world.sandbox.state.orders.delete(gone);
    world.sandbox.state.orderByReference.delete(`${record.integration_id} ${record.reference_id}`);
    world.sandbox.state.nestedReferences.clear();
    const to = new Date(world.clock.nowMs() + 1);
    expect(await request({ kind: 'range', from, to })).toMatchObject({ readBack: 2, sentAgain: 0 });
    await world.drain();
    expect(world.held().get('B-1')).toMatchObject({ order_status: 'OPEN_PENDING' });
    expect([...world.held().keys()].sort()).toEqual(['A-1', 'A-2', 'B-1', 'B-2']);
    expect((await world.row('B-2')).order_id).not.toBe(gone);
  });

  it('tries a refused update again', async () => {
    await world.accept([makeOrder('A-1')]);
    await world.drain();
    world.sandbox.addFault({
      on: 'PATCH /v1/orders/{order_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
    });
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    expect(await world.pushes()).toMatchObject([{ state: 'PARKED' }]);
    expect(await request({ kind: 'failed' })).toMatchObject({ updates: 1, sentAgain: 0 });
    await world.drain();
    expect(await world.pushes()).toEqual([]);
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_COMPLETE' });
  });
});

describe('release', () => {
  const release = (anyway: boolean, referenceId?: string) =>
    releaseOrders(world.database.db, {
      organisationId: world.context.organisationId,
      referenceId,
      programmes,
      anyway,
      now: new Date(world.clock.nowMs()),
      actor: 'operator:test',
    });

  it('keeps what is not ready, and sends it when told to', async () => {
    await acceptOrders({ ...world.context, programmes }, [noDevice('H-1'), noDevice('H-2')]);
    await world.drain();
    expect(world.sandbox.state.orders.size).toBe(0);
    expect(await release(false)).toMatchObject({
      released: 0,
      stillHeldCount: 2,
      stillHeld: [{ referenceId: 'H-1', reason: expect.stringContaining('device_id') }, {}],
    });
    expect(await release(true, 'H-1')).toMatchObject({ released: 1, stillHeldCount: 0 });
    await world.drain();
    expect([...world.held().keys()]).toEqual(['H-1']);
    const audit = await world.database.db
      .selectFrom('audit')
      .selectAll()
      .where('subject_id', '=', 'H-1')
      .execute();
    expect(audit).toMatchObject([
      { what: 'order released although not ready', actor: 'operator:test', to_state: 'WAITING' },
    ]);
  });

  it('lets go what the programmes no longer hold', async () => {
    await acceptOrders({ ...world.context, programmes }, [noDevice('H-1')]);
    const result = await releaseOrders(world.database.db, {
      organisationId: world.context.organisationId,
      programmes: parseProgrammes(['alerts']),
      anyway: false,
      now: new Date(world.clock.nowMs()),
      actor: 'operator:test',
    });
    expect(result).toMatchObject({ released: 1, stillHeldCount: 0 });
  });
});

describe('commands', () => {
  async function run(...words: string[]): Promise<CommandRun> {
    const { integrationId } = world.context;
    const close = async (): Promise<void> => undefined;
    const context = { ...world.context, integrationId, programmes, close };
    return await runCommand(
      (program) => registerOrdersCommands(program, async () => context),
      ['orders', ...words],
    );
  }

  it('status prints a table, or JSON', async () => {
    await world.accept([makeOrder('A-1')]);
    const text = await run('status');
    expect(text.out).toMatch(/WAITING\s+1\n/);
    expect(text.out).toMatch(/Compelling evidence \(compelling-evidence\)\s+1\s+1\s+100 %/);
    const json = await run('status', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ orders: { WAITING: 1 } });
  });

  it('replay and release tell apart what was done and what was not', async () => {
    await acceptOrders({ ...world.context, programmes }, [noDevice('H-1')]);
    expect(await run('release', '--all')).toMatchObject({
      status: 1,
      out: expect.stringContaining('1 still held'),
    });
    expect(await run('release', 'H-1', '--anyway')).toMatchObject({
      status: 0,
      out: '1 released, 0 still held.',
    });
    expect((await run('replay', 'nobody')).status).toBe(2);
    expect((await run('replay', 'H-1', '--dry-run')).out).toContain('Would send 1 order and');
  });

  it.each([[['replay']], [['replay', 'A', '--failed']], [['release']], [['lint']]])(
    '%j is a usage error',
    async (words) => {
      expect((await run(...words)).status).toBe(2);
    },
  );
});
