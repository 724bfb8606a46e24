/**
 * Guarantee: whatever stands in the database, every page of the console builds the same elements as it does of harmless words:
 * twenty-eight words that want to be markup or script, in turn in every column in which words from outside or of people can stand.
 * What a browser does with fifty of them on the pages of an alert: `console.long.test.ts`.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { personalColumns } from '../../src/running/privacy/inventory.ts';
import { HOSTILE_TEXTS } from './support/hostile.ts';
import { walkPages } from './support/page-walk.ts';
import type { Site } from './support/site.ts';
import { CONSOLE_TOKEN, fillPages, openSite, raiseReviews } from './support/site.ts';

/** Rounds over all pages; in each a column holds another word. */
const ROUNDS = 14;
const WORDS = HOSTILE_TEXTS.slice(0, 28);

/** Beside the columns of the inventory: words of the service, of processors and of people that name nobody. */
const FURTHER = [
  ...['alert.descriptor', 'alert.card_issuer', 'alert.reason_code', 'alert.card_scheme'],
  ...['charge.descriptor', 'charge.card_brand', 'charge.authorisation_code', 'charge.card_last4'],
  ...['alert_case.hold_reason', 'decision.rule', 'decision.guard', 'decision.decided_by'],
  ...[
    'order_record.reason',
    'order_record.error_code',
    'movement.failure_code',
    'movement.currency',
  ],
  ...['movement.processor_reference', 'lookup.descriptor', 'audit.actor', 'audit.subject_id'],
  ...['finding.kind', 'worker_heartbeat.worker', 'quarantine.reason', 'scheme_notice.type'],
];

/** Places inside JSON that pages show. */
const WITHIN: Readonly<Record<string, string>> = {
  'order_record.body': `jsonb_set(jsonb_set(jsonb_set(body, '{items,0,name}', to_jsonb($1::text)),
    '{customer_name}', to_jsonb($1::text)), '{customer_email}', to_jsonb($1::text))`,
  'audit.detail': `jsonb_build_object('reason', $1::text, 'note', $1::text)`,
  'finding.evidence': `jsonb_build_object('ours', $1::text, 'theirs', $1::text)`,
  'order_record.warnings': 'jsonb_build_array($1::text)',
};

let site: Site;
let cookie: string;
let pages: readonly string[];
let columns: readonly (readonly [table: string, column: string])[];

beforeAll(async () => {
  site = await openSite();
  const [alertId = ''] = await raiseReviews(site, 2);
  const { representmentId, claimedId, withPictures } = await fillPages(site);
  const { organisationId, database } = site.world.parts;
  const at = new Date(site.world.clock.nowMs());
  const by = { organisation_id: organisationId, operator: 'console' };
  await database.db
    .insertInto('review_comment')
    .values({ ...by, alert_id: alertId, text: 'x', at })
    .execute();
  await sql`insert into saved_view (organisation_id, operator, name, query, created_at, page, is_shared)
    values (${organisationId}, 'console', 'mine', 'state=open', ${at}, '/alerts', true)`.execute(
    database.db,
  );
  cookie = await signIn();
  const known = [
    ...[
      `/alerts/${alertId}`,
      `/alerts/${alertId}?log=yes`,
      `/alerts/${alertId}/decide?action=REFUND`,
    ],
    ...[`/reviews/several?act=accept&id=${alertId}`, `/alerts/${alertId}/decline`],
    ...[`/representments/${representmentId}`, `/credits/${claimedId}`, ...withPictures],
  ];
  const found = await walkPages(read, known);
  // Lists show more under their own questions.
  pages = [
    ...found.values(),
    `/alerts/${alertId}?log=yes`,
    '/alerts?state=all',
    '/orders?state=all',
  ];
  columns = await plantable();
}, 300_000);
afterAll(() => site.close());

