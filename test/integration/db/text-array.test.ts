/** Guarantee: every text arrives as it was, nulls stay nulls, and what PostgreSQL cannot store it refuses. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textArray } from '../../../src/base/db/text-array.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();

async function echo(values: readonly (string | null)[]): Promise<unknown> {
  const { rows } = await database.pool.query('select array_to_json($1::text[]) as back', [
    textArray(values),
  ]);
  return rows[0].back;
}

it('carries any text, quotes, braces, umlauts and emoji included', async () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0'));
  const texts = fc.array(fc.option(text), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      expect(await echo(values)).toEqual(values);
    }),
    { numRuns: 50 },
  );
});

it('carries nothing at all', async () => {
  expect(await echo([])).toEqual([]);
});

it('is refused with a NUL in it, as data and not as a defect of the database', async () => {
  await expect(echo(['a\0b'])).rejects.toMatchObject({ code: '22021' });
});
