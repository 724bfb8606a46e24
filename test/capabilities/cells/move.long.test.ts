/**
 * Guarantee: an organisation that moves to another database arrives there whole, whatever was under way, and wherever
 * the command was broken off; at no moment do both installations work for it, afterwards the one that it left never
 * does, and other organisations on both sides notice nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { awaitsRecoveryCheck } from '../../../src/alerts/guard/recovery-check.store.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { MoveContext } from '../../../src/capabilities/cells/move-context.ts';
import {
  abortMove,
  forgetOrganisation,
  moveOrganisation,
} from '../../../src/capabilities/cells/move-organisation.ts';
import { previewMove } from '../../../src/capabilities/cells/preview-move.ts';
import { CAPABILITY_TABLES } from '../../../src/capabilities/index.ts';
import type { OrganisationParts } from '../../../src/running/roles/parts.ts';
import { openParts } from '../../../src/running/roles/parts.ts';
import { createServeRole } from '../../../src/running/roles/serve.ts';
import { createWork } from '../../../src/running/roles/work.ts';
import { createRounds, drainUntilIdle } from '../../../src/running/testing/rounds.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { callsOf, endpointsOf, workOptionsOf } from '../../../src/running/testing/world-wiring.ts';
import type { Product } from '../../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { rowsOf, tableNames } from './support/rows-of.ts';

const log = createLog({ level: 'silent' });
const A = 'org_a0000000000000000000000000';
const B = 'org_b0000000000000000000000000';
const C = 'org_c0000000000000000000000000';
const KEYS = parseDataKeys(
  `k1:${Buffer.from(Array.from({ length: 32 }, (_, place) => place)).toString('base64')}`,
);

let here: TestDatabase;
let there: TestDatabase;
let a: OpenTestWorld;
let b: OpenTestWorld;
let c: OpenTestWorld;
/** Alerts and charges of A, by what had become of them before it moved. */
const alerts: Record<string, string> = {};
const charges: Record<string, string> = {};
/** What others hold, before anything moves. */
const before: Record<string, unknown> = {};

async function open(database: TestDatabase, organisationId: string): Promise<OpenTestWorld> {
  const address = { database: database.connectionString, dataKeys: KEYS };
  return await createTestWorld({ ...address, sandbox: { seed: 7, organisationId } });
}

async function raise(
  world: OpenTestWorld,
  name: string,
  product: Product = PRODUCTS.font,
): Promise<void> {
  const { charge } = await world.sell(product);
  charges[name] = charge.reference;
  alerts[name] = world.sandbox.createAlertFor(charge.reference).id;
}

/** Their listeners count what came each minute, whenever that is over. */
async function othersRows({ pool }: TestDatabase, id: string): Promise<unknown> {
  const { delivery_minute: _counts, ...rows } = await rowsOf(pool, id);
  return rows;
}

function broken(at: CrashPoint): void {
  setCrashHook((point) => {
    if (point === at) throw new Error(`broken off at ${at}`);
  });
}

beforeAll(async () => {
  [here, there] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  [a, b, c] = await Promise.all([open(here, A), open(here, B), open(there, C)]);
  // The same sandbox seeds: all three have the same references, and their rows the same numbers.
  for (const world of [c, b, a]) {
    await raise(world, 'refunded');
    if (world === a) await raise(world, 'accepted', PRODUCTS.bicycle);
    await world.drain();
  }
  // The refund was made, and its answer is lost with the process.
  await raise(a, 'in flight');
  broken('refund.answered');
  await a.drain().catch(() => undefined);
  setCrashHook(undefined);
  await raise(a, 'received');
  await a.sandbox.settle();
  for (const [name, database, id] of [
    ['B', here, B],
    ['C', there, C],
  ] as const) {
    before[name] = await othersRows(database, id);
  }
});
afterEach(() => setCrashHook(undefined));
afterAll(async () => {
  for (const world of [a, b, c]) await world.close();
  await here.drop();
  await there.drop();
});

