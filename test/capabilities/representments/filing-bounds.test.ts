/**
 * Guarantee: the key is in the database before the call, each repeat begins with a read, nothing is handed in for a dispute that
 * was given up, that was due, or that is another merchant's, and nothing above the sum without a second person; an organisation
 * whose merchants have processors of their own is refused with a line.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRoutedProcessor } from '../../../src/alerts/cases/routed-processor.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import type { FilingDeps } from '../../../src/capabilities/representments/filing/file-evidence.job.ts';
import { createFiling } from '../../../src/capabilities/representments/filing/file-evidence.job.ts';
import { noteWord } from '../../../src/capabilities/representments/filing/filing.store.ts';
import { createDisputeLook } from '../../../src/capabilities/representments/filing/look.job.ts';
import { filingLoops } from '../../../src/capabilities/representments/filing/loops.ts';
import type { FilingSettings } from '../../../src/capabilities/representments/filing/plan.ts';
import { openPackRules } from '../../../src/capabilities/representments/pack-rules.ts';
import { HOLD_EVERYTHING_POLICY } from '../../../src/policy/built-in.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import type { ProcessorDisputes } from '../../../src/service/wire/processor-dispute.ts';
import type { CapabilityWork } from '../../../src/surface/capability.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { filingBook } from './filing-book.ts';
import { FULL, insertOrder } from './rows.ts';

const START = '2026-03-10T12:00:00Z';
const HOUR_MS = 3_600_000;
const SECRET = 's'.repeat(32);
/** It goes at once: less than the margin is left. */
const SOON = { due_by: '2026-03-11T06:00:00Z' };
const COMPLETE: FilingSettings = {
  ...{ mode: 'complete', marginMs: 24 * HOUR_MS, secondPersonAbove: null },
};

const test = useTestDatabase();
const clock = createFixedClock(START);
let sandbox: Sandbox;
const { dispute, shown, row, told } = filingBook(test, () => sandbox);
/** What the processor was asked, in order. */
let asked: string[];

