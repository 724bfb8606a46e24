/** Rows of the evidence index: what of a payment can be compared with a later one. */
import type {
  Defaulted,
  Identity,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../base/db/database.ts';

declare module '../base/db/database.ts' {
  interface Database {
    evidence_key: EvidenceKeyTable;
    payment_evidence: PaymentEvidenceTable;
  }
}

export interface EvidenceKeyTable {
  organisation_id: string;
  /** Means the organisation in `payment_evidence`. */
  number: Identity;
  /** Sealed where `key_id` names a data key. */
  secret: Buffer;
  key_id: Nullable<string>;
  made_at: Timestamp;
  filled_to: Defaulted<number>;
  filled_at: NullableTimestamp;
}

/** Hashes use all 64 bits, which no number holds: they are read and written as text. */
export interface PaymentEvidenceTable {
  credential: Nullable<string>;
  account: Nullable<string>;
  email: Nullable<string>;
  ip: Nullable<string>;
  address: Nullable<string>;
  device: Nullable<string>;
  fingerprint: Nullable<string>;
  subscription: Nullable<string>;
  day: string;
  traits: number;
  organisation: number;
  descriptor: Nullable<string>;
  country: Nullable<string>;
  reference: string;
}