function context(organisationId: string, over: Partial<MoveContext> = {}): MoveContext {
  return {
    organisationId,
    source: here,
    target: there,
    described: CAPABILITY_TABLES,
    sourceName: 'here:5432/one',
    targetName: 'there:5432/two',
    forwardUrl: undefined,
    holder: 'test:0',
    graceMs: 0,
    tell: () => undefined,
    ...over,
  };
}

async function openAt(database: TestDatabase, world: OpenTestWorld): Promise<OrganisationParts> {
  const address = { database: database.connectionString, dataKeys: KEYS };
  const { sandbox, clock } = world;
  return await openParts(endpointsOf(sandbox, address), log, {
    clock,
    calls: callsOf(sandbox, address),
  });
}

/** Where a process may start for the organisation. */
async function startsAt(world: OpenTestWorld): Promise<readonly string[]> {
  const places: string[] = [];
  for (const [name, database] of Object.entries({ here, there })) {
    try {
      const parts = await openAt(database, world);
      await parts.close();
      places.push(name);
      // What it noted where the organisation has never been.
      await there.pool.query(
        `delete from data_key d where d.organisation_id = $1 and not exists
           (select from fact f where f.organisation_id = d.organisation_id)`,
        [parts.organisationId],
      );
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return places;
}

const stateOf = async (database: TestDatabase, id: string) =>
  (
    await sql<{ state: string }>`
      select state from organisation_move where organisation_id = ${id}`.execute(database.db)
  ).rows[0]?.state;

describe('before it moves', () => {
  it('a look says how many rows there are, and writes nothing', async () => {
    const counted = await previewMove(context(A));
    const rows = await rowsOf(here.pool, A);
    const count = Object.values(rows).reduce((sum, each) => sum + each.length, 0);
    expect(counted.rows).toBe(count);
    expect(await stateOf(here, A)).toBeUndefined();
    expect(await stateOf(there, A)).toBeUndefined();
  });

  it('it is refused where it is worked for already, and where it is not known', async () => {
    const back = { source: there, target: here };
    await expect(moveOrganisation(context(A, back))).rejects.toThrow(/holds no rows of/);
    await expect(moveOrganisation(context(A, { target: here }))).rejects.toThrow(/is to leave/);
    await abortMove(context(A, { target: here }));
    await there.pool.query(
      `insert into fact (organisation_id, name, value, changed_at) values ($1, 'x', '1', now())`,
      [A],
    );
    await expect(moveOrganisation(context(A))).rejects.toThrow(
      /holds rows of .* already \(1 in fact\)/,
    );
    await there.pool.query('delete from fact where organisation_id = $1', [A]);
    await abortMove(context(A));
    expect(await startsAt(a)).toEqual(['here', 'there']);
  });
});

describe('a move that is undone', () => {
  it('gives everything back, although undoing was broken off as well', async () => {
    broken('move.verified');
    await expect(moveOrganisation(context(B))).rejects.toThrow('broken off');
    expect(await startsAt(b)).toEqual([]);
    await expect(
      here.pool.query(`update fact set name = name where organisation_id = $1`, [B]),
    ).rejects.toMatchObject({ code: '55000' });
    broken('move.undone_some');
    await expect(abortMove(context(B))).rejects.toThrow('broken off');
    setCrashHook(undefined);
    await abortMove(context(B));
    expect(await othersRows(here, B)).toEqual(before['B']);
    expect(Object.values(await rowsOf(there.pool, B)).flat()).toEqual([]);
    expect(await stateOf(there, B)).toBeUndefined();
    await here.pool.query(`update fact set name = name where organisation_id = $1`, [B]);
  });
});

/** Where it is broken off, and where a process may start afterwards. */
const POINTS: readonly (readonly [CrashPoint, readonly string[]])[] = [
  ['move.begun', ['here', 'there']],
  ['move.copied_some', ['here']],
  ['move.fenced', []],
  ['move.repaired', []],
  ['move.switched', []],
  ['move.arrived', ['there']],
];

describe('an organisation that moves', () => {
  it('goes on wherever it was broken off, and never lives in both', async () => {
    for (const [point, places] of POINTS) {
      broken(point);
      await expect(moveOrganisation(context(A)), point).rejects.toThrow('broken off');
      expect(await startsAt(a), point).toEqual(places);
    }
    setCrashHook(undefined);
    const moved = await moveOrganisation(context(A));
    expect(moved.state).toBe('SWITCHED');
    expect(Object.keys(moved.tables).sort()).toEqual(await tableNames(here.pool));
  });

  it('is there as it was, row by row, under numbers of its own', async () => {
    expect(await rowsOf(there.pool, A)).toEqual(await rowsOf(here.pool, A));
    const { rows } = await sql`
      select c.alert_id from alert_case c
        left join match m on m.id = c.match_id and m.organisation_id = c.organisation_id and m.alert_id = c.alert_id
        left join decision d on d.id = c.decision_id and d.organisation_id = c.organisation_id and d.alert_id = c.alert_id
      where c.organisation_id = ${A} and (c.match_id is not null and m.id is null or c.decision_id is not null and d.id is null)
      union all
      select a.alert_id from audit a where a.organisation_id = ${A} and a.detail ? 'decision_id'
        and not exists (select from decision d where d.organisation_id = a.organisation_id
          and d.id = (a.detail ->> 'decision_id')::bigint and d.alert_id = a.alert_id)
      union all
      select i.event_id from inbox_id i left join inbox_event e on e.received_at = i.received_at and e.seq = i.seq
        and e.event_id = i.event_id and e.organisation_id = i.organisation_id
      where i.organisation_id = ${A} and e.seq is null
      union all
      select e.organisation_id from evidence_key e where e.organisation_id = ${A}
        and not exists (select from payment_evidence p where p.organisation = e.number)`.execute(
      there.db,
    );
    expect(rows).toEqual([]);
  });

  it('leaves others as they were, on both sides', async () => {
    expect(await othersRows(here, B)).toEqual(before['B']);
    expect(await othersRows(there, C)).toEqual(before['C']);
  });

  it('can be changed by nobody where it has left', async () => {
    for (const statement of [
      `update alert_case set changed_at = now() where organisation_id = '${A}'`,
      `insert into fact (organisation_id, name, value, changed_at) values ('${A}', 'x', '1', now())`,
      `delete from charge where organisation_id = '${A}'`,
      `insert into inbox_event select * from inbox_event where organisation_id = '${A}'`,
      'update payment_evidence set day = day',
    ]) {
      await expect(here.pool.query(statement), statement).rejects.toMatchObject({ code: '55000' });
    }
    await expect(
      here.pool.query('delete from organisation_move where organisation_id = $1', [A]),
    ).rejects.toMatchObject({ code: '23514' });
    await expect(abortMove(context(A))).rejects.toThrow(/has been switched over/);
  });

  it('works there: what was under way comes to its end, once, and deliveries are sent on', async () => {
    const { sandbox, clock } = a;
    const parts = await openAt(there, a);
    const address = { database: there.connectionString, dataKeys: KEYS };
    const work = createWork(parts, workOptionsOf(address, { sandbox, clock, log }));
    const secrets = { webhookSecrets: [sandbox.accounts.webhookSecret], tls: undefined };
    const serve = createServeRole(parts, secrets);
    try {
      const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
      // It was said too late to go with the move: it is said again.
      await moveOrganisation(context(A, { forwardUrl: `http://127.0.0.1:${port}/webhooks` }));
      await a.parts.residence.refresh();
      const late = sandbox.createCharge();
      alerts['late'] = sandbox.createAlertFor(late.reference).id;
      const round = createRounds(work, clock);
      await drainUntilIdle(sandbox, round);
      for (let times = 0; times < 3; times++) {
        await sandbox.advance(10 * 60_000);
        await drainUntilIdle(sandbox, round);
      }
      const { rows } = await there.pool.query<{ alert_id: string; state: string }>(
        'select alert_id, state from alert_case where organisation_id = $1',
        [A],
      );
      const states = Object.fromEntries(rows.map(({ alert_id: id, state }) => [id, state]));
      expect(states[alerts['in flight'] ?? '']).toBe('DECLARED_REFUND');
      expect(states[alerts['received'] ?? '']).toBe('DECLARED_REFUND');
      expect(Object.keys(states)).toContain(alerts['late']);
      for (const name of ['refunded', 'in flight', 'received']) {
        expect(sandbox.moneyOut(charges[name] ?? '').count, name).toBe(1);
      }
      const kept = await here.pool.query(
        `select from inbox_id where organisation_id = $1 and not exists
           (select from inbox_event e where e.organisation_id = inbox_id.organisation_id and e.seq = inbox_id.seq)`,
        [A],
      );
      expect(kept.rowCount).toBe(0);
    } finally {
      work.abort();
      await work.release();
      await closeServer(serve.server, 200);
      await serve.close();
      await parts.close();
    }
  });

  it('is forgotten where it left, and may come back', async () => {
    broken('move.forgotten_some');
    await expect(forgetOrganisation(context(A))).rejects.toThrow('broken off');
    setCrashHook(undefined);
    await forgetOrganisation(context(A));
    expect(Object.values(await rowsOf(here.pool, A)).flat()).toEqual([]);
    expect(await startsAt(a)).toEqual(['there']);
    const back = {
      source: there,
      target: here,
      sourceName: 'there:5432/two',
      targetName: 'here:5432/one',
    };
    const gone = await rowsOf(there.pool, A);
    await moveOrganisation(context(A, back));
    expect(await startsAt(a)).toEqual(['here']);
    expect(await rowsOf(here.pool, A)).toEqual(gone);
    await here.pool.query(`update fact set name = name where organisation_id = $1`, [A]);
    expect(await othersRows(here, B)).toEqual(before['B']);
  });

  it('takes along that refunds are stopped, and that a restored database asks first', async () => {
    await there.pool.query(
      `insert into money_pause (organisation_id, paused_at, paused_by, reason) values ('*', now(), 'operator:ada', 'a look')`,
    );
    // As a backup of minutes ago that nobody has worked on.
    await there.pool.query(
      `update fact set value = value || '{"identity": "of the database before"}' where name = 'last_alive' and organisation_id = $1`,
      [C],
    );
    const back = { source: there, target: here, sourceName: 'there', targetName: 'here' };
    await moveOrganisation(context(C, back));
    const { rows: stops } = await here.pool.query(
      'select organisation_id, paused_by, reason from money_pause',
    );
    expect(stops).toEqual([{ organisation_id: C, paused_by: 'operator:ada', reason: 'a look' }]);
    const charge = { organisationId: C, chargeReference: 'ch_any' };
    expect(await awaitsRecoveryCheck(here.db, charge)).toBe(true);
    // Control: where nothing was restored, the target works on at once.
    expect(await awaitsRecoveryCheck(here.db, { ...charge, organisationId: A })).toBe(false);
    await there.pool.query(`delete from money_pause where organisation_id = '*'`);
  });

  it('is moved by one command: one that was frozen meanwhile writes nothing any more', async () => {
    const second = new AsyncLocalStorage<true>();
    let meanwhile: Promise<unknown> | undefined;
    const moveAndWork = async (): Promise<void> => {
      await here.pool.query(
        `update organisation_move set held_until = now() - interval '1 second' where organisation_id = $1`,
        [B],
      );
      await moveOrganisation(context(B, { holder: 'test:2' }));
      // Whatever the frozen one still writes is seen.
      const client = await there.pool.connect();
      await client.query(`set session_replication_role = 'replica'`);
      for (const name of await tableNames(there.pool)) {
        if (name !== 'payment_evidence')
          await client.query(`delete from ${name} where organisation_id = $1`, [B]);
      }
      client.release(true);
    };
    setCrashHook(async (point) => {
      if (point !== 'move.copied_some' || second.getStore() === true) return;
      meanwhile ??= second.run(true, moveAndWork);
      await meanwhile;
    });
    const frozen = moveOrganisation(context(B, { holder: 'test:1' }));
    await expect(frozen).rejects.toThrow(/Another command carries this move on/);
    expect(Object.values(await rowsOf(there.pool, B)).flat()).toEqual([]);
    expect(await startsAt(b)).toEqual(['there']);
  });
});
