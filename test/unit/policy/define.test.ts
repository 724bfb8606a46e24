/** Guarantee: a policy in TypeScript reaches nothing, remembers nothing, ends in time, and decides nothing when it breaks that. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { DefinedAnswer } from '../../../src/policy/define.ts';
import { definePolicy, POLICY_BUDGET_MS } from '../../../src/policy/define.ts';
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
const told = (body: string): unknown =>
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
    expect(outcomeOf(told('return answer("a function");'))).toBe('a function');
  });
});

describe('it reaches nothing', () => {
  test.each([
    ['process.pid', 'process is not defined'],
    ['require("node:fs")', 'require is not defined'],
    ['fetch("http://127.0.0.1")', 'fetch is not defined'],
    ['setTimeout(() => {}, 0)', 'setTimeout is not defined'],
    ['Promise.resolve(1)', 'Promise is not defined'],
    ['performance.now()', 'performance is not defined'],
    ['console.log(1)', 'console is not defined'],
    ['Intl.DateTimeFormat()', 'Intl is not defined'],
    ['someConstant', 'someConstant is not defined'],
  ])('%s', (expression, message) => {
    expect(outcomeOf(told(`return answer(${expression});`))).toBe(
      `! ${message}: decide may use its arguments only; give what it needs as data`,
    );
  });

  test('not by making code either', () => {
    for (const expression of [
      'answer.constructor("return process")()',
      'facts.constructor.constructor("return process")()',
      '(0, eval)("process")',
    ]) {
      expect(outcomeOf(told(`return answer(${expression});`))).toBe(
        '! Code generation from strings disallowed for this context',
      );
    }
  });

  test('what a closure holds is not there', () => {
    const outside = answerFor('outside');
    expect(outcomeOf(() => outside)).toMatch(/^! outside is not defined: decide may use/);
  });
});

function answerFor(because: string): DefinedAnswer {
  return { outcome: { action: 'ACCEPT_DISPUTE' }, because };
}

describe('the same facts give the same answer', () => {
  test.each([
    ['Date.now()', 'Date.now'],
    ['new Date()', 'new Date()'],
    ['new (new Date(0).constructor)()', 'new Date()'],
    ['Date()', 'Date()'],
    ['Math.random()', 'Math.random'],
  ])('%s is refused', (expression, what) => {
    expect(outcomeOf(told(`return answer(${expression});`))).toBe(
      `! ${what} is not there: a policy gives the same answer for the same facts`,
    );
  });

  test.each([
    'globalThis.seen = (globalThis.seen ?? 0) + 1; return answer(globalThis.seen);',
    'Array.seen = (Array.seen ?? 0) + 1; return answer(Array.seen);',
    'const hidden = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())); hidden.seen = (hidden.seen ?? 0) + 1; return answer(hidden.seen);',
    'const made = Object.getPrototypeOf(function* () {}); made.seen = (made.seen ?? 0) + 1; return answer(made.seen);',
    'facts.seen = (facts.seen ?? 0) + 1; return answer(facts.seen);',
    'data ??= {}; data.seen = (data.seen ?? 0) + 1; return answer(data.seen);',
  ])('it cannot remember: %s', (body) => {
    const policy = definePolicy({ name: 'p', decide: told(body) as Decide });
    const [first, second] = [policy.propose(facts()).because, policy.propose(facts()).because];
    expect(second).toBe(first);
  });
});

describe('it ends in time', () => {
  const endless: Decide = () => {
    for (;;);
  };

  test('an endless loop is ended, and a person is called', () => {
    const decision = decide(definePolicy({ name: 'p', decide: endless }), facts());
    expect(decision).toMatchObject({ action: 'REVIEW', guard: 'policy_error', fallback: null });
    expect(decision.sentence).toContain(
      `the policy failed: decide took longer than ${POLICY_BUDGET_MS} ms and was ended`,
    );
  });

  test('so is an endless pattern', () => {
    expect(outcomeOf(told('return answer(/^(a+)+$/.test("a".repeat(60) + "b"));'))).toBe(
      `! decide took longer than ${POLICY_BUDGET_MS} ms and was ended`,
    );
  });
});

describe('what cannot be a policy is refused', () => {
  test.each<[string, unknown]>([
    ['async', async () => answerFor('x')],
    ['import', told('return import("node:fs");')],
  ])('%s', (_name, decideIt) => {
    expect(outcomeOf(decideIt)).toBe(
      '! "decide" must not import or wait; the words import, async and await are refused anywhere in it.',
    );
  });
  test.each<[string, unknown]>([
    ['bound', answerFor.bind(null, 'x')],
    ['native', Math.max],
    ['a class', class {}],
    [
      'a generator',
      function* (): Generator<number> {
        yield 1;
      },
    ],
    ['nothing', undefined],
  ])('%s', (_name, decideIt) => {
    expect(outcomeOf(decideIt)).toBe(
      '! "decide" must be a plain function, neither a generator, a class nor bound. Write it out.',
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
    expect(outcomeOf(told(`return ${value};`))).toMatch(message);
  });

  test('one minute more before the deadline is enough', () => {
    const body =
      'return { outcome: { action: "REVIEW", fallback: { answer: { action: "REFUND", amount: "full" }, beforeDeadlineMs: 900000 } }, because: "fits" };';
    expect(outcomeOf(told(body))).toBe('fits');
  });
});
