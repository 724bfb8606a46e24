/**
 * Guarantee: the reference pages say what the code goes by. Tables are written from it (`npm run reference`),
 * every word has a meaning, and every example is read by the code that reads such a file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readCostModel } from '../../src/alerts/costs/cost-model.ts';
import { readGuards } from '../../src/alerts/guard/guard-settings.ts';
import { parseMatchSettings } from '../../src/alerts/match/settings-file.ts';
import { readOrderFile } from '../../src/orders/import/read-file.ts';
import { assessOrder } from '../../src/orders/readiness.ts';
import { readSubmission } from '../../src/orders/submission.ts';
import { fixtureFromFile } from '../../src/running/verify/charge-source.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import { REFERENCE, tablesIn, withTables } from '../docs/reference.ts';
import { wordsOf } from '../docs/schema-words.ts';
import { TABLES } from '../docs/tables.ts';

const pages = readdirSync(REFERENCE).map((name) => ({
  name,
  text: readFileSync(new URL(name, REFERENCE), 'utf8'),
}));

/** Examples of a kind, from every page. */
function examples(kind: string): string[] {
  return pages.flatMap(({ text }) =>
    [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(
      ([, code = '']) => code,
    ),
  );
}

/** What reads an example in YAML, by its first line. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  '# guards': (text) => readGuards(text, 'example'),
  '# matching': (text) => parseMatchSettings(text, IDENTITY_BRAND_TOKENS),
  '# costs': (text) => readCostModel(text, 'example'),
};

describe('the reference pages', () => {
  it.each(pages)('$name has the tables that the code makes', ({ text }) => {
    expect(withTables(text)).toBe(text);
  });

  it.each(pages)('$name leaves no cell empty', ({ text }) => {
    expect(text.split('\n').filter((line) => /^\|.*\| *\|/.test(line))).toEqual([]);
  });

  it('show every table once', () => {
    const shown = pages.flatMap(({ text }) => tablesIn(text));
    expect(shown.sort()).toEqual(Object.keys(TABLES).sort());
  });

  it('show files that can be read', () => {
    const texts = examples('yaml');
    expect(texts.map((text) => text.split('\n')[0]).sort()).toEqual(Object.keys(READERS).sort());
    for (const text of texts) {
      const [first = ''] = text.split('\n');
      expect(() => READERS[first]?.(text), first).not.toThrow();
    }
  });

  it('show orders and charges that can be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-reference-'));
    try {
      const [orders = '', ...more] = examples('csv');
      const [charges = '', ...others] = examples('json');
      expect([...more, ...others]).toEqual([]);
      await writeFile(join(folder, 'orders.csv'), orders);
      await writeFile(join(folder, 'charges.json'), charges);
      const defaults = { organisationId: 'org_a', integrationId: 'int_a' };
      const read: unknown[] = [];
      for await (const entry of readOrderFile(join(folder, 'orders.csv'), 'csv').entries)
        read.push('order' in entry ? readSubmission(entry.order, defaults) : entry);
      expect(read).toMatchObject([{ ok: true, value: { reference_id: 'R-1001' } }]);
      // The service refuses an order that lacks what it matches alerts by.
      const ready = read.flatMap((one) => assessOrder(Object(one).value).ready);
      expect(ready).toContain('alerts');
      const fixture = await fixtureFromFile(join(folder, 'charges.json'));
      expect(await fixture.captured()).toMatchObject({ amountMinor: 1_000, currency: 'USD' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('hold no block of a kind that nothing reads', () => {
    const kinds = pages.flatMap(({ text }) =>
      [...text.matchAll(/^```(\w+)\n/gm)].map(([, kind]) => kind),
    );
    expect([...new Set(kinds)].sort()).toEqual(['csv', 'json', 'yaml']);
  });
});

describe('the tables', () => {
  it('notice a word that is new, gone, or takes something else', () => {
    const page = '<!-- table: costs -->\n<!-- end -->\n';
    const fresh = withTables(page);
    expect(fresh).toContain('| `win_rate` | number, 0 to 1 | 0.3 |  |');
    const written = fresh.replace('| 0.3 |  |', '| 0.3 | disputes that are won |');
    // What people wrote stays; what the code says is put right.
    expect(withTables(written.replace('0 to 1 | 0.3', '0 to 9 | 0.4'))).toBe(written);
    expect(withTables(written.replace(/^\| `win_rate`.*\n/m, ''))).toBe(fresh);
    expect(withTables(written.replace('`win_rate`', '`wins`'))).toBe(fresh);
    expect(() => withTables('<!-- table: none -->\n<!-- end -->')).toThrow('no table none');
  });

  it('read a schema as a person writes the file', () => {
    const file = z.strictObject({
      name: z.string(),
      when: z
        .union([z.literal('off'), z.strictObject({ hour: z.int().min(0).max(23) })])
        .optional(),
      rows: z.array(z.strictObject({ sum: z.number().min(0).nullish() })).default([]),
    });
    expect(wordsOf(file)).toEqual([
      { word: 'name', takes: 'text', needed: true },
      { word: 'when', takes: '`off`', needed: false },
      { word: 'when.hour', takes: 'whole number, 0 to 23', needed: true },
      { word: 'rows[].sum', takes: 'number, at least 0', needed: false },
    ]);
  });
});
