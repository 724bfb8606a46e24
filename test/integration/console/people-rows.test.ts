/**
 * Guarantee: who may do what are rows that only functions of the tables' owner write. A console that is taken, with its database
 * user and nothing else, makes nobody an operator, signs nobody in, and gives no right; nor does a receiver or a worker. And a
 * name is one person's in the whole database, whoever adds it at the same moment.
 */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import {
  addOperator,
  findOperator,
  removeOperator,
  renewToken,
  setRole,
} from '../../../src/surface/access/operator.store.ts';
import { grantRight, INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { hashSecret } from '../../../src/surface/access/secret.ts';
import { confirmSession, startSession } from '../../../src/surface/access/session.store.ts';
import { trustConsole } from '../../../src/surface/access/trust.store.ts';
import { openAsConsole } from '../../support/console-role.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NOW, ORG } from '../reconcile/rows.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
const now = new Date(NOW);
const CONSOLE_TOKEN = 'the console token of this test';
let taken: OpenDatabase;
let receiver: OpenDatabase;

beforeAll(() => {
  taken = openAsConsole(test.name, ORG);
  const url = new URL(test.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  const log = createLog({ level: 'silent' });
  receiver = openDatabase({ connectionString: url.href, log, maxConnections: 2 });
});
afterAll(async () => {
  await taken.close();
  await receiver.close();
});
afterEach(async () => {
  await test.pool.query('truncate console_operator, console_trust cascade');
});

/** Enters somebody by the tables' owner, and returns their token. */
async function enter(name: string, role: 'viewer' | 'administrator', home = ORG): Promise<string> {
  const change = { organisationId: home, name, by: 'test', now, role };
  const added = await addOperator(test.db, { ...change, token: { as: 'shown' } });
  if (!added.ok) throw new Error(added.reason);
  return added.token ?? '';
}

const idOf = async (name: string, home = ORG): Promise<string> =>
  (await findOperator(test.db, home, name))?.id ?? '';

async function signIn(db: Db, name: string, token: string, home = ORG): Promise<string> {
  const holder = { operatorId: await idOf(name, home), proof: { token } };
  return await startSession(db, home, { holder, now });
}

const mallory = { organisationId: ORG, name: 'Mallory', by: 'console', now } as const;
const asAdministrator = { ...mallory, role: 'administrator', token: { as: 'link' } } as const;

describe.each([
  ['console', () => taken],
  ['receiver', () => receiver],
] as const)('with the database user of a %s', (_name, open) => {
  it.each([
    `insert into console_operator (organisation_id, id, name, role, created_at, created_by, changed_at)
     values ('${ORG}', 'opr_x', 'Mallory', 'administrator', now(), 'x', now())`,
    `update console_operator set role = 'administrator'`,
    `update console_operator set token_hash = '\\x00'`,
    `update console_operator set token_ends_at = now() + interval '9 years'`,
    `update console_operator set may = null`,
    `delete from console_operator`,
    `insert into console_right (organisation_id, home, operator_id, name, role, created_at, created_by)
     values ('${ORG}', 'installation', 'opr_x', 'Mallory', 'administrator', now(), 'x')`,
    `update console_right set role = 'administrator'`,
    `insert into console_session (id_hash, organisation_id, operator_id, started_at, seen_at, authenticated_at, is_proven)
     values ('\\x00', '${ORG}', 'opr_x', now(), now(), now(), true)`,
    `update console_session set authenticated_at = now()`,
    `update console_session set is_proven = true`,
    `update console_session set operator_id = 'opr_x'`,
    `insert into console_token_link (link_hash, organisation_id, operator_id, made_by, expires_at, token_ends_at)
     values ('\\x00', '${ORG}', 'opr_x', 'x', now(), now())`,
    `insert into console_trust (organisation_id, trusts_provider) values ('${ORG}', true)`,
    `update console_trust set trusts_provider = true`,
    `select trust_console('${ORG}', '\\x00', true)`,
    `select acting_person(null, 'x', '${ORG}', now())`,
    `create or replace function access_now(given timestamptz) returns timestamptz language sql as 'select given'`,
  ])('is refused: %s', async (statement) => {
    await expect(open().pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('is believed nothing by saying so, not even where all functions were granted once more', async () => {
    const every = 'function trust_console(text, bytea, boolean), acts_as_owner()';
    const role = 'forestall_console, forestall_app';
    await test.pool.query(`grant execute on ${every} to ${role}`);
    try {
      await expect(
        open().pool.query(`select trust_console('${ORG}', '\\x00', true)`),
      ).rejects.toThrow('only a member of the role that owns the tables');
    } finally {
      await test.pool.query(`revoke execute on ${every} from ${role}`);
    }
  });

  it('is refused without a session, or with one that was made up', async () => {
    const { db } = open();
    await expect(addOperator(db, asAdministrator)).rejects.toThrow('may not change who may do');
    await expect(addOperator(db, { ...asAdministrator, session: 'made up' })).rejects.toThrow(
      'prove again who you are',
    );
    const right = { ...mallory, home: ORG, operatorId: 'opr_x', role: 'administrator' } as const;
    await expect(grantRight(db, right)).rejects.toThrow('may not change who may do');
    expect(await findOperator(test.db, ORG, 'Mallory')).toBeUndefined();
  });

  it('signs no program in, however right its token is', async () => {
    const program = { ...mallory, name: 'Shop', role: 'viewer', may: ['orders:write'] } as const;
    const added = await addOperator(test.db, { ...program, token: { as: 'shown' } });
    const token = added.ok ? (added.token ?? '') : '';
    expect(token).not.toBe('');
    await expect(signIn(open().db, 'Shop', token)).rejects.toThrow('cannot sign in');
  });

  it('signs nobody in by a wrong token, or by saying so', async () => {
    const token = await enter('Ada', 'administrator');
    const { db } = open();
    await expect(signIn(db, 'Ada', `${token}x`)).rejects.toThrow('cannot sign in');
    const holder = { operatorId: await idOf('Ada') };
    await expect(startSession(db, ORG, { holder, now })).rejects.toThrow('cannot sign in');
  });
});

describe('a session that changes who may do what', () => {
  it('is of an administrator who signed in with their token', async () => {
    const session = await signIn(taken.db, 'Ada', await enter('Ada', 'administrator'));
    const added = await addOperator(taken.db, { ...asAdministrator, session, by: 'somebody else' });
    expect(added).toMatchObject({ ok: true, token: undefined, link: expect.any(String) });
    expect(await findOperator(test.db, ORG, 'Mallory')).toMatchObject({ created_by: 'Ada' });
    const act = { ...mallory, session };
    expect(await setRole(taken.db, { ...act, role: 'viewer' })).toBe(true);
    expect(await renewToken(taken.db, { ...act, token: { as: 'link' } })).toBeDefined();
    expect(await removeOperator(taken.db, act)).toBe(true);
    const { rows } = await test.pool.query(
      "select actor from audit where subject_id = 'Mallory' and at = $1",
      [now],
    );
    expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set(['operator:Ada']));
  });

  it('makes no token for another: only a link', async () => {
    const session = await signIn(taken.db, 'Ada', await enter('Ada', 'administrator'));
    await enter('Vic', 'viewer');
    const shown = { as: 'shown' } as const;
    await expect(
      addOperator(taken.db, { ...asAdministrator, session, token: shown }),
    ).rejects.toThrow();
    await expect(
      renewToken(taken.db, { ...mallory, name: 'Vic', session, token: shown }),
    ).rejects.toThrow();
  });

  it('gives no token that holds for more than 366 days', async () => {
    const session = await signIn(taken.db, 'Ada', await enter('Ada', 'administrator'));
    await enter('Vic', 'viewer');
    const linkFor = (days: number) => ({
      as: 'link' as const,
      endsAt: new Date(now.getTime() + days * 86_400_000),
    });
    const add = (days: number) =>
      addOperator(taken.db, { ...asAdministrator, session, token: linkFor(days) });
    const renew = (days: number) =>
      renewToken(taken.db, { ...mallory, name: 'Vic', session, token: linkFor(days) });
    await expect(add(367)).rejects.toThrow('within 366 days');
    await expect(renew(367)).rejects.toThrow('within 366 days');
    expect(await add(365)).toMatchObject({ ok: true });
    expect(await renew(365)).toMatchObject({ link: expect.any(String) });
  });

  it('changes nothing of another organisation by a connection that works for this one', async () => {
    const bea = await enter('Bea', 'administrator', 'org_b');
    const session = await signIn(test.db, 'Bea', bea, 'org_b');
    const there = { ...asAdministrator, organisationId: 'org_b', session };
    await expect(addOperator(taken.db, there)).rejects.toThrow('may not change who may do');
    expect(await findOperator(test.db, 'org_b', 'Mallory')).toBeUndefined();
    expect(await addOperator(test.db, there)).toMatchObject({ ok: true });
  });

  it('is no viewer’s, no session of a quarter of an hour, none that ended, and of that organisation', async () => {
    const viewer = await signIn(taken.db, 'Vic', await enter('Vic', 'viewer'));
    await expect(addOperator(taken.db, { ...asAdministrator, session: viewer })).rejects.toThrow(
      'takes an administrator',
    );
    const session = await signIn(taken.db, 'Ada', await enter('Ada', 'administrator'));
    const late = new Date(now.getTime() + 15 * 60_000);
    await expect(addOperator(taken.db, { ...asAdministrator, session, now: late })).rejects.toThrow(
      'prove again',
    );
    const before = new Date(now.getTime() - 2 * 60_000);
    await expect(
      addOperator(taken.db, { ...asAdministrator, session, now: before }),
    ).rejects.toThrow('prove again');
    const elsewhere = await signIn(
      test.db,
      'Bea',
      await enter('Bea', 'administrator', 'org_b'),
      'org_b',
    );
    await expect(addOperator(taken.db, { ...asAdministrator, session: elsewhere })).rejects.toThrow(
      'takes an administrator',
    );
    await test.pool.query('delete from console_session');
    await expect(addOperator(taken.db, { ...asAdministrator, session })).rejects.toThrow(
      'prove again',
    );
    await expect(
      setRole(taken.db, { ...mallory, name: 'Vic', role: 'administrator', session }),
    ).rejects.toThrow();
    expect(await findOperator(test.db, ORG, 'Vic')).toMatchObject({ role: 'viewer' });
  });

  it('of the console token suffices once the owner has named it', async () => {
    const holder = { operatorId: null, consoleToken: CONSOLE_TOKEN } as const;
    const session = await startSession(taken.db, ORG, { holder, now });
    const add = () => addOperator(taken.db, { ...asAdministrator, session });
    await expect(add()).rejects.toThrow('forestall operators trust');
    await trustConsole(test.db, ORG, { consoleToken: 'another token than this' });
    await confirmSession(
      taken.db,
      { organisationId: ORG, idHash: hashSecret(session) },
      { holder, now },
    );
    await expect(add()).rejects.toThrow('forestall operators trust');
    await trustConsole(test.db, ORG, { consoleToken: CONSOLE_TOKEN });
    await confirmSession(
      taken.db,
      { organisationId: ORG, idHash: hashSecret(session) },
      { holder, now },
    );
    expect(await add()).toMatchObject({ ok: true });
  });

  it('by the identity provider suffices where the owner trusts its word', async () => {
    await enter('Ada', 'administrator');
    await test.pool.query("update console_operator set oidc_subject = 'at the provider'");
    const holder = { operatorId: await idOf('Ada'), proof: { account: 'at the provider' } };
    const first = await startSession(taken.db, ORG, { holder, now });
    await expect(addOperator(taken.db, { ...asAdministrator, session: first })).rejects.toThrow(
      'Confirm with your own token',
    );
    await trustConsole(test.db, ORG, { provider: true });
    const second = await startSession(taken.db, ORG, { holder, now });
    expect(await addOperator(taken.db, { ...asAdministrator, session: second })).toMatchObject({
      ok: true,
    });
    const other = { ...holder, proof: { account: 'somebody else' } };
    await expect(startSession(taken.db, ORG, { holder: other, now })).rejects.toThrow(
      'cannot sign in',
    );
  });

  it('gives rights for the organisations of an installation only as one of the installation', async () => {
    await enter('Guest', 'viewer', INSTALLATION);
    const own = await signIn(taken.db, 'Ada', await enter('Ada', 'administrator'));
    const all = await signIn(
      test.db,
      'Root',
      await enter('Root', 'administrator', INSTALLATION),
      INSTALLATION,
    );
    const operatorId = await idOf('Guest', INSTALLATION);
    const right = { ...mallory, home: INSTALLATION, operatorId, role: 'reviewer' } as const;
    const everywhere = openAsConsole(test.name, '*');
    await expect(grantRight(everywhere.db, { ...right, session: own })).rejects.toThrow(
      'administrator',
    );
    expect(await grantRight(everywhere.db, { ...right, session: all })).toBe(true);
    await everywhere.close();
  });
});

it('what a page says is not done names the next step', async () => {
  const site = await startConsole(test.db, createFixedClock(NOW));
  await test.pool.query('delete from console_trust');
  const { cookie, csrf } = await site.signIn();
  const fields = { name: 'Kim', role: 'viewer', sign_in: 'token', csrf_token: csrf };
  const answer = await site.post('/operators', formOf(fields, { cookie }));
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining('forestall operators trust'),
  ]);
  await site.close();
});

describe('one name', () => {
  it('is one person’s, in 40 rounds of adding it in two organisations at the same moment', async () => {
    for (let round = 0; round < 40; round++) {
      const name = `Twin ${round}`;
      const add = (home: string, as: string) =>
        addOperator(test.db, { ...asAdministrator, organisationId: home, name: as });
      const both = await Promise.all([add('org_a', name), add('org_b', name.toUpperCase())]);
      expect([round, both.filter(({ ok }) => ok).length]).toEqual([round, 1]);
      expect(both.find(({ ok }) => !ok)).toEqual({ ok: false, reason: 'name_taken' });
    }
    const { rows } = await sql<{ count: string }>`
      select count(*) as count from console_operator group by lower(name) having count(*) > 1`.execute(
      test.db,
    );
    expect(rows).toEqual([]);
  });

  it('stands against a statement that forgets to look', async () => {
    await enter('Ada', 'viewer');
    const again = `insert into console_operator (organisation_id, id, name, role, created_at, created_by, changed_at)
      values ('org_b', 'opr_y', 'ADA', 'viewer', now(), 'x', now())`;
    await expect(test.pool.query(again)).rejects.toMatchObject({ code: '23505' });
  });
});
