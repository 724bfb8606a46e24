/**
 * Guarantee: in the console of several organisations whoever has no right for one is told of nothing of it, on no route
 * and by no means, in the very words that stand for what does not exist; and one sign-in opens what is theirs.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/base/db/database.ts';
import { ALL_ORGANISATIONS } from '../../../src/base/db/for-organisation.ts';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { OPERATIONS } from '../../../src/people/console/openapi/operations.ts';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import { addOperator, findOperator } from '../../../src/surface/access/operator.store.ts';
import { grantRight, INSTALLATION, revokeRight } from '../../../src/surface/access/right.store.ts';
import type { Role } from '../../../src/surface/access/role.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW } from '../reconcile/rows.ts';
import type { Credentials, TestInstallation } from './installation-support.ts';
import { BRANDS, startInstallation } from './installation-support.ts';
import { formOf, TOKEN } from './support.ts';

/** Stands in every row of B that a page shows. */
const SECRET = 'ONLYOFB';

let test: TestDatabase;
let clock: FixedClock;
let site: TestInstallation;
const tokens = new Map<string, string>();

async function fill(db: Kysely<Database>, organisation: string, mark: string): Promise<void> {
  const id = `netalrt_${mark}`;
  const descriptor = `SHOP ${mark}`;
  await insertAlert(
    db,
    alertObject(id, {
      organisation_id: organisation,
      transaction_statement_descriptor: descriptor,
    }),
  );
  await insertCase(db, id, {
    state: 'HUMAN',
    organisationId: organisation,
    chargeReference: `ch_${mark}`,
  });
  const at = nowDate(clock);
  const subject = { organisationId: organisation, kind: 'missing_refund', subject: 'alert' };
  const nextStep = `Look at ${mark}.`;
  await openFinding(db, {
    ...subject,
    subjectId: id,
    severity: 'error',
    evidence: {},
    nextStep,
    at,
  });
  await sql`insert into saved_view (organisation_id, operator, name, query, created_at, page, is_shared)
    values (${organisation}, ${`clerk of ${mark}`}, ${`view of ${mark}`}, 'state=open', ${at}, '/alerts', true)`.execute(
    db,
  );
}

/** Enters somebody; without organisations for all. */
async function enter(
  name: string,
  role: Role,
  where: { home?: string; organisations?: readonly string[] } = {},
): Promise<void> {
  const { home = INSTALLATION, organisations } = where;
  const change = { name, by: 'test', now: nowDate(clock) };
  const own = home === INSTALLATION && organisations !== undefined ? null : role;
  const added = await addOperator(test.db, {
    ...change,
    organisationId: home,
    role: own,
    token: { as: 'shown' },
  });
  if (!added.ok || added.token === undefined) throw new Error(`${name} was not added`);
  tokens.set(name, added.token);
  const row = await findOperator(test.db, home, name);
  for (const organisationId of organisations ?? []) {
    await grantRight(test.db, { ...change, home, operatorId: row?.id ?? '', organisationId, role });
  }
}

const bearer = (name: string): Credentials => ({ authorization: `Bearer ${tokens.get(name)}` });

beforeAll(async () => {
  test = await createTestDatabase();
  await test.pool.query('call wall_organisations(true)');
  clock = createFixedClock(NOW);
  site = await startInstallation(test, clock);
  await fill(test.db, 'org_a', 'OFA');
  await fill(test.db, 'org_b', SECRET);
  await enter('Ada', 'administrator', { organisations: ['org_a'] });
  await enter('Bea', 'administrator', { home: 'org_b' });
  await enter('Cem', 'viewer');
  await enter('Dan', 'administrator', { home: 'org_a' });
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

/** Every route of an organisation's pages, as they are registered, and of its API. */
function everyRoute(): readonly (readonly [method: string, path: string])[] {
  const router = createPages({ options: {}, auth: {} } as never, ORGANISATION_PAGES);
  const pages = router.stack.flatMap(({ route }) =>
    route === undefined
      ? []
      : route.stack.flatMap(({ method }) =>
          method === undefined ? [] : [[method.toUpperCase(), String(route.path)] as const],
        ),
  );
  const api = Object.keys(OPERATIONS).map((name) => {
    const [method = '', path = ''] = name.split(' ');
    return [method, path] as const;
  });
  const others = [
    ['GET', '/metrics'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/nothing'],
    ['GET', '/nothing'],
  ] as const;
  return [...new Map([...pages, ...api, ...others].map((each) => [each.join(' '), each])).values()];
}

/** As many as a browser sends. */
async function severalAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const line = [...items];
  const done: Result[] = [];
  const takeNext = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) {
      done.push(await work(next));
    }
  };
  await Promise.all(Array.from({ length: 6 }, takeNext));
  return done;
}

