/** One of several organisations, as a value that a column is compared with: one text, however many there are. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { textArray } from './text-array.ts';

export function anyOf(organisationIds: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${textArray(organisationIds)}::text[])`;
}
