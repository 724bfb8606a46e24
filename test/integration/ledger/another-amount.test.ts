/**
 * Guarantee: where the processor carries out another amount than we asked for, what it shows is what
 * counts: nothing is sent again, a person is notified with both amounts, and can refund the rest, accept
 * although it went back, or declare.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world } = saga);
  worker = world.worker('w1');
});

const A = 'netalrt_a';
const MINUTE = MINUTE_MS / HOUR_MS;

const answers = () => world.service.effective(A).map(({ action }) => action);
const ours = async () => (await world.movements()).filter((each) => each.kind === 'refund');
const others = async () => (await world.movements()).filter((each) => each.kind === 'external');

/** Our request of `amountMinor` leads to a refund of `shownMinor`, and its answer is lost. */
async function carriedOut(amountMinor: number, shownMinor: number): Promise<void> {
  world.processor.faults.push('lost_after');
  await world.open({ alertId: A, amountMinor, decidedMinor: amountMinor });
  await world.settle([worker]);
  expect(await ours()).toMatchObject([{ state: 'UNKNOWN', amount_minor: amountMinor }]);
  Object.assign(world.processor.ledger[0]!, { amountMinor: shownMinor });
}

describe('less than we asked for', () => {
  beforeEach(async () => {
    await carriedOut(5000, 3000);
    await world.pass([worker], 10 * MINUTE);
  });

  it('is booked as it is shown; a person is notified once, and nothing is sent again or conceded', async () => {
    expect(await ours()).toMatchObject([
      { state: 'REJECTED', failure_code: 'another_amount', failure_class: 'done' },
    ]);
    expect(await others()).toMatchObject([{ state: 'CONFIRMED', amount_minor: 3000 }]);
    expect(await world.caseOf(A)).toMatchObject({ state: 'HUMAN', hold_reason: 'part_went_back' });
    expect(await world.openFindings()).toEqual(['another_amount']);
    await world.pass([worker], 24);
    expect(await world.notifications('another_amount')).toBe(1);
    expect(world.processor.calls).toHaveLength(1);
    expect(answers()).toEqual([]);
  });

  it('the rest is refunded by a person, and then it is declared and the finding closed', async () => {
    expect(await world.say({})).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([5000, 2000]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(answers()).toEqual(['REFUND']);
    expect(await world.openFindings()).toEqual([]);
  });

  it('the dispute is accepted by a person who is told the sum, and by nobody else', async () => {
    expect(await world.say({ action: 'ACCEPT_DISPUTE' })).toEqual({
      ok: false,
      reason: 'part_went_back',
    });
    expect(await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 3000 })).toMatchObject({
      ok: true,
    });
    await world.settle([worker]);
    expect(answers()).toEqual(['ACCEPT_DISPUTE']);
  });
});

it('more than we asked for: declared, and the finding stays until what was too much is back', async () => {
  await carriedOut(2000, 3000);
  await world.pass([worker], 10 * MINUTE);
  expect(answers()).toEqual(['REFUND']);
  expect(world.processor.calls).toHaveLength(1);
  expect(await world.openFindings()).toEqual(['another_amount']);
  expect(await world.notifications('another_amount')).toBe(1);
});

it('shown with our amount after all, it is ours, and counted once', async () => {
  await carriedOut(5000, 3000);
  await world.pass([worker], 10 * MINUTE);
  Object.assign(world.processor.ledger[0]!, { amountMinor: 5000 });
  expect(await world.say({})).toMatchObject({ ok: true });
  await world.settle([worker]);
  expect(await ours()).toMatchObject([{ state: 'CONFIRMED', amount_minor: 5000 }]);
  expect(await others()).toMatchObject([{ state: 'REVERSED', amount_minor: 0 }]);
  expect(world.processor.calls).toHaveLength(1);
  expect(answers()).toEqual(['REFUND']);
  expect(await world.openFindings()).toEqual([]);
});

it('in another currency nothing is concluded: a person is notified, and says what went back', async () => {
  await carriedOut(5000, 5000);
  world.processor.charge('ch_1').currency = 'USD';
  await world.pass([worker], 10 * MINUTE);
  expect(await ours()).toMatchObject([{ state: 'HUMAN' }]);
  expect(await world.notifications('refund_unresolved')).toBe(1);
  expect(world.processor.calls).toHaveLength(1);
});

describe('where only the look-up by key shows it', () => {
  beforeEach(async () => {
    const read = world.processor.readCharge;
    world.processor.readCharge = async (reference) => {
      const answer = await read(reference);
      return answer.kind === 'found'
        ? { kind: 'found', value: { ...answer.value, refunds: [], refundableMinor: 5000 } }
        : answer;
    };
    world.processor.caps = { ...FULL_CAPABILITIES, refusesOverRefund: false };
    await carriedOut(5000, 3000);
    await world.pass([worker], 10 * MINUTE);
  });

  it('a person is notified with what to say, and nothing goes out meanwhile', async () => {
    expect(await ours()).toMatchObject([{ state: 'HUMAN' }]);
    const told = await world.db
      .selectFrom('notification')
      .select('text')
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'refund_unresolved')
      .execute();
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toContain('shows it with another amount');
    expect(await world.say({})).toEqual({ ok: false, reason: 'refund_under_way' });
    await world.pass([worker], 24);
    expect(world.processor.calls).toHaveLength(1);
  });

  it('they say how much went back: that much counts, and the rest can be refunded', async () => {
    const said = { action: 'DID_EXECUTE', reference: 're_1', amountMinor: 3000 } as const;
    expect(await world.say({ ...said, amountMinor: 0 })).toEqual({
      ok: false,
      reason: 'amount_needed',
    });
    expect(await world.say(said)).toMatchObject({ ok: true });
    expect(await ours()).toMatchObject([{ state: 'REJECTED', failure_code: 'another_amount' }]);
    expect(await others()).toMatchObject([
      { amount_minor: 3000, observed_from: 'operator:ada', processor_reference: 're_1' },
    ]);
    expect(await world.openFindings()).toEqual(['another_amount']);
    await world.settle([worker]);
    expect(await world.say({})).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.processor.calls.map(({ amountMinor }) => amountMinor)).toEqual([5000, 2000]);
    expect(answers()).toEqual(['REFUND']);
  });

  it('what they said is not counted again once a reading shows it', async () => {
    await world.say({ action: 'DID_EXECUTE', reference: 're_1', amountMinor: 3000 });
    Reflect.deleteProperty(world.processor, 'readCharge');
    world.processor.readCharge = async () => ({
      kind: 'found',
      value: {
        reference: 'ch_1',
        status: 'captured',
        amountMinor: 5000,
        currency: 'EUR',
        refundableMinor: 2000,
        disputed: false,
        authorisedAt: null,
        refunds: [
          {
            reference: 're_1',
            idempotencyKey: world.processor.ledger[0]!.key,
            chargeReference: 'ch_1',
            status: 'succeeded',
            failureCode: null,
            amountMinor: 3000,
            currency: 'EUR',
            createdAt: null,
          },
        ],
      } as never,
    });
    await world.say({ action: 'RETRY' });
    await world.pass([worker], 2);
    expect(await others()).toHaveLength(1);
  });
});
