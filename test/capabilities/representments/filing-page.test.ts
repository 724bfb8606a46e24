/**
 * Guarantee: with the console's own rights a person sees what would be handed in and what is missing, says one word about it, and
 * is refused when the page is old or the representment is none of those that may be meant.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import {
  findDispute,
  findSubmission,
  listFiled,
  noteDisputes,
} from '../../../src/capabilities/representments/filing/filing.store.ts';
import type { ProcessorDispute } from '../../../src/service/wire/processor-dispute.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { FULL, insertOrder } from './rows.ts';

const clock = createFixedClock(NOW);
const test = useTestDatabase();
const PATH = '/representments/disputes/dp_1';

const DISPUTE: ProcessorDispute = {
  reference: 'dp_1',
  chargeReference: 'ch_full',
  reasonCode: '13.1',
  amountMinor: 2_900,
  currency: 'USD',
  status: 'needs_response',
  dueBy: '2026-12-31T00:00:00Z',
  openedAt: '2026-03-01T00:00:00Z',
  acquirerReferenceNumber: null,
  wants: {
    fields: [
      { name: 'delivery_details', holds: ['delivery'], charsMax: 5_000, isRequired: false },
      { name: 'short', holds: ['items'], charsMax: 5, isRequired: false },
    ],
    slots: [{ name: 'response', holds: [], isRequired: true }],
    fileTypes: ['application/pdf'],
    fileBytesMax: 1_000_000,
    allBytesMax: 1_000_000,
    filesMax: 1,
  },
  staged: [],
  submission: null,
};

let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  await insertOrder(test.db, 'order-full', {
    at: '2026-02-20T10:00:00Z',
    charge: 'ch_full',
    body: FULL,
  });
  for (const id of ['rep_1', 'rep_2', 'rep_other']) {
    await test.db
      .insertInto('representment')
      .values({
        organisation_id: ORG,
        id,
        dispute_status: 'OPEN',
        amount_minor: id === 'rep_other' ? 5 : 2_900,
        currency: 'USD',
        transaction_reference_id: 'ch_full',
        updated_at: NOW,
        snapshot: '{}',
        snapshot_hash: Buffer.from('00', 'hex'),
        source: 'webhook',
        first_seen_at: NOW,
        changed_at: NOW,
      })
      .execute();
  }
  await noteDisputes(test.db, { organisationId: ORG, now: new Date(NOW) }, [DISPUTE]);
  site = await startConsole(test.db, clock);
  ({ cookie, csrf } = await site.signIn());
});
afterAll(() => site.close());

const say = async (fields: Record<string, string>): Promise<number> =>
  (await site.post(`${PATH}/word`, formOf({ ...fields, csrf_token: csrf }, { cookie }))).status;
const version = async (): Promise<string> =>
  String((await findSubmission(test.db, ORG, 'dp_1'))?.version);

it('shows what is handed in, what does not fit, and the file', async () => {
  expect(await (await site.get('/representments/disputes', { cookie })).text()).toContain('dp_1');
  const text = await (await site.get(PATH, { cookie })).text();
  expect(text).toContain('JD0001');
  expect(text).toContain('The text for short has');
  const pdf = await site.get(`${PATH}/files/response`, { cookie });
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-');
  expect(text).toContain(`<img src="${PATH}/files/response/pages/1"`);
  const picture = await site.get(`${PATH}/files/response/pages/1`, { cookie });
  expect(picture.headers.get('content-type')).toBe('image/png');
  const etag = picture.headers.get('etag') ?? '';
  const again = { cookie, 'if-none-match': etag, 'cache-control': 'max-age=0' };
  expect((await site.get(`${PATH}/files/response/pages/1`, again)).status).toBe(304);
  for (const none of ['files/response/pages/2', 'files/response/pages/x', 'files/other']) {
    expect((await site.get(`${PATH}/${none}`, { cookie })).status).toBe(404);
  }
});

it('lists disputes by what became of them: open ones by when they are due, the others newest first, page by page', async () => {
  const dayOf = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();
  const many = Array.from({ length: 130 }, (_, place): ProcessorDispute => {
    const status = (['won', 'lost', 'under_review', 'expired', 'needs_response'] as const)[
      place % 5
    ];
    return {
      ...DISPUTE,
      reference: `dp_many_${place}`,
      chargeReference: `ch_many_${place}`,
      status: status ?? 'won',
      // Five were opened at one moment; of the open ones each tenth is due at no known moment.
      openedAt: dayOf(Math.floor(place / 5)),
      dueBy: place % 50 === 4 ? null : dayOf(400 - place),
    };
  });
  const at = { organisationId: ORG, now: new Date(NOW) };
  await noteDisputes(test.db, at, many);
  const walk = async (state: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let path: string | undefined = `/representments/disputes?state=${state}`; path; ) {
      const text: string = await (await site.get(path, { cookie })).text();
      const rows = [...text.matchAll(/<code>(dp_\w+)<\/code>/g)].map(([, name = '']) => name);
      expect(rows.length).toBeLessThanOrEqual(50);
      found.push(...rows);
      path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    return found;
  };
  const places = (all: readonly string[]): number[] =>
    all.filter((name) => name !== 'dp_1').map((name) => Number(name.slice('dp_many_'.length)));
  const all = await walk('all');
  expect(new Set(all).size).toBe(131);
  expect(all).toHaveLength(131);
  const days = places(all).map((place) => Math.floor(place / 5));
  expect(days).toEqual(days.toSorted((one, other) => other - one));
  expect(places(await walk('won')).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 26 }, (_, n) => 5 * n),
  );
  const open = await walk('open');
  expect(open).toHaveLength(27);
  expect(new Set(places(open.slice(0, 3)))).toEqual(new Set([4, 54, 104]));
  // What is due first comes first; `dp_1` is due on the last day of 2026, day 365 of that year.
  const due = open.slice(3).map((name) => (name === 'dp_1' ? 365 : 400 - places([name])[0]!));
  expect(due).toEqual(due.toSorted((one, other) => one - other));
  // Page by page it is the same list, also where a page ends among those that are due at no known moment.
  const paged: string[] = [];
  for (let after: readonly [string, string] | undefined; ; ) {
    const page = await listFiled(test.db, ORG, { list: 'open', limit: 2, after });
    paged.push(...page.map(({ dispute }) => dispute.reference));
    const last = page.at(-1);
    if (last === undefined) break;
    after = [last.key, last.dispute.reference];
  }
  expect(paged).toEqual(open);
  const text = await (await site.get('/representments/disputes', { cookie })).text();
  for (const words of ['To be handed in 27', 'Under review 26', 'Won 26', 'Lost 26', 'All 131']) {
    expect(text).toContain(words);
  }
  await test.db
    .deleteFrom('evidence_submission')
    .where('dispute_reference', '<>', 'dp_1')
    .execute();
  await test.db.deleteFrom('processor_dispute').where('reference', '<>', 'dp_1').execute();
});

it('says what it does by itself only once it was looked at', async () => {
  const stateOf = async (): Promise<string | undefined> =>
    [
      ...(await (await site.get('/representments/disputes', { cookie })).text()).matchAll(
        /<span class="state[^"]*">([^<]+)<\/span>/g,
      ),
    ].at(-1)?.[1];
  const change = async (to: { attempts: number; asked_by: string | null }): Promise<void> => {
    await test.db.updateTable('evidence_submission').set(to).execute();
  };
  expect(await stateOf()).toBe('not looked at yet');
  await change({ attempts: 1, asked_by: null });
  expect(await stateOf()).toBe('goes by itself before it is due');
  await change({ attempts: 1, asked_by: 'ada' });
  expect(await stateOf()).toBe('asked for, and looked at next');
  await change({ attempts: 0, asked_by: null });
});

it('asks which representment is meant, and takes one of those that may be', async () => {
  const text = await (await site.get(PATH, { cookie })).text();
  expect([...text.matchAll(/name="representment" value="(\w+)"/g)].map(([, id]) => id)).toEqual([
    'rep_1',
    'rep_2',
  ]);
  const about = { word: 'about', version: await version() };
  expect(await say({ ...about, representment: 'rep_other' })).toBe(400);
  expect(await say(about)).toBe(400);
  expect(await say({ ...about, representment: 'rep_2' })).toBe(303);
  expect((await findDispute(test.db, ORG, 'dp_1'))?.representment_id).toBe('rep_2');
});

it('notes a word once, and refuses it from an old page', async () => {
  const shownVersion = await version();
  expect(await say({ word: 'file', version: shownVersion })).toBe(303);
  expect(await say({ word: 'give_up', version: shownVersion })).toBe(409);
  expect(await findSubmission(test.db, ORG, 'dp_1')).toMatchObject({
    state: 'WAITING',
    asked_by: 'console',
    given_up_by: null,
  });
});
