/**
 * Guarantee: whatever the service answers, a charge is refunded once, its alert is answered once and
 * truly, and contradictions reach a person (faults F58 to F66, F70).
 */
import { describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { FaultRule } from '../../src/sandbox/fault-rule.ts';
import type { World, WorldOptions } from '../support/world.ts';
import { useWorld as useFlowWorld } from '../support/world.ts';
import {
  answersTo,
  HOUR_MS,
  MINUTE_MS,
  outcomeOf,
  refundCalls,
  told,
  toldKinds,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const NOTHING = { count: 0, sumMinor: 0 };
const GET_ALERT = 'GET /v1/alerts/{alert_id}';
const PATCH_ALERT = 'PATCH /v1/alerts/{alert_id}';
/** Reading, listing and answering alerts. */
const ALERT_CALLS = '* /v1/alerts*';

let world: World;

const useWorld = (options: WorldOptions = {}): void =>
  useFlowWorld((opened) => {
    world = opened;
  }, options);

interface Disputed {
  readonly reference: string;
  readonly alertId: string;
}

/** An alert on a new charge: of 29.00 USD (the policy refunds), or of a bicycle (it accepts). */
async function alertOn(
  product: 'font' | 'bicycle' = 'font',
  fields: { readonly deadline_hours?: number } = {},
): Promise<Disputed> {
  const { charge } = await world.sell(PRODUCTS[product]);
  const { id: alertId } = world.sandbox.createAlertFor(charge.reference, fields);
  return { reference: charge.reference, alertId };
}

describe('an answer whose reply is lost', () => {
  useWorld({ callTimeoutMs: 400 });

  it.each<[string, Omit<FaultRule, 'on'>]>([
    ['the connection broke after it took effect (F61)', { kind: 'drop_after' }],
    ['500 was answered after it took effect', { kind: 'status_after', status: 500 }],
    ['the reply is a page of HTML', { kind: 'malformed' }],
    ['half of the reply arrived', { kind: 'truncated' }],
  ])('because %s is seen by reading, and not given again', async (_, fault) => {
    world.sandbox.addFault({ on: PATCH_ALERT, ...fault });
    const { reference, alertId } = await alertOn();
    await world.drain();
    await world.advance(2 * MINUTE_MS);

    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.arrivals.count(PATCH_ALERT, alertId)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });

  it.each<[string, Omit<FaultRule, 'on'>]>([
    ['the connection broke before it took effect', { kind: 'drop_before' }],
    ['the service answered 502', { kind: 'status', status: 502 }],
    ['the service answered 429 (F58)', { kind: 'status', status: 429 }],
    [
      '422 was answered although the alert is open (F63)',
      { kind: 'status', status: 422, code: 'INVALID_ACTION' },
    ],
    ['nobody answered at all (F60)', { kind: 'hang' }],
  ])('because %s is given again after a read', async (_, fault) => {
    world.sandbox.addFault({ on: PATCH_ALERT, ...fault });
    const { reference, alertId } = await alertOn();
    await world.drain();
    await world.advance(5 * MINUTE_MS);

    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.arrivals.count(PATCH_ALERT, alertId)).toBe(2);
    const calls = world.arrivals.all.filter(({ text }) => text.includes(alertId));
    const endpoints = calls.map(({ endpoint }) => endpoint);
    expect(endpoints.slice(endpoints.indexOf(PATCH_ALERT), -1)).toContain(GET_ALERT);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
  });

  it('does not hold up the answers to other alerts (F60)', async () => {
    const stuck = await alertOn();
    world.sandbox.addFault({
      on: '* /v1/alerts/{alert_id}',
      kind: 'hang',
      contains: stuck.alertId,
      rate: 1,
    });
    const others = [await alertOn(), await alertOn()];
    await world.drain();

    for (const { alertId } of others) expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(stuck.reference)).toEqual(NOTHING);
    world.sandbox.faults.clear();
    await world.advance(15 * MINUTE_MS);
    expect(answersTo(world, stuck.alertId)).toEqual(['REFUND 200']);
  });
});

describe('an answer of 200 whose alert is still open', () => {
  let swallowed = 0;
  useWorld({
    // The first PATCH is answered with the alert as it is, and never reaches the service.
    serviceFetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'PATCH' || swallowed > 0) return await fetch(request);
      swallowed += 1;
      return await fetch(request.url, { headers: request.headers });
    },
  });

  it('is not taken for done: the alert is read, and answered again (F62)', async () => {
    const { reference, alertId } = await alertOn();
    await world.drain();
    expect(swallowed).toBe(1);
    expect(await world.stateOf(alertId)).toBe('DECLARE_REFUND');

    await world.advance(2 * MINUTE_MS);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });
});

