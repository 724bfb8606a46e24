/** Guarantee: no table, and no number that a database draws for all its organisations, is forgotten by a move. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  movingTables,
  NUMBERED_TABLE,
  NUMBERS_IN_JSON,
  numberReferences,
  readTables,
  requireSameTables,
  SEQUENCES,
  STAYING,
  sequencesOf,
} from '../../../src/capabilities/cells/moved-tables.ts';
import { CAPABILITY_TABLES } from '../../../src/capabilities/index.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();
const NUMBER_REFERENCES = numberReferences(CAPABILITY_TABLES);

/** Whole numbers that are quantities, by their column: they mean the same everywhere. */
const QUANTITIES =
  /_minor$|^(amount|amount_minor|count|value|lines_done|credential|account|email|ip|address|device|fingerprint|subscription)$/;

describe('what moves', () => {
  it('is every table, but for those that stay with a reason, and the migrator’s own', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace = 'forestall'::regnamespace and relname not like 'forestall_migration%' order by 1`.execute(
      database.db,
    );
    const all = rows.map(({ name }) => name);
    const tables = await readTables(database.pool, NUMBER_REFERENCES);
    expect(tables.map(({ name }) => name).sort()).toEqual([...all].sort());
    const moving = movingTables(tables).map(({ name }) => name);
    expect(moving).toContain('movement');
    expect([...moving, ...Object.keys(STAYING)].sort()).toEqual([...all].sort());
  });

  it('names each row by its key, but for changes that are yet to be added up', async () => {
    const nameless = movingTables(await readTables(database.pool, NUMBER_REFERENCES)).filter(
      ({ key }) => key.length === 0,
    );
    expect(nameless.map(({ name }) => name)).toEqual([
      'figure_change',
      'roll_up_change',
      'roll_up_due',
    ]);
  });

  it('says of every number whether it is drawn, names a drawn one, or is a quantity', async () => {
    const tables = movingTables(await readTables(database.pool, NUMBER_REFERENCES));
    const unknown = tables.flatMap(({ name, columns }) =>
      columns
        .filter(({ type, numberOf }) => /^(bigint|smallint)$/.test(type) && numberOf === undefined)
        .filter((column) => !QUANTITIES.test(column.name))
        .map((column) => `${name}.${column.name}`),
    );
    // Places in the organisation's own stream, which moves as a whole.
    expect(unknown).toEqual([
      'event.seq',
      'event_delivery.seq',
      'event_endpoint.taken_seq',
      'event_handler.cursor',
      'event_position.last_seq',
    ]);
    const drawn = new Set([...sequencesOf(tables).keys(), 'evidence_key.number']);
    const named = tables.flatMap(({ columns }) =>
      columns.flatMap(({ numberOf }) => numberOf ?? []),
    );
    expect([...new Set(named)].filter((of) => !drawn.has(of))).toEqual([]);
    const listed = [
      ...Object.values(NUMBER_REFERENCES),
      ...Object.values(NUMBERS_IN_JSON).flatMap((each) => Object.values(each)),
    ];
    expect(listed.filter((of) => !drawn.has(of))).toEqual([]);
  });

  it('knows every sequence, and what foreign keys say of numbers', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'S' and relnamespace = 'forestall'::regnamespace`.execute(
      database.db,
    );
    const sequences = sequencesOf(movingTables(await readTables(database.pool, NUMBER_REFERENCES)));
    // One more belongs to the numbers of organisations.
    expect(sequences.size + 1).toBe(rows.length);
    expect(Object.values(SEQUENCES).every((each) => rows.some(({ name }) => name === each))).toBe(
      true,
    );
    const [match] = (await readTables(database.pool, NUMBER_REFERENCES)).filter(
      ({ name }) => name === 'alert_case',
    );
    const numbers = match?.columns.filter(({ numberOf }) => numberOf !== undefined);
    expect(numbers?.map(({ name, numberOf }) => [name, numberOf])).toEqual([
      ['match_id', 'match.id'],
      ['decision_id', 'decision.id'],
    ]);
  });

  it('is refused where the two databases hold different tables', async () => {
    const tables = await readTables(database.pool, NUMBER_REFERENCES);
    const fewer = tables.filter(({ name }) => name !== NUMBERED_TABLE.name);
    expect(() => requireSameTables(tables, fewer)).toThrow(/payment_evidence.*forestall migrate/);
    expect(() => requireSameTables(tables, tables)).not.toThrow();
  });
});
