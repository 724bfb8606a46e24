/**
 * Guarantee: what the processor shows under one key of ours twice, with another movement's reference, or again after it
 * had failed, is neither overlooked nor taken for our refund: no money goes back unseen, and none is declared twice.
 */
import { expect, it } from 'vitest';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import type { LedgerEntry } from '../../crash/support/fake-processor.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world } = saga);
  world.settings = { ...DEFAULT_REFUND_SETTINGS, samePart: 'ANOTHER' };
  worker = world.worker('w1');
});

const A = 'netalrt_a';
const B = 'netalrt_b';
const FIRST_MINOR = 2000;
const SECOND_MINOR = 1500;

/** In the order of their keys: the clock stands still between them. */
const ours = async () =>
  (await world.movements())
    .filter((each) => each.idempotency_key !== null)
    .sort((a, b) => a.round - b.round);
const others = async () => (await world.movements()).filter((each) => each.kind === 'external');
const answersTo = (alertId: string) => world.service.effective(alertId).map(({ action }) => action);

/** A part of the charge of 50.00, refunded by us and declared. */
async function firstRefunded(): Promise<LedgerEntry> {
  await world.open({ alertId: A, amountMinor: FIRST_MINOR, decidedMinor: FIRST_MINOR });
  await world.settle([worker]);
  expect(answersTo(A)).toEqual(['REFUND']);
  return world.processor.ledger[0]!;
}

/** Another part of it is disputed. */
async function secondOpened(): Promise<void> {
  await world.open({ alertId: B, amountMinor: SECOND_MINOR, decidedMinor: SECOND_MINOR });
  await world.settle([worker]);
}

/** The same request at the processor once more, as another refund. */
function again(entry: LedgerEntry, over: Partial<LedgerEntry>): void {
  world.processor.ledger.push({ ...entry, reference: `${entry.reference}_again`, ...over });
}

it('two refunds under one key are two refunds: the second one is counted, and a person is notified', async () => {
  again(await firstRefunded(), {});
  await secondOpened();
  expect(await ours()).toMatchObject([{ state: 'CONFIRMED', amount_minor: FIRST_MINOR }]);
  expect(await others()).toMatchObject([{ state: 'CONFIRMED', amount_minor: FIRST_MINOR }]);
  expect(await world.notifications('double_payment')).toBeGreaterThan(0);
});

it('a failed attempt listed beside the one that went through takes nothing back', async () => {
  again(await firstRefunded(), { status: 'failed' });
  // Some processors list the first attempt first, some the last.
  world.processor.ledger.reverse();
  await secondOpened();
  expect(await ours()).toMatchObject([{ state: 'CONFIRMED' }, { state: 'CONFIRMED' }]);
  expect(await world.notifications('refund_reversed')).toBe(0);
  expect(answersTo(B)).toEqual(['REFUND']);
});

it('looked up without a search by key, the attempt that went through counts, not the failed one', async () => {
  world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: false };
  world.processor.faults.push('lost_after');
  await world.open({ alertId: A });
  await world.settle([worker]);
  again(world.processor.ledger[0]!, { status: 'failed' });
  world.processor.ledger.reverse();
  world.clock.advanceMs(2_000);
  await world.settle([worker]);
  expect(world.processor.calls).toHaveLength(1);
  const moves = await world.db
    .selectFrom('audit')
    .select('to_state')
    .where('organisation_id', '=', world.organisationId)
    .where('subject', '=', 'movement')
    .orderBy('id')
    .execute();
  expect(moves.map((row) => row.to_state)).toEqual(['SENT', 'UNKNOWN', 'CONFIRMED']);
  expect(answersTo(A)).toEqual(['REFUND']);
});

it('what may be our own request, shown without its key, answers no other complaint', async () => {
  world.processor.caps = {
    ...FULL_CAPABILITIES,
    canLookupByReference: false,
    idempotencyTtlHours: 0,
  };
  const { readCharge } = world.processor;
  Object.assign(world.processor, {
    readCharge: async (reference: string, signal: AbortSignal) => {
      const answer = await readCharge(reference, signal);
      if (answer.kind !== 'found') return answer;
      const refunds = answer.value.refunds.map((each) => ({ ...each, idempotencyKey: null }));
      return { kind: 'found', value: { ...answer.value, refunds } };
    },
  });
  world.processor.faults.push('lost_after');
  await world.open({ alertId: A, amountMinor: FIRST_MINOR, decidedMinor: FIRST_MINOR });
  await world.settle([worker]);
  await secondOpened();
  await world.pass([worker], 1);
  expect([answersTo(A), answersTo(B)]).toEqual([[], []]);
  await world.say({ action: 'DID_EXECUTE', reference: 're_1' });
  await world.pass([worker], 1);
  expect([answersTo(A), answersTo(B)]).toEqual([['REFUND'], ['REFUND']]);
  expect(world.processor.ours('ch_1')).toBe(FIRST_MINOR + SECOND_MINOR);
  expect(await world.openFindings()).toEqual([]);
});

