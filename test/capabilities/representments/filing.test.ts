/**
 * Guarantee: evidence is handed in once for a dispute, complete and before it is due, or it is held and people are told;
 * a missing answer is looked up, and what somebody else did is seen before anything is sent.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { FilingDeps } from '../../../src/capabilities/representments/filing/file-evidence.job.ts';
import { createFiling } from '../../../src/capabilities/representments/filing/file-evidence.job.ts';
import {
  findDispute,
  noteDisputes,
  noteRepresentment,
  noteWord,
} from '../../../src/capabilities/representments/filing/filing.store.ts';
import { representmentsOf } from '../../../src/capabilities/representments/filing/join.ts';
import { createDisputeLook } from '../../../src/capabilities/representments/filing/look.job.ts';
import type { FilingSettings } from '../../../src/capabilities/representments/filing/plan.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { insertMovement, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { filingBook } from './filing-book.ts';
import { FULL, insertOrder } from './rows.ts';

const START = '2026-03-10T12:00:00Z';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SECRET = 's'.repeat(32);

const test = useTestDatabase();
const clock = createFixedClock(START);
let sandbox: Sandbox;
const { dispute, shown, row, told } = filingBook(test, () => sandbox);

/** What is wanted of evidence that goes by itself, a day before it is due. */
const COMPLETE: FilingSettings = { mode: 'complete', marginMs: DAY_MS, secondPersonAbove: null };

beforeAll(async () => {
  sandbox = await createSandbox({ clock, processorSecret: SECRET });
  await insertOrder(test.db, 'order-full', {
    at: '2026-02-20T10:00:00Z',
    charge: 'ch_full',
    body: FULL,
  });
  await insertOrder(test.db, 'order-bare', {
    at: '2026-02-21T10:00:00Z',
    charge: 'ch_bare',
    body: {},
  });
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  clock.setMs(Date.parse(START));
  sandbox.reset();
  const tables = [
    'processor_dispute',
    'evidence_submission',
    'dispute_look',
    'notification',
    'representment',
    'representment_pack',
  ] as const;
  for (const table of tables) await test.db.deleteFrom(table).execute();
});
afterEach(() => setCrashHook(undefined));

function deps(settings: FilingSettings = COMPLETE): FilingDeps {
  const processor = createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock });
  if (processor.disputes === undefined) throw new Error('no disputes');
  return {
    db: test.db,
    clock,
    log: createLog({ level: 'silent' }),
    organisationId: ORG,
    disputes: processor.disputes,
    processorName: 'sandbox',
    rules: openPackRules(),
    settings,
  };
}

async function look(): Promise<number> {
  return await createDisputeLook(deps()).runOnce();
}

async function file(settings?: FilingSettings): Promise<void> {
  await createFiling(deps(settings)).runOnce();
}

async function pass(ms: number): Promise<void> {
  clock.advanceMs(ms);
  await sandbox.advance(0);
}

it('disputes that change while the sandbox shows its list leave none out of it', async () => {
  const all = Array.from({ length: 60 }, (_, place) => dispute(`ch_${place}`));
  const { disputes } = deps();
  const first = await disputes.list({});
  if (first.kind !== 'found' || first.value.cursor === null) throw new Error('no second page');
  clock.advanceMs(60_000);
  for (const { reference } of first.value.disputes.slice(0, 20))
    sandbox.changeDispute(reference, { status: 'accepted' });
  const second = await disputes.list({ cursor: first.value.cursor });
  if (second.kind !== 'found') throw new Error('no answer');
  const references = [...first.value.disputes, ...second.value.disputes].map(
    (each) => each.reference,
  );
  expect(all.filter((reference) => !references.includes(reference))).toEqual([]);
  expect([second.value.disputes.length, second.value.cursor]).toEqual([30, null]);
});

