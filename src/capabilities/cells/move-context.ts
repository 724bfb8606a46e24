/** What the steps of a move are given, and what every one of them relies on. */
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { DescribedTable } from '../../base/db/described-table.ts';
import { ConfigError, DatabaseError } from '../../base/kernel/errors.ts';
import type { Sides } from './both-sides.ts';
import { LOST } from './both-sides.ts';
import type { Held } from './move.store.ts';
import { advanceMove, readMove } from './move.store.ts';
import type { MovedTable } from './moved-tables.ts';
import { movingTables, numberReferences, readTables, requireSameTables } from './moved-tables.ts';
import { offsetsFrom, readOrganisationNumber } from './numbers.store.ts';

/** What a person is told while it goes on. */
export type MoveEvent =
  | { readonly kind: 'step'; readonly text: string }
  | { readonly kind: 'rows'; readonly done: number; readonly total: number };

export interface MoveContext {
  readonly organisationId: string;
  readonly source: OpenDatabase;
  readonly target: OpenDatabase;
  /** The tables of all capabilities. */
  readonly described: readonly DescribedTable[];
  /** Host, port and name of each database. */
  readonly sourceName: string;
  readonly targetName: string;
  /** Where deliveries that still arrive at the source are sent on to. */
  readonly forwardUrl: string | undefined;
  /** Names this command. */
  readonly holder: string;
  /** How long work under way at the source may take to end, in milliseconds. */
  readonly graceMs: number;
  readonly tell: (event: MoveEvent) => void;
}

/** The same as what `organisation_move` is asked by. */
export function heldBy({ organisationId, holder }: MoveContext): Held {
  return { organisationId, holder };
}

/** The tables that move, which both databases must have alike. */
export async function tablesOf({
  source,
  target,
  described,
}: MoveContext): Promise<readonly MovedTable[]> {
  const references = numberReferences(described);
  const [here, there] = await Promise.all([
    readTables(source.pool, references),
    readTables(target.pool, references),
  ]);
  requireSameTables(here, there);
  return movingTables(here);
}

/** Both sides as they number their rows now. */
export async function sidesOf(context: MoveContext): Promise<Sides> {
  const { organisationId, source, target } = context;
  const arrival = await readMove(target.db, organisationId);
  if (arrival?.direction !== 'IN' || arrival.state !== 'ARRIVING') throw new DatabaseError(LOST);
  const [here, there] = await Promise.all([
    readOrganisationNumber(source.pool, organisationId),
    readOrganisationNumber(target.pool, organisationId),
  ]);
  const offsets = offsetsFrom(arrival.offsets, here);
  const reserved = arrival.offsets['evidence_key.number'];
  return {
    source: { pool: source.pool, scope: { organisationId, number: here, offsets } },
    target: {
      pool: target.pool,
      scope: { organisationId, number: there ?? reserved, offsets: {} },
    },
    held: heldBy(context),
  };
}

/** Both sides before a move: nothing is reserved at the target yet. */
export async function sidesAtRest(context: MoveContext): Promise<Sides> {
  const { organisationId, source, target } = context;
  const number = await readOrganisationNumber(source.pool, organisationId);
  const scope = { organisationId, number, offsets: {} };
  return {
    source: { pool: source.pool, scope },
    target: { pool: target.pool, scope: { ...scope, number: undefined } },
    held: heldBy(context),
  };
}

/** One step further at the source. @throws {DatabaseError} when another command has the move */
export async function advance(
  context: MoveContext,
  step: Parameters<typeof advanceMove>[2],
): Promise<void> {
  if (!(await advanceMove(context.source.db, heldBy(context), step))) throw new DatabaseError(LOST);
}

/** @throws {ConfigError} when a database's role may not do what a move takes */
export async function requireRights({ source, target }: MoveContext): Promise<void> {
  const encodings = new Set<string>();
  for (const [side, { pool }] of Object.entries({ source, target })) {
    const { rows } = await pool.query<{ readonly is_owner: boolean; readonly encoding: string }>(
      `select bool_and(pg_has_role(c.relowner, 'usage')) as is_owner, current_setting('server_encoding') as encoding
       from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`,
    );
    if (rows[0]?.is_owner !== true) {
      throw new ConfigError(
        `At the ${side} the database user does not own Forestall's tables. Connect as a member of forestall_owner, or as whoever runs "forestall migrate".`,
      );
    }
    encodings.add(rows[0].encoding);
    await requireReplicaRole(side, pool);
  }
  if (encodings.size > 1) {
    throw new ConfigError(
      `The databases have different encodings (${[...encodings].join(', ')}). Make the target's with "create database … encoding …" anew.`,
    );
  }
}

async function requireReplicaRole(side: string, pool: OpenDatabase['pool']): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local session_replication_role = 'replica'`);
    await client.query('rollback');
    client.release();
  } catch (cause) {
    client.release(true);
    throw new ConfigError(
      `At the ${side} the database user may not copy rows without their triggers. As a superuser: grant set on parameter session_replication_role to that user.`,
      { cause },
    );
  }
}
