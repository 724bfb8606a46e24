/**
 * Guarantee: a pack takes the version of a document that was in force on the day of the purchase, of its product and in
 * its language; what comes in is what it says and holds no card number; bytes are sealed, and go with the customer.
 */
import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { encode } from 'fast-png';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import PdfKit from 'pdfkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { carryKeys } from '../../../src/base/db/carried-keys.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import type { DocumentWords } from '../../../src/capabilities/representments/documents/document.store.ts';
import {
  addDocument,
  endDocument,
  listDocuments,
  readDocument,
  removeDocument,
  resealDocuments,
} from '../../../src/capabilities/representments/documents/document.store.ts';
import type {
  KeptDocument,
  Purchase,
} from '../../../src/capabilities/representments/documents/in-force.ts';
import {
  dayOf,
  documentsFor,
} from '../../../src/capabilities/representments/documents/in-force.ts';
import type { ReadFile } from '../../../src/capabilities/representments/documents/read-file.ts';
import { readFile } from '../../../src/capabilities/representments/documents/read-file.ts';
import type { Pack } from '../../../src/capabilities/representments/pack.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import { readPack } from '../../../src/capabilities/representments/read-pack.ts';
import { findRepresentment } from '../../../src/capabilities/representments/representment-pack.store.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { FULL, insertOrder, SAME_CUSTOMER } from './rows.ts';

const test = useTestDatabase();
const act = { organisationId: ORG, actor: 'operator:Ines', now: new Date(NOW) };
const KEY = `k1:${Buffer.alloc(32, 'a key of the test ').toString('base64')}`;
const OTHER_KEY = `k2:${Buffer.alloc(32, 'another one ').toString('base64')}`;

const POLICY: DocumentWords = {
  element: 'refund_policy',
  name: 'Refund policy',
  language: null,
  product: null,
  orderReference: null,
  validFrom: '2026-01-01',
  validUntil: null,
};

beforeEach(async () => {
  await test.db.deleteFrom('evidence_document').execute();
});

/** A PDF as other programs make them: its words stand compressed. */
async function pdf(text: string, pages = 1): Promise<Buffer> {
  const file = new PdfKit({ autoFirstPage: false });
  const chunks: Buffer[] = [];
  file.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((done) => file.on('end', done));
  for (let index = 0; index < pages; index += 1) file.addPage().text(text);
  file.end();
  await ended;
  return Buffer.concat(chunks);
}

async function read(content: Buffer): Promise<string | ReadFile> {
  const reading = await readFile(content, { title: 'A file', now: new Date(NOW) });
  return reading.ok ? reading.file : reading.message;
}

async function fileOf(text: string): Promise<ReadFile> {
  const file = await read(await pdf(text));
  return typeof file === 'string' ? expect.fail(file) : file;
}

async function add(
  changes: Partial<DocumentWords> = {},
  { text = 'Thirty days.', db = test.db }: { text?: string; db?: Kysely<Database> } = {},
): Promise<string> {
  const added = await addDocument(db, act, {
    words: { ...POLICY, ...changes },
    file: await fileOf(text),
  });
  return added.kind === 'added' ? added.id : expect.fail(added.kind);
}

async function days(): Promise<string[]> {
  const all = await listDocuments(test.db, ORG);
  return all.map(({ validFrom, validUntil }) => `${validFrom} ${validUntil ?? ''}`).sort();
}