describe('a complete pack', () => {
  it('goes by itself six hours before the last day, once, with the draft as a file', async () => {
    const reference = dispute('ch_full');
    expect(await look()).toBe(1);
    await file();
    expect((await row(reference)).state).toBe('WAITING');
    await pass(13 * DAY_MS - 7 * HOUR_MS);
    await file();
    expect(shown(reference).submissions).toHaveLength(0);
    await pass(HOUR_MS);
    await file();
    const { submissions, staged } = shown(reference);
    expect(submissions).toHaveLength(1);
    expect(staged.map(({ slot, type }) => [slot, type])).toEqual([['response', 'application/pdf']]);
    expect(submissions[0]?.fields['delivery_details']).toContain('DHL');
    expect(await row(reference)).toMatchObject({ state: 'SUBMITTED', next_at: null });
    await pass(DAY_MS);
    await look();
    await file();
    expect(shown(reference).submissions).toHaveLength(1);
  });

  it('that is seen too late goes at once, and people are told that it was late', async () => {
    const late = dispute('ch_full', { due_by: '2026-03-11T11:00:00.000Z' });
    await look();
    await file();
    expect(shown(late).submissions).toHaveLength(1);
    await pass(HOUR_MS);
    await file();
    expect((await row(late)).state).toBe('SUBMITTED');
    expect(await told()).toEqual([
      'The evidence for dispute dp_ch_full is with sandbox since 2026-03-10 12:00 UTC, later than it was to go: by 2026-03-10 11:00 UTC. It is due on 2026-03-11 11:00 UTC. Look whether disputes are read in time: sandbox may not answer, or a worker was away.',
    ]);
  });

  it('that a person hands in late is told to nobody', async () => {
    const byHand: FilingSettings = { ...COMPLETE, mode: 'by_hand' };
    const late = dispute('ch_full', { due_by: '2026-03-11T11:00:00.000Z' });
    await look();
    await file(byHand);
    const before = await told();
    const { version } = await row(late);
    const on = { organisationId: ORG, disputeReference: late, version };
    await noteWord(test.db, 'file', { ...on, operator: 'ada', now: new Date(clock.nowMs()) });
    await file(byHand);
    await pass(HOUR_MS);
    await file(byHand);
    expect((await row(late)).state).toBe('SUBMITTED');
    expect(await told()).toEqual(before);
  });

  it('waits for a person where people hand in each', async () => {
    const byHand: FilingSettings = { ...COMPLETE, mode: 'by_hand' };
    const reference = dispute('ch_full');
    await look();
    await file(byHand);
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'by_hand' });
    const { version } = await row(reference);
    const word = {
      organisationId: ORG,
      disputeReference: reference,
      operator: 'ada',
      now: new Date(clock.nowMs()),
    };
    expect(await noteWord(test.db, 'file', { ...word, version: version - 1 })).toBe(false);
    expect(await noteWord(test.db, 'file', { ...word, version })).toBe(true);
    await file(byHand);
    expect(shown(reference).submissions).toHaveLength(1);
  });

  it('above a sum waits for a second person, who is not the first', async () => {
    const settings: FilingSettings = {
      ...COMPLETE,
      secondPersonAbove: { amountMinor: 2_899, currency: 'USD' },
    };
    const reference = dispute('ch_full');
    await look();
    const word = { organisationId: ORG, disputeReference: reference, now: new Date(clock.nowMs()) };
    await noteWord(test.db, 'file', {
      ...word,
      operator: 'ada',
      version: (await row(reference)).version,
    });
    await file(settings);
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'second_person' });
    const { version } = await row(reference);
    expect(await noteWord(test.db, 'agree', { ...word, operator: 'ada', version })).toBe(false);
    expect(await noteWord(test.db, 'agree', { ...word, operator: 'bob', version })).toBe(true);
    await file(settings);
    expect(shown(reference).submissions).toHaveLength(1);
  });
});

