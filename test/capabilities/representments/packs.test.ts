/**
 * Guarantee: every sentence of a pack cites rows that are there and that say what it says; what no row holds is
 * missing and said nowhere; the files say the same; what was sent is kept by version.
 */
import { inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { draftHtml } from '../../../src/capabilities/representments/draft-html.ts';
import { draftPdf } from '../../../src/capabilities/representments/draft-pdf.ts';
import { listSentEvidence } from '../../../src/capabilities/representments/filing/sent-evidence.store.ts';
import { outcomesOf } from '../../../src/capabilities/representments/outcomes/outcomes.ts';
import type { Pack } from '../../../src/capabilities/representments/pack.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import { readPack } from '../../../src/capabilities/representments/read-pack.ts';
import type { RepresentmentRow } from '../../../src/capabilities/representments/representment-list.store.ts';
import {
  findRepresentment,
  noteOutcomes,
  noteSending,
  sentPacks,
} from '../../../src/capabilities/representments/representment-pack.store.ts';
import { insertCase, insertMovement, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { FULL, insertOrder, SAME_CUSTOMER } from './rows.ts';

const NOW = new Date('2026-03-20T12:00:00Z');
const RULES = openPackRules();
const CODES = RULES.packs.flatMap(({ codes }) => codes);

const test = useTestDatabase();

beforeAll(async () => {
  await insertOrder(test.db, 'order-full', {
    at: '2026-02-20T10:00:00Z',
    charge: 'ch_full',
    body: FULL,
  });
  await insertOrder(test.db, 'order-old', {
    at: '2025-09-01T08:00:00Z',
    charge: 'ch_old',
    body: SAME_CUSTOMER,
  });
  await insertOrder(test.db, 'order-twice', {
    at: '2026-02-20T10:02:00Z',
    charge: 'ch_twice',
    body: SAME_CUSTOMER,
  });
  await insertOrder(test.db, 'order-disputed', {
    at: '2025-09-02T08:00:00Z',
    charge: 'ch_disputed',
    body: SAME_CUSTOMER,
  });
  await insertCase(test.db, 'netalrt_1', { chargeReference: 'ch_disputed' });
  await insertOrder(test.db, 'order-refunded', {
    at: '2025-09-03T08:00:00Z',
    charge: 'ch_refunded',
    body: SAME_CUSTOMER,
  });
  await insertMovement(test.db, 'mv_0', {
    state: 'CONFIRMED',
    kind: 'external',
    charge: 'ch_refunded',
    alertId: 'x',
  });
  await insertOrder(test.db, 'order-sent', {
    at: '2026-02-22T10:00:00Z',
    charge: 'ch_sent',
    body: SENT,
  });
  await insertMovement(test.db, 'mv_sent', {
    state: 'PENDING',
    kind: 'external',
    charge: 'ch_sent',
    alertId: 'x',
  });
  await representment('rep_sent', { code: '13.1', charge: 'ch_sent' });
  await insertOrder(test.db, 'order-bare', {
    at: '2026-02-21T10:00:00Z',
    charge: 'ch_bare',
    body: {},
  });
  await insertOrder(test.db, 'order-other', {
    at: '2025-08-01T08:00:00Z',
    charge: 'ch_other',
    body: { customer_email: 'x@y.example' },
  });
  await insertMovement(test.db, 'mv_1', {
    state: 'CONFIRMED',
    kind: 'external',
    charge: 'ch_full',
    alertId: 'x',
    amountMinor: 500,
    confirmedAt: '2026-03-02T09:00:00Z',
    reference: 're_77',
  });
  for (const [index, code] of [...CODES, 'never heard of'].entries()) {
    await representment(`rep_full${index}`, { code, charge: 'ch_full' });
    await representment(`rep_bare${index}`, { code, charge: 'ch_bare' });
    await representment(`rep_none${index}`, { code, charge: 'ch_nobody' });
  }
});

/** A parcel that was sent, and nobody knows whether it arrived. */
const SENT = {
  deliveries: [
    {
      reference_id: 'd2',
      type: 'PHYSICAL',
      physical_shipping_carrier: 'DHL',
      physical_shipping_tracking_number: 'JD0002',
      physical_shipping_status: 'SHIPPED',
      physical_shipping_datetime_shipped: '2026-02-23T08:00:00Z',
    },
  ],
};

async function representment(
  id: string,
  given: { code: string; charge: string; status?: string; due?: string },
): Promise<void> {
  const snapshot = {
    id,
    dispute_reason_code: given.code,
    dispute_reference_id: `dp_${id}`,
    disputed_at: '2026-03-10T00:00:00Z',
  };
  await test.db
    .insertInto('representment')
    .values({
      organisation_id: ORG,
      id,
      dispute_status: given.status ?? 'OPEN',
      dispute_due_by: given.due ?? '2026-04-01T00:00:00Z',
      amount_minor: 2_900,
      currency: 'USD',
      transaction_reference_id: given.charge,
      updated_at: NOW,
      snapshot: JSON.stringify(snapshot),
      snapshot_hash: Buffer.from('00', 'hex'),
      source: 'webhook',
      first_seen_at: NOW,
      changed_at: NOW,
    })
    .execute();
}

async function rowOf(id: string): Promise<RepresentmentRow> {
  const row = await findRepresentment(test.db, ORG, id);
  if (row === undefined) throw new Error(`${id} is not there`);
  return row;
}

async function packOf(id: string): Promise<Pack> {
  return await readPack(test.db, {
    organisationId: ORG,
    representment: await rowOf(id),
    rules: RULES,
  });
}

async function packsOf(kind: string): Promise<Pack[]> {
  return await Promise.all(
    [...CODES, 'never heard of'].map((_, index) => packOf(`rep_${kind}${index}`)),
  );
}

const rowTexts = new Map<string, Promise<string>>();

/** The row as the database has it, as text. */
function rowText(table: string, id: string): Promise<string> {
  const key = `${table} ${id}`;
  const text = rowTexts.get(key) ?? readRow(table, id);
  rowTexts.set(key, text);
  return text;
}

async function readRow(table: string, id: string): Promise<string> {
  const keys: Record<string, string> = { charge: 'reference', order_record: 'reference_id' };
  const rows = await test.db
    .selectFrom(table as 'charge')
    .selectAll()
    .where((keys[table] ?? 'id') as 'reference', '=', id)
    .execute();
  expect(`${table} ${id}: ${rows.length}`).toBe(`${table} ${id}: 1`);
  return JSON.stringify(rows[0]);
}

/** Sums, moments and references of a sentence, each as a row would spell it. */
function saidIn(text: string): string[] {
  const sums = [...text.matchAll(/(\d+)\.(\d\d) USD/g)].map(([, whole, cents]) =>
    String(Number(`${whole}${cents}`)),
  );
  const moments = [...text.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/g)].map(
    ([, day, time]) => `${day}T${time}`,
  );
  const references = [
    ...text.matchAll(/\b(ch_\w+|order-\w+|re_\w+|sub_\w+|acct-\w+|JD\d+|7{23}|203\.0\.113\.\d+)/g),
  ].map(([reference]) => reference);
  return [...sums, ...moments, ...references];
}

const plain = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** One sentence of the page: its text without the numbers, and the rows that it cites. */
async function checkSentence(inner: string, page: string): Promise<void> {
  const text = plain(inner.replaceAll(/ <sup>.*?<\/sup>/g, ''));
  const cites = [...inner.matchAll(/data-row="(\w+) ([^"]+)"/g)];
  expect(`${text} cites ${cites.length}`).not.toMatch(/cites 0$/);
  const rows = await Promise.all(cites.map(([, table = '', id = '']) => rowText(table, id)));
  for (const said of saidIn(text)) expect(rows.join('\n')).toContain(said);
  const records = page.slice(page.indexOf('<h2>Records'));
  for (const [, number] of inner.matchAll(/href="#row-(\d+)"/g)) {
    expect(records).toContain(`id="row-${number}"`);
  }
  for (const [, , id = ''] of cites) expect(records).toContain(id);
}

describe('every sentence of a pack', () => {
  it('cites a row that is there and holds its sums, moments and references', async () => {
    const kinds = await Promise.all(['full', 'bare', 'none'].map(packsOf));
    let sentences = 0;
    for (const pack of kinds.flat()) {
      const page = draftHtml(pack);
      const body = page.slice(page.indexOf('</h1>'), page.indexOf('<h2>Records'));
      // Nothing is said beside headings and sentences.
      const rest = body.replaceAll(/<h2>[^<]*<\/h2>|<p class="said">.*?<\/p>|<\/h1>|\s/g, '');
      expect(rest).toBe('');
      for (const [, inner = ''] of body.matchAll(/<p class="said">(.*?)<\/p>/g)) {
        sentences += 1;
        await checkSentence(inner, page);
      }
    }
    expect(sentences).toBeGreaterThan(400);
  });

  it('stands in the PDF too, with its citations', async () => {
    const pack = await packOf(`rep_full${CODES.indexOf('13.1')}`);
    const text = pdfText(await draftPdf(pack, NOW));
    const squeezed = text.replaceAll(/\s/g, '');
    for (const sentence of pack.sections.flatMap((section) => section.sentences)) {
      const numbers = sentence.cites.map(
        (row) => pack.cited.findIndex((each) => each.id === row.id && each.table === row.table) + 1,
      );
      const expected = `${sentence.text}${numbers.map((number) => `[${number}]`).join('')}`;
      // The standard fonts have no Ł and no ź.
      expect(squeezed).toContain(expected.replaceAll(/[Łź]/g, '?').replaceAll(/\s/g, ''));
    }
    expect(squeezed).toContain('Lettersshownas?standintheHTMLfile.');
  });
});

/** The text of a PDF made with standard fonts: hexadecimal strings in compressed streams. */
function pdfText(file: Buffer): string {
  const raw = file.toString('latin1');
  expect(raw.startsWith('%PDF-')).toBe(true);
  const streams = [...raw.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(
    ([, bytes = '']) => {
      try {
        return inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1');
      } catch {
        return '';
      }
    },
  );
  const hex = [...streams.join('\n').matchAll(/<([0-9a-f]+)>/g)].map(([, digits = '']) => digits);
  return new TextDecoder('windows-1252').decode(Buffer.from(hex.join(''), 'hex'));
}

describe('a pack', () => {
  it.each([
    ['10.4', []],
    ['12.6', []],
    ['13.1', []],
    ['13.4', ['authenticity']],
    ['13.6', []],
    ['13.7', ['refund_policy']],
    ['F29', []],
    ['4837', []],
    ['4808', []],
  ])('for %s of a full order lacks what no feed holds: %j', async (code, missing) => {
    expect((await packOf(`rep_full${CODES.indexOf(code)}`)).missing).toEqual(missing);
  });

  it('of a bare order says what is missing, and how it can be had', async () => {
    const pack = await packOf(`rep_bare${CODES.indexOf('10.4')}`);
    expect(pack.missing).toEqual(['customer', 'device', 'earlier_payments']);
    for (const { sentences, get } of pack.elements)
      if (sentences.length === 0) expect(get).not.toBe('');
    expect(draftHtml(pack)).not.toMatch(/the device|earlier/i);
  });

  it('of a payment that we do not know says only what the service told', async () => {
    const pack = await packOf('rep_none0');
    expect(pack.sections.map(({ heading }) => heading)).toEqual(['The dispute']);
  });

  it('takes neither a parcel on its way for one that arrived, nor money on its way for a refund', async () => {
    const pack = await packOf('rep_sent');
    expect(pack.missing).toContain('delivery');
    expect(draftHtml(pack)).not.toMatch(/DHL|refunded/);
  });

  it('counts as earlier payments only those of the same customer, before it, without a complaint', async () => {
    const pack = await packOf(`rep_full${CODES.indexOf('10.4')}`);
    const earlier = pack.elements.find(({ name }) => name === 'earlier_payments');
    expect(earlier?.sentences.map(({ cites }) => cites[0].id)).toEqual(['ch_old']);
  });

  it('asks at least 15 reason codes for something, each with a source', () => {
    expect(RULES.packs.filter(({ name }) => name !== 'other').length).toBeGreaterThanOrEqual(15);
    for (const { source, confidence, required } of RULES.packs) {
      expect(source).not.toBe('');
      expect(confidence).not.toBe('');
      expect(required).not.toEqual([]);
    }
  });

  it('has another name as soon as a row says something else', async () => {
    const id = `rep_bare${CODES.indexOf('13.1')}`;
    const before = await packOf(id);
    expect((await packOf(id)).contentHash).toBe(before.contentHash);
    await test.db
      .updateTable('charge')
      .set({ amount_minor: 3_000 })
      .where('reference', '=', 'ch_bare')
      .execute();
    expect((await packOf(id)).contentHash).not.toBe(before.contentHash);
  });
});

describe('what was sent', () => {
  it('is kept once per draft, and its outcome at the version that was sent last', async () => {
    const id = `rep_full${CODES.indexOf('13.2')}`;
    const send = async () =>
      await noteSending(test.db, {
        organisationId: ORG,
        pack: await packOf(id),
        representment: await rowOf(id),
        through: 'portal',
        note: undefined,
        operator: 'ada',
        now: NOW,
      });
    expect(await send()).toBe(1);
    expect(await send()).toBeUndefined();
    await insertMovement(test.db, 'mv_2', {
      state: 'CONFIRMED',
      kind: 'external',
      charge: 'ch_full',
      alertId: 'x',
      amountMinor: 100,
    });
    expect(await send()).toBe(2);
    await test.db
      .updateTable('representment')
      .set({ dispute_status: 'LOST' })
      .where('id', '=', id)
      .execute();
    await inTransaction(test.db, (trx) => noteOutcomes(trx, ORG, NOW));
    const sent = await sentPacks(test.db, ORG, [id]);
    expect(sent.map(({ version, outcome }) => [version, outcome])).toEqual([
      [2, 'LOST'],
      [1, null],
    ]);
    expect(outcomesOf(await listSentEvidence(test.db, ORG)).byPack).toMatchObject([
      { name: '13.2 (2026-11)', sent: 1, won: 0, lost: 1 },
    ]);
  });
});
