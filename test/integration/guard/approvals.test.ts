/**
 * Guarantee: two people agree to one thing by its name. Whatever else is said meanwhile, nobody's agreement to a refund counts
 * for a word about money, or the other way round, and no limit is passed in two halves.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { answerApproval } from '../../../src/alerts/guard/approve.ts';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { readApprovals } from '../../../src/alerts/guard/guard-status.store.ts';
import { pauseMoney } from '../../../src/alerts/guard/pause.store.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import type { OperatorDecision } from '../../../src/alerts/review/operator-decision.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world } = saga);
});

const A = 'netalrt_a';
const LIMIT = { EUR: 3_000 };
const OUTSIDE = { action: 'REFUNDED_OUTSIDE', reference: 'CHQ-1' } as const;

const refused = (reason: string) => ({ ok: false, reason });
const now = () => new Date(world.clock.nowMs());

beforeEach(() => {
  restart({});
});

/** With the limit for one person, and these guards beside it. */
function restart(guards: Partial<typeof DEFAULT_GUARDS>): void {
  world.settings = {
    ...DEFAULT_REFUND_SETTINGS,
    guards: { ...DEFAULT_GUARDS, approvalAboveMinor: LIMIT, ...guards },
  };
  worker = world.worker('w1');
}

/** A refund of 50.00 waits for a second person: ada asked for it. */
async function refundWaits(): Promise<void> {
  await world.open({ alertId: A, decidedBy: 'operator:ada' });
  await world.settle([worker]);
  expect(await holdOf()).toBe('approval_needed');
}

const say = (decision: Partial<OperatorDecision>) =>
  world.say({ approvalAboveMinor: LIMIT, ...decision });

async function holdOf(): Promise<string | null> {
  return (await world.caseOf(A)).hold_reason;
}

async function idOf(kind: string): Promise<number> {
  const asked = await readApprovals(world.db, world.organisationId, A);
  return asked.find((each) => each.kind === kind)?.id ?? 0;
}

const agree = (operator: string, approvalId: number, approve = true) =>
  answerApproval(world.db, {
    organisationId: world.organisationId,
    alertId: A,
    approvalId,
    operator,
    approve,
    now: now(),
  });

describe('a refund that waits, and a word about the same money', () => {
  it('are asked for side by side, each by its name', async () => {
    await refundWaits();
    expect(await say(OUTSIDE)).toEqual(refused('second_person'));
    expect(await readApprovals(world.db, world.organisationId, A)).toMatchObject([
      { kind: 'REFUND', state: 'PENDING', amountMinor: 5000, reference: null, approvers: ['ada'] },
      {
        kind: 'REFUNDED_OUTSIDE',
        state: 'PENDING',
        amountMinor: 5000,
        reference: 'CHQ-1',
        approvers: ['ada'],
      },
    ]);
  });

  it.each<[string, (world: SagaWorld) => Promise<void> | void]>([
    [
      'the kill switch',
      async ({ db, organisationId }) =>
        void (await pauseMoney(db, { organisationId, operator: 'kofi', reason: '', now: now() })),
    ],
    ['the hourly cap', () => restart({ caps: { hour: { count: 0 } } })],
    [
      'a processor that is away',
      ({ processor }) => {
        processor.down = true;
      },
    ],
  ])(
    'of which the refund is agreed to and stopped by %s: one person alone repeats nothing',
    async (_name, stop) => {
      await refundWaits();
      await say(OUTSIDE);
      await stop(world);
      // What the second person was shown.
      expect(await agree('noor', await idOf('REFUND'))).toMatchObject({ state: 'APPROVED' });
      await world.pass([worker], 0.5);
      expect(await world.state(A)).toBe('HUMAN');
      for (const _again of [1, 2]) expect(await say(OUTSIDE)).toEqual(refused('second_person'));
      await world.settle([worker]);
      expect(world.service.patches).toEqual([]);
      expect(world.processor.calls).toEqual([]);
      // Another person who says the same makes it true.
      expect(await say({ ...OUTSIDE, operator: 'noor' })).toMatchObject({ ok: true });
    },
  );

  it('nobody agrees to a word with a click: they say the same', async () => {
    await refundWaits();
    await say(OUTSIDE);
    expect(await agree('noor', await idOf('REFUNDED_OUTSIDE'))).toEqual(refused('say_the_same'));
    expect(await say({ ...OUTSIDE, operator: 'noor', reference: 'CHQ-2' })).toEqual(
      refused('second_person'),
    );
    expect(await say({ ...OUTSIDE, operator: 'noor', amountMinor: 4000 })).toEqual(
      refused('second_person'),
    );
    expect((await world.movements()).filter((row) => row.kind === 'external')).toEqual([]);
    expect(await say({ ...OUTSIDE, operator: 'noor' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await say({ action: 'RETRY' })).toEqual({ ok: true, state: 'DECLARE_REFUND' });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: 'already refunded CHQ-1' }]);
  });

  it('of which the word is declined: the refund goes on waiting', async () => {
    await refundWaits();
    await say(OUTSIDE);
    const word = await idOf('REFUNDED_OUTSIDE');
    expect(await agree('noor', word, false)).toMatchObject({ ok: true, state: 'DECLINED' });
    expect(await agree('noor', word, false)).toEqual(refused('answered'));
    expect(await holdOf()).toBe('approval_needed');
    expect(await agree('noor', await idOf('REFUND'))).toMatchObject({ state: 'APPROVED' });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
  });
});

