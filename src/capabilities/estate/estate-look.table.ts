/** Rows of the last look at an estate. */
import type {
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';
import type { EstatePicture } from './estate-picture.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    estate_look: EstateLookTable;
  }
}

export interface EstateLookTable {
  organisation_id: string;
  file: string;
  digest: string;
  tried_at: Timestamp;
  looked_at: NullableTimestamp;
  picture: NullableJson<EstatePicture>;
  problem: Nullable<string>;
}
