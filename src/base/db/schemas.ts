/**
 * The two schemas in which everything of Forestall lives: its tables and functions in one, the job queue in another.
 * Nothing is created, granted or read outside of them.
 *
 * Statements name no schema. They run under a search path that holds these two and no other, so that a table of the
 * shop's with the same name is never met. Temporary tables come last: without a word they would come first.
 */
import type { KyselyPlugin } from 'kysely';
import { Carried } from './carried.ts';
import type { Db } from './database.ts';

/** Where nothing else is said. */
export const DEFAULT_SCHEMA = 'forestall';

/** Where Forestall lived up to 0.2.0, beside its job queue in {@link FORMER_JOBS_SCHEMA}. */
export const FORMER_SCHEMA = 'public';
export const FORMER_JOBS_SCHEMA = 'pgboss';

/** The job queue takes 50 characters, its suffix included. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;
const RESERVED = /^(?:pg_.*|public|information_schema|pgboss)$/;

/** What is wrong with a name for our schema, to follow its own; undefined: nothing. */
export function schemaFault(name: string): string | undefined {
  if (!SCHEMA_NAME.test(name)) {
    return 'must be a name of up to 40 small letters, digits and underscores, and begin with no digit';
  }
  return RESERVED.test(name) ? 'must be a schema of its own, which nobody else uses' : undefined;
}

/** The job queue's schema, beside ours. */
export function jobsSchemaOf(schema: string): string {
  return schema === FORMER_SCHEMA ? FORMER_JOBS_SCHEMA : `${schema}_jobs`;
}

/** A name as it is written in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The search path of our statements. */
export function searchPathOf(schema: string): string {
  return `${quotedName(schema)}, ${quotedName(jobsSchemaOf(schema))}, pg_temp`;
}

class CarriedSchema extends Carried {
  readonly schema: string;
  constructor(schema: string) {
    super();
    this.schema = schema;
  }
}

/** The plugins of a handle whose tables are in this schema. */
export function carrySchema(schema: string): KyselyPlugin[] {
  return schema === DEFAULT_SCHEMA ? [] : [new CarriedSchema(schema)];
}

/** The schema of a handle's tables. */
export function schemaOf(db: Pick<Db, 'getExecutor'>): string {
  const carried = db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedSchema);
  return carried?.schema ?? DEFAULT_SCHEMA;
}
