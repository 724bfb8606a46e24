/**
 * Guarantee: each of the eight reasons for which a provider credits an alert makes exactly one claim, with
 * rows that show it; an alert that did its work makes none.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import { listClaims } from '../../src/capabilities/credits/credit-claim.store.ts';
import { alertsOfInvoice } from '../../src/capabilities/credits/invoice.store.ts';
import { openClaim } from '../../src/capabilities/signals/open-claim.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { HOUR_MS, MINUTE_MS } from './support/books.ts';
import { creditClassOf } from './support/credit-class.ts';

let world: World;

async function soldFont(): Promise<string> {
  return (await world.sell(PRODUCTS.font)).charge.reference;
}

/** An alert about a new charge, after something has happened to the charge. */
async function after(happens: (chargeReference: string) => void): Promise<string> {
  const reference = await soldFont();
  happens(reference);
  await world.advance(MINUTE_MS);
  return world.sandbox.createAlertFor(reference).id;
}

async function second(fields: Parameters<World['sandbox']['createAlertFor']>[1]): Promise<string> {
  const reference = await soldFont();
  world.sandbox.createAlertFor(reference);
  await world.drain();
  await world.advance(MINUTE_MS);
  return world.sandbox.createAlertFor(reference, fields).id;
}

function setCharge(reference: string, change: Readonly<Record<string, unknown>>): void {
  Object.assign(world.sandbox.state.charges.get(reference) ?? {}, change);
}

async function decided(alertId: string, action: 'NOT_OURS' | 'REFUND'): Promise<void> {
  const said = await applyOperatorDecision(world.database.db, {
    organisationId: world.parts.organisationId,
    alertId,
    action,
    note: 'the shop next door',
    operator: 'ada',
    now: new Date(world.clock.nowMs()),
  });
  expect(said.ok).toBe(true);
}

/** Support has promised to refund the whole charge. Returns the claim. */
async function promised(chargeReference: string): Promise<string> {
  const opened = await openClaim(world.database.db, {
    organisationId: world.parts.organisationId,
    source: 'SUPPORT',
    reference: chargeReference,
    chargeReference,
    amountMinor: world.sandbox.state.charges.get(chargeReference)?.amount_in_cents ?? 0,
    currency: 'USD',
    country: null,
    claimedAt: new Date(world.clock.nowMs()),
    note: '',
    openedBy: 'operator:ada',
    now: new Date(world.clock.nowMs()),
  });
  if (opened.kind === 'other') throw new Error('There is another claim of that reference.');
  await world.drain();
  await world.advance(MINUTE_MS);
  return opened.claim.id;
}

const UNKNOWN = { amount_in_cents: 4_711, card_last4: '0000' };

/** Each reason, staged at the processor, at the network or by a person; what shows it stands beside. */
const STAGED: Readonly<Record<string, { stage: () => Promise<string>; rows: readonly string[] }>> =
  {
    DUPLICATE: { stage: () => second({}), rows: ['alert', 'alert'] },
    OTHER_NETWORK: {
      stage: () => second({ enrolment_id: world.sandbox.accounts.rdrEnrolmentId }),
      rows: ['alert', 'alert'],
    },
    ALREADY_REFUNDED: {
      stage: () => after((reference) => world.sandbox.refundInDashboard(reference)),
      rows: ['alert', 'movement'],
    },
    CHARGED_BACK: {
      stage: () => after((reference) => world.sandbox.takeChargeback(reference)),
      rows: ['alert', 'movement'],
    },
    NOT_CAPTURED: {
      stage: () => after((reference) => setCharge(reference, { status: 'declined' })),
      rows: ['alert', 'charge_account'],
    },
    NOT_FOUND: {
      stage: async () => world.sandbox.createAlert(UNKNOWN).id,
      rows: ['alert', 'match'],
    },
    NOT_OURS: {
      stage: async () => {
        const alert = world.sandbox.createAlert(UNKNOWN);
        await world.drain();
        await decided(alert.id, 'NOT_OURS');
        return alert.id;
      },
      rows: ['alert', 'declaration'],
    },
    INVALID: {
      stage: async () => {
        const alert = world.sandbox.createAlertFor(await soldFont());
        await world.drain();
        world.sandbox.invalidateAlert(alert.id);
        return alert.id;
      },
      rows: ['alert'],
    },
  };