const withId = (path: string, id: string): string =>
  path.replaceAll(/:\w+|\{\w+\}/g, encodeURIComponent(id));

/** There is nothing; or, of a program that asks for a page, sign in first: a bearer is for the API. */
const NOTHING: readonly number[] = [404, 303];

describe('every route of an organisation', () => {
  const ROUTES = everyRoute();

  it('is among those that are walked', () => {
    expect(ROUTES.length).toBeGreaterThan(100);
    const names = ROUTES.map((each) => each.join(' '));
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /health',
        'GET /alerts.csv',
        'POST /operators',
        'POST /api/pause',
      ]),
    );
  });

  it.each([
    ['a right for another organisation', 'Ada'],
    ['a place in another organisation', 'Dan'],
  ])('does not exist for who has %s, in a browser and for a program', async (_what, name) => {
    const { cookie, csrf } = await site.signIn(tokens.get(name));
    const form = formOf({ csrf_token: csrf, action: 'ACCEPT_DISPUTE', name: 'x' }, { cookie });
    const person = { GET: { cookie }, POST: form.headers } as const;
    const tries = ROUTES.flatMap(([method, path]) => [
      { method, path, headers: person[method === 'POST' ? 'POST' : 'GET'] },
      { method, path, headers: bearer(name) },
    ]);
    const answers = await severalAtOnce(tries, async ({ method, path, headers }) => {
      const body = method === 'POST' ? form.body : undefined;
      const ask = async (brand: string): Promise<readonly [number, string]> => {
        const at = `/organisations/${brand}${withId(path, `netalrt_${SECRET}`)}`;
        const answer = await site.send(method, at, headers, body);
        return [answer.status, (await answer.text()).replaceAll(brand, 'the-brand')];
      };
      const [there, nowhere] = [await ask('brand-b'), await ask('no-brand')];
      const isNothing = NOTHING.includes(there[0]) && !there[1].includes('SHOP');
      return isNothing && there.join() === nowhere.join()
        ? []
        : [`${method} ${path}: ${there[0]} ${nowhere[0]}`];
    });
    expect(answers.flat()).toEqual([]);
  });

  it('shows nothing of another organisation under one’s own, whatever is asked for', async () => {
    const { cookie } = await site.signIn(tokens.get('Ada'));
    const shown: string[] = [];
    let own = 0;
    const look = async (path: string): Promise<void> => {
      const headers = path.startsWith('/api') ? bearer('Ada') : { cookie };
      const answer = await site.send('GET', `/organisations/brand-a${path}`, headers);
      const text = await answer.text();
      if (/SHOP ONLYOFB|view of ONLYOFB|Look at ONLYOFB/.test(text)) shown.push(path);
      if (text.includes('OFA')) own += 1;
    };
    const targets = ROUTES.filter(([method]) => method === 'GET').map(([, path]) =>
      withId(path, `netalrt_${SECRET}`),
    );
    await severalAtOnce(
      targets.flatMap((path) => [path, `${path}?q=${SECRET}&state=all`]),
      look,
    );
    expect(shown).toEqual([]);
    // Were the pages empty, nothing could be seen in them.
    expect(own).toBeGreaterThan(8);
  });

  it('is shown to who may see it, which is what the others are kept from', async () => {
    const { cookie } = await site.signIn(tokens.get('Bea'));
    let shown = 0;
    for (const [method, path] of ROUTES) {
      if (method !== 'GET' || path.includes(':') || path.includes('{')) continue;
      const headers = path.startsWith('/api') ? bearer('Bea') : { cookie };
      const answer = await site.send('GET', `/organisations/brand-b${path}`, headers);
      expect([path, answer.status]).not.toEqual([path, 500]);
      if ((await answer.text()).includes(SECRET)) shown += 1;
    }
    expect(shown).toBeGreaterThan(6);
  });
});

