/**
 * Which table holds what, why, for how long, and in which columns data about a person can be.
 *
 * The list is complete: a test compares it with the database, so a new column of text, JSON or bytes
 * has to be placed here before it can be committed. Erasure works from it.
 */
import { entryOf } from '../../base/db/described-table.ts';
import type { TableEntry } from '../../base/db/table-entry.ts';
import { CAPABILITY_TABLES } from '../../capabilities/index.ts';
import { CASE_TABLES } from './inventory-cases.ts';
import { OPERATION_TABLES } from './inventory-operation.ts';
import { RECEIVED_TABLES } from './inventory-received.ts';

/** Every table of ours, by name. The organisation's id is in each and is not listed. */
export const INVENTORY: Readonly<Record<string, TableEntry>> = {
  ...RECEIVED_TABLES,
  ...CASE_TABLES,
  ...OPERATION_TABLES,
  ...Object.fromEntries(CAPABILITY_TABLES.map((table) => [table.name, entryOf(table)])),
};

/** A column in which data about a person can be. */
export interface PersonalColumn {
  readonly table: string;
  readonly column: string;
  readonly kind: TableEntry['personal'][string];
}

export function personalColumns(): readonly PersonalColumn[] {
  return Object.entries(INVENTORY).flatMap(([table, { personal }]) =>
    Object.entries(personal).map(([column, kind]) => ({ table, column, kind })),
  );
}
