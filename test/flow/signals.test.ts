/**
 * Guarantee: what the processor tells early is looked at at once and believed never; a refund owed without an
 * alert meets the same reservation as one with; and whatever comes about one charge, its money goes back once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import type { NewClaim } from '../../src/alerts/signals/open-claim.ts';
import { openClaim } from '../../src/alerts/signals/open-claim.ts';
import { PROCESSOR_EVENT_SECRET } from '../../src/running/testing/world-wiring.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { HOUR_MS, outcomeOf, toldKinds } from './support/books.ts';

let world: World;
beforeAll(async () => {
  const url = new URL('./support/policies/signals.yaml', import.meta.url);
  world = await createWorld({ policyPath: url.pathname });
});
afterAll(() => world.close());

const movementsOf = async (reference: string) =>
  (
    await world.database.db
      .selectFrom('movement')
      .select(['kind', 'state'])
      .where('charge_reference', '=', reference)
      .orderBy('created_at')
      .execute()
  ).map(({ kind, state }) => `${kind} ${state}`);

const accountOf = async (reference: string) =>
  await world.database.db
    .selectFrom('charge_account')
    .selectAll()
    .where('charge_reference', '=', reference)
    .executeTakeFirst();

const pendingEvents = async () =>
  (
    await world.database.db
      .selectFrom('processor_event')
      .select('event_id')
      .where('next_action_at', 'is not', null)
      .execute()
  ).length;

/** The disputes that the order of the charge carries at the service. */
const disputesOf = async (reference: string) =>
  [...world.sandbox.state.orders.values()]
    .filter((order) => JSON.stringify(order).includes(reference))
    .flatMap((order) => order.disputes ?? [])
    .map((dispute) => dispute.reference_id);

let count = 0;

/** Sends an event of the processor, signed at this moment unless `signature` says otherwise. */
async function tell(
  kind: string,
  chargeReference: string,
  more: Record<string, unknown> & { signature?: string; id?: string } = {},
) {
  const { signature, ...rest } = more;
  count += 1;
  const event = { id: `pe_${count}`, kind, charge_references: [chargeReference], ...rest };
  const body = Buffer.from(JSON.stringify(event));
  const seconds = Math.floor(world.clock.nowMs() / 1_000);
  return await fetch(world.webhookUrl.replace('/webhooks', '/processor-events/http'), {
    method: 'POST',
    headers: { 'x-signature': signature ?? signDelivery(PROCESSOR_EVENT_SECRET, body, seconds) },
    body,
  });
}

/** Asks for a refund as the API does. */
async function claim(chargeReference: string, more: Partial<NewClaim> = {}) {
  const opened = await openClaim(world.database.db, {
    organisationId: world.parts.organisationId,
    source: 'WITHDRAWAL',
    reference: `w_${chargeReference}`,
    chargeReference,
    amountMinor: 2_900,
    currency: 'EUR',
    country: 'DE',
    claimedAt: new Date(world.clock.nowMs()),
    note: '',
    openedBy: 'operator:test',
    now: new Date(world.clock.nowMs()),
    ...more,
  });
  if (opened.kind === 'other') throw new Error('another claim');
  return opened.claim.id;
}

const claimOf = async (chargeReference: string, source: string) =>
  await world.database.db
    .selectFrom('refund_claim')
    .select('id')
    .where('charge_reference', '=', chargeReference)
    .where('source', '=', source as 'SUPPORT')
    .executeTakeFirst();


/** The first refund of the charge at the processor. */
const refundOf = (reference: string) =>
  world.sandbox.state.charges.get(reference)?.refunds[0]?.reference ?? '';

describe('an event of the processor', () => {
  it('settles a pending refund long before the next poll, by what the processor then shows', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.changeProcessor({ async_refunds: true });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    world.sandbox.changeProcessor({ async_refunds: false });
    expect(await world.stateOf(alert.id)).toBe('REFUNDING');
    // A word alone settles nothing: the processor still shows it pending.
    await tell('refund_updated', charge.reference);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('ACTION_REQUIRED -');
    world.sandbox.settleRefund(refundOf(charge.reference), 'succeeded');
    expect((await tell('refund_updated', charge.reference)).status).toBe(200);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });

  it('that a refund failed finds a declared one out at once', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    world.sandbox.settleRefund(refundOf(charge.reference), 'failed', 'closed_account');
    await tell('refund_failed', charge.reference);
    await world.drain();
    const movements = await movementsOf(charge.reference);
    expect(movements).toEqual(['refund REVERSED']);
    expect((await toldKinds(world, alert.id)).some((kind) => kind.endsWith(' error'))).toBe(true);
  });

  it('of a dispute marks account and order only where the processor shows it', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    await tell('dispute_opened', charge.reference, { dispute_reference: 'dp_forged' });
    await world.drain();
    expect(await accountOf(charge.reference)).toMatchObject({ disputed: false });
    expect(await disputesOf(charge.reference)).toEqual([]);
    world.sandbox.takeChargeback(charge.reference);
    await tell('dispute_opened', charge.reference, { dispute_reference: 'dp_real' });
    await world.drain();
    expect(await accountOf(charge.reference)).toMatchObject({ disputed: true });
    expect(await disputesOf(charge.reference)).toEqual(['dp_real']);
    world.sandbox.returnChargeback(charge.reference);
    await tell('dispute_closed', charge.reference, { dispute_reference: 'dp_real' });
    await world.drain();
    expect(await accountOf(charge.reference)).toMatchObject({ disputed: false });
  });

  it('is asked again for as long as the processor does not answer', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.addFault({
      endpoint: `GET /processor/charges/{reference}`,
      times: 3,
      respond: { status: 503 },
    });
    await tell('captured', charge.reference);
    await world.drain();
    expect(await pendingEvents()).toBe(1);
    await world.live(HOUR_MS);
    expect(await pendingEvents()).toBe(0);
  });
});
