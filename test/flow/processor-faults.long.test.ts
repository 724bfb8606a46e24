/**
 * Guarantee: whatever becomes of the processor's answer, a charge is refunded once, and its alert is
 * told so only when that is true (faults F46 to F57).
 */
import { describe, expect, it } from 'vitest';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { FaultRule } from '../../src/sandbox/fault-rule.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import type { World } from '../support/world.ts';
import { useWorld as useFlowWorld } from '../support/world.ts';
import {
  answersTo,
  HOUR_MS,
  MINUTE_MS,
  noteTo,
  outcomeOf,
  refundCalls,
  refundReference,
  toldKinds,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const NOTHING = { count: 0, sumMinor: 0 };
const POST_REFUND = 'POST /processor/refunds';

let world: World;

const useWorld = (options: { sandbox?: SandboxOptions; callTimeoutMs?: number } = {}): void =>
  useFlowWorld((opened) => {
    world = opened;
  }, options);

/** An alert on a new charge of 29.00 USD, which the policy refunds. */
async function alertOnFont(): Promise<Sale['charge'] & { alertId: string }> {
  const { charge } = await world.sell(PRODUCTS.font);
  const { id: alertId } = world.sandbox.createAlertFor(charge.reference);
  return { ...charge, alertId };
}

/** From the next refund request on the processor can be asked nothing. */
function breakReadsAfterRefund(): void {
  world.arrivals.onNext(POST_REFUND, () => {
    world.sandbox.addFault({ on: 'GET /processor/*', kind: 'status', status: 503, rate: 1 });
  });
}

/** The moment from which a request that was never answered can no longer execute unseen: lease, then lifetime. */
const PROVEN_MS = (30 + 60) * 1_000;

describe('a refund whose answer is lost', () => {
  // Long enough that a call nobody disturbs never takes it, on a busy machine either.
  useWorld({ callTimeoutMs: 2_000 });

  it.each<[string, Omit<FaultRule, 'on'>]>([
    ['the connection broke after it was executed (F47)', { kind: 'drop_after' }],
    ['500 was answered after it was executed (F48)', { kind: 'status_after', status: 500 }],
    ['the answer is a page of HTML (F49)', { kind: 'malformed' }],
    ['half of the answer arrived (F49)', { kind: 'truncated' }],
    ['it took longer than we wait (F46)', { kind: 'delay', delay_ms: 3_000 }],
  ])('because %s is found by look-up and never sent again', async (_, fault) => {
    world.sandbox.addFault({ on: POST_REFUND, ...fault });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    expect(answersTo(world, alertId)).toEqual([]);

    // A delayed request executes a second after we gave up, in real time; the others have executed.
    await expect.poll(() => world.sandbox.moneyOut(reference).count, { timeout: 10_000 }).toBe(1);
    await world.advance(2_000);
    await world.advance(MINUTE_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, reference)).toBe(1);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(noteTo(world, alertId)).toBe(`refund ${refundReference(world, reference)}`);
  });

  it.each<[string, Omit<FaultRule, 'on'>]>([
    ['the connection broke before it was executed (F47)', { kind: 'drop_before' }],
    ['the processor answered 500 (F48)', { kind: 'status', status: 500 }],
    ['the processor answered 503 (F48)', { kind: 'status', status: 503 }],
    [
      'the key is in use: 409 (F52)',
      { kind: 'status', status: 409, code: 'idempotency_key_in_use' },
    ],
    ['the processor answered 429', { kind: 'status', status: 429 }],
    ['nobody answered at all (F46)', { kind: 'hang' }],
  ])('because %s is sent again only once it cannot execute any more', async (_, fault) => {
    world.sandbox.addFault({ on: POST_REFUND, ...fault });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(PROVEN_MS - 1_000, 30_000);
    expect(refundCalls(world, reference)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(NOTHING);
    expect(answersTo(world, alertId)).toEqual([]);

    await world.advance(5 * MINUTE_MS);
    expect(refundCalls(world, reference)).toBe(2);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('and executes 45 s later is found then, not sent again (F56)', async () => {
    world.sandbox.addFault({ on: POST_REFUND, kind: 'late', late_ms: 45_000 });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(10 * MINUTE_MS, MINUTE_MS);

    expect(refundCalls(world, reference)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('and executes after it was sent again, against the processor’s word, still moves money once (F56)', async () => {
    world.sandbox.addFault({ on: POST_REFUND, kind: 'late', late_ms: 20 * MINUTE_MS });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(30 * MINUTE_MS, 2 * MINUTE_MS);

    expect(refundCalls(world, reference)).toBe(2);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('is not declared while look-ups fail as well', async () => {
    const { reference, alertId } = await alertOnFont();
    world.sandbox.addFault({ on: POST_REFUND, kind: 'drop_after' });
    breakReadsAfterRefund();
    await world.drain();
    await world.advance(6 * HOUR_MS, HOUR_MS);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(refundCalls(world, reference)).toBe(1);

    world.sandbox.faults.clear();
    await world.advance(2 * HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('while look-ups fail until its key expires is never sent again: a person must look (F51)', async () => {
    const { reference, alertId } = await alertOnFont();
    world.sandbox.addFault({ on: POST_REFUND, kind: 'drop_before' });
    breakReadsAfterRefund();
    await world.drain();
    await world.advance(24 * HOUR_MS - MINUTE_MS, 6 * HOUR_MS);
    expect(await toldKinds(world, alertId)).toContain('refund_unresolved error');

    await world.advance(6 * HOUR_MS);
    expect(refundCalls(world, reference)).toBe(1);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
  });
});

describe('a refund that the processor refuses', () => {
  useWorld();

  /** The demonstration policy's `held` fallback is due two hours before the deadline. */
  const beforeFallback = 45 * HOUR_MS;

  it('for a reason that may pass is tried again, and conceded at the fallback’s moment only (F55)', async () => {
    const fault = { status: 402, code: 'insufficient_balance', rate: 1 };
    world.sandbox.addFault({ on: POST_REFUND, kind: 'status', ...fault });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    expect(await toldKinds(world, alertId)).toContain('case_held warning');
    await world.advance(beforeFallback, 3 * HOUR_MS);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(refundCalls(world, reference)).toBeGreaterThan(5);

    await world.advance(2 * HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(NOTHING);
    expect(answersTo(world, alertId)).toEqual(['ACCEPT_DISPUTE 200']);
  });

  it('and takes an hour later is refunded once, and declared', async () => {
    const fault = { status: 402, code: 'insufficient_balance' };
    world.sandbox.addFault({ on: POST_REFUND, kind: 'status', ...fault });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('because support refunded in full a moment before is declared with support’s reference (F57)', async () => {
    const { reference, alertId } = await alertOnFont();
    let bySupport = '';
    world.arrivals.onNext(POST_REFUND, () => {
      bySupport = world.sandbox.refundInDashboard(reference).reference;
    });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(noteTo(world, alertId)).toBe(`already refunded ${bySupport}`);
  });

  it('because support refunded a part a moment before never pays more than the charge (F57)', async () => {
    const { reference, alertId } = await alertOnFont();
    world.arrivals.onNext(POST_REFUND, () => {
      world.sandbox.refundInDashboard(reference, 1_000);
    });
    await world.drain();
    await world.advance(HOUR_MS);

    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 1, sumMinor: 1_000 });
    expect(answersTo(world, alertId)).not.toContain('REFUND 200');
  });
});

describe('support that refunds while an alert is on its way', () => {
  useWorld();

  it('in full, between the decision and our request: nothing is sent, support’s refund is declared', async () => {
    const { reference, alertId } = await alertOnFont();
    let bySupport = '';
    // The alert is read right before the charge is examined.
    world.arrivals.onNext('GET /v1/alerts/{alert_id}', () => {
      bySupport = world.sandbox.refundInDashboard(reference).reference;
    });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(noteTo(world, alertId)).toBe(`already refunded ${bySupport}`);
  });

  it('in part, between the decision and our request: nothing is sent, a person decides', async () => {
    const { reference, alertId } = await alertOnFont();
    world.arrivals.onNext('GET /v1/alerts/{alert_id}', () => {
      world.sandbox.refundInDashboard(reference, 1_000);
    });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
  });

  it('in full, while our request hangs in the processor: one refund, declared', async () => {
    const { reference, alertId } = await alertOnFont();
    world.sandbox.addFault({ on: POST_REFUND, kind: 'late', late_ms: 30_000 });
    world.arrivals.onNext(POST_REFUND, () => {
      world.sandbox.refundInDashboard(reference);
    });
    await world.drain();
    await world.advance(10 * MINUTE_MS, MINUTE_MS);

    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(noteTo(world, alertId)).toMatch(/^already refunded re_/);
  });

  it('after ours: the processor refuses support, and our refund stays declared', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    const bySupport = world.sandbox.refundInDashboard(reference, 2_900);
    await world.advance(HOUR_MS);

    expect(bySupport.status).toBe('failed');
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });
});

describe('a processor that is down when the alert comes', () => {
  useWorld();

  it('for half an hour: nothing is guessed, and all is done when it is back', async () => {
    world.sandbox.addFault({ on: '* /processor/*', kind: 'status', status: 503, rate: 1 });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(30 * MINUTE_MS, 10 * MINUTE_MS);
    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);

    world.sandbox.faults.clear();
    await world.advance(10 * MINUTE_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('until the deadline: nothing is refunded or accepted blindly, and the miss is told', async () => {
    world.sandbox.addFault({ on: '* /processor/*', kind: 'status', status: 503, rate: 1 });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(46 * HOUR_MS - MINUTE_MS, 23 * HOUR_MS);
    expect(answersTo(world, alertId)).toEqual([]);
    await world.advance(131 * MINUTE_MS, 17 * MINUTE_MS);

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(await toldKinds(world, alertId)).toContainEqual(
      expect.stringContaining('deadline_near'),
    );
    expect(await toldKinds(world, alertId)).toContain('missed error');
  });
});

describe('a processor whose look-ups lag by ten minutes', () => {
  useWorld({ sandbox: { processor: { lookup_lag_seconds: 600 } } });

  it('is not asked for a second refund before the lag is over, although it shows none (F50)', async () => {
    world.sandbox.addFault({ on: POST_REFUND, kind: 'drop_after' });
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(9 * MINUTE_MS, MINUTE_MS);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(refundCalls(world, reference)).toBe(1);

    await world.advance(30 * MINUTE_MS, 5 * MINUTE_MS);
    expect(refundCalls(world, reference)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });
});

describe('a processor without idempotency keys', () => {
  useWorld({ sandbox: { processor: { idempotency_ttl_hours: 0 } } });

  it.each<FaultRule['kind']>(['drop_after', 'drop_before'])(
    'still refunds once when a call ends in %s: the look-up is the proof',
    async (kind) => {
      world.sandbox.addFault({ on: POST_REFUND, kind });
      const { reference, alertId } = await alertOnFont();
      await world.drain();
      await world.advance(10 * MINUTE_MS, 2 * MINUTE_MS);

      expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
      expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    },
  );
});

describe('a processor that settles refunds later', () => {
  useWorld({
    sandbox: { processor: { async_refunds: true }, timing: { refundSettlementMs: HOUR_MS } },
  });

  it('is declared when the refund has settled, not before (F53)', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(50 * MINUTE_MS, 10 * MINUTE_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual([]);

    await world.advance(2 * HOUR_MS, HOUR_MS);
    expect(refundCalls(world, reference)).toBe(1);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('and fails the refund before it was declared: refunded again, and only then declared (F53)', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    const pending = refundReference(world, reference);
    world.sandbox.settleRefund(pending, 'failed', 'account_closed');
    await world.advance(30 * MINUTE_MS, MINUTE_MS);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(await toldKinds(world, alertId)).toContain('refund_reversed error');

    await world.advance(3 * HOUR_MS, HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, reference)).toBe(2);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('and fails the refund two days after it was declared: a person is notified, nothing is taken back (F54)', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(3 * HOUR_MS, HOUR_MS);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    const settled = refundReference(world, reference);
    await world.advance(48 * HOUR_MS, 24 * HOUR_MS);
    world.sandbox.settleRefund(settled, 'failed', 'account_closed');
    await world.advance(25 * HOUR_MS);

    expect(await toldKinds(world, alertId)).toContain('refund_reversed error');
    expect(refundCalls(world, reference)).toBe(1);
    expect(outcomeOf(world, alertId)).toBe('RESOLVED REFUNDED');
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });
});

describe('a refund that never settles', () => {
  useWorld({
    sandbox: {
      processor: { async_refunds: true },
      timing: { refundSettlementMs: 1_000 * HOUR_MS },
    },
  });

  it('is not declared; a person is called before the deadline (F53)', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    await world.advance(47 * HOUR_MS + 46 * MINUTE_MS, 24 * HOUR_MS);

    expect(await toldKinds(world, alertId)).toContain('refund_pending_late error');
    expect(answersTo(world, alertId)).toEqual([]);
    expect(refundCalls(world, reference)).toBe(1);
    await world.advance(HOUR_MS);
    expect(await toldKinds(world, alertId)).toContain('missed error');
    expect(answersTo(world, alertId)).toEqual([]);
  });
});

describe('a processor whose pending refunds count', () => {
  useWorld({ sandbox: { processor: { async_refunds: true, pending_counts: true } } });

  it('is declared at once, and a later failure calls a person', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    world.sandbox.settleRefund(refundReference(world, reference), 'failed', 'account_closed');
    await world.advance(2 * HOUR_MS, HOUR_MS);

    expect(await toldKinds(world, alertId)).toContain('refund_reversed error');
    expect(refundCalls(world, reference)).toBe(1);
  });
});

describe('a processor without voids', () => {
  useWorld({
    sandbox: {
      processor: {
        offers: { search: true, read: true, voids: false, cancellations: true, capabilities: true },
      },
    },
  });

  it('leaves an authorised payment to a person', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    Object.assign(world.sandbox.state.charges.get(charge.reference) ?? {}, {
      status: 'authorised',
    });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(answersTo(world, alert.id)).not.toContain('REFUND 200');
    expect(world.sandbox.state.charges.get(charge.reference)?.status).toBe('authorised');
    expect(await toldKinds(world, alert.id)).toContainEqual(expect.stringContaining('case_held'));
  });
});
