/**
 * Guarantee: the users that `compose/users.sh` makes can migrate, serve, work and show, each with the rights of its
 * part, and none is a superuser. Needs `psql`; without it these are left out.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { spawnSync } from '../support/child-process.ts';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const MAIN = path('src/people/cli/main.ts');
const SCRIPT = path('templates/deployment/compose/users.sh');
const NAME = `deployment_${process.pid}`;
const USERS = [
  'forestall_migrate',
  'forestall_serve',
  'forestall_work',
  'forestall_people',
] as const;
const FILES = ['migrate_url', 'serve_url', 'work_url', 'console_url'] as const;

const hasPsql = spawnSync('psql', ['--version'], { encoding: 'utf8' }).status === 0;
const NOTE = hasPsql ? '' : ' (left out: psql is not installed)';
const base = new URL(inject('postgresUrl'));

/** The same server and database, as another user. */
function urlOf(user: string, password: string): string {
  const url = new URL(base);
  [url.username, url.password, url.pathname] = [user, password, `/${NAME}`];
  return url.href;
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(!hasPsql)(`the database's users${NOTE}`, () => {
  let secrets: string;
  const passwords = Object.fromEntries(
    USERS.map((user) => [user, `${user.replace('_', '')}0123456789`]),
  );
  const superuser = urlOf(base.username, decodeURIComponent(base.password));

  function makeUsers(): { status: number | null; text: string } {
    const { status, stdout, stderr } = spawnSync('sh', [SCRIPT], {
      encoding: 'utf8',
      env: {
        ...childEnv(),
        SECRETS: secrets,
        POSTGRES_DB: NAME,
        POSTGRES_USER: base.username,
        PGHOST: base.searchParams.get('host') ?? base.hostname,
        PGPORT: base.port,
        PGPASSWORD: decodeURIComponent(base.password),
      },
    });
    return { status, text: `${stdout}${stderr}` };
  }

  beforeAll(async () => {
    secrets = mkdtempSync(join(tmpdir(), 'forestall-secrets-'));
    for (const [place, file] of FILES.entries()) {
      const user = USERS[place] ?? '';
      writeFileSync(
        join(secrets, file),
        `postgres://${user}:${passwords[user]}@postgres:5432/forestall`,
      );
    }
    await ask(base.href, `create database ${NAME}`);
  });
  afterAll(async () => {
    await ask(base.href, `drop database ${NAME} with (force)`);
    for (const user of USERS) await ask(base.href, `drop role if exists ${user}`);
    rmSync(secrets, { recursive: true });
  });

  it('are made, with nothing said of their passwords, and made again with no harm', () => {
    for (let round = 0; round < 2; round++) {
      const { status, text } = makeUsers();
      expect(text).toBe('');
      expect(status).toBe(0);
    }
  });

  it('migrate as the only one who may', { timeout: 120_000 }, async () => {
    const migrate = (user: string): { status: number | null; text: string } => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'migrate'], {
        encoding: 'utf8',
        env: { ...childEnv(), DATABASE_URL: urlOf(user, passwords[user] ?? '') },
        timeout: 100_000,
      });
      return { status, text: `${stdout}${stderr}` };
    };
    expect(migrate('forestall_work').status).toBe(1);
    const { status, text } = migrate('forestall_migrate');
    expect(text).toContain('Applied: ');
    expect(status).toBe(0);
    const rights = spawnSync(
      'psql',
      ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', path('migrations/roles.sql'), superuser],
      {
        encoding: 'utf8',
        env: childEnv(),
      },
    );
    expect(rights.stderr).not.toContain('ERROR');
    expect(rights.status).toBe(0);
    // After an upgrade it migrates again, although the owner's role owns everything now.
    expect(migrate('forestall_migrate')).toMatchObject({ status: 0 });
  });

  it('may do what their part needs, and no more', async () => {
    const rows = await ask(
      superuser,
      `select u.name, r.rolsuper or r.rolcreaterole or r.rolcreatedb as mighty,
         has_table_privilege(u.name, c.oid, 'select') as reads, has_table_privilege(u.name, c.oid, 'insert') as adds,
         has_table_privilege(u.name, c.oid, 'delete') as deletes,
         has_database_privilege(u.name, current_database(), 'create') as creates
       from unnest(array['forestall_migrate', 'forestall_serve', 'forestall_work', 'forestall_people']) as u (name)
       join pg_roles r on r.rolname = u.name
       cross join pg_class c where c.relname = 'inbox_event' and c.relkind in ('r', 'p') order by u.name`,
    );
    expect(rows).toEqual([
      {
        name: 'forestall_migrate',
        mighty: false,
        reads: true,
        adds: true,
        deletes: true,
        creates: true,
      },
      {
        name: 'forestall_people',
        mighty: false,
        reads: true,
        adds: false,
        deletes: false,
        creates: false,
      },
      {
        name: 'forestall_serve',
        mighty: false,
        reads: true,
        adds: true,
        deletes: false,
        creates: false,
      },
      {
        name: 'forestall_work',
        mighty: false,
        reads: true,
        adds: true,
        deletes: false,
        creates: false,
      },
    ]);
    for (const user of USERS) {
      const [row] = await ask(urlOf(user, passwords[user] ?? ''), 'select current_user as name');
      expect(row).toEqual({ name: user });
    }
  });

  it('are not made with a password that is short or missing', () => {
    writeFileSync(
      join(secrets, 'work_url'),
      'postgres://forestall_work:short@postgres:5432/forestall',
    );
    const { status, text } = makeUsers();
    expect(status).toBe(1);
    expect(text).toContain('work_url has no password of 16 or more letters and digits');
    expect(text).not.toContain('short@');
  });
});
