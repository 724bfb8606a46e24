/**
 * Guarantee: what the network refunded (RDR) is a reading of money: kept without a charge, matched later,
 * computed again at every change, counted before anything is sent, and never answered (I4, L6, L8).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { reconcileRdr } from '../../../src/alerts/refund/network-money.ts';
import type { LocateCharge } from '../../../src/alerts/refund/saga-deps.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';
import { chargeRecord } from '../../unit/match/fixtures.ts';

const database = useTestDatabase();

let world: SagaWorld;
let worker: Worker;
/** What the match stage says about an RDR alert without a charge, and how often it was asked. */
let located: Awaited<ReturnType<LocateCharge>>;
let searches: number;

beforeEach(() => {
  world = createSagaWorld(database.db);
  worker = world.worker('w1');
  located = { kind: 'none' };
  searches = 0;
  const locateCharge: LocateCharge = async () => {
    searches += 1;
    return located;
  };
  Object.assign(worker.deps, { locateCharge });
});

const A = 'netalrt_neta';
const RDR = 'netalrt_rdr';
const ARN = '74537604221222132710572';

interface RdrOver {
  /** @default `netalrt_rdr` */
  readonly id?: string;
  readonly status?: string;
  readonly outcome?: string | null;
  readonly amountMinor?: number;
  readonly currency?: string;
  readonly arn?: string;
  readonly last4?: string;
  /** The payment that the service names. */
  readonly names?: string;
  /** Of which integration. @default `int_1` */
  readonly integration?: null;
}

/** What the service says of the RDR alert now; it reaches us as any snapshot does. */
async function rdrIs(over: RdrOver = {}): Promise<void> {
  const { db, organisationId, clock } = world;
  const { status = 'RESOLVED', outcome = 'REFUNDED', amountMinor = 5000, currency = 'EUR' } = over;
  clock.advanceMs(1);
  const object = {
    id: over.id ?? RDR,
    organisation_id: organisationId,
    enrolment_type: 'NETB_RDR',
    status,
    transaction_refund_outcome: outcome,
    transaction_amount_in_cents: amountMinor,
    transaction_currency_code: currency,
    transaction_acquirer_reference_number: over.arn ?? null,
    transaction_card_last4: over.last4 ?? null,
    transaction_authorised_at: '2026-03-10',
    integration_id: over.integration === undefined ? 'int_1' : over.integration,
    integration_transaction_id: over.names ?? null,
    created_at: nowIso(clock),
    updated_at: nowIso(clock),
  };
  await db.transaction().execute((trx) =>
    applySnapshots(trx, {
      organisationId,
      source: 'webhook',
      snapshots: [{ entity: 'alert', object, eventId: null }],
      now: nowDate(clock),
    }),
  );
}

/** An RDR alert arrives and is reconciled, as the match stage does it. */
async function rdrArrives(
  over: RdrOver & { readonly chargeReference?: string | null } = {},
): Promise<void> {
  const { db, organisationId, clock } = world;
  const { chargeReference = 'ch_1', status = 'RESOLVED', outcome = 'REFUNDED', id = RDR } = over;
  await rdrIs(over);
  await db.transaction().execute(async (trx) => {
    const claim = await findCase(trx, organisationId, id);
    await reconcileRdr(trx, claim!, {
      alert: { id, status, refund_outcome: outcome },
      chargeReference,
      now: nowDate(clock),
    });
  });
}

/** An order teaches us a charge, with the acquirer reference number of its clearing. */
async function learnCharge(arn: string, reference = 'ch_1'): Promise<void> {
  const charge = chargeRecord({
    reference,
    integrationId: 'int_1',
    amountMinor: 5000,
    currency: 'EUR',
    acquirerReferenceNumber: arn,
  });
  const { organisationId } = world;
  await world.db
    .transaction()
    .execute((trx) =>
      recordCharges(trx, organisationId, { charges: [charge], now: nowDate(world.clock) }),
    );
}