describe('an alert that somebody else resolves while we refund', () => {
  useWorld();

  it('as refunded, before our answer: refused as answered, the case ends as declared', async () => {
    const { reference, alertId } = await alertOn();
    world.arrivals.onNext('POST /processor/refunds', () => {
      world.sandbox.resolveInDashboard(alertId, 'REFUND', 'by hand');
    });
    await world.drain();

    expect(answersTo(world, alertId)).toEqual(['REFUND 422']);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });

  it('as refunded, in the moment of our answer: 422, and the case ends as declared (F63)', async () => {
    const { alertId } = await alertOn();
    world.arrivals.onNext(PATCH_ALERT, () => {
      world.sandbox.resolveInDashboard(alertId, 'REFUND', 'by hand');
    });
    await world.drain();

    expect(answersTo(world, alertId)).toEqual(['REFUND 422']);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });

  it.each([
    ['before our answer', 'POST /processor/refunds', ['REFUND 422']],
    ['in the moment of our answer', PATCH_ALERT, ['REFUND 422']],
  ] as const)(
    'as a dispute to be accepted, %s: conflict, and a person is called (F63, F65)',
    async (_, endpoint, answers) => {
      const { reference, alertId } = await alertOn();
      world.arrivals.onNext(endpoint, () => {
        world.sandbox.resolveInDashboard(alertId, 'ACCEPT_DISPUTE');
      });
      await world.drain();
      await world.advance(HOUR_MS);

      expect(await world.stateOf(alertId)).toBe('CONFLICT');
      expect(await toldKinds(world, alertId)).toContain('conflict error');
      expect(answersTo(world, alertId)).toEqual(answers);
      expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    },
  );

  it('as refunded, in the moment in which we accept the dispute: conflict (F65)', async () => {
    const { reference, alertId } = await alertOn('bicycle');
    world.arrivals.onNext(PATCH_ALERT, () => {
      world.sandbox.resolveInDashboard(alertId, 'REFUND');
    });
    await world.drain();

    expect(answersTo(world, alertId)).toEqual(['ACCEPT_DISPUTE 422']);
    expect(await world.stateOf(alertId)).toBe('CONFLICT');
    expect(await toldKinds(world, alertId)).toContain('conflict error');
    expect(refundCalls(world, reference)).toBe(0);
  });

  it('as refunded, before we accepted the dispute: closed, nothing is sent', async () => {
    const { reference, alertId } = await alertOn('bicycle');
    world.arrivals.onNext(GET_ALERT, () => {
      world.sandbox.resolveInDashboard(alertId, 'REFUND');
    });
    await world.drain();

    expect(answersTo(world, alertId)).toEqual([]);
    expect(await world.stateOf(alertId)).toBe('CLOSED_REMOTE');
    expect(refundCalls(world, reference)).toBe(0);
  });

  it('before we refund: the last read stops the refund', async () => {
    const { reference, alertId } = await alertOn();
    world.arrivals.onNext(GET_ALERT, () => {
      world.sandbox.resolveInDashboard(alertId, 'ACCEPT_DISPUTE');
    });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);
    expect(await world.stateOf(alertId)).toBe('CLOSED_REMOTE');
  });
});

describe('an alert that is withdrawn', () => {
  useWorld();

  it.each([
    ['between the last read and the refund (F64)', 'POST /processor/refunds', ['REFUND 422']],
    ['in the moment of our answer (F63)', PATCH_ALERT, ['REFUND 422']],
  ] as const)(
    '%s: the refund stands, a person is notified, and nothing more is sent',
    async (_, endpoint, answers) => {
      const { reference, alertId } = await alertOn();
      world.arrivals.onNext(endpoint, () => {
        world.sandbox.invalidateAlert(alertId);
      });
      await world.drain();
      await world.advance(3 * HOUR_MS, HOUR_MS);

      expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
      expect(refundCalls(world, reference)).toBe(1);
      expect(answersTo(world, alertId)).toEqual(answers);
      expect(await world.stateOf(alertId)).toBe('CLOSED_INVALID');
      expect(await toldKinds(world, alertId)).toContain('refund_stands warning');
    },
  );

  it('after we declared it refunded: the case stays closed, nothing is sent', async () => {
    const { reference, alertId } = await alertOn();
    await world.drain();
    world.sandbox.invalidateAlert(alertId);
    await world.drain();
    await world.advance(HOUR_MS);

    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });
});

describe('an alert that the service no longer knows (F70)', () => {
  useWorld();

  it('before the refund: nothing is refunded, a person is notified', async () => {
    const { reference, alertId } = await alertOn();
    world.arrivals.onNext(GET_ALERT, () => {
      world.sandbox.state.alerts.delete(alertId);
    });
    await world.drain();
    await world.advance(HOUR_MS);

    expect(refundCalls(world, reference)).toBe(0);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    expect(await toldKinds(world, alertId)).toContainEqual(expect.stringContaining('case_held'));
  });

  it('after the refund: one answer that finds nothing, and a person is notified', async () => {
    const { reference, alertId } = await alertOn();
    world.arrivals.onNext('POST /processor/refunds', () => {
      world.sandbox.state.alerts.delete(alertId);
    });
    await world.drain();
    await world.advance(HOUR_MS);

    expect(refundCalls(world, reference)).toBe(1);
    expect(world.arrivals.count(PATCH_ALERT, alertId)).toBe(1);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    expect(await toldKinds(world, alertId)).toContainEqual(expect.stringContaining('case_held'));
  });

  it('in the moment of the answer: 404, a person is notified', async () => {
    const { alertId } = await alertOn();
    world.arrivals.onNext(PATCH_ALERT, () => {
      world.sandbox.state.alerts.delete(alertId);
    });
    await world.drain();
    await world.advance(HOUR_MS);

    expect(world.arrivals.count(PATCH_ALERT, alertId)).toBe(1);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    expect(await toldKinds(world, alertId)).toContainEqual(expect.stringContaining('error'));
  });
});

