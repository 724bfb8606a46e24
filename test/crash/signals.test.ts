/**
 * Guarantee: a process that dies around an event of the processor or a claim for a refund loses neither, and
 * repeats no money: what was not answered comes again, what was not finished is taken up by another.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { openClaim } from '../../src/capabilities/signals/open-claim.ts';
import type { Work } from '../../src/running/roles/work.ts';
import { createRounds } from '../../src/running/testing/rounds.ts';
import { PROCESSOR_EVENT_SECRET } from '../../src/running/testing/world-wiring.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { MINUTE_MS, outcomeOf } from '../flow/support/books.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { planDeath } from './support/crash.ts';

let world: World;
beforeAll(async () => {
  const url = new URL('../capabilities/signals/signals.yaml', import.meta.url);
  world = await createWorld({ policyPath: url.pathname, workers: 2 });
});
afterAll(() => world.close());
afterEach(() => {
  vi.useRealTimers();
  setCrashHook(undefined);
});

/** One of the workers dies; the other, and a new one in its place, continue. */
async function dieAt(point: CrashPoint): Promise<void> {
  const [victim, ...others] = world.works;
  const death = planDeath({ db: world.database.db }, { point, manner: 'kill' });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await Promise.race([createRounds(victim!, world.clock)(), death.reached]);
  vi.useRealTimers();
  expect(death.happened()).toBe(true);
  await world.replaceWorkers();
  (world.works as Work[]).push(...others);
}

let count = 0;
async function tell(kind: string, reference: string, id?: string): Promise<number> {
  count += 1;
  const body = Buffer.from(
    JSON.stringify({ id: id ?? `pe_${count}`, kind, charge_references: [reference] }),
  );
  const seconds = Math.floor(world.clock.nowMs() / 1_000);
  const url = world.webhookUrl.replace('/webhooks', '/processor-events/http');
  const headers = { 'x-signature': signDelivery(PROCESSOR_EVENT_SECRET, body, seconds) };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

async function withdraw(reference: string): Promise<void> {
  const now = new Date(world.clock.nowMs());
  await openClaim(world.database.db, {
    ...{ organisationId: world.parts.organisationId, source: 'WITHDRAWAL', country: 'DE' },
    ...{
      reference: `w_${reference}`,
      chargeReference: reference,
      note: '',
      openedBy: 'operator:t',
    },
    ...{ amountMinor: 2_900, currency: 'USD', claimedAt: now, now },
  });
}

describe.each([
  'claim.examined',
  'claim.taken',
  'refund.marked_sent',
  'declaration.marked_sent',
] as const)('a withdrawal, at %s', (point) => {
  it('is refunded once', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    await world.drain();
    await withdraw(charge.reference);
    await dieAt(point);
    await world.advance(12 * MINUTE_MS, 4 * MINUTE_MS);
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    const rows = await world.database.db
      .selectFrom('alert_case')
      .select('state')
      .where('charge_reference', '=', charge.reference)
      .execute();
    expect(rows).toEqual([{ state: 'DECLARED_REFUND' }]);
  });
});

describe('an event about a pending refund', () => {
  it('is acted on by another, at event.woken', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.changeProcessor({ async_refunds: true });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    world.sandbox.changeProcessor({ async_refunds: false });
    const [refund] = world.sandbox.state.charges.get(charge.reference)?.refunds ?? [];
    world.sandbox.settleRefund(refund?.reference ?? '', 'succeeded');
    expect(await tell('refund_updated', charge.reference)).toBe(200);
    await dieAt('event.woken');
    await world.advance(12 * MINUTE_MS, 4 * MINUTE_MS);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    const left = await world.database.db
      .selectFrom('processor_event')
      .select('event_id')
      .where('next_action_at', 'is not', null)
      .execute();
    expect(left).toEqual([]);
  });

  it.each(['event.kept', 'event.stored'] as const)('is asked for again, at %s', async (point) => {
    const { charge } = await world.sell(PRODUCTS.font);
    const id = `pe_${point}`;
    setCrashHook((reached) => {
      if (reached === point) throw new Error('died');
    });
    // Nothing is promised that may not stand.
    expect(await tell('captured', charge.reference, id)).toBe(503);
    setCrashHook(undefined);
    expect(await tell('captured', charge.reference, id)).toBe(200);
    const rows = await world.database.db
      .selectFrom('processor_event')
      .select('event_id')
      .where('event_id', '=', id)
      .execute();
    expect(rows).toHaveLength(1);
  });
});
