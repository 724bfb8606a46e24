/**
 * Guarantee: an alert whose charge nobody knows for certain is neither accepted beside money that is out on a charge it
 * may be about, nor does its acceptance, or the network's money, let a refund of such a charge go by itself (A2).
 */

import type { Updateable } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AlertTable } from '../../../src/alerts/apply/entity.table.ts';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { closeRemote } from '../../../src/alerts/cases/hold-case.ts';
import type { LocatedCharge } from '../../../src/alerts/refund/saga-deps.ts';
import { applyChargeChoice } from '../../../src/alerts/review/choose-charge.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { chargeRecord } from '../../unit/match/fixtures.ts';

let world: SagaWorld;
let worker: Worker;
let located: LocatedCharge;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const B = 'netalrt_b';
const ARN = '74537604221222132710572';
const PAID_AT = '2026-03-02T08:00:00Z';
const MAYBE: LocatedCharge = { kind: 'none', candidates: ['ch_1'] };

beforeEach(() => {
  setCrashHook(undefined);
  located = { kind: 'none' };
  Object.assign(worker.deps, { locateCharge: async () => located });
});

const answersTo = (alertId: string): (string | undefined)[] =>
  world.service.effective(alertId).map(({ action }) => action);

/** What the alert says of its payment. */
async function saysOf(alertId: string, alert: Updateable<AlertTable>): Promise<void> {
  await world.db
    .updateTable('alert')
    .set(alert)
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', alertId)
    .execute();
}

/** The order comes: its charge is known from now on. */
async function orderComes(reference = 'ch_1'): Promise<void> {
  const record = chargeRecord({
    reference,
    integrationId: 'int_1',
    amountMinor: 5000,
    currency: 'EUR',
    cardBin: '411111',
    cardLast4: '1111',
    cardBrand: 'SCHEME_A',
    acquirerReferenceNumber: ARN,
    authorisationCode: null,
    authorisedAt: PAID_AT,
  });
  await world.db
    .transaction()
    .execute((trx) =>
      recordCharges(trx, world.organisationId, { charges: [record], now: nowDate(world.clock) }),
    );
}

const choose = (alertId: string, chargeReference = 'ch_1') =>
  applyChargeChoice(world.db, {
    organisationId: world.organisationId,
    alertId,
    chargeReference,
    note: '',
    operator: 'ada',
    now: nowDate(world.clock),
  });

describe('an alert that was accepted before its order came', () => {
  const CARD = {
    card_bin: '411111',
    card_last4: '1111',
    card_scheme: 'SCHEME_A',
    authorised_at: PAID_AT,
  };

  it.each<[string, Updateable<AlertTable>, boolean]>([
    ['card, brand, amount and day', CARD, true],
    ['last 4, amount and day', { card_last4: '1111', authorised_at: PAID_AT }, true],
    ['another card', { ...CARD, card_last4: '2222', card_scheme: 'SCHEME_B' }, false],
    [
      'another amount of another day',
      { ...CARD, amount_minor: 700, authorised_at: '2026-02-20T08:00:00Z' },
      false,
    ],
  ])(
    '%s: the same complaint reported again is not refunded by itself',
    async (_name, says, isDoubt) => {
      await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
      await world.settle([worker]);
      expect(answersTo(A)).toEqual(['ACCEPT_DISPUTE']);
      await saysOf(A, says);
      await orderComes();
      await world.open({ alertId: B });
      await world.settle([worker]);
      expect(world.processor.ours('ch_1')).toBe(isDoubt ? 0 : 5000);
      if (isDoubt)
        expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'acceptance_unclear' });
    },
  );

  async function bothKnown(): Promise<void> {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
    await world.settle([worker]);
    await saysOf(A, CARD);
    await orderComes();
    await world.open({ alertId: B });
    await world.settle([worker]);
    world.clock.advanceMs(1);
  }

  it('a person refunds all the same, having been told', async () => {
    await bothKnown();
    expect(await world.say({ alertId: B })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answersTo(B)).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('a person names its charge, although it is closed: the other one is the same complaint, accepted', async () => {
    await bothKnown();
    expect(await choose(A)).toMatchObject({ ok: true, state: 'DECLARED_ACCEPT' });
    await world.pass([worker], 2);
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'another_alert_accepted' });
  });

  it('a person names another charge for it: the refund goes by itself', async () => {
    await bothKnown();
    world.processor.addCharge('ch_2');
    expect(await choose(A, 'ch_2')).toMatchObject({ ok: true });
    await world.pass([worker], 2);
    expect(answersTo(B)).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });
});