describe('what is held, with nothing sent', () => {
  it.each([
    ['an incomplete pack', 'ch_bare', {}, 'incomplete'],
    ['a charge that is not known here', 'ch_foreign', {}, 'no_charge'],
    ['an amount in another currency', 'ch_full', { currency: 'EUR' }, 'other_currency'],
    ['more than the charge took', 'ch_full', { amount_in_cents: 2_901 }, 'above_charge'],
    ['no due date', 'ch_full', { due_by: null }, 'no_due_date'],
  ] as const)('%s', async (_what, charge, changes, reason) => {
    const reference = dispute(charge, changes);
    await look();
    await file();
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: reason });
    expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
  });

  type Wants = NonNullable<Parameters<Sandbox['changeDispute']>[1]['wants']>;
  const takesText = { name: 'text', holds: ['delivery'], chars_max: 500, required: false } as const;

  it.each<[string, Partial<Wants>, object]>([
    [
      'a text that is too long, and says by how much',
      { fields: [{ ...takesText, holds: ['delivery'], chars_max: 10 }] },
      { kind: 'text_too_long', field: 'text', charsMax: 10 },
    ],
    [
      'a text that must be given and is in no row',
      { fields: [{ ...takesText, holds: ['authenticity'], required: true }] },
      { kind: 'field_empty', field: 'text' },
    ],
    [
      'a file that must be given and is in no row',
      { slots: [{ name: 'policy', holds: ['refund_policy'], required: true }] },
      { kind: 'file_missing', slot: 'policy' },
    ],
    [
      'a file that is too large',
      { file_bytes_max: 100 },
      { kind: 'file_too_large', file: 'response.pdf', bytesMax: 100 },
    ],
    [
      'a file in a format that is not taken',
      { file_types: ['image/png'] },
      { kind: 'wrong_format' },
    ],
    ['what has no place at all', { fields: [], slots: [] }, { kind: 'no_place' }],
  ])('%s', async (_what, changes, problem) => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    // As the contract gives them: lists that are written to, like any JSON.
    const wants: Wants = JSON.parse(JSON.stringify(shown(reference).wants));
    sandbox.changeDispute(reference, { wants: { ...wants, ...changes } });
    await look();
    await file();
    const { held_reason: reason, problems } = await row(reference);
    expect(reason).toBe('not_fitting');
    expect(problems).toMatchObject([problem]);
    expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
  });

  it('and people are told at 7 days, 3 days and 24 hours, once each', async () => {
    const reference = dispute('ch_bare', { due_by: '2026-03-24T12:00:00Z' });
    await look();
    const counts: number[] = [];
    for (const leftHours of [169, 168, 100, 72, 30, 24, 2]) {
      clock.setMs(Date.parse('2026-03-24T12:00:00Z') - leftHours * HOUR_MS);
      await file();
      counts.push((await told()).length);
    }
    expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3]);
    expect((await told())[0]).toContain('the pack lacks what its reason code asks for');
    clock.setMs(Date.parse('2026-03-24T13:00:00Z'));
    await file();
    expect((await row(reference)).state).toBe('EXPIRED');
    expect((await told()).at(-1)).toContain('no evidence was handed in');
  });
});

describe('an answer that is missing', () => {
  const due = { due_by: '2026-03-11T06:00:00Z' };

  it.each(['drop_after', 'status_after'] as const)(
    'after it was taken (%s) is looked up',
    async (kind) => {
      const reference = dispute('ch_full', due);
      sandbox.addFault({
        on: 'POST /processor/disputes/{reference}/submission',
        kind,
        ...(kind === 'status_after' ? { status: 500, code: 'oops' } : {}),
      } as never);
      await look();
      await file();
      expect((await row(reference)).state).toBe('SENT');
      await pass(2 * 60_000);
      await file();
      expect((await row(reference)).state).toBe('SUBMITTED');
      expect(shown(reference).submissions).toHaveLength(1);
    },
  );

  it('of a request that never arrived is sent again, under the same key, once nothing can arrive any more', async () => {
    const reference = dispute('ch_full', due);
    sandbox.addFault({
      on: 'POST /processor/disputes/{reference}/submission',
      kind: 'drop_before',
    });
    await look();
    await file();
    const { idempotency_key: key } = await row(reference);
    for (let minute = 0; minute < 9; minute += 1) {
      await pass(60_000);
      await file();
    }
    expect(shown(reference).submissions).toHaveLength(0);
    await pass(3 * 60_000);
    await file();
    expect(shown(reference).submissions.map((each) => each.idempotency_key)).toEqual([key]);
  });

  it.each([
    ['evidence.file_staged', 'WAITING', 0],
    ['evidence.staged', 'WAITING', 0],
    ['evidence.marked_sent', 'SENT', 0],
    ['evidence.answered', 'SENT', 1],
  ] as const)(
    'of a process that died at %s is looked up, and sent once in all',
    async (at, state, sent) => {
      const reference = dispute('ch_full', due);
      await look();
      setCrashHook((point) => {
        if (point === at) throw new Error('killed');
      });
      await file();
      setCrashHook(undefined);
      expect(await row(reference)).toMatchObject({ state });
      expect(shown(reference).submissions).toHaveLength(sent);
      await pass(16 * 60_000);
      await file();
      expect((await row(reference)).state).toBe('SUBMITTED');
      expect(shown(reference).submissions).toHaveLength(1);
      expect(shown(reference).staged).toHaveLength(1);
    },
  );
});