describe('which version speaks', () => {
  const purchase: Purchase = {
    orderReference: 'o1',
    day: '2026-02-20',
    language: null,
    products: ['SKU-1', 'Desk lamp'],
  };
  const kept = (changes: Partial<KeptDocument>): KeptDocument => ({
    ...POLICY,
    ...{ id: 'd', type: 'application/pdf', pages: 1, byteCount: 1, sha256: 'x' },
    ...changes,
  });
  const chosen = (given: Partial<Purchase>, documents: readonly KeptDocument[]): string[] =>
    documentsFor({ ...purchase, ...given }, documents).map(({ id }) => id);

  it.each([
    ['2026-01-31', ['old']],
    ['2026-02-01', ['new']],
    ['2026-02-28', ['new']],
    // The new one is over, and the old one was over before it: neither was in force.
    ['2026-03-01', []],
    ['2025-12-31', []],
  ])('on %s it is %s', (day, expected) => {
    const old = kept({ id: 'old', validUntil: '2026-01-31' });
    const newer = kept({ id: 'new', validFrom: '2026-02-01', validUntil: '2026-02-28' });
    expect(chosen({ day }, [old, newer])).toEqual(expected);
  });

  it('takes the day of the order as its own clock said it', () => {
    expect(dayOf('2026-02-20T23:30:00-05:00')).toBe('2026-02-20');
    expect(dayOf('2026-02-20')).toBe('2026-02-20');
    expect(dayOf('soon')).toBeNull();
    expect(dayOf(undefined)).toBeNull();
  });

  it('takes the order’s language, else one that says none, else the only one there is', () => {
    const [any, german, french] = [
      kept({ id: 'any' }),
      kept({ id: 'de', language: 'de' }),
      kept({ id: 'fr', language: 'fr' }),
    ];
    expect(chosen({ language: 'de' }, [any, german, french])).toEqual(['de']);
    expect(chosen({ language: 'it' }, [any, german, french])).toEqual(['any']);
    expect(chosen({ language: null }, [any, german, french])).toEqual(['any']);
    expect(chosen({ language: null }, [german])).toEqual(['de']);
    // Which one the customer saw is not known, or it was neither.
    expect(chosen({ language: null }, [german, french])).toEqual([]);
    expect(chosen({ language: 'it' }, [german])).toEqual([]);
  });

  it('takes that of the product before that of all, and none of another product or order', () => {
    const all = kept({ id: 'all' });
    const lamp = kept({ id: 'lamp', product: 'desk LAMP' });
    const other = kept({ id: 'other', product: 'SKU-9' });
    const foreign = kept({ id: 'foreign', orderReference: 'o2' });
    const own = kept({ id: 'own', orderReference: 'o1' });
    expect(chosen({}, [all, lamp, other, foreign])).toEqual(['lamp']);
    expect(chosen({}, [all, other, foreign])).toEqual(['all']);
    expect(chosen({}, [all, lamp, own])).toEqual(['own']);
    expect(chosen({}, [all, kept({ id: 'second', name: 'Terms' })])).toEqual(['all', 'second']);
  });
});

describe('versions', () => {
  it('a new one ends the one before; one between two ends before the later', async () => {
    await add();
    await add({ validFrom: '2026-03-01' });
    expect(await days()).toEqual(['2026-01-01 2026-02-28', '2026-03-01 ']);
    await add({ validFrom: '2026-02-01' });
    expect(await days()).toEqual(['2026-01-01 2026-01-31', '2026-02-01 2026-02-28', '2026-03-01 ']);
    await add({ name: 'Terms', validFrom: '2026-02-10' });
    expect(await days()).toContain('2026-02-01 2026-02-28');
  });

  it('two that begin on one day are refused, at once too', async () => {
    await add();
    const file = await fileOf('Other');
    const same = await addDocument(test.db, act, { words: POLICY, file });
    expect(same.kind).toBe('same_day');
    const words = { ...POLICY, validFrom: '2026-05-01' };
    const both = await Promise.all([1, 2].map(() => addDocument(test.db, act, { words, file })));
    expect(both.map(({ kind }) => kind).sort()).toEqual(['added', 'same_day']);
  });

  it('is ended once, earlier only, and removed', async () => {
    const id = await add();
    expect(await endDocument(test.db, act, { id, lastDay: '2026-02-28' })).toBe(true);
    expect(await endDocument(test.db, act, { id, lastDay: '2026-02-28' })).toBe(false);
    expect(await endDocument(test.db, act, { id, lastDay: '2026-03-31' })).toBe(false);
    expect(await endDocument(test.db, act, { id, lastDay: '2020-01-01' })).toBe(true);
    expect(await days()).toEqual(['2026-01-01 2025-12-31']);
    expect(await removeDocument(test.db, { ...act, organisationId: 'org_other' }, id)).toBe(false);
    expect(await removeDocument(test.db, act, id)).toBe(true);
    expect(await listDocuments(test.db, ORG)).toEqual([]);
  });
});