describe('a service that refuses the API key', () => {
  useWorld();

  it.each([
    ['for answers (F66, 403)', { on: PATCH_ALERT, status: 403, code: 'FORBIDDEN' }],
    ['for everything (F66, 401)', { on: ALERT_CALLS, status: 401, code: 'UNAUTHORISED' }],
  ])(
    '%s gets no more refunds until it takes the key again, without a restart',
    async (_, refusal) => {
      const first = await alertOn();
      world.sandbox.addFault({ kind: 'status', rate: 1, ...refusal });
      await world.drain();
      const started = world.clock.nowMs();
      const second = await alertOn();
      const third = await alertOn('font', { deadline_hours: 30 });
      await world.drain();
      await world.advance(60 * MINUTE_MS, 10 * MINUTE_MS);

      expect(refundCalls(world, second.reference) + refundCalls(world, third.reference)).toBe(0);
      expect(answersTo(world, first.alertId)).toEqual([]);
      const alarms = (await told(world)).filter(
        ({ kind, at }) => kind === 'key_refused' && at.getTime() >= started,
      );
      expect(alarms[0]).toMatchObject({ severity: 'error' });
      expect((alarms[0]?.at.getTime() ?? 0) - started).toBeLessThanOrEqual(MINUTE_MS);

      world.sandbox.faults.clear();
      // Asked once a minute; whoever waits then continues, and not by its own plan.
      await world.live(1.5 * MINUTE_MS, 15_000);
      for (const { alertId, reference } of [first, second, third]) {
        expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
        expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
      }
    },
  );
});

describe('a service that is down', () => {
  useWorld();

  it('for six hours: nothing is refunded that could not be declared, alarms come, all is done after it (F59)', async () => {
    const open = [
      await alertOn('font', { deadline_hours: 8 }),
      await alertOn('bicycle', { deadline_hours: 8 }),
      await alertOn('font', { deadline_hours: 48 }),
    ];
    const [urgent] = open;
    world.sandbox.addFault({ on: ALERT_CALLS, kind: 'status', status: 503, rate: 1 });
    await world.drain();
    await world.advance(6 * HOUR_MS, 2 * HOUR_MS);

    expect(world.arrivals.count('POST /processor/refunds')).toBe(0);
    const alarms = (await told(world, urgent?.alertId)).filter(
      ({ kind }) => kind === 'deadline_near',
    );
    expect(alarms.length).toBe(2);

    world.sandbox.faults.clear();
    await world.advance(15 * MINUTE_MS, 5 * MINUTE_MS);
    expect(open.map(({ alertId }) => outcomeOf(world, alertId))).toEqual([
      'RESOLVED REFUNDED',
      'RESOLVED NOT_REFUNDED',
      'RESOLVED REFUNDED',
    ]);
    expect(await toldKinds(world)).not.toContain('missed error');
  });
});

describe('a service that answers 429 for ten minutes', () => {
  useWorld();

  it('is called ever more rarely, and every alert is answered after it (F58)', async () => {
    const open: Disputed[] = [];
    for (const hours of [40, 3, 20, 10])
      open.push(await alertOn('font', { deadline_hours: hours }));
    const startMs = world.clock.nowMs();
    world.sandbox.addFault({ on: ALERT_CALLS, kind: 'status', status: 429, rate: 1 });
    await world.drain();
    while (world.clock.nowMs() < startMs + 10 * MINUTE_MS) await world.advance(2 * MINUTE_MS);
    expect(busiestMinute('GET /v1/alerts/{alert_id}')).toBeLessThanOrEqual(80);
    expect(busiestMinute('GET /v1/alerts')).toBeLessThanOrEqual(80);

    world.sandbox.faults.clear();
    await world.advance(15 * MINUTE_MS, 5 * MINUTE_MS);
    const order = world.sandbox.patchLog.map(({ alert_id: id }) => id);
    expect(new Set(order)).toEqual(new Set(open.map(({ alertId }) => alertId)));
    for (const { reference } of open) {
      expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    }
    expect(await toldKinds(world)).not.toContain('missed error');
  });

  /** Most requests to an endpoint in any 60 seconds. */
  function busiestMinute(endpoint: string): number {
    const moments = world.arrivals.all
      .filter((arrival) => arrival.endpoint === endpoint)
      .map(({ atMs }) => atMs);
    const counts = moments.map(
      (fromMs) => moments.filter((atMs) => atMs >= fromMs && atMs < fromMs + MINUTE_MS).length,
    );
    return Math.max(0, ...counts);
  }
});
