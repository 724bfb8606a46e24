/** Rows that are locks: see `organisation-lock.store.ts`. */
declare module './database.ts' {
  interface Database {
    organisation_lock: OrganisationLockTable;
  }
}

export interface OrganisationLockTable {
  organisation_id: string;
  name: string;
  /** How often it was taken: what makes each taking a change. */
  taken: number;
}