describe('a file at the border', () => {
  it('is taken as PDF, PNG, JPEG, or as a text that becomes a PDF', async () => {
    expect(await read(await pdf('Hello', 3))).toMatchObject({ type: 'application/pdf', pages: 3 });
    const picture = {
      width: 40,
      height: 30,
      data: new Uint8Array(40 * 30 * 3),
      channels: 3,
    } as const;
    expect(await read(Buffer.from(encode(picture)))).toMatchObject({ type: 'image/png', pages: 1 });
    const text = await read(Buffer.from('Rückgabe: 30 Tage\n'));
    expect(text).toMatchObject({ type: 'application/pdf', pages: 1 });
  });

  const bomb = (): Buffer => {
    const png = Buffer.from(encode({ width: 4, height: 4, data: new Uint8Array(48), channels: 3 }));
    const begin = png.indexOf('IDAT') - 4;
    const data = deflateSync(Buffer.alloc(50_000_000));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([
      png.subarray(0, begin),
      length,
      Buffer.from('IDAT'),
      data,
      Buffer.alloc(4),
    ]);
  };
  it.each<[string, () => Promise<Buffer> | Buffer, RegExp]>([
    ['an empty one', () => Buffer.alloc(0), /empty/],
    ['30 MB', () => Buffer.alloc(30_000_000, '%PDF-'), /30000000 bytes, and 4194304 are taken/],
    ['a PDF that is none', () => Buffer.from('%PDF-1.7 and then nothing'), /cannot be opened/],
    ['a PDF without pages', () => pdf('', 0), /cannot be opened/],
    ['a PDF of 51 pages', () => pdf('x', 51), /51 pages, and 50 are taken/],
    ['a PDF with a card number', () => pdf('Paid with 4111 1111 1111 1111'), /card number/],
    ['a text with a card number', () => Buffer.from('4111111111111111'), /card number/],
    ['a text in letters without a font', () => Buffer.from('Łódź'), /letters/],
    ['a program', () => Buffer.from('MZ\u0000\u0001'), /no PDF, PNG, JPEG or text/],
    ['a broken JPEG', () => Buffer.from('ffd8ffe000104a46', 'hex'), /picture cannot be opened/],
    ['a PNG that unpacks to much more than it says', bomb, /picture cannot be opened/],
  ])('%s is refused', async (_name, content, message) => {
    expect(await read(await content())).toMatch(message);
  });

  it('a PDF with a password is refused', async () => {
    const locked = await PDFDocument.create();
    locked.addPage();
    locked.encrypt({ userPassword: 'secret', ownerPassword: 'secret' });
    expect(await read(Buffer.from(await locked.save()))).toMatch(/password/);
  });
});

describe('sealing', () => {
  it('no byte stands in clear, a rotation seals anew, and another organisation reads nothing', async () => {
    const under = (keys: string): Kysely<Database> =>
      test.db.withPlugin(carryKeys(parseDataKeys(keys))[0] ?? expect.fail());
    const id = await add({}, { db: under(KEY) });
    const stored = async (): Promise<{ body: Buffer; key_id: string | null }> =>
      await test.db
        .selectFrom('evidence_document')
        .select(['body', 'key_id'])
        .executeTakeFirstOrThrow();
    expect((await stored()).key_id).toBe('k1');
    expect((await stored()).body.includes('%PDF')).toBe(false);
    const opened = await readDocument(under(KEY), ORG, id);
    expect(opened?.body.subarray(0, 5).toString()).toBe('%PDF-');
    await expect(readDocument(test.db, ORG, id)).rejects.toThrow();
    expect(await readDocument(under(KEY), 'org_other', id)).toBeUndefined();
    const both = parseDataKeys(`${OTHER_KEY},${KEY}`);
    await resealDocuments(test.db, ORG, both ?? expect.fail());
    expect((await stored()).key_id).toBe('k2');
    expect((await readDocument(under(OTHER_KEY), ORG, id))?.body).toEqual(opened?.body);
  });
});

