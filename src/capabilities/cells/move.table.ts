/** Rows that say where an organisation is, or is going: see `migrations/0033_cells.sql`. */
import type {
  Defaulted,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    organisation_move: OrganisationMoveTable;
  }
}

/** At the installation that it leaves. */
export type LeavingState = 'COPYING' | 'CLOSING' | 'CLOSED' | 'VERIFIED' | 'SWITCHED' | 'FORGOTTEN';

/** At the installation to which it goes. */
export type ArrivingState = 'ARRIVING' | 'ARRIVED';

export interface OrganisationMoveTable {
  organisation_id: string;
  direction: 'OUT' | 'IN';
  state: LeavingState | ArrivingState;
  move_id: string;
  other: string;
  forward_url: Nullable<string>;
  offsets: Json<Readonly<Record<string, number>>>;
  tables: Json<Readonly<Record<string, TableTotal>>>;
  has_returned: Defaulted<boolean>;
  holder: Nullable<string>;
  held_until: NullableTimestamp;
  started_at: Timestamp;
  changed_at: Timestamp;
}

export interface TableTotal {
  readonly rows: number;
  /** Empty at the target: copied once. */
  readonly checksum: string;
}