describe('what a person was shown', () => {
  it('and was replaced meanwhile is not agreed to', async () => {
    await refundWaits();
    await say(OUTSIDE);
    const [shown, word] = [await idOf('REFUND'), await idOf('REFUNDED_OUTSIDE')];
    expect(await say({ amountMinor: 4000, operator: 'kofi' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await agree('noor', shown)).toEqual(refused('replaced'));
    // What is said of money is replaced by no refund.
    expect(await idOf('REFUNDED_OUTSIDE')).toBe(word);
    expect(await agree('kofi', await idOf('REFUND'))).toEqual(refused('same_person'));
    expect(await agree('noor', await idOf('REFUND'))).toMatchObject({ state: 'APPROVED' });
    await world.settle([worker]);
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([4000]);
  });

  it('about another alert is not agreed to', async () => {
    await refundWaits();
    world.processor.addCharge('ch_2');
    await world.open({ alertId: 'netalrt_b', chargeReference: 'ch_2' });
    await world.settle([worker]);
    const [other] = await readApprovals(world.db, world.organisationId, 'netalrt_b');
    expect(await agree('noor', other?.id ?? 0)).toEqual(refused('nothing_to_approve'));
  });
});

describe('a word that took effect', () => {
  it('needs two people again when it is said again', async () => {
    await world.open({ alertId: A, amountMinor: 5000 });
    world.processor.supportRefund('ch_1', 4000);
    await world.settle([worker]);
    const accept = { action: 'ACCEPT_DISPUTE', despiteMinor: 4000 } as const;
    expect(await say(accept)).toEqual(refused('second_person'));
    expect(await say({ ...accept, operator: 'noor' })).toMatchObject({ ok: true });
    // Taken back before it was said: ada alone cannot put it in force again.
    world.processor.down = true;
    await world.settle([worker]);
    world.clock.advanceMs(1000);
    await world.settle([worker]);
    expect(await say({ action: 'SEPARATE_DISPUTE' })).toMatchObject({ ok: false });
    expect(await say({ amountMinor: 1000 })).toMatchObject({ ok: true, state: 'DECIDED_REFUND' });
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await say(accept)).toEqual(refused('second_person'));
  });
});

describe('the limit of one complaint', () => {
  it('is not passed in two halves: the second one needs another person', async () => {
    await world.open({ alertId: A, decidedBy: 'operator:ada', decidedMinor: 2500 });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(2500);
    expect(await say({ amountMinor: 2500 })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await holdOf()).toBe('approval_needed');
    expect(world.processor.ours('ch_1')).toBe(2500);
    expect(await agree('noor', await idOf('REFUND'))).toMatchObject({ state: 'APPROVED' });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('counts what was said beside what was sent', async () => {
    await world.open({ alertId: A, decidedBy: 'operator:ada', decidedMinor: 2500 });
    await world.settle([worker]);
    expect(await say({ ...OUTSIDE, amountMinor: 2500 })).toEqual(refused('second_person'));
    expect(await say({ ...OUTSIDE, amountMinor: 500 })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await say({ amountMinor: 1 })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await holdOf()).toBe('approval_needed');
  });

  it('is each complaint’s own: another one of the charge begins anew', async () => {
    await world.open({ alertId: A, amountMinor: 2500, decidedMinor: 2500 });
    await world.settle([worker]);
    world.clock.advanceMs(HOUR_MS);
    await world.open({ alertId: 'netalrt_b', amountMinor: 2000, decidedMinor: 2000 });
    await world.settle([worker]);
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([2500, 2000]);
  });
});