beforeAll(async () => {
  sandbox = await createSandbox({ clock, processorSecret: SECRET });
  const at = '2026-02-20T10:00:00Z';
  await insertOrder(test.db, 'order-full', { at, charge: 'ch_full', body: FULL });
  await insertOrder(test.db, 'order-other', { at, charge: 'ch_other', body: FULL });
  await test.db
    .updateTable('order_record')
    .set({ organisation_id: 'org_other' })
    .where('reference_id', '=', 'order-other')
    .execute();
  await test.db
    .updateTable('charge')
    .set({ organisation_id: 'org_other' })
    .where('reference', '=', 'ch_other')
    .execute();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  clock.setMs(Date.parse(START));
  sandbox.reset();
  asked = [];
  for (const table of ['processor_dispute', 'evidence_submission', 'dispute_look'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await test.db.deleteFrom('notification').execute();
});

function processor(): ReturnType<typeof createHttpProcessor> {
  return createHttpProcessor({ baseUrl: sandbox.processorUrl, secret: SECRET, clock });
}

function offered(): ProcessorDisputes {
  const { disputes } = processor();
  if (disputes === undefined) throw new Error('no disputes');
  return disputes;
}

/** What the filing asks goes through `changes` first. */
function deps(
  changes: Partial<ProcessorDisputes> = {},
  settings: FilingSettings = COMPLETE,
): FilingDeps {
  const disputes = { ...offered(), ...changes };
  return {
    ...{ db: test.db, clock, organisationId: ORG, processorName: 'sandbox', settings },
    log: createLog({ level: 'silent' }),
    rules: openPackRules(),
    disputes: {
      ...disputes,
      read: (...args) => {
        asked.push('read');
        return disputes.read(...args);
      },
      submit: (...args) => {
        asked.push('submit');
        return disputes.submit(...args);
      },
    },
  };
}

async function look(): Promise<void> {
  await createDisputeLook(deps()).runOnce();
}

async function file(filingDeps: FilingDeps = deps()): Promise<void> {
  await createFiling(filingDeps).runOnce();
}

async function say(
  reference: string,
  word: 'file' | 'agree' | 'give_up',
  operator: string,
): Promise<boolean> {
  const { version } = await row(reference);
  const now = new Date(clock.nowMs());
  const on = { organisationId: ORG, disputeReference: reference, version, operator, now };
  return await noteWord(test.db, word, on);
}

it('the row says that it is sent, under the key of the call, before the call', async () => {
  const reference = dispute('ch_full', SOON);
  await look();
  const { idempotency_key: first } = await row(reference);
  const calls: unknown[] = [];
  const submit: ProcessorDisputes['submit'] = async (request, signal) => {
    const { state, idempotency_key: key, sent_at: sentAt } = await row(reference);
    calls.push([state, key, request.idempotencyKey, sentAt]);
    return await offered().submit(request, signal);
  };
  await file(deps({ submit }));
  expect(calls).toEqual([['SENT', first, first, new Date(START)]]);
});

it('each repeat begins with a read, and nothing is sent where it cannot be read', async () => {
  const reference = dispute('ch_full', SOON);
  await look();
  await file(deps({ submit: () => Promise.resolve({ kind: 'unknown', reason: 'cut off' }) }));
  expect(asked).toEqual(['read', 'submit']);
  clock.advanceMs(30 * 60_000);
  const read: ProcessorDisputes['read'] = () =>
    Promise.resolve({ kind: 'unavailable', reason: 'down' });
  await file(deps({ read }));
  expect(asked).toEqual(['read', 'submit', 'read']);
  expect(await row(reference)).toMatchObject({ state: 'SENT', last_error: 'down' });
  clock.advanceMs(60 * 60_000);
  await file();
  expect(asked).toEqual(['read', 'submit', 'read', 'read', 'submit']);
  expect(shown(reference).submissions).toHaveLength(1);
});

describe('given up', () => {
  it('at the processor after it was seen: nothing is handed in', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    sandbox.changeDispute(reference, { status: 'accepted' });
    await file();
    expect((await row(reference)).state).toBe('ACCEPTED');
    expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
  });

  it('by a person whose call was not answered: it is given up again, and never filed', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    expect(await say(reference, 'give_up', 'ada')).toBe(true);
    await file(deps({ accept: () => Promise.resolve({ kind: 'unknown', reason: 'cut off' }) }));
    expect((await row(reference)).state).toBe('ACCEPTING');
    expect(await say(reference, 'file', 'bob')).toBe(false);
    clock.advanceMs(HOUR_MS);
    await file();
    expect((await row(reference)).state).toBe('ACCEPTED');
    expect(shown(reference)).toMatchObject({ status: 'accepted', submissions: [] });
  });
});

describe('the due date', () => {
  it('in the past: nothing is sent, and people are told', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    clock.setMs(Date.parse(SOON.due_by));
    await file();
    expect((await row(reference)).state).toBe('EXPIRED');
    expect(asked).toEqual(['read']);
    expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
    expect(await told()).toEqual([
      'Dispute dp_ch_full was due on 2026-03-11 06:00 UTC, and no evidence was handed in. Ask sandbox whether it still takes it.',
    ]);
  });

  it('in the past of a dispute that the processor shows as open: nothing is sent', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    clock.setMs(Date.parse(SOON.due_by));
    const read: ProcessorDisputes['read'] = async (request) => {
      const answer = await offered().read(request);
      if (answer.kind !== 'found') return answer;
      return { ...answer, value: { ...answer.value, status: 'needs_response' } };
    };
    await file(deps({ read }));
    expect((await row(reference)).state).toBe('EXPIRED');
    expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
  });

  it('that passes while files are uploaded: nothing is handed in', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    const stage: ProcessorDisputes['stage'] = async (...args) => {
      const outcome = await offered().stage(...args);
      clock.setMs(Date.parse(SOON.due_by));
      return outcome;
    };
    await file(deps({ stage }));
    expect(asked).toEqual(['read']);
    expect(shown(reference).submissions).toHaveLength(0);
    clock.advanceMs(HOUR_MS);
    await file();
    expect((await row(reference)).state).toBe('EXPIRED');
  });

  it('that is not named: people are told at once', async () => {
    const reference = dispute('ch_full', { due_by: null });
    await look();
    await file();
    expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'no_due_date' });
    expect(await told()).toEqual([
      'The evidence for dispute dp_ch_full is held: the processor names no date until which it is due. Decide on the page of the dispute.',
    ]);
    clock.advanceMs(2 * HOUR_MS);
    await file();
    expect(await told()).toHaveLength(1);
  });
});

