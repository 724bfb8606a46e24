/**
 * Guarantee: what one network reports twice with the same part of a charge is the policy's to name: one
 * complaint, another, or, where it says nothing, a person's to tell apart.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, caseOf, HOUR_MS, outcomeOf } from './support/books.ts';

const POLICIES = {
  again: 'same-part-again.yaml',
  another: 'same-part-another.yaml',
  review: 'alert-amount.yaml',
} as const;

describe.each(['again', 'another', 'review'] as const)('same_part: %s', (word) => {
  let world: World;
  beforeAll(async () => {
    const url = new URL(`./support/policies/${POLICIES[word]}`, import.meta.url);
    world = await createWorld({ policyPath: url.pathname });
  });
  afterAll(() => world.close());

  /** A charge of 29.00, and two alerts of one network about 9.00 of it, an hour apart. */
  async function twice() {
    const { charge } = await world.sell(PRODUCTS.font);
    const part = { amount_in_cents: 900 };
    const first = world.sandbox.createAlertFor(charge.reference, part);
    await world.drain();
    expect(outcomeOf(world, first.id)).toBe('RESOLVED REFUNDED');
    await world.advance(HOUR_MS);
    const second = world.sandbox.createAlertFor(charge.reference, part);
    await world.drain();
    return { reference: charge.reference, first: first.id, second: second.id };
  }

  it('two alerts about the same part', async () => {
    const { reference, first, second } = await twice();
    const one = await caseOf(world, first);
    const two = await caseOf(world, second);
    const expected = {
      again: { moved: { count: 1, sumMinor: 900 }, isOne: true, answers: ['REFUND 200'] },
      another: { moved: { count: 2, sumMinor: 1_800 }, isOne: false, answers: ['REFUND 200'] },
      review: { moved: { count: 1, sumMinor: 900 }, isOne: false, answers: [] },
    }[word];
    expect(world.sandbox.moneyOut(reference)).toEqual(expected.moved);
    expect(two.dispute_id === one.dispute_id).toBe(expected.isOne);
    expect(answersTo(world, second)).toEqual(expected.answers);
    // Told twice of one complaint, the merchant claims the second alert's price back.
    expect(two.credit_claim).toBe(word === 'again');
  });

  it('a third that no longer fits beside them is a person’s', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const parts = [1_200, 1_200, 1_200];
    const alerts: string[] = [];
    for (const amount_in_cents of parts) {
      alerts.push(world.sandbox.createAlertFor(charge.reference, { amount_in_cents }).id);
      await world.drain();
      await world.advance(HOUR_MS);
    }
    const { count, sumMinor } = world.sandbox.moneyOut(charge.reference);
    expect({ count, sumMinor }).toEqual({
      count: word === 'another' ? 2 : 1,
      sumMinor: word === 'another' ? 2_400 : 1_200,
    });
    const state = await world.stateOf(alerts[2] ?? '');
    expect(state).toBe(word === 'again' ? 'DECLARED_REFUND' : 'HUMAN');
  });
});
