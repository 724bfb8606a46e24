/** A database handle that serves one organisation, and says so to whoever is given it. */
import type { Kysely } from 'kysely';
import { Carried } from './carried.ts';
import type { OpenDatabase } from './connect.ts';
import type { Database } from './database.ts';

class CarriedOrganisation extends Carried {
  readonly organisationId: string;
  constructor(organisationId: string) {
    super();
    this.organisationId = organisationId;
  }
}

/** The same database, whose handle serves one organisation. */
export function forOrganisation(database: OpenDatabase, organisationId: string): OpenDatabase {
  return { ...database, db: database.db.withPlugin(new CarriedOrganisation(organisationId)) };
}

/** The organisation that a handle, or a transaction of it, serves; undefined: it was opened for none. */
export function organisationOf(db: Kysely<Database>): string | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedOrganisation)
    ?.organisationId;
}