describe('a second person', () => {
  const above: FilingSettings = {
    ...COMPLETE,
    secondPersonAbove: { amountMinor: 2_899, currency: 'USD' },
  };

  it('is needed for what would go by itself, and for a sum in another currency than the one named', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    await file(deps({}, { ...above, secondPersonAbove: { amountMinor: 9_999, currency: 'EUR' } }));
    expect(await row(reference)).toMatchObject({ held_reason: 'second_person' });
    clock.advanceMs(2 * HOUR_MS);
    await file(deps({}, above));
    expect(await row(reference)).toMatchObject({ held_reason: 'second_person' });
    expect(await say(reference, 'agree', 'ada')).toBe(true);
    await file(deps({}, above));
    expect(shown(reference).submissions).toHaveLength(1);
  });

  it('agrees to what was asked last: asked again, it is needed again', async () => {
    const reference = dispute('ch_full', SOON);
    await look();
    await say(reference, 'file', 'ada');
    await say(reference, 'agree', 'bob');
    await say(reference, 'file', 'bob');
    await file(deps({}, above));
    expect(await row(reference)).toMatchObject({ held_reason: 'second_person' });
    expect(shown(reference).submissions).toHaveLength(0);
  });
});

it('a dispute of another merchant is held, without its order, and nothing is sent', async () => {
  const reference = dispute('ch_other', SOON);
  await look();
  await file();
  expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'no_charge' });
  expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
  expect((await told()).join()).toContain('its charge is not known here');
  // Nobody makes it right by asking for it.
  await say(reference, 'file', 'ada');
  await file();
  expect(await row(reference)).toMatchObject({ state: 'HELD', held_reason: 'no_charge' });
  expect(shown(reference)).toMatchObject({ staged: [], submissions: [] });
});

describe('merchants with processors of their own', () => {
  function loopsOf(env: Record<string, string>, byMerchant: boolean) {
    const lines: unknown[][] = [];
    const log = createLog({ level: 'silent' });
    log.warn = (...line: unknown[]): void => {
      lines.push(line);
    };
    const own = processor();
    const routed = createRoutedProcessor({
      ...{ db: test.db, organisationId: ORG, own, isListed: () => false },
      byMerchant: new Map([['mer_1', processor()]]),
    });
    const work: CapabilityWork = {
      ...{ db: test.db, clock, log, organisationId: ORG, workerId: 'w1' },
      ...{ settings: openSettings(env), eventKinds: [], variables: {} },
      brands: { NETA: 'a', NETB: 'b', SCHEME_A: 'c', SCHEME_B: 'd' },
      partner: () => undefined,
      processor: byMerchant ? routed : own,
      currentPolicy: () => HOLD_EVERYTHING_POLICY,
      readers: async () => [],
      ...{ isShadow: false, allowLoopback: true },
    };
    return { names: filingLoops(work).map(({ name }) => name), lines };
  }

  it('are refused with a line: a dispute does not say whose it is', () => {
    const { names, lines } = loopsOf({ FORESTALL_FILING: 'complete' }, true);
    expect(names).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(String(lines[0]?.[1])).toContain(
      'merchants of this organisation have processors of their own',
    );
  });

  it('say nothing where nobody wants evidence filed', () => {
    expect(loopsOf({}, true)).toEqual({ names: [], lines: [] });
  });

  it('are none where there is one processor', () => {
    const expected = { names: ['disputes', 'file-evidence'], lines: [] };
    expect(loopsOf({ FORESTALL_FILING: 'complete' }, false)).toEqual(expected);
  });
});
