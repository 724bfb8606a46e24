/** Guarantee: every text and number arrives as it was, nulls stay nulls, and what PostgreSQL cannot store it refuses. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { float8Array, int4Array, textArray } from '../../../src/base/db/text-array.ts';
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

it('carries numbers of both kinds', async () => {
  const whole = fc.array(fc.integer(), { minLength: 1, maxLength: 20 });
  const any = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(whole, any, async (integers, doubles) => {
      const { rows } = await database.pool.query(
        'select $1::int4[] as whole, $2::float8[] as real',
        [int4Array(integers), float8Array(doubles)],
      );
      expect(rows).toEqual([{ whole: integers, real: doubles }]);
    }),
    { numRuns: 30 },
  );
});

it('carries nothing at all', async () => {
  expect(await echo([])).toEqual([]);
});

it('is refused with a NUL in it, as data and not as a defect of the database', async () => {
  await expect(echo(['a\0b'])).rejects.toMatchObject({ code: '22021' });
});