describe('an alert without a charge that somebody answered in the service’s dashboard', () => {
  /** Before its order came: our case ends as answered elsewhere. */
  async function answered(outcome: 'NOT_REFUNDED' | 'REFUNDED', says: Updateable<AlertTable>) {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
    const alert = world.service.alerts.get(A)!;
    const over = { status: 'RESOLVED', transaction_refund_outcome: outcome } as const;
    world.service.alerts.set(A, { ...alert, ...over });
    await world.db.transaction().execute(async (trx) => {
      const claim = await findCase(trx, world.organisationId, A);
      const now = nowDate(world.clock);
      await closeRemote(trx, claim!, { status: 'RESOLVED', refundOutcome: outcome, now });
    });
    await saysOf(A, { ...says, status: 'RESOLVED', refund_outcome: outcome });
    await orderComes();
    await world.open({ alertId: B });
    await world.settle([worker]);
  }

  const BY_CARD = { card_last4: '1111', authorised_at: PAID_AT };
  const BY_NUMBER = { acquirer_reference_number: ARN, card_last4: '1111' };

  it.each<[string, 'NOT_REFUNDED' | 'REFUNDED', Updateable<AlertTable>, string | null]>([
    ['accepted, alike by a weak sign', 'NOT_REFUNDED', BY_CARD, 'acceptance_unclear'],
    ['accepted, with this number', 'NOT_REFUNDED', BY_NUMBER, 'another_alert_accepted'],
    ['refunded', 'REFUNDED', BY_CARD, null],
  ])('%s: the same complaint reported again', async (_name, outcome, says, reason) => {
    await answered(outcome, says);
    expect(world.processor.ours('ch_1')).toBe(reason === null ? 5000 : 0);
    if (reason !== null) expect(await world.caseOf(B)).toMatchObject({ hold_reason: reason });
  });

  it('a person names its charge afterwards, as with one that we accepted', async () => {
    await answered('NOT_REFUNDED', BY_CARD);
    world.processor.addCharge('ch_2');
    world.clock.advanceMs(1);
    expect(await choose(A, 'ch_2')).toMatchObject({ ok: true, state: 'CLOSED_REMOTE' });
    await world.pass([worker], 2);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });
});