it('what somebody handed in by hand is seen before anything is sent', async () => {
  const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
  await look();
  sandbox.submitEvidenceInDashboard(reference);
  await file();
  expect((await row(reference)).state).toBe('ELSEWHERE');
  expect(shown(reference).submissions).toHaveLength(1);
});

it('a refusal holds it, says so once, and is not tried again by itself', async () => {
  const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
  sandbox.addFault({
    on: 'POST /processor/disputes/{reference}/submission',
    kind: 'status',
    status: 422,
    code: 'account_restricted',
    failure_class: 'final',
  });
  await look();
  await file();
  expect(await row(reference)).toMatchObject({
    state: 'HELD',
    held_reason: 'refused',
    last_error: 'account_restricted',
  });
  await pass(2 * HOUR_MS);
  await file();
  expect(shown(reference).submissions).toHaveLength(0);
  expect((await told()).filter((text) => text.includes('refused the evidence'))).toHaveLength(1);
});

it('a dispute that a person gives up is accepted, and nothing is handed in', async () => {
  const reference = dispute('ch_full');
  await look();
  const { version } = await row(reference);
  await noteWord(test.db, 'give_up', {
    organisationId: ORG,
    disputeReference: reference,
    version,
    operator: 'ada',
    now: new Date(clock.nowMs()),
  });
  await file();
  expect(shown(reference)).toMatchObject({ status: 'accepted', submissions: [] });
  expect((await row(reference)).state).toBe('ACCEPTED');
});

