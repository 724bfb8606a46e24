/**
 * Guarantee: the list of disputes is read to its last page, however long it is and however often an answer does not come: a
 * round goes on where the one before ended, and what changed meanwhile is asked for by the next look.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createDisputeLook } from '../../../src/capabilities/representments/filing/look.job.ts';
import type {
  ProcessorDispute,
  ProcessorDisputes,
} from '../../../src/service/wire/processor-dispute.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const START = '2026-03-10T12:00:00.000Z';
const PAGES = 5;
const MINUTE_MS = 60_000;
const test = useTestDatabase();
const clock = createFixedClock(START);

/** Places asked for, and since when. */
let asked: (readonly [place: string, since: string])[] = [];
/** Places at which no answer comes. */
let silent: string[] = [];

const dispute = (reference: string): ProcessorDispute => ({
  reference,
  chargeReference: `ch_${reference}`,
  reasonCode: '13.1',
  amountMinor: 2_900,
  currency: 'USD',
  dueBy: '2026-03-24T12:00:00.000Z',
  status: 'needs_response',
  openedAt: '2026-03-10T11:00:00.000Z',
  acquirerReferenceNumber: null,
  wants: { fields: [], slots: [], fileTypes: [], fileBytesMax: 0, allBytesMax: 0, filesMax: 0 },
  staged: [],
  submission: null,
});

const list: ProcessorDisputes['list'] = async ({ changedSince, cursor = 'first' }) => {
  asked.push([cursor, String(changedSince)]);
  if (silent.includes(cursor)) return { kind: 'unavailable', reason: 'HTTP 503' };
  const place = cursor === 'first' ? 1 : Number(cursor);
  const next = place === PAGES ? null : String(place + 1);
  return { kind: 'found', value: { disputes: [dispute(`dp_${place}`)], cursor: next } };
};

const look = async (): Promise<number> =>
  await createDisputeLook({
    db: test.db,
    clock,
    log: createLog({ level: 'silent' }),
    organisationId: ORG,
    disputes: { list } as ProcessorDisputes,
  }).runOnce();

const places = (): string[] => asked.splice(0).map(([place]) => place);

beforeEach(async () => {
  clock.setMs(Date.parse(START));
  asked = [];
  silent = [];
  for (const table of ['processor_dispute', 'evidence_submission', 'dispute_look'] as const)
    await test.db.deleteFrom(table).execute();
});

describe('a page that is not answered', () => {
  it('is where the next round goes on, also in another process', async () => {
    silent = ['3'];
    expect(await look()).toBe(2);
    expect(places()).toEqual(['first', '2', '3']);
    clock.advanceMs(5 * MINUTE_MS);
    silent = ['4'];
    expect(await look()).toBe(1);
    expect(places()).toEqual(['3', '4']);
    silent = [];
    clock.advanceMs(5 * MINUTE_MS);
    expect(await look()).toBe(2);
    expect(places()).toEqual(['4', '5']);
  });

  it('asks for the same time on every page, and for what changed since the walk began afterwards', async () => {
    silent = ['3'];
    await look();
    clock.advanceMs(90 * MINUTE_MS);
    silent = [];
    await look();
    expect(new Set(asked.splice(0).map(([, since]) => since))).toEqual(
      new Set(['2026-01-09T12:00:00.000Z']),
    );
    await look();
    // One hour before the walk began, not before it ended.
    expect(asked[0]).toEqual(['first', '2026-03-10T11:00:00.000Z']);
  });

  it('begins anew after three rounds without an answer: the place may be forgotten there', async () => {
    silent = ['3'];
    for (let round = 0; round < 3; round += 1) await look();
    expect(places()).toEqual(['first', '2', '3', '3', '3']);
    silent = [];
    expect(await look()).toBe(3);
    expect(places()).toEqual(['first', '2', '3', '4', '5']);
  });

  it('counts rounds in a row only', async () => {
    silent = ['2'];
    await look();
    await look();
    silent = ['3'];
    await look();
    await look();
    silent = [];
    await look();
    expect(places()).toEqual(['first', '2', '2', '2', '3', '3', '3', '4', '5']);
  });

  it('at the first page forgets no look that was whole', async () => {
    await look();
    clock.advanceMs(5 * MINUTE_MS);
    silent = ['first'];
    for (let round = 0; round < 4; round += 1) await look();
    silent = [];
    asked = [];
    await look();
    expect(asked[0]).toEqual(['first', '2026-03-10T11:00:00.000Z']);
  });
});
