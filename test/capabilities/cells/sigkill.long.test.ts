/** Guarantee: the moving command may be killed with SIGKILL at any step: run again it ends what it began. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import { childEnv } from '../../support/child-env.ts';
import { spawn } from '../../support/child-process.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import type { ChildMove } from './support/child-move.ts';
import { rowsOf } from './support/rows-of.ts';

const CHILD = new URL('./support/child-move.ts', import.meta.url).pathname;
const ID = 'org_killed';

/**
 * In the order in which a move passes them: the child ends itself there (`setCrashHook`). FORESTALL_TEST_KILLS=all kills at
 * each of them.
 */
const MOVING: readonly CrashPoint[] =
  process.env['FORESTALL_TEST_KILLS'] === 'all'
    ? [
        'move.begun',
        'move.arriving',
        'move.copied_some',
        'move.copied',
        'move.closing',
        'move.fenced',
        'move.closed',
        'move.repaired',
        'move.verified',
        'move.switched',
        'move.arrived',
      ]
    : ['move.switched'];
const ENDING: readonly [ChildMove['command'], CrashPoint][] =
  process.env['FORESTALL_TEST_KILLS'] === 'all' ? [['forget', 'move.forgotten_some']] : [];

let here: TestDatabase;
let there: TestDatabase;
let before: Awaited<ReturnType<typeof rowsOf>>;

beforeAll(async () => {
  [here, there] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  // A refund whose answer nobody knows, and what hangs on it.
  for (const statement of [
    `insert into charge_account (organisation_id, charge_reference, status, amount_minor, currency)
       select $1, 'ch_' || n, 'captured', 2900, 'USD' from generate_series(1, 2000) n`,
    `insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
       select $1, 'dsp_' || n, 'ch_' || n, 2900, 'USD', now() from generate_series(1, 2000) n`,
    `insert into movement (organisation_id, id, charge_reference, idempotency_key, kind, alert_id, state, dispute_id, amount_minor,
       currency, first_sent_at, sent_at, next_action_at, attempts, created_at, changed_at)
       select $1, 'mv_' || n, 'ch_' || n, 'key_' || n, 'refund', 'netalrt_' || n, 'SENT', 'dsp_' || n, 2900,
       'USD', now(), now(), now(), 3, now(), now() from generate_series(1, 2000) n`,
    `insert into cover (organisation_id, movement_id, dispute_id, amount_minor)
       select $1, 'mv_' || n, 'dsp_' || n, 2900 from generate_series(1, 2000) n`,
    `update movement set state = 'UNKNOWN' where organisation_id = $1 and id like '%7'`,
    `insert into audit (organisation_id, at, subject, subject_id, actor, what)
       select $1, now(), 'movement', 'mv_' || n, 'worker', 'sent' from generate_series(1, 2000) n`,
  ]) {
    await here.pool.query(statement, [ID]);
  }
  before = await rowsOf(here.pool, ID);
});
afterAll(async () => {
  await here.drop();
  await there.drop();
});

async function run(command: ChildMove['command'], point: ChildMove['point']): Promise<unknown> {
  const [one, two] = [here.connectionString, there.connectionString];
  const input: ChildMove = { here: one, there: two, organisationId: ID, command, point };
  const child = spawn(process.execPath, [CHILD, JSON.stringify(input)], {
    env: childEnv(),
    stdio: 'inherit',
  });
  const [code, signal] = await once(child, 'exit');
  // What a killed command holds is free after half a minute, or at once on its own machine.
  await here.pool.query('update organisation_move set held_until = now() - interval $$1 second$$');
  return signal ?? code;
}

/** Where processes may work for it. */
async function worksAt(): Promise<readonly string[]> {
  const places: string[] = [];
  for (const [name, { pool }] of Object.entries({ here, there })) {
    const { rows } = await pool.query<{ direction: string; state: string }>(
      'select direction, state from organisation_move where organisation_id = $1',
      [ID],
    );
    const [row] = rows;
    const isHome = row === undefined ? name === 'here' : /^(COPYING|ARRIVED)$/.test(row.state);
    if (isHome) places.push(name);
  }
  return places;
}

describe('kill -9 of the moving command', () => {
  it('at each step: at most one works, nothing is lost or doubled, and it goes on', async () => {
    for (const point of MOVING) {
      expect(await run('move', point), point).toBe('SIGKILL');
      expect((await worksAt()).length, point).toBeLessThan(2);
    }
    expect(await run('move', 'none')).toBe(0);
    expect(await worksAt()).toEqual(['there']);
    expect(await rowsOf(there.pool, ID)).toEqual(before);
    expect(await rowsOf(here.pool, ID)).toEqual(before);
    for (const [command, point] of ENDING) {
      expect(await run(command, point), point).toBe('SIGKILL');
      expect(await run(command, 'none')).toBe(0);
      expect(await worksAt()).toEqual(['there']);
      expect(Object.values(await rowsOf(here.pool, ID)).flat()).toEqual([]);
      expect(await rowsOf(there.pool, ID)).toEqual(before);
    }
  });
});
