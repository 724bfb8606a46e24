/**
 * Guarantee: each dispute for which evidence was sent counts once, by who won; shares have a range; two versions of the
 * packs answer the same customer always by the same one, which is recorded; a version without a name of its own is refused.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { noteDisputes } from '../../../src/capabilities/representments/filing/filing.store.ts';
import { listSentEvidence } from '../../../src/capabilities/representments/filing/sent-evidence.store.ts';
import type { SentEvidence } from '../../../src/capabilities/representments/outcomes/outcomes.ts';
import {
  bandOf,
  outcomesOf,
  wonWords,
} from '../../../src/capabilities/representments/outcomes/outcomes.ts';
import {
  openPackRules,
  rulesFor,
  withTried,
} from '../../../src/capabilities/representments/pack-rules.ts';
import { readPack } from '../../../src/capabilities/representments/read-pack.ts';
import { findRepresentment } from '../../../src/capabilities/representments/representment-pack.store.ts';
import { evidencePacks } from '../../../src/capabilities/representments/settings.ts';
import { givenInOptions } from '../../../src/capabilities/settings.ts';
import type { ProcessorDispute } from '../../../src/service/wire/processor-dispute.ts';
import { startConsole } from '../../integration/console/support.ts';
import { NOW, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { FULL, insertOrder } from './rows.ts';

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of [
    'evidence_submission',
    'processor_dispute',
    'representment_pack',
    'representment',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
});

const sent = (changes: Partial<SentEvidence> = {}): SentEvidence => ({
  ...{ reasonCode: '13.1', packRule: '13.1 (one)', amountMinor: 4_999, currency: 'EUR' },
  ...{ outcome: 'won', count: 1 },
  ...changes,
});
const many = (count: number, changes: Partial<SentEvidence>): SentEvidence[] =>
  Array.from({ length: count }, () => sent(changes));

describe('counting', () => {
  it.each<[number | null, string | null, string]>([
    [4_999, 'EUR', 'under 50 EUR'],
    [5_000, 'EUR', '50 to 200 EUR'],
    [19_999, 'EUR', '50 to 200 EUR'],
    [20_000, 'EUR', '200 to 1000 EUR'],
    [100_000, 'EUR', 'from 1000 EUR'],
    [49, 'JPY', 'under 50 JPY'],
    [50, 'JPY', '50 to 200 JPY'],
    [49_999, 'KWD', 'under 50 KWD'],
    [50_000, 'KWD', '50 to 200 KWD'],
    [null, null, 'not told'],
  ])('%s of %s is %s', (amountMinor, currency, band) => {
    expect(bandOf(sent({ amountMinor, currency }))).toBe(band);
  });

  it('each share has a range; what is not decided says nothing', () => {
    const rows = [
      ...many(8, {}),
      ...many(3, { outcome: 'lost' }),
      ...many(5, { outcome: 'open' }),
      ...many(1, { reasonCode: '10.4', packRule: '10.4 (one)', outcome: 'open' }),
      ...many(2, { amountMinor: 30_000 }),
    ];
    const { byPack, byBand, groups } = outcomesOf(rows);
    expect(byPack).toMatchObject([
      { reasonCode: '13.1', name: '13.1 (one)', sent: 18, won: 10, lost: 3 },
      { reasonCode: '10.4', sent: 1, won: 0, lost: 0, interval: null },
    ]);
    expect(byBand.map(({ name, sent: count }) => [name, count])).toEqual([
      ['under 50 EUR', 16],
      ['200 to 1000 EUR', 2],
      ['under 50 EUR', 1],
    ]);
    expect(groups).toHaveLength(3);
    // The mixture of likelihoods at a flat prior: 10 of 13, by hand to a hundredth.
    const { low = 0, high = 0 } = byPack[0]?.interval ?? {};
    const likelihood = (p: number): number => p ** 10 * (1 - p) ** 3;
    // B(11, 4) = 10! 3! / 14!
    const mixture = (3_628_800 * 6) / 87_178_291_200;
    for (const edge of [low, high]) expect(mixture / likelihood(edge)).toBeCloseTo(20, 3);
    expect(wonWords(byPack[1] ?? expect.fail())).toBe('none is decided');
    const counts = { sent: 12_345, won: 6_789, lost: 4_567, interval: { low: 0.5, high: 0.7 } };
    expect(wonWords(counts)).toMatch(/^6,789 of 11,356 decided ones won, 60 % \(/);
    expect(wonWords(byPack[0] ?? expect.fail())).toMatch(/^10 of 13 decided ones won, 77 % \(/);
  });

  it('says that one pack wins more often only when the ranges do not touch', () => {
    const two = (won: number, lost: number): SentEvidence[] => [
      ...many(won, {}),
      ...many(lost, { outcome: 'lost' }),
      ...many(lost, { packRule: '13.1 (two)' }),
      ...many(won, { packRule: '13.1 (two)', outcome: 'lost' }),
    ];
    expect(outcomesOf(two(8, 4)).differences).toEqual([]);
    expect(outcomesOf(two(80, 20)).differences).toEqual([
      '13.1: 13.1 (one) wins more often than 13.1 (two).',
    ]);
  });
});

async function submitted(
  reference: string,
  given: { status: ProcessorDispute['status'] },
): Promise<void> {
  const dispute: ProcessorDispute = {
    ...{ reference, chargeReference: 'ch_full', reasonCode: '13.1', amountMinor: 2_900 },
    ...{ currency: 'USD', status: 'needs_response', dueBy: null, openedAt: NOW },
    acquirerReferenceNumber: null,
    wants: {
      ...{ fields: [], slots: [], fileTypes: [] },
      ...{ fileBytesMax: 1, allBytesMax: 1, filesMax: 0 },
    },
    ...{ staged: [], submission: null },
  };
  await noteDisputes(test.db, { organisationId: ORG, now: new Date(NOW) }, [dispute]);
  await test.db
    .updateTable('evidence_submission')
    .set({ state: 'SUBMITTED', pack_rule: '13.1 (one)', sent_at: NOW, submitted_at: NOW })
    .where('dispute_reference', '=', reference)
    .execute();
  await test.db
    .updateTable('processor_dispute')
    .set({ status: given.status })
    .where('reference', '=', reference)
    .execute();
}

async function noted(id: string, version: number, outcome: string | null): Promise<void> {
  await test.db
    .insertInto('representment_pack')
    .values({
      ...{ organisation_id: ORG, representment_id: id, version, reason_code: '10.4', outcome },
      ...{ pack_rule: '10.4 (one)', content_hash: String(version), cited: '[]', missing: '[]' },
      ...{ sent_at: NOW, sent_by: 'Ines' },
    })
    .execute();
}

it('a dispute counts once: by the processor’s word where we filed, by the service’s where a person did', async () => {
  await submitted('dp_won', { status: 'won' });
  await submitted('dp_lost', { status: 'lost' });
  await submitted('dp_open', { status: 'under_review' });
  // Filed here, and noted for its representment too.
  await noted('rep_joined', 1, 'LOST');
  await test.db
    .updateTable('processor_dispute')
    .set({ representment_id: 'rep_joined' })
    .where('reference', '=', 'dp_won')
    .execute();
  await noted('rep_hand', 1, null);
  await noted('rep_hand', 2, 'WON');
  const { byPack } = outcomesOf(await listSentEvidence(test.db, ORG));
  expect(byPack).toMatchObject([
    { reasonCode: '13.1', sent: 3, won: 1, lost: 1 },
    { reasonCode: '10.4', sent: 1, won: 1, lost: 0 },
  ]);
  expect(await listSentEvidence(test.db, 'org_other')).toEqual([]);

  const site = await startConsole(test.db, createFixedClock(NOW));
  const { cookie } = await site.signIn();
  const text = await (await site.get('/representments/outcomes', { cookie })).text();
  await site.close();
  expect(text).toContain('1 of 2 decided ones won, 50 %');
});

it('alike ones come together, each in its band by the digits of its currency', async () => {
  const rows = [
    ['rep_1', 4_999, 'EUR', 'under 50 EUR'],
    ['rep_2', 1, 'EUR', 'under 50 EUR'],
    ['rep_3', 5_000, 'EUR', '50 to 200 EUR'],
    ['rep_4', 49, 'JPY', 'under 50 JPY'],
    ['rep_5', 1_000, 'JPY', 'from 1000 JPY'],
    ['rep_6', 49_999, 'KWD', 'under 50 KWD'],
    ['rep_7', 200_000, 'KWD', '200 to 1000 KWD'],
  ] as const;
  for (const [id, minor, currency] of rows) {
    await test.db
      .insertInto('representment')
      .values({
        ...{ organisation_id: ORG, id, dispute_status: 'WON', amount_minor: minor, currency },
        ...{ updated_at: NOW, snapshot: '{}', snapshot_hash: Buffer.from('00', 'hex') },
        ...{ source: 'webhook' as const, first_seen_at: NOW, changed_at: NOW },
      })
      .execute();
    await noted(id, 1, 'WON');
  }
  // Without its representment an amount is not told.
  await noted('rep_unknown', 1, 'LOST');
  const sentRows = await listSentEvidence(test.db, ORG);
  expect(sentRows).toHaveLength(7);
  const { byBand } = outcomesOf(sentRows);
  expect(Object.fromEntries(byBand.map(({ name, sent: count }) => [name, count]))).toEqual({
    ...Object.fromEntries(rows.map(([, , , band]) => [band, 1])),
    'under 50 EUR': 2,
    'not told': 1,
  });
});

describe('two versions of the packs', () => {
  const SHIPPED = new URL('../../../src/capabilities/representments/packs.yaml', import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), 'packs-'));
  const file = join(folder, 'tried.yaml');
  beforeAll(() => {
    const text = readFileSync(SHIPPED, 'utf8').replace(/^version: .*$/m, 'version: tried');
    writeFileSync(file, text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const rules = () => openSettings(givenInOptions({ evidencePacksTried: file })).of(evidencePacks);

  it('share the customers about evenly, each always on one side', () => {
    const both = rules();
    const sideOf = (customer: string): string => rulesFor(both, { customer }).version;
    const customers = Array.from({ length: 2_000 }, (_each, index) => `customer-${index}`);
    const tried = customers.filter((each) => sideOf(each) === 'tried').length;
    // Four standard deviations of 2,000 throws of a coin: 4 · √500 = 89.
    expect(Math.abs(tried - 1_000)).toBeLessThan(90);
    for (const each of customers.slice(0, 50)) expect(sideOf(each)).toBe(sideOf(each));
    // printf '["pack","customer-0"]' | openssl dgst -sha256: 5d75…, and 0x5d is odd.
    expect(sideOf('customer-0')).toBe('tried');
  });

  it('what was sent by one stays with it, whoever the customer is by now', () => {
    const both = rules();
    const { version } = openPackRules();
    for (const customer of ['a', 'b', 'c', 'd']) {
      expect(rulesFor(both, { customer, recorded: '13.1 (tried)' }).version).toBe('tried');
      expect(rulesFor(both, { customer, recorded: `13.1 (${version})` }).version).toBe(version);
    }
  });

  it('name the pack that is recorded, and need names that differ', async () => {
    await test.db.deleteFrom('order_record').execute();
    await insertOrder(test.db, 'order-full', { at: NOW, charge: 'ch_full', body: FULL });
    await test.db
      .insertInto('representment')
      .values({
        ...{ organisation_id: ORG, id: 'rep_1', dispute_status: 'OPEN', amount_minor: 2_900 },
        ...{ currency: 'USD', transaction_reference_id: 'ch_full', updated_at: NOW },
        snapshot: JSON.stringify({ dispute_reason_code: '13.1' }),
        ...{ snapshot_hash: Buffer.from('00', 'hex'), source: 'webhook' as const },
        ...{ first_seen_at: NOW, changed_at: NOW },
      })
      .execute();
    const representment = (await findRepresentment(test.db, ORG, 'rep_1')) ?? expect.fail();
    const both = rules();
    const pack = await readPack(test.db, { organisationId: ORG, representment, rules: both });
    const customer = FULL.customer_account_id;
    expect(pack.ruleName).toBe(`13.1 (${rulesFor(both, { customer }).version})`);
    const recorded = '13.1 (tried)';
    const wanted = { organisationId: ORG, representment, rules: both, recorded };
    expect((await readPack(test.db, wanted)).ruleName).toBe(recorded);
    expect(() => withTried(openPackRules(), openPackRules())).toThrow(/could not be told apart/);
  });
});