describe('in a pack', () => {
  const packOf = async (code: string): Promise<Pack> => {
    await test.db
      .updateTable('representment')
      .set({ snapshot: JSON.stringify({ dispute_reason_code: code }) })
      .execute();
    const representment = await findRepresentment(test.db, ORG, 'rep_1');
    if (representment === undefined) throw new Error('it is not there');
    return await readPack(test.db, { organisationId: ORG, representment, rules: openPackRules() });
  };
  const sentences = (pack: Pack, name: string): (string | undefined)[] =>
    pack.elements.find((each) => each.name === name)?.sentences.map(({ text }) => text) ?? [];

  it('cites the version of the day, and counts where it is the same for every order', async () => {
    await insertOrder(test.db, 'order-full', {
      at: '2026-02-20T23:30:00-05:00',
      charge: 'ch_full',
      body: { ...FULL, order_proof_of_consent: undefined },
    });
    await test.db
      .insertInto('representment')
      .values({
        ...{ organisation_id: ORG, id: 'rep_1', dispute_status: 'OPEN', amount_minor: 2_900 },
        ...{
          currency: 'USD',
          transaction_reference_id: 'ch_full',
          updated_at: NOW,
          snapshot: '{}',
        },
        ...{ snapshot_hash: Buffer.from('00', 'hex'), source: 'webhook' as const },
        ...{ first_seen_at: NOW, changed_at: NOW },
      })
      .execute();
    const before = await packOf('13.7');
    expect(before.missing).toEqual(['terms', 'refund_policy']);
    const current = await add({ validFrom: '2026-02-20' });
    await add({ validFrom: '2026-02-21' });
    await add({ element: 'terms', name: 'Terms of sale' });
    const pack = await packOf('13.7');
    expect(sentences(pack, 'refund_policy')).toEqual([
      '“Refund policy” was in force on 2026-02-20, the day of the purchase.',
    ]);
    // A page of terms does not show that this customer agreed to them.
    expect(pack.missing).toEqual(['terms']);
    expect(pack.documents.map(({ id }) => id)).toEqual([current]);
    expect(pack.cited).toContainEqual({ table: 'evidence_document', id: current });
    expect(pack.contentHash).not.toBe(before.contentHash);
    const signed = await add({ element: 'terms', name: 'Contract', orderReference: 'order-full' });
    const whole = await packOf('13.7');
    expect(whole.missing).toEqual([]);
    expect(sentences(whole, 'terms')).toEqual(['“Contract” is a document of this order.']);
    expect(whole.documents.map(({ id }) => id)).toContain(signed);
  });

  it('another file under the same words is another draft', async () => {
    await add({ validFrom: '2026-02-20' });
    const one = await packOf('13.7');
    await test.db.deleteFrom('evidence_document').execute();
    await add({ validFrom: '2026-02-20' }, { text: 'Fourteen days.' });
    const other = await packOf('13.7');
    expect(other.sections.map(({ heading }) => heading)).toEqual(
      one.sections.map(({ heading }) => heading),
    );
    expect(other.contentHash).not.toBe(one.contentHash);
  });
});

describe('erasure', () => {
  const request = {
    organisationId: ORG,
    customerEmail: SAME_CUSTOMER.customer_email,
    actor: 'cli',
    now: new Date(NOW),
  };

  it.each([
    ['in clear', ''],
    ['sealed', KEY],
  ])('what names the customer goes, whole, %s; all else stays as it was', async (_name, keys) => {
    const db =
      keys === ''
        ? test.db
        : test.db.withPlugin(carryKeys(parseDataKeys(keys))[0] ?? expect.fail());
    await test.db.deleteFrom('order_record').execute();
    await test.db.deleteFrom('charge').execute();
    await insertOrder(test.db, 'order-full', {
      at: '2026-02-20T10:00:00Z',
      charge: 'ch_full',
      body: FULL,
    });
    const policy = await add({}, { db });
    await add({ name: 'Slip', element: 'delivery', orderReference: 'order-full' }, { db });
    // Its words stand compressed: no walk over bytes finds them.
    await add({ name: 'Mail', element: 'communication' }, { db, text: 'To ada@customer.example' });
    const other = await add({ name: 'Other slip', orderReference: 'order-2' }, { db });
    const before = await readDocument(db, ORG, policy);

    const counted = await eraseCustomer(db, { ...request, dryRun: true });
    expect(counted.rows['evidence_document']).toBe(2);
    expect(await listDocuments(db, ORG)).toHaveLength(4);

    const report = await eraseCustomer(db, { ...request, dryRun: false });
    expect(report.rows['evidence_document']).toBe(2);
    expect(report.left.rows['evidence_document']).toBeUndefined();
    const left = (await listDocuments(db, ORG)).map(({ id }) => id).sort();
    expect(left).toEqual([policy, other].sort());
    expect((await readDocument(db, ORG, policy))?.body).toEqual(before?.body);
    const { rows } = await sql<{ what: string }>`
      select what from audit where what like '%document%' limit 1`.execute(test.db);
    expect(rows).toHaveLength(1);
  });
});
