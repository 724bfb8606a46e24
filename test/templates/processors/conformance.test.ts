/** Guarantee: the conformance suite catches every way of breaking the port that it names. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  PROCESSOR_CHECKS,
  runProcessorConformance,
} from '../../../src/running/verify/processor-conformance.ts';
import { refundIn } from '../../../src/running/verify/refund-checks.ts';
import type { Processor, RefundOutcome } from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';
import type { ProcessorEvents } from '../../../src/service/wire/processor-event.ts';
import { createStripeEvents } from '../../../templates/processors/stripe/events.ts';
import { createStripeProcessor } from '../../../templates/processors/stripe/processor.ts';
import type { StripeFake } from './fakes/stripe-fake.ts';
import { startStripeFake } from './fakes/stripe-fake.ts';

let fake: StripeFake;
beforeEach(() => {
  fake = startStripeFake();
});
afterEach(() => fake.provider.stop());

const sound = createStripeProcessor({ secretKey: 'sk_test_1' });

/** Runs the named checks only, and returns the names of those that failed. */
async function failing(processor: Processor, names: readonly string[]): Promise<string[]> {
  const checks = PROCESSOR_CHECKS.filter(({ name }) => names.includes(name));
  expect(checks).toHaveLength(names.length);
  const { fixture } = fake;
  const report = await runProcessorConformance({ processor, fixture }, { checks });
  return report.results.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
}

function changeOutcome(change: (outcome: RefundOutcome) => RefundOutcome): Processor {
  return {
    ...sound,
    refund: async (request, signal) => change(await sound.refund(request, signal)),
  };
}

function inFlight(): Processor {
  const keys = new Set<string>();
  return {
    ...sound,
    refund: async (request, signal) => {
      if (keys.has(request.idempotencyKey))
        return { kind: 'rejected', failureCode: 'in_use', failureClass: 'retry' };
      keys.add(request.idempotencyKey);
      return await sound.refund(request, signal);
    },
  };
}