describe('a representment of the service', () => {
  async function representment(id: string, snapshot: object = {}): Promise<void> {
    await test.db
      .insertInto('representment')
      .values({
        organisation_id: ORG,
        id,
        dispute_status: 'OPEN',
        amount_minor: 2_900,
        currency: 'USD',
        transaction_reference_id: 'ch_full',
        updated_at: START,
        snapshot: JSON.stringify({ id, disputed_at: START, ...snapshot }),
        snapshot_hash: Buffer.from('00', 'hex'),
        source: 'webhook',
        first_seen_at: START,
        changed_at: START,
      })
      .execute();
  }

  it('about the same dispute is one thing with it: what is handed in is noted there', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await look();
    await file();
    const packs = await test.db.selectFrom('representment_pack').selectAll().execute();
    expect(packs).toMatchObject([
      { representment_id: 'rep_1', sent_by: 'forestall', sent_through: 'sandbox' },
    ]);
    expect(shown(reference).submissions).toHaveLength(1);
  });

  it('has its evidence noted once, though the process dies as the submission ends', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await look();
    setCrashHook((point) => {
      if (point === 'evidence.noted') throw new Error('killed');
    });
    await file();
    setCrashHook(undefined);
    await pass(16 * 60_000);
    await file();
    expect((await row(reference)).state).toBe('SUBMITTED');
    expect(shown(reference).submissions).toHaveLength(1);
    const packs = await test.db.selectFrom('representment_pack').selectAll().execute();
    expect(packs).toMatchObject([{ representment_id: 'rep_1', version: 1 }]);
  });

  it('is asked for where two may be meant', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await representment('rep_2');
    await look();
    await file();
    expect(await row(reference)).toMatchObject({ held_reason: 'several_representments' });
    expect(shown(reference).submissions).toHaveLength(0);
    const said = await noteWord(test.db, 'about', {
      organisationId: ORG,
      disputeReference: reference,
      version: (await row(reference)).version,
      operator: 'ada',
      now: new Date(clock.nowMs()),
      representmentId: 'rep_2',
    });
    expect(said).toBe(true);
    await file();
    expect(shown(reference).submissions).toHaveLength(1);
    const packs = await test.db
      .selectFrom('representment_pack')
      .select('representment_id')
      .execute();
    expect(packs).toEqual([{ representment_id: 'rep_2' }]);
  });

  it('that names the dispute is meant, whatever else is there', async () => {
    dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await representment('rep_2', { dispute_reference_id: 'dp_ch_full' });
    await look();
    await file();
    const packs = await test.db
      .selectFrom('representment_pack')
      .select('representment_id')
      .execute();
    expect(packs).toEqual([{ representment_id: 'rep_2' }]);
  });

  it('that names another dispute, or has another number of the acquirer, is not meant', async () => {
    dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    dispute('ch_bare', { due_by: '2026-04-11T06:00:00Z' });
    await look();
    await representment('rep_1', { dispute_reference_id: 'dp_ch_bare' });
    await file();
    expect((await findDispute(test.db, ORG, 'dp_ch_full'))?.representment_id).toBeNull();
    expect(shown('dp_ch_full').submissions).toHaveLength(1);
  });

  it('is joined to one dispute only, though two want it at once', async () => {
    dispute('ch_full');
    dispute('ch_bare');
    await look();
    await representment('rep_1');
    const wants = (reference: string): Promise<boolean> =>
      inTransaction(test.db, (trx) =>
        noteRepresentment(trx, ORG, { reference, representmentId: 'rep_1' }),
      );
    const both = await Promise.all([wants('dp_ch_full'), wants('dp_ch_bare')]);
    expect(both.toSorted()).toEqual([false, true]);
    const rows = await test.db.selectFrom('processor_dispute').select('representment_id').execute();
    expect(rows.filter(({ representment_id: id }) => id === 'rep_1')).toHaveLength(1);
    // The one that has it may say so again.
    expect(await wants(both[0] === true ? 'dp_ch_full' : 'dp_ch_bare')).toBe(true);
  });

  it('may be known by an acquirer reference number that comes later: it is noted, and one that is left out is no news', async () => {
    const reference = dispute('ch_full');
    await look();
    await file();
    const { disputes } = deps();
    const answer = await disputes.read(reference);
    if (answer.kind !== 'found') throw new Error('the dispute is not shown');
    const without = answer.value;
    const known = async (): Promise<string | null | undefined> =>
      (await findDispute(test.db, ORG, reference))?.acquirer_reference_number;
    const shownWith = async (arn: string | null): Promise<Date | null> => {
      const now = new Date(clock.nowMs());
      await noteDisputes(test.db, { organisationId: ORG, now }, [
        { ...without, acquirerReferenceNumber: arn },
      ]);
      return (await row(reference)).next_at;
    };
    const waits = (await row(reference)).next_at;
    const first = '74027416071010000000041';
    expect(await shownWith(first)).toEqual(new Date(START));
    expect(await known()).toBe(first);
    await file();
    expect(await shownWith(null)).toEqual(waits);
    expect(await known()).toBe(first);
    // What a step reads is noted, too.
    const second = '74027416071010000000058';
    const value = { ...without, acquirerReferenceNumber: second };
    const read = (): Promise<typeof answer> => Promise.resolve({ ...answer, value });
    await pass(DAY_MS);
    await createFiling({ ...deps(), disputes: { ...disputes, read } }).runOnce();
    expect(await known()).toBe(second);
    const changed = { ...without, reasonCode: '13.3' };
    await noteDisputes(test.db, { organisationId: ORG, now: new Date(clock.nowMs()) }, [changed]);
    expect(await findDispute(test.db, ORG, reference)).toMatchObject({
      ...{ reason_code: '13.3', acquirer_reference_number: second },
    });
  });

  it('for which a person noted evidence as sent is not filed again, but when somebody asks', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await look();
    await test.db
      .insertInto('representment_pack')
      .values({
        ...{ organisation_id: ORG, representment_id: 'rep_1', version: 1, reason_code: '13.1' },
        ...{ pack_rule: '13.1 (x)', content_hash: 'x', cited: '[]', missing: '[]' },
        ...{ sent_at: START, sent_by: 'Ines', sent_through: 'the portal of the bank' },
      })
      .execute();
    await file();
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'sent_by_hand' });
    expect(shown(reference).submissions).toHaveLength(0);
    const { version } = await row(reference);
    const on = { organisationId: ORG, disputeReference: reference, version, operator: 'ada' };
    await noteWord(test.db, 'file', { ...on, now: new Date(clock.nowMs()) });
    await file();
    expect(shown(reference).submissions).toHaveLength(1);
  });

  it('a person may say that none is meant; a word from an old page joins nothing', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    await representment('rep_1');
    await representment('rep_2');
    await look();
    await file();
    const { version } = await row(reference);
    const on = { organisationId: ORG, disputeReference: reference, operator: 'ada' };
    const now = new Date(clock.nowMs());
    const old = { ...on, version: version - 1, now, representmentId: 'rep_1' };
    expect(await noteWord(test.db, 'about', old)).toBe(false);
    expect((await findDispute(test.db, ORG, reference))?.representment_id).toBeNull();
    expect(await noteWord(test.db, 'about', { ...on, version, now, representmentId: '' })).toBe(
      true,
    );
    await file();
    expect(shown(reference).submissions).toHaveLength(1);
    expect(await test.db.selectFrom('representment_pack').selectAll().execute()).toEqual([]);
  });
});

