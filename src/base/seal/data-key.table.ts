/** Rows about data keys. The keys themselves are in no row. */
import type { Timestamp } from '../db/database.ts';

declare module '../db/database.ts' {
  interface Database {
    data_key: DataKeyTable;
  }
}

export interface DataKeyTable {
  organisation_id: string;
  key_id: string;
  check_value: Buffer;
  first_used_at: Timestamp;
  sealing_at: Timestamp;
}