const DEFECTS: readonly [string, () => Processor, readonly string[]][] = [
  [
    'calls a missing answer a refusal',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'unknown'
          ? { kind: 'rejected', failureCode: 'error', failureClass: 'retry' }
          : outcome,
      ),
    [
      'refund.aborted',
      'fault.http_500_after_refund',
      'fault.http_409_before_refund',
      'fault.truncated_after_refund',
      'fault.connection_lost_after_refund',
      'fault.no_answer_before_refund',
    ],
  ],
  [
    'calls a missing answer a confirmation',
    () => ({
      ...sound,
      refund: async (request, signal) => {
        const outcome = await sound.refund(request, signal);
        if (outcome.kind !== 'unknown') return outcome;
        const { idempotencyKey, chargeReference, amountMinor, currency } = request;
        const shown = { idempotencyKey, chargeReference, amountMinor, currency };
        const rest = { reference: 're_x', failureCode: null, createdAt: null };
        return { kind: 'confirmed', refund: { ...shown, ...rest, status: 'succeeded' } };
      },
    }),
    ['refund.aborted', 'fault.html_before_refund', 'fault.no_answer_before_refund'],
  ],
  [
    'makes up a new key for every call',
    () => ({
      ...sound,
      refund: (request, signal) =>
        sound.refund({ ...request, idempotencyKey: fake.fixture.newKey() }, signal),
    }),
    [
      'refund.same_key_once',
      'refund.same_key_at_once',
      'refund.found_by_key',
      'fault.http_500_after_refund',
    ],
  ],
  [
    'makes the amount part of the key',
    () => ({
      ...sound,
      refund: (request, signal) =>
        sound.refund(
          { ...request, idempotencyKey: `${request.idempotencyKey}${request.amountMinor}` },
          signal,
        ),
    }),
    ['refund.same_key_other_amount'],
  ],
  [
    'takes a second refund of one amount for the first',
    () => {
      let first: RefundOutcome | undefined;
      return {
        ...sound,
        refund: async (request, signal) => {
          first ??= await sound.refund(request, signal);
          const refund = refundIn(first);
          if (refund === undefined || refund.chargeReference !== request.chargeReference) {
            first = await sound.refund(request, signal);
            return first;
          }
          const { idempotencyKey } = request;
          return { kind: 'confirmed', refund: { ...refund, idempotencyKey } };
        },
      };
    },
    ['refund.two_keys'],
  ],
  ['refuses a key that is in use', inFlight, ['refund.same_key_once', 'refund.same_key_at_once']],
  [
    'takes an unreadable look-up for absence',
    () => ({
      ...sound,
      findRefund: async (request, signal) => {
        const answer = await sound.findRefund(request, signal);
        return answer.kind === 'unavailable' ? { kind: 'absent' } : answer;
      },
    }),
    ['fault.http_503_while_reading', 'fault.connection_lost_while_reading'],
  ],
  [
    'takes a failed search for an empty one',
    () => ({
      ...sound,
      searchCharges: async (query, signal) => {
        const answer = await sound.searchCharges(query, signal);
        return answer.kind === 'unavailable' ? { kind: 'found', value: [] } : answer;
      },
    }),
    ['fault.http_503_while_reading'],
  ],
  [
    'throws instead of answering unavailable',
    () => ({
      ...sound,
      readCharge: async (reference, signal) => {
        const answer = await sound.readCharge(reference, signal);
        if (answer.kind === 'unavailable') throw new Error(answer.reason);
        return answer;
      },
    }),
    ['fault.html_while_reading'],
  ],
  [
    'finds whatever it is asked for',
    () => ({
      ...sound,
      readCharge: async () => sound.readCharge((await fake.fixture.captured()).reference),
    }),
    ['charge.absent', 'charge.read'],
  ],
  [
    'does not subtract refunds',
    () => ({
      ...sound,
      readCharge: async (reference, signal) => {
        const answer = await sound.readCharge(reference, signal);
        if (answer.kind !== 'found') return answer;
        const refundableMinor = answer.value.amountMinor;
        return { kind: 'found', value: { ...answer.value, refundableMinor } };
      },
    }),
    ['refund.remainder', 'refund.whole'],
  ],
  [
    'shows refunds as they began',
    () => ({
      ...sound,
      readCharge: async (reference, signal) => {
        const answer = await sound.readCharge(reference, signal);
        if (answer.kind !== 'found') return answer;
        const refunds = answer.value.refunds.map((r) => ({ ...r, status: 'pending' as const }));
        return { kind: 'found', value: { ...answer.value, refunds } };
      },
    }),
    ['refund.settles', 'refund.fails_later'],
  ],
  [
    'hides disputes',
    () => ({
      ...sound,
      readCharge: async (reference, signal) => {
        const answer = await sound.readCharge(reference, signal);
        if (answer.kind !== 'found') return answer;
        return { kind: 'found', value: { ...answer.value, disputed: false } };
      },
    }),
    ['charge.disputed'],
  ],
  [
    'shows another amount than was refunded',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'confirmed'
          ? { ...outcome, refund: { ...outcome.refund, amountMinor: 1 } }
          : outcome,
      ),
    ['refund.partial'],
  ],
  [
    'confirms what was refused',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'rejected'
          ? {
              kind: 'confirmed',
              refund: {
                reference: 're_x',
                idempotencyKey: null,
                chargeReference: 'ch_x',
                status: 'succeeded',
                failureCode: null,
                amountMinor: 1,
                currency: 'USD',
                createdAt: null,
              },
            }
          : outcome,
      ),
    ['refund.above_remainder', 'refund.unknown_charge'],
  ],
  [
    'searches by nothing',
    () => ({
      ...sound,
      searchCharges: async (_query, signal) =>
        sound.searchCharges({ amountMinor: 1000, currency: 'USD' }, signal),
    }),
    ['charge.search_without_match', 'charge.search_by_reference'],
  ],
  [
    'finds a refund under any key',
    () => ({
      ...sound,
      findRefund: async (request, signal) => {
        const answer = await sound.readCharge(request.chargeReference, signal);
        const first = answer.kind === 'found' ? answer.value.refunds[0] : undefined;
        return first === undefined ? { kind: 'absent' } : { kind: 'found', value: first };
      },
    }),
    ['refund.unused_key_not_found'],
  ],
  [
    'proves absence without offering look-ups',
    () => ({
      ...sound,
      capabilities: () => Promise.resolve(CAUTIOUS_CAPABILITIES),
      findRefund: () => Promise.resolve({ kind: 'absent' }),
    }),
    ['refund.found_by_key'],
  ],
  [
    'voids by refunding',
    () => ({
      ...sound,
      voidCharge: async (chargeReference, idempotencyKey, signal) => {
        const request = { idempotencyKey, chargeReference, alertId: 'a', reason: 'r' };
        await sound.refund({ ...request, amountMinor: 1000, currency: 'USD' }, signal);
        return 'voided';
      },
    }),
    ['void.captured', 'void.authorised', 'void.unknown_charge'],
  ],
  [
    'calls every subscription cancelled',
    () => ({ ...sound, cancelSubscription: () => Promise.resolve('cancelled') }),
    ['subscription.unknown'],
  ],
  [
    'cannot cancel twice',
    () => {
      const cancelled = new Set<string>();
      return {
        ...sound,
        cancelSubscription: (reference) => {
          const again = cancelled.has(reference);
          cancelled.add(reference);
          return Promise.resolve(again ? 'rejected' : 'cancelled');
        },
      };
    },
    ['subscription.cancel'],
  ],
  [
    'states no numbers',
    () => ({
      ...sound,
      capabilities: () =>
        Promise.resolve({ ...CAUTIOUS_CAPABILITIES, idempotencyTtlHours: Number.NaN }),
    }),
    ['capabilities.stated'],
  ],
  [
    'calls every refusal final',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'rejected' ? { ...outcome, failureClass: 'final' } : outcome,
      ),
    ['refusal.refunded_before', 'refusal.unknown_charge'],
  ],
  [
    'calls every refusal done',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'rejected' ? { ...outcome, failureClass: 'done' } : outcome,
      ),
    ['refusal.unknown_charge', 'refusal.disputed'],
  ],
  [
    'calls every refusal unknown',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'rejected' ? { kind: 'unknown', reason: 'HTTP 400' } : outcome,
      ),
    ['refusal.refunded_before', 'refusal.unknown_charge', 'refusal.disputed'],
  ],
  [
    'forgets the class of a refusal',
    () =>
      changeOutcome((outcome) =>
        outcome.kind === 'rejected'
          ? ({ kind: 'rejected', failureCode: outcome.failureCode } as RefundOutcome)
          : outcome,
      ),
    ['refusal.refunded_before', 'refusal.unknown_charge', 'refusal.disputed'],
  ],
  [
    'takes an outage for the most cautious abilities',
    () => ({
      ...sound,
      capabilities: async (signal) => {
        const answer = await sound.readCharge(fake.fixture.absentReference, signal);
        return answer.kind === 'unavailable'
          ? CAUTIOUS_CAPABILITIES
          : await sound.capabilities(signal);
      },
    }),
    ['capabilities.unanswered'],
  ],
  [
    'throws when it is given up',
    () => ({
      ...sound,
      refund: async (request, signal) => {
        signal.throwIfAborted();
        return await sound.refund(request, signal);
      },
    }),
    ['refund.aborted'],
  ],
];

