/**
 * Whose rows a statement may see: the second wall between organisations that share a database.
 *
 * Every statement names its organisation, and that is the first wall. The second one is the database's own (row level
 * security, `migrations/wall.sql`): a connection says whose rows it may see, and sees and writes no others, whatever a
 * statement forgets. An installation of one organisation says so once for each connection. One that serves several
 * borrows connections of a pool for one of them at a time: what says for whom travels in front of each lone statement
 * and with the beginning of each transaction, so that nothing stays behind and no round trip is added.
 *
 * With a pool that the embedding program brought it is the same (`borrowed-client.ts`): its sessions hear nothing of it.
 */
import type { Transaction } from 'kysely';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { Carried } from './carried.ts';
import type { OpenDatabase } from './connect.ts';
import type { Database } from './database.ts';
import { ORGANISATION_SETTING } from './session-limits.ts';
import { isActing } from './statement.ts';

/** In the place of an organisation's id: where people are entered who act for several. */
export const ENTERED_FOR_ALL = 'installation';

/** In the place of an organisation: all of them. */
export const ALL_ORGANISATIONS = '*';

/**
 * What acts for all organisations of a database at once, and why it has to. Nothing else may; a test walks through all
 * statements.
 */
export const FOR_ALL_ORGANISATIONS = {
  due_look: 'one statement asks for all organisations what is due, however many there are',
  heartbeat: 'a process lives for every organisation that it serves: one row, not one for each',
  installation_caps:
    'what the installation may send in all is counted over its organisations, under one lock',
  shared_account:
    'organisations that share a processor account see what the others send on a charge, under one lock',
  installation_stop: 'one row stops the refunds of every organisation',
  people: 'people sign in once for all organisations, and which are theirs is found out then',
  overview:
    'the first page and the metrics show every organisation; each statement names those that it is about',
  residence: 'which organisations live elsewhere is asked at once, before any of them is started',
  signs_of_life: 'one statement says for all organisations that somebody looked after them',
  erasure: 'what people wrote for the whole installation may name a customer of any organisation',
  data_keys: 'one statement says for all organisations under which key their process seals',
} as const;

/** A name of that list. */
export type AllOrganisationsReason = keyof typeof FOR_ALL_ORGANISATIONS;

/** Says for whom a handle works. */
class CarriedOrganisation extends Carried {
  readonly organisationId: string;
  constructor(organisationId: string) {
    super();
    this.organisationId = organisationId;
  }
}

/** The same database, whose statements see and write the rows of one organisation and no others. */
export function forOrganisation(database: OpenDatabase, organisationId: string): OpenDatabase {
  const { db, ...rest } = seeing(database, organisationId);
  return { ...rest, db: db.withPlugin(new CarriedOrganisation(organisationId)) };
}

/** Beyond so many a statement's own condition is the wall: the list would be compared with every row. */
const LISTED_MAX = 50;

/** The same database for a look at several organisations together. */
export function forOrganisations(
  database: OpenDatabase,
  organisationIds: readonly string[],
  reason: AllOrganisationsReason,
): OpenDatabase {
  return organisationIds.length > LISTED_MAX
    ? forAllOrganisations(database, reason)
    : seeing(database, organisationIds.join(','));
}

/** The organisation that a handle, or a transaction of it, works for; undefined: it was opened for none. */
export function organisationOf(db: Kysely<Database>): string | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof CarriedOrganisation)
    ?.organisationId;
}

/** The same database for what is in {@link FOR_ALL_ORGANISATIONS}. */
export function forAllOrganisations(
  database: OpenDatabase,
  _reason: AllOrganisationsReason,
): OpenDatabase {
  return seeing(database, ALL_ORGANISATIONS);
}

/** Why several organisations are seen at once, and which. */
export interface Sharing {
  readonly reason: AllOrganisationsReason;
  readonly organisationIds: readonly string[];
}

/** From here to its end the transaction sees the rows of several organisations, and those that belong to all. */
export async function seeOrganisations(
  trx: Transaction<Database>,
  { organisationIds }: Sharing,
): Promise<void> {
  const visibleIds = [...organisationIds, ALL_ORGANISATIONS].join(',');
  await sql`select set_config(${ORGANISATION_SETTING}, ${visibleIds}, true)`.execute(trx);
}

/** The same for a part of it. Where that fails the transaction is over, and with it what it saw. */
export async function amongOrganisations<Result>(
  trx: Transaction<Database>,
  sharing: Sharing,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ before: string | null }>`
    select current_setting(${ORGANISATION_SETTING}, true) as before`.execute(trx);
  await seeOrganisations(trx, sharing);
  const result = await work();
  await sql`select set_config(${ORGANISATION_SETTING}, ${rows[0]?.before ?? ''}, true)`.execute(
    trx,
  );
  return result;
}

/** Connections are borrowed from the same pool, which stays its owner's to close. */
function seeing(database: OpenDatabase, organisation: string): OpenDatabase {
  const pool = poolFor(database.pool, organisation);
  const connect = (): Promise<pg.PoolClient> => pool.connect();
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: stay } }),
    plugins: [...database.db.getExecutor().plugins],
  });
  return { pool, db, close: stay };
}

/** A pool whose connections act for an organisation while they are borrowed. */
export function poolFor(pool: pg.Pool, organisation: string): pg.Pool {
  return poolThrough(
    pool,
    async (): Promise<pg.PoolClient> => borrowFor(await pool.connect(), organisation),
  );
}

/** The same pool, whose connections are borrowed another way. */
export function poolThrough(pool: pg.Pool, connect: () => Promise<pg.PoolClient>): pg.Pool {
  // Its own `query` borrows through `connect` too.
  return Object.create(pool, {
    connect: {
      value: (callback?: ConnectCallback): unknown => {
        if (callback === undefined) return connect();
        connect().then(
          (client) => callback(undefined, client, client.release),
          (error: unknown) => callback(error),
        );
        return undefined;
      },
    },
  });
}

type ConnectCallback = (error?: unknown, client?: pg.PoolClient, done?: unknown) => void;

async function stay(): Promise<void> {
  // The pool is not ours to end.
}

/** A connection that acts for an organisation until it is given back. */
function borrowFor(client: pg.PoolClient, organisation: string): pg.PoolClient {
  if (!isActing(client)) throw new TypeError('The pool is none of ours, and was not borrowed.');
  client.actFor(organisation);
  // The pool makes this function again each time it hands a connection out.
  const giveBack = client.release;
  client.release = (problem): void => {
    client.actFor(undefined);
    giveBack(problem);
  };
  return client;
}
