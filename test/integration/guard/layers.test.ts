/**
 * Guarantee: what the installation allows in all is counted over its organisations, behind the wall between them, and
 * no two of them pass the last free place together; a merchant's guards hold besides; one switch stops everybody.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readCaseUrgencies,
  readMovementUrgencies,
} from '../../../src/alerts/cases/urgency.store.ts';
import { readSentIn } from '../../../src/alerts/guard/layer-counts.store.ts';
import { pauseMoney, resumeMoney } from '../../../src/alerts/guard/pause.store.ts';
import { pauseAll, resumeAll } from '../../../src/alerts/guard/pause-all.ts';
import { forAllOrganisations } from '../../../src/base/db/for-organisation.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const A = 'org_a0000000000000000000000000';
const B = 'org_b0000000000000000000000000';
const SMALL = 'mrch_small';
const CAREFUL = 'mrch_careful';
const CALM = 'mrch_calm';
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let a: OpenTestWorld;
let b: OpenTestWorld;
/** Enrolments of merchants of A with guards of their own. */
let ofSmall: string;
let ofCareful: string;
let ofCalm: string;

async function open(organisationId: string): Promise<OpenTestWorld> {
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  return await createTestWorld({
    database: url.href,
    sandbox: { organisationId },
    log: createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' }),
    layers: {
      layers: {
        installation: {
          scope: { kind: 'installation', organisationIds: () => [A, B] },
          caps: { hour: { count: 4 } },
        },
        merchants: [
          { scope: { kind: 'merchant', id: SMALL }, caps: { hour: { count: 1 } } },
          {
            scope: { kind: 'merchant', id: CAREFUL },
            caps: {},
            approvalAboveMinor: { USD: 1_000 },
          },
          {
            scope: { kind: 'merchant', id: CALM },
            caps: {},
            flood: { windowMs: HOUR_MS, above: 0 },
          },
        ],
      },
    },
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  a = await open(A);
  b = await open(B);
  const seeded = a.sandbox.seed({
    merchants: [SMALL, CAREFUL, CALM].map((id) => ({ id, name: id, organisation_id: A })),
    enrolments: [SMALL, CAREFUL, CALM].map((id) => ({ type: 'NETA_ALERT', merchant_ids: [id] })),
  });
  [ofSmall = '', ofCareful = '', ofCalm = ''] = seeded.enrolments.map(({ id }) => id);
});
afterAll(async () => {
  await a.close();
  await b.close();
  await database.drop();
});

interface Raised {
  readonly alert: string;
  readonly charge: string;
}

async function raise(world: OpenTestWorld, fields = {}): Promise<Raised> {
  const { charge } = await world.sell(PRODUCTS.font);
  const { id: alert } = world.sandbox.createAlertFor(charge.reference, fields);
  return { alert, charge: charge.reference };
}

const outOf = (world: OpenTestWorld, { charge }: Raised): number =>
  world.sandbox.moneyOut(charge).count;

/** What was sent was sent long before: the caps of an hour are free again. */
async function leaveTheHour(): Promise<void> {
  await database.pool.query(
    "update movement set first_sent_at = first_sent_at - interval '3 hours' where first_sent_at is not null",
  );
}

/** How a case is held, and whose guard the audit log names. */
async function heldBy({ alert }: Raised): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select c.hold_reason as reason, (select what from audit where alert_id = c.alert_id and what like 'not sent%' limit 1) as what
     from alert_case c where c.alert_id = $1`,
    [alert],
  );
  return rows;
}

describe('guards in layers', () => {
  it('count a merchant’s refunds by themselves, and the organisation’s others go on', async () => {
    const ordinary = await raise(a);
    await a.drain();
    const small = await raise(a, { enrolment_id: ofSmall });
    await a.drain();
    const second = await raise(a, { enrolment_id: ofSmall });
    await a.drain();
    expect([ordinary, small, second].map((each) => outOf(a, each))).toEqual([1, 1, 0]);
    expect(await heldBy(second)).toEqual([
      { reason: 'hourly_limit', what: `not sent: a guard of the merchant ${SMALL} holds it` },
    ]);
  });

  it('ask two people, or stop automatic refunds, for that merchant alone', async () => {
    const careful = await raise(a, { enrolment_id: ofCareful });
    const calm = await raise(a, { enrolment_id: ofCalm });
    await a.drain();
    expect([careful, calm].map((each) => outOf(a, each))).toEqual([0, 0]);
    expect([await heldBy(careful), await heldBy(calm)]).toEqual([
      [
        {
          reason: 'approval_needed',
          what: `not sent: a guard of the merchant ${CAREFUL} holds it`,
        },
      ],
      [{ reason: 'breaker_open', what: `not sent: a guard of the merchant ${CALM} holds it` }],
    ]);
  });

  it('count all organisations together: of two at once one gets the last place', async () => {
    const third = await raise(b);
    await b.drain();
    expect(outOf(b, third)).toBe(1);
    const [one, other] = [await raise(a), await raise(b)];
    await Promise.all([a.drain(), b.drain()]);
    expect(outOf(a, one) + outOf(b, other)).toBe(1);
    const [held] = outOf(a, one) === 1 ? [other] : [one];
    expect(held === undefined ? [] : await heldBy(held)).toEqual([
      { reason: 'hourly_limit', what: 'not sent: a guard of the installation holds it' },
    ]);
  });
});

const by = { operator: 'ada', organisationIds: [A, B] };
const at = (world: OpenTestWorld) => ({ now: new Date(world.clock.nowMs()) });

describe('what the installation counts', () => {
  it('is counted by one organisation at a time, until its transaction ends', async () => {
    const scope = { kind: 'installation', organisationIds: () => [A, B] } as const;
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: counted, resolve: told } = Promise.withResolvers<void>();
    const countIn = (world: OpenTestWorld, id: string, after: () => Promise<void>) =>
      inTransaction(world.parts.database.db, async (trx) => {
        const since = new Date(world.clock.nowMs() - HOUR_MS);
        const { count } = await readSentIn(trx, scope, { organisationId: id, since });
        await after();
        return count;
      });
    const first = countIn(a, A, async () => {
      told();
      await gate;
    });
    await counted;
    let isSecondDone = false;
    const second = countIn(b, B, async () => {
      isSecondDone = true;
    });
    const standing = async () => {
      const { rows } = await database.pool.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return [isSecondDone, rows[0]?.waiting];
    };
    await expect.poll(standing).toEqual([false, 1]);
    open();
    expect(await first).toBe(await second);
  });
});

describe('the switch of an installation', () => {
  it('stops every organisation, and lets those go on whose own switch is off', async () => {
    await leaveTheHour();
    const { db } = a.parts.database;
    expect(await pauseAll(db, { ...by, ...at(a), reason: 'a look first' })).toBe(true);
    expect(await pauseAll(db, { ...by, ...at(a), reason: 'again' })).toBe(false);
    const own = { organisationId: B, operator: 'bo', ...at(b) };
    expect(await pauseMoney(b.parts.database.db, { ...own, reason: 'ours' })).toBe(true);
    const [one, other] = [await raise(a), await raise(b)];
    await a.drain();
    await b.drain();
    expect([await heldBy(one), await heldBy(other)]).toMatchObject([
      [{ reason: 'paused' }],
      [{ reason: 'paused' }],
    ]);
    expect(await resumeAll(db, { ...by, ...at(a) })).toEqual({ resumed: true, released: 1 });
    await a.drain();
    await b.drain();
    expect([outOf(a, one), outOf(b, other)]).toEqual([1, 0]);
    const resumed = await resumeMoney(b.parts.database.db, own);
    expect(resumed).toEqual({ resumed: true, released: 1 });
    await b.drain();
    expect(outOf(b, other)).toBe(1);
  });

  it('goes on when an organisation lets its own go', async () => {
    await leaveTheHour();
    const { db } = b.parts.database;
    const own = { organisationId: B, operator: 'bo', ...at(b) };
    await pauseAll(db, { ...by, ...at(b), reason: '' });
    await pauseMoney(db, { ...own, reason: '' });
    const waiting = await raise(b);
    await b.drain();
    expect(await resumeMoney(db, own)).toMatchObject({ released: 0, isStoppedStill: true });
    await b.drain();
    expect(outOf(b, waiting)).toBe(0);
    await resumeAll(db, { ...by, ...at(b) });
    await b.drain();
    expect(outOf(b, waiting)).toBe(1);
  });
});

describe('what is due in several organisations', () => {
  it('is asked in one statement, with the earliest deadline of each', async () => {
    await leaveTheHour();
    const { pool } = database;
    // They stay open while refunds are stopped.
    await pauseAll(a.parts.database.db, { ...by, ...at(a), reason: '' });
    // As if nobody had worked on them: one late and one early in A, one in between and one that has expired in B.
    const plans: readonly [OpenTestWorld, number][] = [
      [a, 40],
      [a, 10],
      [b, 20],
      [b, -1],
    ];
    const now = new Date(a.clock.nowMs());
    const deadlines = plans.map(([, hours]) => now.getTime() + hours * HOUR_MS);
    const raised: Raised[] = [];
    for (const [world] of plans) raised.push(await raise(world));
    for (const world of [a, b]) await world.drain();
    for (const [place, { alert }] of raised.entries()) {
      await pool.query(
        'update alert_case set lease_until = null, next_action_at = $2, deadline_at = $3 where alert_id = $1',
        [alert, now, new Date(deadlines[place] ?? 0)],
      );
    }
    const { db } = forAllOrganisations(b.parts.database, 'due_look');
    const asked = { organisationIds: [A, B, 'org_c'], now };
    expect(await readCaseUrgencies(db, asked)).toEqual(
      new Map([
        [A, deadlines[1]],
        [B, deadlines[2]],
      ]),
    );
    expect(await readMovementUrgencies(db, asked)).toEqual(new Map());
  });
});