describe('a processor that', () => {
  it.each(DEFECTS)('%s fails', { timeout: 30_000 }, async (_defect, make, names) => {
    expect(await failing(make(), names)).toEqual(
      PROCESSOR_CHECKS.map(({ name }) => name).filter((name) => names.includes(name)),
    );
  });
});

it('finds nothing wrong with a sound one in the checks that the defects fail', {
  timeout: 60_000,
}, async () => {
  const names = new Set(DEFECTS.flatMap(([, , failed]) => failed));
  expect(await failing(sound, [...names])).toEqual([]);
});

it('reports names, counts and reasons as data', async () => {
  const { captured, absentReference, newKey } = fake.fixture;
  const names = ['capabilities.stated', 'void.authorised'];
  const checks = PROCESSOR_CHECKS.filter(({ name }) => names.includes(name));
  const seen: string[] = [];
  const report = await runProcessorConformance(
    { processor: sound, fixture: { captured, absentReference, newKey } },
    { checks, onResult: ({ name }) => seen.push(name) },
  );
  expect(report).toMatchObject({ processor: 'Stripe', passed: 1, failed: 0, skipped: 1 });
  expect(report.results[1]).toEqual({
    name: 'void.authorised',
    guarantee: 'An authorised charge is voided, or voiding is not offered.',
    verdict: 'skipped',
    details: ['the fixture makes no authorisations'],
  });
  expect(seen).toEqual(names);
});

it('has checks with names of their own', () => {
  const names = PROCESSOR_CHECKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('webhooks', () => {
  const SECRET = 'whsec_0123456789abcdef';
  const events = createStripeEvents({ signingSecrets: [SECRET] });
  const names = ['events.unsigned_refused', 'events.genuine_only'];
  const signedEvent = async () => {
    const object = { object: 'charge', id: 'ch_1', amount_captured: 500, currency: 'eur' };
    const raw = Buffer.from(
      JSON.stringify({ id: 'evt_1', type: 'charge.captured', data: { object } }),
    );
    const seconds = Math.floor(Date.now() / 1_000);
    const digest = createHmac('sha256', SECRET).update(`${seconds}.`).update(raw).digest('hex');
    return { raw, headers: { 'stripe-signature': `t=${seconds},v1=${digest}` } };
  };
  const verdicts = async (with_: Partial<ProcessorEvents>) => {
    const processor = { ...sound, events: { ...events, ...with_ } };
    const checks = PROCESSOR_CHECKS.filter(({ name }) => names.includes(name));
    const fixture = { ...fake.fixture, signedEvent };
    const report = await runProcessorConformance({ processor, fixture }, { checks });
    return report.results.map(({ verdict }) => verdict);
  };

  it.each<[string, Partial<ProcessorEvents>, string[]]>([
    ['sound', {}, ['passed', 'passed']],
    [
      'believed whoever sends',
      { admits: () => true, verify: () => ({ kind: 'genuine' }) },
      ['failed', 'failed'],
    ],
    ['never believed', { verify: () => ({ kind: 'forged' }) }, ['passed', 'failed']],
    ['that say nothing', { read: () => [] }, ['passed', 'failed']],
  ])('%s', async (_name, broken, expected) => {
    expect(await verdicts(broken)).toEqual(expected);
  });

  it('are not asked about where none are taken', async () => {
    const checks = PROCESSOR_CHECKS.filter(({ name }) => names.includes(name));
    const { fixture } = fake;
    const report = await runProcessorConformance({ processor: sound, fixture }, { checks });
    expect(report.results.map(({ verdict }) => verdict)).toEqual(['skipped', 'skipped']);
  });
});