async function network(): Promise<unknown> {
  const rows = await world.db
    .selectFrom('movement')
    .select(['charge_reference', 'state', 'amount_minor'])
    .where('organisation_id', '=', world.organisationId)
    .where('kind', '=', 'network')
    .execute();
  expect(rows).toHaveLength(1);
  return [rows[0]?.charge_reference, rows[0]?.state, rows[0]?.amount_minor];
}

describe('an RDR alert', () => {
  it('is booked on its charge without a call', async () => {
    await rdrArrives();
    await world.pass([worker], 72);
    expect(await world.state(RDR)).toBe('RECONCILED_RDR');
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5000]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.patches).toEqual([]);
    expect(await world.openFindings()).toEqual([]);
  });

  it('before the other network’s alert: that one is answered with it, and nothing is refunded (F73)', async () => {
    await rdrArrives();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
  });

  it('shown by the acquirer as a dispute that was lost is one money: the alert is answered, nobody paged', async () => {
    const { readCharge } = world.processor;
    world.processor.readCharge = async (reference) => {
      const answer = await readCharge(reference);
      if (answer.kind !== 'found') return answer;
      return { kind: 'found', value: { ...answer.value, disputed: true, refundableMinor: 0 } };
    };
    await rdrArrives();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
    expect(await world.notifications('double_payment')).toBe(0);
    expect(await world.openFindings()).toEqual([]);
  });

  it('in another currency answers nothing that is not in it, unless the whole charge went back', async () => {
    await rdrArrives({ currency: 'GBP', amountMinor: 4000 });
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.service.patches).toEqual([]);
    expect(world.processor.calls).toEqual([]);
    expect(await world.state(A)).toBe('HUMAN');
  });

  it('after our refund pages a person about the double payment, and the answer stands', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await world.openFindings()).toEqual(['paid_too_often']);
    expect(await world.refundState('ch_1')).toBe('CONFIRMED');
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    // Told once, however often the charge is looked at.
    await rdrIs({ arn: ARN });
    await world.pass([worker], 1);
    expect(await world.notifications('double_payment')).toBe(1);
  });

  it('after our refund, and taken back by the network: the finding closes', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    await rdrIs({ status: 'INVALID' });
    await world.settle([worker]);
    expect(await world.openFindings()).toEqual([]);
  });

  it('while our refund is unanswered: it is never sent again', async () => {
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    expect(await world.notifications('double_payment')).toBe(1);
    await world.pass([worker], 4);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('REJECTED');
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
    expect(await world.openFindings()).toEqual([]);
  });

  it('while our refund is unanswered, and nobody can tell whether it was executed: people hear both', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives();
    await world.pass([worker], 4);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    expect(await world.notifications('refund_unresolved')).toBe(1);
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await world.openFindings()).toEqual(['paid_too_often']);
  });
});