async function signIn(): Promise<string> {
  const answer = await fetch(`${site.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: CONSOLE_TOKEN }).toString(),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function read(path: string): Promise<string> {
  const answer = await fetch(site.url + path, { headers: { cookie }, redirect: 'manual' });
  const text = await answer.text();
  expect([path, answer.status < 500, text.length > 0 || answer.status >= 300]).toEqual([
    path,
    true,
    true,
  ]);
  return text;
}

/** Plants a word for each column at once; what the table does not take stays. Returns the columns that took theirs. */
async function plant(
  into: readonly (readonly [table: string, column: string])[],
  wordOf: (place: number) => string,
): Promise<(readonly [string, string])[]> {
  const { pool } = site.world.parts.database;
  const client = await pool.connect();
  const taken: (readonly [string, string])[] = [];
  try {
    await client.query('begin');
    // Of history rows are only added, and what counts rows is not asked to.
    await client.query('set local session_replication_role = replica');
    for (const [place, [table, column]] of into.entries()) {
      await client.query('savepoint one');
      try {
        const { rowCount } = await client.query(
          `update ${table} set ${column} = ${WITHIN[`${table}.${column}`] ?? '$1'} where ${column} is not null`,
          [wordOf(place)],
        );
        if ((rowCount ?? 0) > 0) taken.push([table, column]);
        await client.query('release savepoint one');
      } catch {
        await client.query('rollback to savepoint one');
      }
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  return taken;
}

async function plantable(): Promise<readonly (readonly [string, string])[]> {
  const own = personalColumns()
    .filter(({ kind }) => kind === 'text')
    .map(({ table, column }) => [table, column] as const);
  const further = [...FURTHER, ...Object.keys(WITHIN)].map(
    (name) => name.split('.') as [string, string],
  );
  const { rows } = await sql<{ name: string }>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    where c.table_schema = 'forestall' and c.data_type in ('text', 'jsonb')`.execute(
    site.world.parts.database.db,
  );
  const known = new Set(rows.map(({ name }) => name));
  return [...new Map([...own, ...further].map((each) => [each.join('.'), each])).values()].filter(
    (each) => known.has(each.join('.')),
  );
}

/** Every tag of a page with the names of its attributes: what a browser would build. */
function tagsOf(text: string): string {
  return [...text.matchAll(/<([a-z!/][^\s>]*)((?:\s+[^\s=>"]+(?:="[^"]*")?|[^>"]|"[^"]*")*)>/gi)]
    .map(([, name, rest]) => {
      const attributes = [...(rest ?? '').matchAll(/([^\s="]+)(?:="([^"]*)")?/g)].map(
        ([, of, value = '']) =>
          /^(?:href|src|action)$/.test(of ?? '') ? `${of}=${schemeOf(value)}` : of,
      );
      return `${name} ${attributes.join(' ')}`;
    })
    .join('\n');
}

/** Where an address leads: into the console, or by which scheme elsewhere. */
function schemeOf(address: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.exec(address)?.[0].toLowerCase() ?? 'here';
}

it('builds of 28 hostile words in every column what it builds of harmless ones', async () => {
  const plain = (place: number): string => `word ${place} and so on`;
  const planted = await plant(columns, plain);
  expect(pages.length).toBeGreaterThan(44);
  expect(planted.length).toBeGreaterThan(30);
  const harmless = new Map<string, string>();
  let shown = 0;
  for (const page of pages) {
    const text = await read(page);
    shown += [...text.matchAll(/word \d+ and so on/g)].length;
    harmless.set(page, tagsOf(text));
  }
  // Were the words not shown, nothing would be proved.
  expect(shown).toBeGreaterThan(100);
  const differing: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const taken = await plant(planted, (place) => WORDS[(round * 3 + place) % WORDS.length] ?? '');
    expect(taken.length).toBe(planted.length);
    for (const page of pages) {
      const text = await read(page);
      if (tagsOf(text) !== harmless.get(page)) differing.push(`${page} in round ${round}`);
    }
  }
  expect(differing).toEqual([]);
}, 900_000);