const NO_REASON: Readonly<Record<string, () => Promise<string>>> = {
  'it was refunded because of it': async () => world.sandbox.createAlertFor(await soldFont()).id,
  'it is no alert that was billed, but a promise of support': async () => {
    const reference = await soldFont();
    world.sandbox.refundInDashboard(reference);
    await world.advance(MINUTE_MS);
    const claim = await promised(reference);
    await decided(claim, 'REFUND');
    return claim;
  },
  'only a promise of support is about the same charge': async () => {
    const reference = await soldFont();
    await promised(reference);
    return world.sandbox.createAlertFor(reference).id;
  },
  'support refunded it while a person looked at it': async () => {
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    await world.advance(HOUR_MS);
    world.sandbox.refundInDashboard(charge.reference);
    return alert.id;
  },
  'a part only had been refunded before': () =>
    after((reference) => world.sandbox.refundInDashboard(reference, 1_000)),
  'its authorisation was released because of it': () =>
    after((reference) => setCharge(reference, { status: 'authorised' })),
  'the charge was charged back later': async () => {
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    await world.advance(30 * HOUR_MS, 6 * HOUR_MS);
    world.sandbox.takeChargeback(charge.reference);
    return alert.id;
  },
};

const alertOf: Record<string, string> = {};

beforeAll(async () => {
  world = await createWorld();
  for (const [name, { stage }] of Object.entries(STAGED)) alertOf[name] = await stage();
  for (const [name, stage] of Object.entries(NO_REASON)) alertOf[name] = await stage();
  await world.drain();
  // Everything that waits for a person reaches its fallback.
  await world.advance(50 * HOUR_MS, 2 * HOUR_MS);
});
afterAll(() => world.close());

describe('a credit claim', () => {
  it.each(Object.keys(STAGED))('is made because of %s, with its rows', async (name) => {
    const claims = await world.database.db
      .selectFrom('credit_claim')
      .select(['class', 'state', 'evidence', 'window_rule'])
      .where('alert_id', '=', alertOf[name] ?? '')
      .execute();
    expect(claims).toMatchObject([{ class: name, state: 'OPEN', window_rule: 'vendor-14-days' }]);
    expect(claims[0]?.evidence.map(({ table }) => table)).toEqual(STAGED[name]?.rows);
  });

  it.each(Object.keys(NO_REASON))('is not made: %s', async (name) => {
    expect(await creditClassOf(world, alertOf[name] ?? '')).toBeUndefined();
  });

  it('is made for no other alert', async () => {
    const { organisationId } = world.parts;
    const claims = await listClaims(world.database.db, { organisationId, limit: 100 });
    expect(claims.map((row) => row.alert_id).sort()).toEqual(
      Object.keys(STAGED)
        .map((name) => alertOf[name])
        .sort(),
    );
  });

  it('is compared with the invoice by the alerts of the service alone', async () => {
    const { organisationId } = world.parts;
    const period = { from: '2026-01-01', to: '2026-12-31' };
    const billed = await alertsOfInvoice(world.database.db, organisationId, { period, lines: [] });
    const ids = billed.map(({ alertId }) => alertId);
    expect(ids).toEqual([...world.sandbox.state.alerts.keys()].sort());
  });

  it('names rows that are there', async () => {
    const { organisationId } = world.parts;
    for (const claim of await listClaims(world.database.db, { organisationId, limit: 100 })) {
      for (const { table, id } of claim.evidence) {
        const key = { declaration: 'alert_id', charge_account: 'charge_reference' } as const;
        const column = table in key ? key[table as keyof typeof key] : 'id';
        const found = await world.database.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where(column as 'id', '=', id as never)
          .executeTakeFirstOrThrow();
        expect(`${table} ${id}: ${found.count}`).toBe(`${table} ${id}: 1`);
      }
    }
  });

  it('expires when its window ends and nobody has sent it', async () => {
    const before = Date.parse('2026-12-04T00:00:00Z') - 30 * MINUTE_MS;
    await world.advance(before - world.clock.nowMs(), 400 * HOUR_MS);
    const open = await states();
    expect(new Set(open)).toEqual(new Set(['OPEN']));
    await world.advance(60 * HOUR_MS, 60 * HOUR_MS);
    expect(new Set(await states())).toEqual(new Set(['EXPIRED']));
  });
});

async function states(): Promise<string[]> {
  const rows = await world.database.db.selectFrom('credit_claim').select('state').execute();
  return rows.map(({ state }) => state);
}