describe('what is of all organisations', () => {
  it('holds only theirs: the page, the list for programs, the metrics, and the way to others', async () => {
    const { cookie } = await site.signIn(tokens.get('Ada'));
    const page = await (await site.send('GET', '/organisations', { cookie })).text();
    const api = await (await site.send('GET', '/api/organisations', bearer('Ada'))).text();
    const metrics = await (await site.send('GET', '/metrics', bearer('Ada'))).text();
    // Those of capabilities are there too.
    expect(metrics).toContain('forestall_processor_events_waiting{organisation="brand-a"} 0\n');
    const today = await (await site.send('GET', '/organisations/brand-a/', { cookie })).text();
    const found = await (await site.send('GET', '/organisations?q=brand', { cookie })).text();
    for (const text of [page, api, metrics, today, found]) {
      expect(text).toMatch(/brand-a/);
      expect(text).not.toMatch(/Brand B|brand-b|org_b/);
    }
    const all = await (await site.send('GET', '/api/organisations', bearer('Cem'))).json();
    expect(all).toMatchObject({
      organisations: [
        { path: 'brand-a', role: 'viewer', open: 1, reviews: 1, missed: 0, refunds_stopped: false },
        { path: 'brand-b', role: 'viewer', open: 1, reviews: 1, missed: 0 },
      ],
    });
  });

  it('says of each that its refunds are stopped while those of the whole installation are', async () => {
    const pause = { organisation_id: ALL_ORGANISATIONS, paused_by: 'ada', reason: '' };
    await test.db
      .insertInto('money_pause')
      .values({ ...pause, paused_at: new Date() })
      .execute();
    const all = await (await site.send('GET', '/api/organisations', bearer('Cem'))).json();
    await test.db.deleteFrom('money_pause').execute();
    expect(all).toMatchObject({
      organisations: [{ refunds_stopped: true }, { refunds_stopped: true }],
    });
  });

  it('is managed by administrators of all, and by nobody else', async () => {
    for (const name of ['Ada', 'Bea', 'Cem', 'Dan']) {
      const { cookie, csrf } = await site.signIn(tokens.get(name));
      expect([name, (await site.send('GET', '/operators', { cookie })).status]).toEqual([
        name,
        403,
      ]);
      const fields = {
        csrf_token: csrf,
        name: 'Ada',
        organisation: 'org_b',
        role: 'administrator',
      };
      const { headers, body } = formOf(fields, { cookie });
      for (const act of ['', '/grant', '/revoke', '/role', '/token', '/remove']) {
        const answer = await site.send('POST', `/operators${act}`, headers, body);
        expect([name, act, answer.status]).toEqual([name, act, 403]);
      }
    }
  });

  it('asks nobody in before it is known who they are', async () => {
    for (const path of ['/organisations/brand-a/alerts', '/organisations/no-brand/alerts']) {
      const answer = await site.send('GET', path);
      const next = `/login?next=${encodeURIComponent(path)}`;
      expect([answer.status, answer.headers.get('location')]).toEqual([303, next]);
    }
    for (const path of [
      '/organisations/brand-a/api/alerts',
      '/organisations/no-brand/api/alerts',
      '/metrics',
      '/api/organisations',
    ]) {
      expect([path, (await site.send('GET', path)).status]).toEqual([path, 401]);
    }
  });
});

describe('a right', () => {
  const act = async (path: string, fields: Record<string, string>): Promise<Response> => {
    const { cookie, csrf } = await site.signIn(TOKEN);
    const { headers, body } = formOf({ ...fields, csrf_token: csrf }, { cookie });
    return await site.send('POST', path, headers, body);
  };
  const status = async (name: string, path: string): Promise<number> =>
    (await site.send('GET', path, bearer(name))).status;

  it('is given and taken away on the page of operators, holds at once, and is written down', async () => {
    const alerts = '/organisations/brand-b/api/alerts';
    expect(await status('Ada', alerts)).toBe(404);
    const right = { name: 'Ada', organisation: 'org_b', role: 'viewer' };
    expect((await act('/operators/grant', right)).status).toBe(200);
    expect(await status('Ada', alerts)).toBe(200);
    const { cookie } = await site.signIn(tokens.get('Ada'));
    const exported = await site.send('GET', '/organisations/brand-b/alerts.csv', { cookie });
    expect(exported.status).toBe(403);
    const switcher = await (
      await site.send('GET', '/organisations/brand-a/ratios', { cookie })
    ).text();
    expect(switcher).toContain('href="/organisations/brand-b/ratios"');
    expect((await act('/operators/revoke', right)).status).toBe(200);
    expect(await status('Ada', alerts)).toBe(404);
    const { rows } = await sql<{ what: string; actor: string }>`
      select what, actor from audit where organisation_id = 'org_b' and subject_id = 'Ada' order by id`.execute(
      test.db,
    );
    expect(rows).toEqual([
      { what: 'operator given a right', actor: 'operator:console' },
      { what: 'operator right taken away', actor: 'operator:console' },
    ]);
  });

  it('is for one person of a name: nobody is taken for another', async () => {
    for (const name of ['Bea', 'bea', 'Ada']) {
      const fields = { name, role: '', sign_in: 'token' };
      expect([name, (await act('/operators', fields)).status]).toEqual([name, 409]);
    }
    const inA = formOf({ name: 'Bea', role: 'viewer', sign_in: 'token' });
    const { cookie, csrf } = await site.signIn(TOKEN);
    const body = `${inA.body}&csrf_token=${encodeURIComponent(csrf)}`;
    const answer = await site.send(
      'POST',
      '/organisations/brand-a/operators',
      { ...inA.headers, cookie },
      body,
    );
    expect(answer.status).toBe(409);
  });

  it('ends with its operator', async () => {
    await enter('Eve', 'viewer', { organisations: ['org_a', 'org_b'] });
    expect(await status('Eve', '/organisations/brand-b/api/alerts')).toBe(200);
    expect((await act('/operators/remove', { name: 'Eve' })).status).toBe(200);
    expect(await status('Eve', '/organisations/brand-b/api/alerts')).toBe(401);
    const { rows } = await sql`select from console_right where name = 'Eve'`.execute(test.db);
    expect(rows).toEqual([]);
    expect(
      await revokeRight(test.db, {
        home: INSTALLATION,
        operatorId: 'x',
        organisationId: 'org_a',
        name: 'Eve',
        by: 'test',
        now: nowDate(clock),
      }),
    ).toBe(false);
  });
});