describe('RDR let through by a ruleset (RESOLVED, NOT_REFUNDED)', () => {
  it('is money of nothing: the NETA alert of the charge is refunded (row 2)', async () => {
    await rdrArrives({ outcome: 'NOT_REFUNDED' });
    expect(await network()).toEqual(['ch_1', 'REVERSED', 0]);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('is money of nothing: the NETA alert of the charge can be accepted (row 2)', async () => {
    await rdrArrives({ outcome: 'NOT_REFUNDED' });
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });
});

describe('RDR before its order', () => {
  it('waits without a charge, and is found through the match stage every hour (row 3)', async () => {
    await rdrArrives({ chargeReference: null });
    expect(await world.state(RDR)).toBe('RECONCILED_RDR');
    expect(await network()).toEqual([null, 'CONFIRMED', 5000]);
    await world.pass([worker], 3.5);
    expect(searches).toBe(3);
    located = { kind: 'single', reference: 'ch_1' };
    await world.pass([worker], 0.6);
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5000]);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
    expect((await world.caseOf(RDR)).charge_reference).toBe('ch_1');
  });

  it('is looked for again within seconds while the search is not answered', async () => {
    located = { kind: 'unanswered' };
    await rdrArrives({ chargeReference: null });
    await world.pass([worker], 1 + 2 / 60);
    const before = searches;
    expect(before).toBeGreaterThanOrEqual(2);
    located = { kind: 'single', reference: 'ch_1' };
    // Once every quarter of an hour at the latest.
    await world.pass([worker], 16 / 60);
    expect(searches).toBe(before + 1);
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5000]);
  });

  it('is adopted by its acquirer reference number in the transaction that would send (L8)', async () => {
    await rdrArrives({ chargeReference: null, arn: ARN, last4: '1111' });
    await learnCharge(ARN);
    // Nobody has looked for it: the hour is not over.
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(searches).toBe(0);
    expect(world.processor.calls).toEqual([]);
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5000]);
    expect(world.service.effective(A)).toMatchObject([{ note: `already refunded ${RDR}` }]);
  });

  it.each([
    ['', { amountMinor: 4000 }],
    [' in another currency', { amountMinor: 850_000, currency: 'JPY', last4: '1111' }],
  ])(
    'is in doubt by that number alone%s: nothing is refunded, and a person says',
    async (_, over) => {
      await rdrArrives({ chargeReference: null, arn: ARN, ...over });
      await learnCharge(ARN);
      await world.open({ alertId: A });
      await world.settle([worker]);
      expect(world.processor.calls).toEqual([]);
      expect(await network()).toEqual([null, 'CONFIRMED', over.amountMinor]);
      expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'network_refund_unclear' });
    },
  );

  it('is adopted above the charge too: nothing is refunded on top', async () => {
    await rdrArrives({ chargeReference: null, arn: ARN, last4: '1111', amountMinor: 5100 });
    await learnCharge(ARN);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5100]);
  });

  it('is not adopted by another acquirer reference number', async () => {
    await rdrArrives({ chargeReference: null, arn: ARN });
    await learnCharge('74537604221222132710573');
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await network()).toEqual([null, 'CONFIRMED', 5000]);
  });

  it('pages the double payment when its charge turns out to be refunded by us', async () => {
    await rdrArrives({ chargeReference: null });
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await world.notifications('double_payment')).toBe(0);
    located = { kind: 'single', reference: 'ch_1' };
    await world.pass([worker], 1.1);
    expect(await world.notifications('double_payment')).toBe(1);
    expect(await world.openFindings()).toEqual(['paid_too_often']);
  });

  it('is a finding after a day, which closes when its charge is known', async () => {
    await rdrArrives({ chargeReference: null });
    await world.pass([worker], 23.5);
    expect(await world.openFindings()).toEqual([]);
    await world.pass([worker], 1.5);
    expect(await world.openFindings()).toEqual(['network_money_without_charge']);
    located = { kind: 'single', reference: 'ch_1' };
    await world.pass([worker], 1.1);
    expect(await world.openFindings()).toEqual([]);
  });

  it('that a charge takes over while it is looked for, and that is taken back: who was answered with it is found', async () => {
    const numbered = { arn: ARN, last4: '1111' };
    await rdrArrives({ chargeReference: null, ...numbered });
    const other = world.worker('w2');
    const locateCharge: LocateCharge = async () => {
      await learnCharge(ARN);
      await world.open({ alertId: A });
      await world.settle([other]);
      expect(world.service.effective(A)).toMatchObject([{ action: 'REFUND' }]);
      await rdrIs({ ...numbered, status: 'INVALID' });
      return { kind: 'none' };
    };
    Object.assign(worker.deps, { locateCharge });
    world.clock.advanceMs(61 * MINUTE_MS);
    await worker.round();
    await world.pass([worker, other], 2);
    expect(await network()).toEqual(['ch_1', 'REVERSED', 0]);
    expect(await world.openFindings()).toEqual(['declared_without_cover']);
  });

  it('is no finding while it moved nothing, one when it did after all, and none once it is taken back', async () => {
    await rdrArrives({ chargeReference: null, outcome: 'NOT_REFUNDED' });
    await world.pass([worker], 25);
    expect(await world.openFindings()).toEqual([]);
    await rdrIs({ outcome: 'REFUNDED' });
    await world.pass([worker], 1);
    expect(await network()).toEqual([null, 'CONFIRMED', 5000]);
    expect(await world.openFindings()).toEqual(['network_money_without_charge']);
    await rdrIs({ status: 'INVALID' });
    await world.pass([worker], 1);
    expect(await network()).toEqual([null, 'REVERSED', 0]);
    expect(await world.openFindings()).toEqual([]);
  });
});