it('a list that names one refund twice is one refund, ours or somebody else’s', async () => {
  world.processor.supportRefund('ch_1', 1000);
  const { readCharge } = world.processor;
  world.processor.readCharge = async (reference) => {
    const answer = await readCharge(reference);
    if (answer.kind !== 'found') return answer;
    const { refunds } = answer.value;
    return { kind: 'found', value: { ...answer.value, refunds: [...refunds, ...refunds] } };
  };
  await world.open({
    alertId: A,
    amountMinor: 4000,
    decidedMinor: 4000,
    decidedBy: 'operator:ada',
  });
  await world.settle([worker]);
  await secondOpened();
  expect(await others()).toMatchObject([{ state: 'CONFIRMED', amount_minor: 1000 }]);
  expect(await ours()).toMatchObject([{ state: 'CONFIRMED' }]);
  expect(await world.notifications('double_payment')).toBe(0);
});

it('what a person has said of a refund outside is not counted again once the processor shows it', async () => {
  await world.open({ alertId: A, amountMinor: 2000 });
  await world.settle([worker]);
  expect(await world.state(A)).toBe('HUMAN');
  const said = { action: 'REFUNDED_OUTSIDE', reference: 'su_1', amountMinor: 2000 } as const;
  expect(await world.say(said)).toMatchObject({ ok: true });
  world.processor.supportRefund('ch_1', 2000);
  expect(world.processor.ledger[0]?.reference).toBe('su_1');
  await world.say({ action: 'REFUND' });
  await secondOpened();
  expect(await others()).toMatchObject([{ state: 'CONFIRMED', amount_minor: 2000 }]);
});

it('an answer that shows the refund of another movement is no refund of this one', async () => {
  await firstRefunded();
  // It takes the second request for the first one: the same charge, the same amount.
  const shown = await world.processor.readCharge('ch_1');
  if (shown.kind !== 'found') throw new Error('The charge is there.');
  const first = shown.value.refunds[0]!;
  world.processor.refund = async (request) => {
    world.processor.calls.push(request);
    return { kind: 'confirmed', refund: { ...first, idempotencyKey: request.idempotencyKey } };
  };
  world.clock.advanceMs(HOUR_MS);
  await world.open({ alertId: B, amountMinor: FIRST_MINOR, decidedMinor: FIRST_MINOR });
  await world.settle([worker]);
  expect(world.processor.calls).toHaveLength(2);
  expect(answersTo(B)).toEqual([]);
  expect(await ours()).toMatchObject([{ state: 'CONFIRMED' }, { state: 'UNKNOWN' }]);
});

it('an answer, or a look-up, that names another charge is none', async () => {
  const { refund, findRefund } = world.processor;
  world.processor.refund = async (request, signal) => {
    const outcome = await refund(request, signal);
    if (outcome.kind !== 'confirmed') return outcome;
    return { kind: 'confirmed', refund: { ...outcome.refund, chargeReference: 'ch_2' } };
  };
  world.processor.findRefund = async (request) => {
    const answer = await findRefund(request);
    if (answer.kind !== 'found') return answer;
    return { kind: 'found', value: { ...answer.value, chargeReference: 'ch_2' } };
  };
  await world.open({ alertId: A });
  await world.settle([worker]);
  world.clock.advanceMs(2_000);
  await world.settle([worker]);
  expect(await ours()).toMatchObject([{ state: 'UNKNOWN' }]);
  expect(world.processor.calls).toHaveLength(1);
  expect(answersTo(A)).toEqual([]);
  world.processor.findRefund = findRefund;
  await world.pass([worker], 1);
  expect(answersTo(A)).toEqual(['REFUND']);
});

it('a refund that failed and is shown as made after all counts as gone back', async () => {
  const entry = await firstRefunded();
  entry.status = 'failed';
  await world.say({ alertId: A });
  await secondOpened();
  expect(await ours()).toMatchObject([{ state: 'REVERSED' }, { state: 'CONFIRMED' }]);
  entry.status = 'succeeded';
  await world.open({ alertId: 'netalrt_c', amountMinor: 1000, decidedMinor: 1000 });
  await world.settle([worker]);
  expect(await others()).toMatchObject([{ state: 'CONFIRMED', amount_minor: FIRST_MINOR }]);
});

it('money under our key in another currency keeps a second request from leaving', async () => {
  world.processor.refuses = { code: 'insufficient_balance', failureClass: 'retry' };
  await world.open({ alertId: A });
  await world.settle([worker]);
  expect(await ours()).toMatchObject([{ state: 'REJECTED' }]);
  const [call] = world.processor.calls;
  const { readCharge } = world.processor;
  world.processor.readCharge = async (reference) => {
    const answer = await readCharge(reference);
    if (answer.kind !== 'found' || call === undefined) return answer;
    const dollars = {
      reference: 're_usd',
      idempotencyKey: call.idempotencyKey,
      chargeReference: reference,
      status: 'succeeded',
      failureCode: null,
      amountMinor: 5400,
      currency: 'USD',
      createdAt: null,
    } as const;
    return { kind: 'found', value: { ...answer.value, refunds: [dollars] } };
  };
  world.processor.refuses = undefined;
  await world.pass([worker], (10 * MINUTE_MS) / HOUR_MS);
  expect(world.processor.calls).toHaveLength(1);
  expect(answersTo(A)).toEqual([]);
});