describe('a charge of other card digits than the alert’s', () => {
  const named = (otherCard?: boolean) => ({
    organisationId: world.organisationId,
    alertId: A,
    chargeReference: 'ch_1',
    note: '',
    operator: 'ada',
    now: nowDate(world.clock),
    ...(otherCard === undefined ? {} : { otherCard }),
  });

  async function held(says: Updateable<AlertTable>): Promise<void> {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE', chargeReference: null });
    await saysOf(A, says);
    await world.db
      .updateTable('alert_case')
      .set({ state: 'HUMAN', hold_reason: 'no_charge' })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    await orderComes();
  }

  it.each<[string, Updateable<AlertTable>, boolean]>([
    ['another last 4', { card_last4: '2222' }, true],
    ['another BIN', { card_last4: '1111', card_bin: '522222' }, true],
    ['the same', { card_last4: '1111', card_bin: '411111' }, false],
    ['none', { card_last4: null }, false],
  ])('%s: a person who names it is asked once more', async (_name, says, isAsked) => {
    await held(says);
    const refusal = { ok: false, reason: 'other_card' };
    const asked = { action: 'REFUND', chargeReference: 'ch_1' } as const;
    if (isAsked) {
      expect(await applyChargeChoice(world.db, named())).toEqual(refusal);
      expect(await world.say(asked)).toEqual(refusal);
      expect(await applyChargeChoice(world.db, named(false))).toEqual(refusal);
    }
    const knows = isAsked ? { otherCard: true } : {};
    expect(await world.say({ ...asked, ...knows })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('is chosen by a person who knows it', async () => {
    await held({ card_last4: '2222' });
    expect(await applyChargeChoice(world.db, named(true))).toMatchObject({ ok: true });
    // From then on it is the alert's: nobody is asked about the card again.
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
  });
});

describe('an alert without a charge that is to be accepted', () => {
  const accept = { alertId: B, decision: 'ACCEPT_DISPUTE', chargeReference: null } as const;

  it('is held beside a refund of a charge that it may be about, with an alarm', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(answersTo(A)).toEqual(['REFUND']);
    located = MAYBE;
    await world.open(accept);
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
    expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'candidate_refunded' });
    expect(await world.notifications('accept_in_doubt')).toBe(1);
  });

  it('is held beside what support refunded there, and what is pending', async () => {
    world.processor.supportRefund('ch_1', 1000, 'pending');
    located = MAYBE;
    await world.open(accept);
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
  });

  it('is accepted where no money is out', async () => {
    located = MAYBE;
    await world.open(accept);
    await world.settle([worker]);
    expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
  });

  it.each(['ACCEPT_DISPUTE', 'NOT_OURS'] as const)(
    'a person who says %s is told of every refund that it may be about, and accepts beside them knowing it',
    async (action) => {
      world.processor.addCharge('ch_2');
      world.processor.supportRefund('ch_1', 1000);
      world.processor.supportRefund('ch_2', 1000);
      located = { kind: 'none', candidates: ['ch_1', 'ch_2', 'ch_3'] };
      await world.open(accept);
      await world.db
        .updateTable('alert_case')
        .set({ state: 'HUMAN', hold_reason: 'no_charge' })
        .where('organisation_id', '=', world.organisationId)
        .execute();
      const says = { alertId: B, action } as const;
      expect(await world.say(says)).toMatchObject({ ok: true, state: 'DECIDED_ACCEPT' });
      await world.settle([worker]);
      expect(answersTo(B)).toEqual([]);
      expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'candidate_refunded' });
      const told = await world.db
        .selectFrom('notification')
        .select('text')
        .where('organisation_id', '=', world.organisationId)
        .where('kind', '=', 'accept_in_doubt')
        .execute();
      expect(told).toEqual([{ text: expect.stringContaining('about ch_1 or ch_2, refunded') }]);
      expect(await world.say(says)).toMatchObject({ ok: true, state: 'DECIDED_ACCEPT' });
      await world.settle([worker]);
      expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
    },
  );

  it('a person is told again where another payment that it may be about was refunded since', async () => {
    world.processor.addCharge('ch_2');
    world.processor.supportRefund('ch_1', 1000);
    located = { kind: 'none', candidates: ['ch_1', 'ch_2'] };
    await world.open(accept);
    await world.settle([worker]);
    const says = { alertId: B, action: 'ACCEPT_DISPUTE' } as const;
    const told = async (): Promise<string[]> => {
      const rows = await world.db
        .selectFrom('notification')
        .select('text')
        .where('organisation_id', '=', world.organisationId)
        .where('kind', '=', 'accept_in_doubt')
        .orderBy('id')
        .execute();
      return rows.map(({ text }) => /about (.*?), refunded/.exec(text)?.[1] ?? text);
    };
    expect(await told()).toEqual(['ch_1']);
    expect(await world.say(says)).toMatchObject({ ok: true, state: 'DECIDED_ACCEPT' });
    world.processor.supportRefund('ch_2', 1000);
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
    expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'candidate_refunded' });
    expect(await told()).toEqual(['ch_1', 'ch_1 or ch_2']);
    expect(await world.say(says)).toMatchObject({ ok: true, state: 'DECIDED_ACCEPT' });
    await world.settle([worker]);
    expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
  });

  it('a person’s waits, too, where the processor does not say what became of a charge that it may be about', async () => {
    located = MAYBE;
    world.processor.down = true;
    await world.open({ ...accept, decidedBy: 'operator:ada' });
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
    world.processor.down = false;
    await world.pass([worker], 0.1);
    expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
  });

  it('waits where the processor cannot be asked, about the charge or by its search', async () => {
    located = MAYBE;
    world.processor.down = true;
    await world.open(accept);
    await world.settle([worker]);
    expect(answersTo(B)).toEqual([]);
    expect(await world.state(B)).toBe('DECIDED_ACCEPT');
    world.processor.down = false;
    located = { kind: 'unanswered' };
    await world.pass([worker], 0.1);
    expect(answersTo(B)).toEqual([]);
    located = { kind: 'none' };
    await world.pass([worker], 0.1);
    expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
  });

  it('is decided again where its charge is known by now', async () => {
    located = { kind: 'single', reference: 'ch_1' };
    await world.open(accept);
    await worker.round();
    expect(answersTo(B)).toEqual([]);
    expect(await world.caseOf(B)).toMatchObject({ state: 'HUMAN', hold_reason: 'no_charge' });
  });

  it('whose order came, and whose twin was refunded, while its worker was away is answered with that refund', async () => {
    let isAway = true;
    setCrashHook(async (point) => {
      if (point !== 'acceptance.examined' || !isAway) return;
      isAway = false;
      await saysOf(B, { acquirer_reference_number: ARN, card_last4: '1111' });
      await orderComes();
      await world.open({ alertId: A });
      const other = world.worker('w2');
      for (let round = 0; round < 6; round++) await other.round();
    });
    await world.open(accept);
    await world.pass([worker], 1);
    setCrashHook(undefined);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(answersTo(A)).toEqual(['REFUND']);
    expect(answersTo(B)).toEqual(['REFUND']);
  });

  it('whose order came, and may be meant, while its worker was away: not accepted beside that refund', async () => {
    let isAway = true;
    setCrashHook(async (point) => {
      if (point !== 'acceptance.examined' || !isAway) return;
      isAway = false;
      await saysOf(B, { card_last4: '1111', authorised_at: PAID_AT });
      await orderComes();
      located = MAYBE;
      await world.open({ alertId: A });
      const other = world.worker('w2');
      Object.assign(other.deps, { locateCharge: async () => located });
      for (let round = 0; round < 6; round++) await other.round();
    });
    await world.open(accept);
    await world.pass([worker], 1);
    setCrashHook(undefined);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(answersTo(B)).toEqual([]);
    expect(await world.caseOf(B)).toMatchObject({ hold_reason: 'candidate_refunded' });
  });
});

it('an acceptance is said although its number is the charge’s, where the match stage says otherwise and no money is out', async () => {
  located = MAYBE;
  await world.open({ alertId: B, decision: 'ACCEPT_DISPUTE', chargeReference: null });
  const alert = world.service.alerts.get(B)!;
  world.service.alerts.set(B, { ...alert, transaction_acquirer_reference_number: ARN });
  await saysOf(B, { acquirer_reference_number: ARN, card_last4: '1111' });
  await orderComes();
  await world.settle([worker]);
  expect(answersTo(B)).toEqual(['ACCEPT_DISPUTE']);
});
