/**
 * Guarantee: `GET /api/changes` gives the stream in order, whole, to those who may read it; it waits where asked to, for no
 * longer; and a cursor that cannot be gone on from is told so, with the next step.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { events } from '../../../src/capabilities/events/index.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { Verb } from '../../../src/surface/access/role.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { BEARER, startConsole } from '../../integration/console/support.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const DAY_MS = 86_400_000;
const test = useTestDatabase();
const clock = createFixedClock(NOW);
let site: TestConsole;

interface Answer {
  readonly items: readonly Record<string, unknown>[];
  readonly cursor: string;
  readonly has_more: boolean;
}

async function give(): Promise<void> {
  const deps = { db: test.db, clock, organisationId: ORG, kinds: EVENT_KINDS };
  await createSequence(deps)();
}

async function changes(query: string): Promise<Answer> {
  const answer = await site.get(`/api/changes${query}`, BEARER);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

async function refused(query: string): Promise<[number, string]> {
  const answer = await site.get(`/api/changes${query}`, BEARER);
  const { errors } = (await answer.json()) as { errors: { code: string; message: string }[] };
  return [answer.status, `${errors[0]?.code}: ${errors[0]?.message}`];
}

const places = ({ items }: Answer) => items.map(({ position }) => position);

beforeAll(async () => {
  site = await startConsole(test.db, clock);
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', chargeReference: 'ch_1' });
  await insertAlert(test.db, alertObject('netalrt_2'));
  await insertCase(test.db, 'netalrt_2', { state: 'HUMAN', chargeReference: 'ch_2' });
  await give();
});
afterAll(() => site.close());

describe('the stream over HTTP', () => {
  it('stands in order, each event whole', async () => {
    const answer = await changes('');
    expect(answer).toMatchObject({ cursor: '4', has_more: false });
    expect(answer.items.map(({ position, type }) => [position, type])).toEqual([
      [1, 'alert.received'],
      [2, 'alert.held'],
      [3, 'alert.received'],
      [4, 'alert.held'],
    ]);
    expect(answer.items[0]).toEqual({
      id: expect.stringMatching(/^evt_[\w-]{24}$/) as string,
      type: 'alert.received',
      version: '2026-12-01',
      timestamp: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      position: 1,
      organisation_id: ORG,
      alert_id: 'netalrt_1',
      merchant_id: null,
      sentence: expect.stringContaining('netalrt_1') as string,
      data: expect.objectContaining({ alert_id: 'netalrt_1', charge_reference: 'ch_1' }) as object,
    });
    // A body is the same each time.
    expect((await changes('?limit=1')).items[0]).toEqual(answer.items[0]);
  });

  it('goes on behind each cursor, and nothing comes twice', async () => {
    const first = await changes('?limit=3');
    expect([places(first), first.cursor, first.has_more]).toEqual([[1, 2, 3], '3', true]);
    const second = await changes(`?limit=3&after=${first.cursor}`);
    expect([places(second), second.cursor, second.has_more]).toEqual([[4], '4', false]);
    expect(places(await changes('?after=4'))).toEqual([]);
    expect(await changes('?after=latest')).toEqual({ items: [], cursor: '4', has_more: false });
  });

  it('of some types moves on behind the others', async () => {
    const held = await changes('?types=alert.held,alert.missed&limit=1');
    expect([places(held), held.cursor]).toEqual([[2], '2']);
    expect(await changes('?types=order.refused')).toEqual({
      items: [],
      cursor: '4',
      has_more: false,
    });
  });

  it('names a type that there is not, and the one that is meant', async () => {
    expect(await refused('?types=refund.confirmd')).toEqual([
      400,
      'INVALID_REQUEST: types: there is no type refund.confirmd. Do you mean refund.confirmed?',
    ]);
    expect((await refused('?wait=31'))[1]).toContain('wait must be 0 to 30');
    expect((await refused('?after=x'))[1]).toContain('a cursor that you were given');
    expect((await refused('?limit=0'))[0]).toBe(400);
  });

  it('tells a cursor that is ahead, and where to go on', async () => {
    const [status, message] = await refused('?after=5');
    expect(status).toBe(409);
    expect(message).toContain('after=4');
  });
});

describe('waiting', () => {
  it('ends as soon as something comes, with it', async () => {
    const { cursor } = await changes('?after=latest');
    const waiting = changes(`?after=${cursor}&types=alert.missed&wait=30`);
    await test.pool.query(
      "select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, 'x', null, '{}')",
      [ORG, NOW],
    );
    await give();
    const answer = await waiting;
    expect([places(answer), answer.cursor]).toEqual([[5], '5']);
  }, 20_000);

  it('goes on where only other types came, and ends when its time is over', async () => {
    const { cursor } = await changes('?after=latest');
    const waiting = changes(`?after=${cursor}&types=order.refused&wait=1`);
    await test.pool.query(
      "select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, 'x', null, '{}')",
      [ORG, NOW],
    );
    await give();
    expect(await waiting).toEqual({ items: [], cursor: '6', has_more: false });
  }, 20_000);
});

describe('rights', () => {
  const program = async (name: string, may: readonly Verb[]): Promise<Record<string, string>> => {
    const added = await addOperator(test.db, {
      ...{ name, by: 'test', now: nowDate(clock), organisationId: ORG, role: 'viewer' },
      may,
      token: { as: 'shown' },
    });
    if (!added.ok) throw new Error(`${name} was not added`);
    return { authorization: `Bearer ${added.token}` };
  };

  it('are a verb of their own', async () => {
    const may = await program('warehouse', ['changes:read']);
    expect((await site.get('/api/changes', may)).status).toBe(200);
    expect((await site.get('/api/alerts', may)).status).toBe(403);
    const other = await program('deliveries', ['events:read', 'alerts:read']);
    expect((await site.get('/api/changes', other)).status).toBe(403);
    expect((await site.get('/api/changes')).status).toBe(401);
  });
});

describe('events older than 90 days', () => {
  const night = async (): Promise<object> => {
    const nightly = events.nightly?.({ db: test.db, clock, organisationId: ORG } as never) ?? [];
    const [step] = nightly.filter(({ name }) => name === 'old-events');
    return (await step?.run()) ?? {};
  };
  const last = async (): Promise<number> => Number((await changes('?after=latest')).cursor);

  it('are deleted from the beginning only, to the millisecond, and the stream goes on', async () => {
    const end = await last();
    const old = nowDate(clock).getTime() - 90 * DAY_MS;
    const ages = [-1, 0, -1];
    await test.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('event')
        .set({ at: new Date(old - 1) })
        .execute();
      await trx
        .insertInto('event')
        .values(
          ages.map((ageMs, place) => ({
            organisation_id: ORG,
            seq: end + 1 + place,
            type: 'alert.missed',
            at: new Date(old + ageMs),
            alert_id: null,
            subject: 'x',
            merchant_id: null,
            sentence: 'x',
            data: '{}',
          })),
        )
        .execute();
      await trx
        .updateTable('event_position')
        .set({ last_seq: end + ages.length })
        .execute();
    });
    // The last one is older than the one before it, which is kept: no hole arises.
    expect(await night()).toEqual({ deleted: end + 1 });
    expect(places(await changes(''))).toEqual([end + 2, end + 3]);
    expect(places(await changes(`?after=${end + 1}`))).toEqual([end + 2, end + 3]);
    expect(await night()).toEqual({ deleted: 0 });

    const [status, message] = await refused(`?after=${end - 1}`);
    expect(status).toBe(410);
    expect(message).toBe(
      `CURSOR_TOO_OLD: Events are kept for 90 days, and 2 behind this cursor are gone. Read the present state from /api/alerts, then go on from after=${end + 1}.`,
    );
  });

  it('leave their positions behind when all are gone', async () => {
    const end = await last();
    clock.advanceMs(DAY_MS);
    expect(await night()).toEqual({ deleted: 2 });
    expect(await changes('')).toEqual({ items: [], cursor: String(end), has_more: false });
    expect((await refused(`?after=${end - 1}`))[0]).toBe(410);
    await test.pool.query(
      "select forestall.note_event($1, 'alert.missed', $2::timestamptz, null, 'x', null, '{}')",
      [ORG, NOW],
    );
    await give();
    expect(places(await changes(`?after=${end}`))).toEqual([end + 1]);
  });
});