describe('addresses', () => {
  it('lead on within the organisation, forms and redirects too', async () => {
    const { cookie, csrf } = await site.signIn(TOKEN);
    const page = await (
      await site.send('GET', '/organisations/brand-a/alerts?state=all', { cookie })
    ).text();
    const addresses = [...page.matchAll(/ (?:href|action|hx-get)="(\/[^"]*)"/g)].map(
      ([, path]) => path,
    );
    expect(addresses.length).toBeGreaterThan(20);
    const elsewhere = addresses.filter(
      (path) =>
        !/^\/(organisations\/brand-[ab]\/|organisations$|logout$|assets\/)/.test(path ?? ''),
    );
    expect(elsewhere).toEqual([]);
    expect(page).toContain('<title>Alerts · Brand A · Forestall</title>');
    const form = formOf({ csrf_token: csrf, reason: 'a test' }, { cookie });
    const paused = await site.send(
      'POST',
      '/organisations/brand-a/system/pause',
      form.headers,
      form.body,
    );
    expect([paused.status, paused.headers.get('location')]).toEqual([
      303,
      '/organisations/brand-a/system',
    ]);
    const glance = await (await site.send('GET', '/api/organisations', bearer('Cem'))).json();
    expect(glance).toMatchObject({
      organisations: [
        { path: 'brand-a', refunds_stopped: true },
        { path: 'brand-b', refunds_stopped: false },
      ],
    });
    clock.advanceMs(15 * 60_000);
    const refund = formOf({ csrf_token: csrf, action: 'REFUND', note: 'n' }, { cookie });
    const sent = await site.send(
      'POST',
      '/organisations/brand-a/alerts/netalrt_OFA/decision',
      refund.headers,
      refund.body,
    );
    expect(sent.headers.get('location')).toBe(
      `/confirm?next=${encodeURIComponent('/organisations/brand-a/alerts/netalrt_OFA/decide?action=REFUND')}`,
    );
  });

  it('of before ask which organisation is meant, and lead to the only one', async () => {
    const cem = await site.signIn(tokens.get('Cem'));
    const asked = await (
      await site.send('GET', '/alerts/netalrt_OFA?log=yes', { cookie: cem.cookie })
    ).text();
    expect(asked).toContain('href="/organisations/brand-a/alerts/netalrt_OFA?log=yes"');
    expect(asked).toContain('href="/organisations/brand-b/alerts/netalrt_OFA?log=yes"');
    const ada = await site.signIn(tokens.get('Ada'));
    const led = await site.send('GET', '/alerts/netalrt_OFA?log=yes', { cookie: ada.cookie });
    expect(led.headers.get('location')).toBe('/organisations/brand-a/alerts/netalrt_OFA?log=yes');
    const start = await site.send('GET', '/', { cookie: ada.cookie });
    expect(start.headers.get('location')).toBe('/organisations/brand-a/');
  });

  it('are those of an installation of one while the file names one', async () => {
    site.brands = BRANDS.slice(0, 1);
    const { cookie } = await site.signIn(tokens.get('Dan'));
    const page = await (await site.send('GET', '/alerts?state=all', { cookie })).text();
    expect(page).toContain('<title>Alerts · Forestall</title>');
    expect(page).toContain('href="/alerts/netalrt_OFA"');
    expect(page).not.toContain('/organisations');
    expect((await site.send('GET', '/api/alerts', bearer('Dan'))).status).toBe(200);
    expect((await site.send('GET', '/api/alerts', bearer('Bea'))).status).toBe(401);
    site.brands = BRANDS;
  });
});

describe('exports', () => {
  it('name the organisation in each line and in the file’s name', async () => {
    const { cookie } = await site.signIn(TOKEN);
    const answer = await site.send('GET', '/organisations/brand-b/alerts.csv?state=all', {
      cookie,
    });
    const [head, first] = (await answer.text()).split(/\r?\n/);
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="brand-b-alerts.csv"',
    );
    expect(head?.startsWith('organisation,alert_id')).toBe(true);
    expect(first?.startsWith(`Brand B,netalrt_${SECRET}`)).toBe(true);
  });
});
