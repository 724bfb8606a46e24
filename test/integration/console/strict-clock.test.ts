/**
 * Guarantee: a process that may not write the rows about people does not say what time it is: beyond a minute the database's own
 * clock counts. So a session that ended, a proof that is too old, a token or a link past its day are not revived by an old time,
 * and nothing is dated ahead.
 *
 * The other tests move time by hand, and run with another `access_now`: see `global-setup.ts`.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { DEFAULT_SCHEMA } from '../../../src/base/db/schemas.ts';
import {
  addOperator,
  findOperator,
  openTokenLink,
} from '../../../src/surface/access/operator.store.ts';
import { hashSecret } from '../../../src/surface/access/secret.ts';
import { confirmSession, startSession } from '../../../src/surface/access/session.store.ts';
import { openAsConsole } from '../../support/console-role.ts';
import { useTestDatabase } from '../../support/database.ts';

const ORG = 'org_strict';
const PEOPLE = new URL('../../../migrations/0053_people.sql', import.meta.url);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Ample for a busy machine, and far from the times below. */
const SLACK_MS = 30_000;

const test = useTestDatabase();
let taken: OpenDatabase;

beforeAll(async () => {
  const [original] = /create function access_now[\s\S]*?\n\$\$;/.exec(
    await readFile(PEOPLE, 'utf8'),
  ) ?? [''];
  expect(original).toContain('clock_timestamp()');
  await test.pool.query(
    original
      .replace('create function', 'create or replace function')
      .replaceAll('@schema@', DEFAULT_SCHEMA),
  );
  taken = openAsConsole(test.name, ORG);
});
afterAll(() => taken.close());
afterEach(async () => {
  await test.pool.query('truncate console_operator, console_session cascade');
});

/** The database's time, moved. */
async function at(movedMs: number): Promise<Date> {
  const { rows } = await test.pool.query<{ now: Date }>('select clock_timestamp() as now');
  return new Date((rows[0]?.now.getTime() ?? 0) + movedMs);
}

async function enter(name: string, ends?: Date): Promise<{ token: string; operatorId: string }> {
  const added = await addOperator(test.db, {
    organisationId: ORG,
    name,
    by: 'test',
    now: await at(0),
    role: 'administrator',
    token: { as: 'shown', ...(ends === undefined ? {} : { endsAt: ends }) },
  });
  if (!added.ok) throw new Error(added.reason);
  const operatorId = (await findOperator(test.db, ORG, name))?.id ?? '';
  return { token: added.token ?? '', operatorId };
}

async function signIn(db: Db, movedMs: number): Promise<string> {
  const { token, operatorId } = await enter('Ada');
  const holder = { operatorId, proof: { token } };
  return await startSession(db, ORG, { holder, now: await at(movedMs) });
}

async function add(db: Db, session: string, movedMs: number): Promise<unknown> {
  const now = await at(movedMs);
  const token = { as: 'link' } as const;
  const entry = { organisationId: ORG, name: 'Mallory', role: 'viewer', token, by: 'x' } as const;
  return await addOperator(db, { ...entry, now, session });
}

/** How far the times of the only session are from the database's own, in milliseconds. */
async function awayMs(): Promise<number> {
  const { rows } = await test.pool.query<{ away: string }>(
    `select greatest(abs(extract(epoch from started_at - clock_timestamp())), abs(extract(epoch from seen_at - clock_timestamp())),
       abs(extract(epoch from authenticated_at - clock_timestamp()))) * 1000 as away from console_session`,
  );
  expect(rows).toHaveLength(1);
  return Number(rows[0]?.away);
}

describe('the database user of a console', () => {
  it.each([
    ['an hour ago', -60 * MINUTE_MS],
    ['in an hour', 60 * MINUTE_MS],
    ['in thirty years', 30 * 365 * DAY_MS],
  ])('begins and proves no session %s: it is dated now', async (_name, movedMs) => {
    const session = await signIn(taken.db, movedMs);
    expect(await awayMs()).toBeLessThan(SLACK_MS);
    const { rows } = await test.pool.query(
      "update console_operator set token_hash = '\\x01' returning id",
    );
    const proof = { token: 'another' };
    await test.pool.query('update console_operator set token_hash = $1', [hashSecret('another')]);
    const holder = { operatorId: String(rows[0]?.id), proof };
    const known = { organisationId: ORG, idHash: hashSecret(session) };
    await confirmSession(taken.db, known, { holder, now: await at(movedMs) });
    expect(await awayMs()).toBeLessThan(SLACK_MS);
  });

  it('is believed a clock that is 40 seconds slow or fast', async () => {
    await signIn(taken.db, -40_000);
    expect(await awayMs()).toBeGreaterThan(39_000);
    await test.pool.query('truncate console_operator, console_session cascade');
    await signIn(taken.db, 40_000);
    expect(await awayMs()).toBeGreaterThan(5_000);
  });

  it.each([
    ['a proof of 20 minutes ago', -20 * MINUTE_MS],
    ['a session of yesterday', -DAY_MS],
    ['a session of next week', 7 * DAY_MS],
  ])('revives no right with %s by naming its time', async (_name, movedMs) => {
    const session = await signIn(test.db, movedMs);
    await test.pool.query('update console_session set is_proven = true');
    await expect(add(taken.db, session, movedMs)).rejects.toThrow('prove again who you are');
    expect(await findOperator(test.db, ORG, 'Mallory')).toBeUndefined();
    // The owner of the rows says what time it is.
    expect(await add(test.db, session, movedMs)).toMatchObject({ ok: true });
  });

  it('uses no token past its day by naming a day before', async () => {
    const { token, operatorId } = await enter('Ada');
    await test.pool.query('update console_operator set token_ends_at = $1', [await at(-DAY_MS)]);
    const holder = { operatorId, proof: { token } };
    const now = await at(-2 * DAY_MS);
    await expect(startSession(taken.db, ORG, { holder, now })).rejects.toThrow('cannot sign in');
    await expect(startSession(test.db, ORG, { holder, now })).resolves.toEqual(expect.any(String));
  });

  it('opens no link past its hour by naming an hour before', async () => {
    const session = await signIn(taken.db, 0);
    const added = await add(taken.db, session, 0);
    expect(added).toMatchObject({ ok: true, link: expect.any(String) });
    const { link } = added as { link: string };
    await test.pool.query('update console_token_link set expires_at = $1', [await at(-DAY_MS)]);
    expect(await openTokenLink(taken.db, { link, now: await at(-2 * DAY_MS) })).toBeUndefined();
  });
});
