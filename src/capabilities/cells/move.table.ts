/** Rows that say where an organisation is, or is going: see `migrations/0033_cells.sql`. */
import type { RowOf } from '../../base/db/described-table.ts';
import { defaultedFlag, describeTable, json, moment, text } from '../../base/db/described-table.ts';

/** At the installation that it leaves. */
export type LeavingState = 'COPYING' | 'CLOSING' | 'CLOSED' | 'VERIFIED' | 'SWITCHED' | 'FORGOTTEN';

/** At the installation to which it goes. */
export type ArrivingState = 'ARRIVING' | 'ARRIVED';

export interface TableTotal {
  readonly rows: number;
  /** Empty at the target: copied once. */
  readonly checksum: string;
}

export const organisationMove = describeTable({
  name: 'organisation_move',
  purpose: 'where an organisation is that moves, or has moved',
  keep: 'ledger',
  columns: {
    direction: text<'OUT' | 'IN'>(),
    state: text<LeavingState | ArrivingState>(),
    move_id: text(),
    other: text(),
    forward_url: text().nullable,
    offsets: json<Readonly<Record<string, number>>>(),
    tables: json<Readonly<Record<string, TableTotal>>>(),
    has_returned: defaultedFlag(),
    holder: text().nullable,
    held_until: moment().nullable,
    started_at: moment(),
    changed_at: moment(),
  },
});

declare module '../../base/db/database.ts' {
  interface Database {
    organisation_move: RowOf<typeof organisationMove>;
  }
}

export type OrganisationMoveTable = RowOf<typeof organisationMove>;
