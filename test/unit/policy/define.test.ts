/** Guarantee: a policy in TypeScript decides like one in YAML, changes nothing of ours, and decides nothing when its answer cannot be used. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { DefinedAnswer } from '../../../src/policy/define.ts';
import { definePolicy } from '../../../src/policy/define.ts';
import { facts, foundCharge } from '../decide/fixtures.ts';

type Decide = (facts: DecisionFacts, data: never) => DefinedAnswer;

/** What a function that breaks the rules comes to: its `because`, or the failure. */
function outcomeOf(decideIt: unknown): string {
  try {
    return definePolicy({ name: 'p', decide: decideIt as Decide }).propose(facts()).because;
  } catch (error) {
    return `! ${(error as Error).message}`;
  }
}

/** A function with this body, in which `answer(…)` tells what it could see. */
const problemOf = (body: string): unknown =>
  new Function(
    'facts',
    'data',
    `const answer = (because) => ({ outcome: { action: 'ACCEPT_DISPUTE' }, because: String(because) }); ${body}`,
  );

describe('a policy', () => {
  const policy = definePolicy({
    name: 'Shop',
    author: 'jane',
    data: { limitMinor: 5000 },
    held: { answer: { action: 'ACCEPT_DISPUTE' }, beforeDeadlineMs: 3_600_000 },
    decide: (given, { limitMinor }) => {
      const ageMs = Date.parse(given.now) - new Date(given.alert.createdAt ?? '').getTime();
      return (given.alert.amountMinor ?? 0) <= limitMinor
        ? {
            outcome: { action: 'REFUND', amount: 'full' },
            because: `the amount is small and the alert ${ageMs / 3_600_000} hours old`,
            rule: 'small',
            sideActions: [{ kind: 'stop_fulfilment' }, { kind: 'notify', text: null }],
          }
        : { outcome: { action: 'REVIEW', fallback: null }, because: 'it is large' };
    },
  });

  test('decides like one in YAML', () => {
    expect(decide(policy, facts())).toMatchObject({
      action: 'REFUND',
      amountMinor: 2990,
      rule: 'small',
      policyVersion: policy.version,
      sentence:
        'Refund 29.90 USD in full: rule "small" applies, because the amount is small and the alert 8 hours old.',
      sideActions: [{ kind: 'stop_fulfilment' }, { kind: 'notify', text: null }],
    });
    expect(decide(policy, facts({ alert: { amountMinor: 5001 } }))).toMatchObject({
      action: 'REVIEW',
      rule: null,
      guard: null,
      fallback: null,
    });
    const held = decide(policy, facts({ charge: foundCharge({ disputed: true }) }));
    expect(held).toMatchObject({ action: 'REVIEW', guard: 'disputed' });
    expect(held.fallback?.answer).toEqual({ action: 'ACCEPT_DISPUTE' });
  });

  test('is a version by its text, its data and its fallback', () => {
    const body: Decide = () => ({ outcome: { action: 'ACCEPT_DISPUTE' }, because: 'x' });
    const one = definePolicy({ name: 'p', decide: body });
    expect(definePolicy({ name: 'p', decide: body }).version).toBe(one.version);
    expect(definePolicy({ name: 'p', decide: body, data: 1 as never }).version).not.toBe(
      one.version,
    );
    expect(definePolicy({ name: 'q', decide: body }).version).not.toBe(one.version);
    expect(one).toMatchObject({ kind: 'module', held: null, author: null, samePart: 'REVIEW' });
    const again = definePolicy({ name: 'p', decide: body, samePart: 'AGAIN' });
    expect(again).toMatchObject({ samePart: 'AGAIN' });
    expect(again.version).not.toBe(one.version);
    expect(definePolicy({ name: 'p', decide: body, samePart: 'REVIEW' }).version).toBe(one.version);
    expect(policy.source).toContain('limitMinor":5000');
  });

  test('may be written as a method or as a function', () => {
    const holder = {
      decide(): DefinedAnswer {
        return { outcome: { action: 'ACCEPT_DISPUTE' }, because: 'a method' };
      },
    };
    expect(outcomeOf(holder.decide)).toBe('a method');
    expect(outcomeOf(problemOf('return answer("a function");'))).toBe('a function');
  });
});

function answerFor(because: string): DefinedAnswer {
  return { outcome: { action: 'ACCEPT_DISPUTE' }, because };
}

describe('it is a function like any other', () => {
  test('what a closure holds is there', () => {
    const outside = answerFor('outside');
    expect(outcomeOf(() => outside)).toBe('outside');
  });

  test.each([
    'facts.seen = (facts.seen ?? 0) + 1; return answer(facts.seen);',
    'data.seen = (data.seen ?? 0) + 1; return answer(data.seen);',
  ])('what it writes to its arguments stays nowhere: %s', (body) => {
    const policy = definePolicy({ name: 'p', data: {}, decide: problemOf(body) as never });
    const given = facts();
    const before = JSON.stringify(given);
    expect([policy.propose(given).because, policy.propose(given).because]).toEqual(['1', '1']);
    expect(JSON.stringify(given)).toBe(before);
  });

  test('an error decides nothing, and a person is called', () => {
    const broken = problemOf('throw new Error("no such customer");') as Decide;
    const decision = decide(definePolicy({ name: 'p', decide: broken }), facts());
    expect(decision).toMatchObject({ action: 'REVIEW', guard: 'policy_error', fallback: null });
    expect(decision.sentence).toContain('the policy failed: no such customer');
  });

  test('a promise decides nothing, and its failure ends no process', () => {
    const waiting = async () => {
      throw new Error('later');
    };
    expect(outcomeOf(waiting)).toBe(
      '! decide gave a promise: it must not wait. Give what it needs as data.',
    );
  });
});

describe('what has no text is refused, for the text is the version', () => {
  test.each<[string, unknown]>([
    ['bound', answerFor.bind(null, 'x')],
    ['native', Math.max],
    ['nothing', undefined],
  ])('%s', (_name, decideIt) => {
    expect(outcomeOf(decideIt)).toBe(
      '! "decide" must be a function that is written out, neither bound nor built in: its text is the version.',
    );
  });
});

describe('an answer that cannot be used decides nothing', () => {
  test.each([
    ['undefined', /^! decide gave no answer/],
    ['{ outcome: { action: "REFUND", amount: "half" }, because: "x" }', /outcome Invalid input/],
    ['{ outcome: { action: "CANCEL" }, because: "x" }', /outcome Invalid input/],
    ['{ outcome: { action: "ACCEPT_DISPUTE" }, because: "" }', /because/],
    ['{ outcome: { action: "ACCEPT_DISPUTE" }, because: "x", extra: 1 }', /extra/],
    [
      '{ outcome: { action: "REVIEW", fallback: { answer: { action: "REFUND", amount: "full" }, beforeDeadlineMs: 899999 } }, because: "x" }',
      /outcome/,
    ],
    [
      '{ outcome: { action: "ACCEPT_DISPUTE" }, because: "x", sideActions: [{ kind: "fire" }] }',
      /sideActions/,
    ],
  ])('%s', (value, message) => {
    expect(outcomeOf(problemOf(`return ${value};`))).toMatch(message);
  });

  test('one minute more before the deadline is enough', () => {
    const body =
      'return { outcome: { action: "REVIEW", fallback: { answer: { action: "REFUND", amount: "full" }, beforeDeadlineMs: 900000 } }, because: "fits" };';
    expect(outcomeOf(problemOf(body))).toBe('fits');
  });
});
