/** Guarantee: clocks of the law are read by date and country; words of adapters are checked, whoever wrote them. */
import { describe, expect, it } from 'vitest';
import { isUsableEvent } from '../../../src/capabilities/signals/event-words.ts';
import type { LegalClock } from '../../../src/capabilities/signals/legal-clock.ts';
import { dueOf, readLegalClocks } from '../../../src/capabilities/signals/legal-clock.ts';
import type { ProcessorEvent } from '../../../src/service/wire/processor-event.ts';

const DAY_MS = 86_400_000;
const claimedAt = new Date('2026-11-22T08:00:00Z');
const days = (clocks: readonly LegalClock[], country: string | null, at = claimedAt) => {
  const { dueAt } = dueOf(clocks, { source: 'WITHDRAWAL', country, claimedAt: at });
  return (dueAt.getTime() - at.getTime()) / DAY_MS;
};

describe('the clock of the law', () => {
  const clocks = readLegalClocks();

  it('gives 14 days in each country of the EU, its economic area and the United Kingdom', () => {
    const countries = clocks.flatMap((clock) => clock.countries);
    // 27 of the Union, three of the economic area, and the United Kingdom; each once.
    expect(new Set(countries).size).toBe(31);
    expect(countries).toHaveLength(31);
    for (const country of countries) expect(days(clocks, country), country).toBe(14);
  });

  it('names its rule, or that it is the house’s own', () => {
    const by = (country: string | null, source: 'WITHDRAWAL' | 'SUPPORT' = 'WITHDRAWAL') =>
      dueOf(clocks, { source, country, claimedAt }).dueBy;
    expect(by('FR')).toBe('EU withdrawal: Directive 2011/83/EU, Article 13(1)');
    expect(by('US')).toBe('house rule');
    expect(by(null)).toBe('house rule');
    expect(by('FR', 'SUPPORT')).toBe('house rule');
  });

  it('goes by the day of the claim, its first and last day included', () => {
    const [base] = clocks;
    const seven = { ...base!, days: 7, valid_from: '2026-11-22', valid_to: '2026-11-30' };
    const dated = [seven];
    expect(days(dated, 'DE', new Date('2026-11-21T23:59:59Z'))).toBe(14);
    expect(days(dated, 'DE', new Date('2026-11-22T00:00:00Z'))).toBe(7);
    expect(days(dated, 'DE', new Date('2026-11-30T23:59:59Z'))).toBe(7);
    expect(days(dated, 'DE', new Date('2026-12-01T00:00:00Z'))).toBe(14);
  });
});

describe('the words of an event', () => {
  const event: ProcessorEvent = {
    ...{ id: 'evt_1', kind: 'captured', chargeReferences: ['ch_1'], amountMinor: 100 },
    ...{ refundReference: null, disputeReference: null, currency: 'EUR', occurredAt: null },
  };

  it.each<[string, Partial<ProcessorEvent>, boolean]>([
    ['are usable', {}, true],
    ['may name no charge', { chargeReferences: [] }, true],
    ['of no id', { id: '' }, false],
    ['of a long id', { id: 'x'.repeat(201) }, false],
    ['with a NUL', { chargeReferences: ['ch\0'] }, false],
    ['with half a character', { refundReference: '\ud800' }, false],
    ['of another kind', { kind: 'sung' as 'captured' }, false],
    ['with half a cent', { amountMinor: 0.5 }, false],
    ['below nothing', { amountMinor: -1 }, false],
    ['in no currency', { currency: 'eur' }, false],
    ['at no moment', { occurredAt: 'soon' }, false],
    ['about too many', { chargeReferences: Array.from({ length: 6 }, () => 'ch') }, false],
  ])('%s', (_name, change, expected) => {
    expect(isUsableEvent({ ...event, ...change })).toBe(expected);
  });
});