it('captures of one charge, each with its number of the acquirer, are told apart', () => {
  const candidate = {
    ...{ id: 'rep_1', disputeReference: null, chargeReference: 'ch_1', amountMinor: null },
    ...{ currency: null, disputedAt: null, acquirerReferenceNumber: '7'.repeat(23) },
  };
  const about = (acquirerReferenceNumber: string | null): number =>
    representmentsOf(
      {
        ...{ reference: 'dp_1', chargeReference: 'ch_1', reasonCode: null, amountMinor: 1 },
        ...{ currency: 'USD', status: 'needs_response', dueBy: null, openedAt: null },
        acquirerReferenceNumber,
        wants: {
          ...{ fields: [], slots: [], fileTypes: [] },
          ...{ fileBytesMax: 1, allBytesMax: 1, filesMax: 0 },
        },
        ...{ staged: [], submission: null },
      },
      [candidate],
    ).length;
  expect([about(null), about('7'.repeat(23)), about('8'.repeat(23))]).toEqual([1, 1, 0]);
});

it('a dispute whose charge was refunded is defended with the refund, whatever its code asks for', async () => {
  await insertMovement(test.db, 'mv_back', {
    state: 'CONFIRMED',
    kind: 'external',
    charge: 'ch_bare',
    alertId: 'x',
    amountMinor: 2_900,
  });
  // Without it the pack for this code lacks the goods and their delivery.
  const reference = dispute('ch_bare', { due_by: '2026-03-11T06:00:00Z' });
  await look();
  await file();
  const { submissions } = shown(reference);
  expect(submissions).toHaveLength(1);
  expect(submissions[0]?.fields['further_text']).toMatch(/refunded .*29\.00/);
  expect((await row(reference)).pack_rule).toContain('13.1, refunded');
  await test.db.deleteFrom('movement').where('id', '=', 'mv_back').execute();
});

it('a refund of a part is no defence', async () => {
  await insertMovement(test.db, 'mv_part', {
    state: 'CONFIRMED',
    kind: 'external',
    charge: 'ch_bare',
    alertId: 'x',
    amountMinor: 2_899,
  });
  const reference = dispute('ch_bare', { due_by: '2026-03-11T06:00:00Z' });
  await look();
  await file();
  expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'incomplete' });
  await test.db.deleteFrom('movement').where('id', '=', 'mv_part').execute();
});

describe('a processor that does not show what it has', () => {
  it('is not sent anything again by itself: a person is told, looks, and asks for it', async () => {
    const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
    const hidden = deps();
    const { disputes } = hidden;
    const filing = createFiling({
      ...hidden,
      disputes: {
        ...disputes,
        abilities: async () => {
          const known = await disputes.abilities();
          return known === undefined ? undefined : { ...known, showsSubmissions: false };
        },
      },
    });
    sandbox.addFault({
      on: 'POST /processor/disputes/{reference}/submission',
      kind: 'drop_before',
    });
    await look();
    await filing.runOnce();
    await pass(11 * 60_000);
    await filing.runOnce();
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'unclear' });
    expect((await told()).join()).toContain('no answer came');
    await pass(2 * HOUR_MS);
    await filing.runOnce();
    expect(shown(reference).submissions).toHaveLength(0);
    const { version } = await row(reference);
    await noteWord(test.db, 'file', {
      ...{ organisationId: ORG, disputeReference: reference, version, operator: 'ada' },
      now: new Date(clock.nowMs()),
    });
    await filing.runOnce();
    expect(shown(reference).submissions).toHaveLength(1);
  });
});

it('a slow upload that arrives after we gave up is not staged twice', async () => {
  const reference = dispute('ch_full', { due_by: '2026-03-11T06:00:00Z' });
  sandbox.addFault({ on: 'POST /processor/disputes/{reference}/files', kind: 'late' });
  await look();
  await file();
  expect(shown(reference).staged).toHaveLength(0);
  await pass(2 * 60_000);
  expect(shown(reference).staged).toHaveLength(1);
  await file();
  expect(shown(reference)).toMatchObject({ status: 'under_review' });
  expect(shown(reference).staged).toHaveLength(1);
});
