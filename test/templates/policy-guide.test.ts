/**
 * Guarantee: a person who decides about risk can write a policy from the guide alone: it holds every word of the
 * language, and each policy that it shows passes `forestall policy check` and `forestall policy test` as it stands.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFUND_AMOUNTS } from '../../src/alerts/decide/policy.ts';
import { BOUND_WORDS } from '../../src/policy/bounds.ts';
import { POLICY_FIELDS } from '../../src/policy/fields.ts';
import { policySchema } from '../../src/policy/schema.ts';
import { TEXT_WORDS } from '../../src/policy/text-conditions.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { Left } from '../support/run-in-turn.ts';
import { runInTurn } from '../support/run-in-turn.ts';

const guide = readFileSync(
  new URL('../../templates/guides/writing-a-policy.md', import.meta.url),
  'utf8',
);
const policies = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);
const nameOf = (text: string): string => /^name: (.*)$/m.exec(text)?.[1] ?? '';
/** As a person reads it: each example is an entry of `examples:`, on one line. */
const examplesIn = (text: string): number =>
  text.slice(text.indexOf('\nexamples:')).match(/^ {2}- \{name: /gm)?.length ?? 0;

const folder = mkdtempSync(join(tmpdir(), 'forestall-policy-guide-'));
let left: readonly Left[];
beforeAll(async () => {
  const calls = policies.flatMap((text, place) => {
    const file = `policy-${place}.yaml`;
    writeFileSync(join(folder, file), text);
    return ['check', 'test'].map((verb) => ({ args: ['policy', verb, file], env: {} }));
  });
  left = await runInTurn(calls, { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the policies of the guide', () => {
  it('are a first one and ten more', () => {
    expect(policies.length).toBe(11);
    const headings = guide.match(/^### (\d+)\. /gm) ?? [];
    expect(headings).toHaveLength(10);
  });

  it.each(policies.map((text, place) => [nameOf(text), place] as const))(
    '%s passes check and test, with all its examples',
    (_name, place) => {
      const [checked, tested] = left.slice(2 * place, 2 * place + 2);
      expect(checked?.text).toBeDefined();
      expect(checked?.code, checked?.text).toBe(0);
      expect(tested?.code, tested?.text).toBe(0);
      const count = examplesIn(policies[place] ?? '');
      expect(count).toBeGreaterThan(1);
      expect(tested?.text).toContain(String(count));
    },
  );

  it('would not pass with another outcome', async () => {
    const text = policies[0]?.replace('then: REFUND', 'then: ACCEPT_DISPUTE') ?? '';
    writeFileSync(join(folder, 'broken.yaml'), text);
    const calls = [{ args: ['policy', 'test', 'broken.yaml'], env: {} }];
    const [tested] = await runInTurn(calls, { cwd: folder });
    expect(tested?.code).toBe(1);
    expect(tested?.text).toContain('expected REFUND, got ACCEPT_DISPUTE');
  });
});

describe('the guide holds every word', () => {
  const words = [
    ...[...POLICY_FIELDS.keys()].map((word) => ['a condition', word] as const),
    ...BOUND_WORDS.map((word) => ['a bound', word] as const),
    ...TEXT_WORDS.map((word) => ['a comparison', word] as const),
    ...REFUND_AMOUNTS.map((word) => ['a refund', word] as const),
    ...['REFUND', 'ACCEPT_DISPUTE', 'REVIEW', 'fallback', 'at', 'when_refused', 'accept'].map(
      (word) => ['an outcome', word] as const,
    ),
    ...['cancel_subscription', 'stop_fulfilment', 'block_customer', 'notify'].map(
      (word) => ['an action', word] as const,
    ),
    ...['review', 'again', 'another', 'all', 'any', 'not'].map((word) => ['a word', word] as const),
  ];

  it.each(words)('%s: %s', (_kind, word) => {
    expect(guide).toMatch(new RegExp(`\`[^\`\\n]*\\b${word}\\b[^\`\\n]*\``));
  });

  it('and every key of a policy, a rule and an example', () => {
    const keys = new Set(keysOf(policySchema(IDENTITY_BRAND_TOKENS)));
    for (const key of ['rules', 'otherwise', 'held', 'same_part', 'when', 'then', 'expect']) {
      expect(keys).toContain(key);
    }
    expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(guide))).toEqual([]);
  });
});

/** Every name of a property, however deep. */
function keysOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([word, value]) => [
    ...(word === 'properties' ? Object.keys(value) : []),
    ...keysOf(value),
  ]);
}