describe('RDR whose alert names another payment, with this charge’s number, card and amount', () => {
  const alike = { chargeReference: null, arn: ARN, last4: '1111' } as const;

  /** Neither refunded on top, nor said to be refunded with money that may be another payment's. */
  async function expectLeftToPeople(): Promise<void> {
    expect(world.processor.calls).toEqual([]);
    expect(world.service.effective(A).map(({ action }) => action)).not.toContain('REFUND');
    expect(await world.caseOf(A)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'network_refund_unclear',
    });
  }

  it('that is none of ours: nothing is refunded on top, and a person is asked', async () => {
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await learnCharge(ARN);
    world.clock.advanceMs(MINUTE_MS);
    await world.open({ alertId: A });
    await world.settle([worker]);
    await expectLeftToPeople();
    expect(await network()).toEqual([null, 'CONFIRMED', 5000]);
  });

  it.each([
    ['', {}],
    [', of an integration that is not said', { integration: null }],
  ])(
    'that cannot be it, because its number is another%s: nor is that one covered',
    async (_, over) => {
      await rdrArrives({ ...alike, names: 'ch_2', ...over });
      await learnCharge(ARN);
      await learnCharge('74537604221222132710573', 'ch_2');
      world.processor.addCharge('ch_2');
      await world.open({ alertId: A });
      await world.settle([worker]);
      await expectLeftToPeople();
      const other = 'netalrt_other';
      await world.open({ alertId: other, chargeReference: 'ch_2' });
      await world.settle([worker]);
      expect(await network()).toEqual([null, 'CONFIRMED', 5000]);
      expect(world.service.effective(other)).toEqual([]);
      expect(await world.caseOf(other)).toMatchObject({ hold_reason: 'network_refund_unclear' });
      expect(world.processor.calls).toEqual([]);
    },
  );

  it('on which it is booked: nothing is refunded on top here', async () => {
    await learnCharge(ARN);
    await rdrArrives({ ...alike, chargeReference: 'ch_2', names: 'ch_2' });
    await world.open({ alertId: A });
    await world.settle([worker]);
    await expectLeftToPeople();
  });

  it('on which it is booked because a person named that one: the refund goes', async () => {
    await learnCharge(ARN);
    await rdrArrives({ ...alike, chargeReference: 'ch_2', names: 'ch_2' });
    const chosen = {
      organisation_id: world.organisationId,
      alert_id: RDR,
      charge_reference: 'ch_2',
      operator: 'ada',
      chosen_at: nowDate(world.clock),
    };
    await world.db.insertInto('match_choice').values(chosen).execute();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.service.effective(A)).toMatchObject([{ action: 'REFUND' }]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('booked here, whatever its number: it is counted, and in no doubt', async () => {
    await learnCharge(ARN);
    const other = '74537604221222132710573';
    await rdrArrives({ chargeReference: 'ch_1', names: 'ch_1', arn: other, amountMinor: 2000 });
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'partly_refunded' });
    expect(world.processor.calls).toEqual([]);
  });

  it('while our refund is unanswered: it is not sent again', async () => {
    await learnCharge(ARN);
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await world.pass([worker], 4);
    expect(world.processor.calls).toHaveLength(1);
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'network_refund_unclear' });
  });

  it('that the network takes back: refunded after all, within the hour', async () => {
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await learnCharge(ARN);
    await world.open({ alertId: A });
    await world.pass([worker], 3);
    await expectLeftToPeople();
    expect(await world.notifications('case_held')).toBe(1);
    await rdrIs({ status: 'INVALID' });
    await world.pass([worker], 1.1);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('a person who was told may refund all the same', async () => {
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await learnCharge(ARN);
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.clock.advanceMs(MINUTE_MS);
    expect(await world.say({ alertId: A, note: 'another payment' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('a person who decided before it was known is asked again', async () => {
    await learnCharge(ARN);
    await world.open({ alertId: A, decidedBy: 'operator:ada' });
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await world.settle([worker]);
    await expectLeftToPeople();
  });

  it('a person who decided before the network said that it refunded is asked again', async () => {
    await learnCharge(ARN);
    await rdrArrives({ ...alike, names: 'ch_unknown', outcome: 'NOT_REFUNDED' });
    world.clock.advanceMs(MINUTE_MS);
    await world.open({ alertId: A, decidedBy: 'operator:ada' });
    await rdrIs({ ...alike, names: 'ch_unknown' });
    await world.settle([worker]);
    await expectLeftToPeople();
  });

  it('a person who decided when one was known is asked again about a second one', async () => {
    await learnCharge(ARN);
    await rdrArrives({ ...alike, names: 'ch_unknown', id: 'netalrt_first' });
    world.clock.advanceMs(MINUTE_MS);
    await world.open({ alertId: A, decidedBy: 'operator:ada' });
    await rdrArrives({ ...alike, names: 'ch_unknown' });
    await world.settle([worker]);
    await expectLeftToPeople();
  });

  it.each([
    ['its amount is another', { amountMinor: 4000 }],
    ['its card is another', { last4: '2222' }],
    ['it was taken back', { status: 'INVALID' }],
    ['it was let through', { outcome: 'NOT_REFUNDED' }],
  ])('but where %s it stands in no way of the charge', async (_name, over) => {
    await rdrArrives({ ...alike, names: 'ch_unknown', ...over });
    await learnCharge(ARN);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });
});

describe('RDR that changes', () => {
  it('is computed again at each change, REFUNDED, NOT_REFUNDED, INVALID and back', async () => {
    await rdrArrives();
    const steps: [RdrOver, unknown][] = [
      [{ outcome: 'NOT_REFUNDED' }, ['ch_1', 'REVERSED', 0]],
      [{ outcome: 'REFUNDED' }, ['ch_1', 'CONFIRMED', 5000]],
      [{ amountMinor: 4000 }, ['ch_1', 'CONFIRMED', 4000]],
      [{ status: 'INVALID' }, ['ch_1', 'REVERSED', 0]],
    ];
    for (const [over, expected] of steps) {
      await rdrIs(over);
      await world.settle([worker]);
      expect(await network()).toEqual(expected);
    }
  });

  it('RESOLVED, then INVALID, then a NETA alert: that one is refunded (row 5)', async () => {
    await rdrArrives();
    await rdrIs({ status: 'INVALID' });
    await world.settle([worker]);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
    expect(world.service.effective(A)).toMatchObject([{ note: 'refund re_1' }]);
  });

  it('to INVALID before our books have heard it from a worker: the sending transaction reads it itself', async () => {
    await rdrArrives();
    await rdrIs({ status: 'INVALID' });
    // The change lies there, and the movement still says 5000.
    expect(await network()).toEqual(['ch_1', 'CONFIRMED', 5000]);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('after the answer: a finding, a page, in the transaction that sees it (L6)', async () => {
    await rdrArrives();
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    await rdrIs({ outcome: 'NOT_REFUNDED' });
    await world.settle([worker]);
    expect(await world.openFindings()).toEqual(['declared_without_cover']);
    expect(await world.notifications('refund_reversed')).toBe(1);
    await rdrIs();
    await world.settle([worker]);
    expect(await world.openFindings()).toEqual([]);
  });

  it('while the answer is being given: it is not given, and the case is held', async () => {
    await rdrArrives();
    world.service.actFaults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARE_REFUND');
    await rdrIs({ status: 'INVALID' });
    await world.pass([worker], MINUTE_MS / 3_600_000);
    expect(world.service.effective(A)).toEqual([]);
    expect(await world.state(A)).toBe('HUMAN');
  });
});
