/** Guarantee: a part of a statement that is kept as text says what it said, and no value is ever kept with it. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { keptText } from '../../../src/base/db/kept-text.ts';

it('is the same text, whatever its names hold', () => {
  const part = sql`${sql.ref('c.alert_id')} is not null and ${sql.ref('a"b')} = ${sql.lit("it's")}`;
  const text = `"c"."alert_id" is not null and "a""b" = 'it''s'`;
  const kept = keptText(part);
  expect(kept.toOperationNode()).toMatchObject({ sqlFragments: [text], parameters: [] });
  expect(keptText(sql`(${kept})`).toOperationNode()).toMatchObject({ sqlFragments: [`(${text})`] });
});

it('is refused where it holds a value: the next one would get it too', () => {
  expect(() => keptText(sql`organisation_id = ${'org_1'}`)).toThrow(/values/);
});
