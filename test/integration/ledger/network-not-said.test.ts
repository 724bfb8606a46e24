/**
 * Guarantee: network money whose amount, outcome or currency is not said may be all of the charge for what goes out, and
 * is nothing for what is declared; a person has a true way out, and what the network says later counts (A3).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { placeNetworkMoney, reconcileRdr } from '../../../src/alerts/refund/network-money.ts';
import { nowDate, nowIso } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const RDR = 'netalrt_rdr';

interface Said {
  readonly amountMinor: number | null;
  readonly outcome: string | null;
  readonly currency?: string;
  readonly status?: string;
}

/** What the service says of the RDR alert from now on. */
async function rdrSays({ amountMinor, outcome, currency = 'EUR', status = 'RESOLVED' }: Said) {
  const { db, organisationId, clock } = world;
  clock.advanceMs(1);
  const object = {
    id: RDR,
    organisation_id: organisationId,
    enrolment_type: 'NETB_RDR',
    status,
    transaction_refund_outcome: outcome,
    transaction_amount_in_cents: amountMinor,
    transaction_currency_code: currency,
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

async function rdrComes(said: Said): Promise<void> {
  await rdrSays(said);
  const { db, organisationId, clock } = world;
  await db.transaction().execute(async (trx) => {
    const claim = await findCase(trx, organisationId, RDR);
    await reconcileRdr(trx, claim!, {
      alert: { id: RDR, status: 'RESOLVED', refund_outcome: said.outcome },
      chargeReference: 'ch_1',
      now: nowDate(clock),
    });
  });
}

/** The network says it now, and its money is read again. */
async function rdrTurns(said: Said): Promise<void> {
  await rdrSays(said);
  const [row] = (await world.movements()).filter(({ kind }) => kind === 'network');
  await placeNetworkMoney(worker.deps, row!, AbortSignal.timeout(5_000));
}

const answers = (): (string | undefined)[] =>
  world.service.effective(A).map(({ action }) => action);

describe.each<[string, Said]>([
  ['an amount that is not said', { amountMinor: null, outcome: 'REFUNDED' }],
  ['an amount of nothing', { amountMinor: 0, outcome: 'REFUNDED' }],
  ['an outcome that is not said', { amountMinor: 5000, outcome: null }],
  ['neither', { amountMinor: null, outcome: null }],
])('%s', (_name, said) => {
  beforeEach(async () => {
    await rdrComes(said);
    await world.open({ alertId: A });
    await world.pass([worker], 1);
  });

  it('lets no refund go and is no answer', async () => {
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(answers()).toEqual([]);
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'refund_pending_elsewhere' });
  });

  it('is the answer once the network says that all of it went back', async () => {
    await rdrTurns({ amountMinor: 5000, outcome: 'REFUNDED' });
    await world.pass([worker], 1);
    expect(answers()).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(0);
  });

  it('is nothing once the network says that it let the complaint through', async () => {
    await rdrTurns({ amountMinor: 5000, outcome: 'NOT_REFUNDED' });
    await world.pass([worker], 1);
    expect(answers()).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('lets a person accept, told that all of the charge may be paid twice', async () => {
    const accept = { action: 'ACCEPT_DISPUTE' } as const;
    expect(await world.say(accept)).toEqual({ ok: false, reason: 'part_went_back' });
    expect(await world.say({ ...accept, despiteMinor: 5000 })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answers()).toEqual(['ACCEPT_DISPUTE']);
  });

  it('stays with people while it is asked again', async () => {
    const { db, organisationId } = world;
    const moves = await db
      .selectFrom('audit')
      .select(['at', 'from_state', 'to_state'])
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', A)
      .where('to_state', 'in', ['HUMAN', 'DECIDED_REFUND'])
      .orderBy('id')
      .execute();
    const asked = moves.flatMap(({ at, from_state }, place) =>
      from_state === 'HUMAN' ? [moves[place + 1]!.at.getTime() - at.getTime()] : [],
    );
    expect(asked.length).toBeGreaterThanOrEqual(11);
    expect(new Set(asked)).toEqual(new Set([0]));
  });
});

describe('in another currency', () => {
  beforeEach(async () => {
    await rdrComes({ amountMinor: 5800, outcome: 'REFUNDED', currency: 'USD' });
    await world.open({ alertId: A });
    await world.settle([worker]);
  });

  it('a person says how much of the charge that is, by the alert of the network', async () => {
    expect(await world.caseOf(A)).toMatchObject({ hold_reason: 'network_currency' });
    const outside = { action: 'REFUNDED_OUTSIDE', reference: RDR } as const;
    expect(await world.say({ ...outside, amountMinor: 5001 })).toMatchObject({ ok: false });
    expect(await world.say(outside)).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(await world.say({ action: 'REFUND' })).toMatchObject({ ok: true });
    await world.settle([worker]);
    expect(answers()).toEqual(['REFUND']);
    expect(world.processor.ours('ch_1')).toBe(0);
    expect(await world.openFindings()).toEqual([]);
    // What the network takes back is gone in both.
    await rdrTurns({ amountMinor: 5800, outcome: 'REFUNDED', currency: 'USD', status: 'INVALID' });
    expect(await world.openFindings()).toEqual(['declared_without_cover']);
  });
});
