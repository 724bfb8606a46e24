/**
 * Numbers that a database draws for all its organisations: a moved row keeps its order and gets a number of a range that
 * is reserved for it at the target, above everything drawn there so far and below everything drawn later.
 */
import type { Pool } from 'pg';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { MovedTable } from './moved-tables.ts';
import { ORGANISATION_NUMBER, sequencesOf } from './moved-tables.ts';
import type { Offsets } from './row-text.ts';

/** Numbers that may be drawn at the target between the two statements of a reservation. */
const GAP = 10_000_000;

/** Numbers that the source may draw while the move lasts; a flush of events draws 512 at once. */
const HEADROOM = 1_000_000_000;
const HEADROOM_OF_FLUSHES = 1_000_000_000_000;

/** Beyond it a number is not read exactly. */
const LAST = Number.MAX_SAFE_INTEGER;

/** The number that an organisation has in `payment_evidence`; undefined: none yet. */
export async function readOrganisationNumber(
  pool: Pick<Pool, 'query'>,
  organisationId: string,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ number: number }>(
    'select number from evidence_key where organisation_id = $1',
    [organisationId],
  );
  return rows[0]?.number;
}

/**
 * Reserves numbers at the target. What is returned is what is added to the source's numbers; under
 * `evidence_key.number` it is the organisation's new number itself.
 */
export async function reserveNumbers(
  source: Pool,
  target: Pool,
  tables: readonly MovedTable[],
): Promise<Offsets> {
  const offsets: Record<string, number> = {};
  for (const [column, sequence] of sequencesOf(tables)) {
    const drawn = await readLast(source, sequence);
    const base = (await drawNext(target, sequence)) + GAP;
    const headroom = column === 'inbox_event.seq' ? HEADROOM_OF_FLUSHES : HEADROOM;
    const end = base + drawn + headroom;
    if (end > LAST) throw new ConfigError(`The target has no numbers left for ${column}.`);
    await target.query(`select setval(${sequence}::regclass, $1)`, [end]);
    offsets[column] = base;
  }
  const [table, number] = ORGANISATION_NUMBER.split('.');
  offsets[ORGANISATION_NUMBER] = await drawNext(
    target,
    `pg_get_serial_sequence('${table}', '${number}')`,
  );
  return offsets;
}

/** The offsets of rows that are read at the source. */
export function offsetsFrom(reserved: Offsets, ownNumber: number | undefined): Offsets {
  const number = reserved[ORGANISATION_NUMBER] ?? 0;
  return { ...reserved, [ORGANISATION_NUMBER]: ownNumber === undefined ? 0 : number - ownNumber };
}

async function readLast(pool: Pool, sequence: string): Promise<number> {
  const { rows } = await pool.query<{ last: number }>(
    `select coalesce(pg_sequence_last_value(${sequence}::regclass), 0) as last`,
  );
  return rows[0]?.last ?? 0;
}

async function drawNext(pool: Pool, sequence: string): Promise<number> {
  const { rows } = await pool.query<{ next: number }>(
    `select nextval(${sequence}::regclass) as next`,
  );
  return rows[0]?.next ?? 0;
}
