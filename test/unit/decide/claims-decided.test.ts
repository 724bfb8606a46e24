/**
 * Guarantee: a rule moves money for a claim only where it names its source; what a customer is owed by law is
 * never left unrefunded by a rule or by silence; and what is owed stays owed after its day.
 */
import { describe, expect, it } from 'vitest';
import { decide, decideFallback } from '../../../src/alerts/decide/decide.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import { definePolicy } from '../../../src/policy/define.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { facts } from './fixtures.ts';

const policy = (rules: string, rest = 'otherwise: { REFUND: full }') =>
  loadPolicy(`name: test\nrules:${rules}\n${rest}\n`, { file: 'test.yaml' });
const EVERY = policy(`
  - name: everything
    when: { currency: [EUR, USD, GBP, JPY] }
    then: REFUND`);
const NAMED = policy(`
  - name: warned
    when: { source: fraud_warning }
    then: REFUND
  - name: withdrawn
    when: { any: [{ source: withdrawal }, { source: support }] }
    then: ACCEPT_DISPUTE`);

const of = (enrolmentType: string, over: Partial<DecisionFacts> = {}): DecisionFacts =>
  facts({ alert: { enrolmentType }, ...over });

describe('a rule that names no source', () => {
  it('is about alerts, and so is "otherwise"', () => {
    expect(decide(EVERY, of('NETA_ALERT'))).toMatchObject({ action: 'REFUND', rule: 'everything' });
    expect(EVERY.sources).toEqual([]);
    for (const source of ['WITHDRAWAL', 'SUPPORT']) {
      expect(decide(EVERY, of(source))).toMatchObject({
        action: 'REVIEW',
        rule: null,
        fallback: null,
      });
    }
    expect(decide(EVERY, of('FRAUD_WARNING'))).toMatchObject({
      action: 'ACCEPT_DISPUTE',
      rule: null,
    });
  });

  it('is not about claims either where another rule names them', () => {
    const both = policy(`
  - name: everything
    when: { currency: [EUR, USD, GBP, JPY] }
    then: REFUND
  - name: large warnings
    when: { source: fraud_warning, amount: { at_least: 100000 EUR } }
    then: REFUND`);
    expect(both.sources).toEqual(['FRAUD_WARNING']);
    expect(decide(both, of('FRAUD_WARNING'))).toMatchObject({
      action: 'ACCEPT_DISPUTE',
      rule: null,
    });
  });

  it('"not" names nothing', () => {
    const not = policy(`
  - name: no alert
    when: { not: { source: alert } }
    then: REFUND`);
    expect(not.sources).toEqual([]);
    expect(decide(not, of('FRAUD_WARNING'))).toMatchObject({ action: 'ACCEPT_DISPUTE' });
  });
});

describe('a rule that names a source', () => {
  it('decides about it, and about no alert', () => {
    expect(decide(NAMED, of('FRAUD_WARNING'))).toMatchObject({ action: 'REFUND', rule: 'warned' });
    expect(decide(NAMED, of('NETA_ALERT'))).toMatchObject({ action: 'REFUND', rule: null });
    expect(decide(NAMED, of('SUPPORT'))).toMatchObject({
      action: 'ACCEPT_DISPUTE',
      rule: 'withdrawn',
    });
  });

  it('never leaves a withdrawal unrefunded, and keeps no fallback that would', () => {
    const held = policy(
      `
  - name: withdrawn
    when: { source: withdrawal }
    then: ACCEPT_DISPUTE`,
      'otherwise: REVIEW\nheld: { fallback: ACCEPT_DISPUTE, at: 6h before deadline }',
    );
    expect(decide(held, of('WITHDRAWAL'))).toMatchObject({
      action: 'REVIEW',
      guard: 'owed_by_law',
      fallback: null,
    });
    const disputed = decide(
      policy(
        `
  - name: withdrawn
    when: { source: withdrawal }
    then: REFUND`,
        'otherwise: REVIEW\nheld: { fallback: ACCEPT_DISPUTE, at: 6h before deadline }',
      ),
      of('WITHDRAWAL', { match: { outcome: 'none', tier: null } }),
    );
    expect(disputed).toMatchObject({ action: 'REVIEW', guard: 'no_charge', fallback: null });
    expect(decideFallback({ action: 'ACCEPT_DISPUTE' }, of('WITHDRAWAL'))).toMatchObject({
      action: 'REVIEW',
      guard: 'owed_by_law',
    });
  });
});

describe('what is owed', () => {
  it('stays owed after its day, and in its last minutes', () => {
    const paid = policy(`
  - name: withdrawn
    when: { source: withdrawal }
    then: REFUND`);
    const base = of('WITHDRAWAL');
    const late = { deadlineAt: new Date(Date.parse(base.now) - 1).toISOString() };
    const close = { deadlineAt: new Date(Date.parse(base.now) + 60_000).toISOString() };
    const alert = { enrolmentType: 'WITHDRAWAL', createdAt: '2026-01-01T00:00:00.000Z' };
    for (const over of [late, close]) {
      expect(decide(paid, facts({ alert, ...over }))).toMatchObject({ action: 'REFUND' });
    }
    expect(decide(EVERY, of('NETA_ALERT', close))).toMatchObject({ guard: 'too_late' });
  });
});

describe('a policy as a function', () => {
  const always = (sources: readonly ('SUPPORT' | 'WITHDRAWAL')[], rule?: string) =>
    definePolicy({
      name: 'always',
      sources,
      data: { rule },
      decide: (_facts, data) => ({
        outcome: { action: 'REFUND', amount: 'full' },
        because: 'always',
        ...(data.rule === undefined ? {} : { rule: data.rule }),
      }),
    });

  it('is asked about the claims that it names, and answers with a rule', () => {
    expect(decide(always([], 'all'), of('SUPPORT')).action).toBe('REVIEW');
    expect(decide(always(['SUPPORT'], 'all'), of('SUPPORT')).action).toBe('REFUND');
    expect(decide(always(['SUPPORT']), of('SUPPORT')).action).toBe('REVIEW');
    expect(decide(always(['SUPPORT'], 'all'), of('WITHDRAWAL')).action).toBe('REVIEW');
  });

  it('is another version with other sources', () => {
    expect(always(['SUPPORT'], 'all').version).not.toBe(always([], 'all').version);
  });
});
