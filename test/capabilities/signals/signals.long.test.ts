/**
 * Guarantee: what the processor tells early is looked at at once and believed never; a refund owed without an
 * alert meets the same reservation as one with; and whatever comes about one charge, its money goes back once.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimSource } from '../../../src/alerts/cases/claim.ts';
import { readKeyRefusal } from '../../../src/alerts/guard/declare-health.store.ts';
import { createReceiveCounters } from '../../../src/alerts/receive/counters.ts';
import { createFetchDoor } from '../../../src/alerts/receive/fetch-door.ts';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { signedEvents } from '../../../src/alerts/receive/signed-events.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { eventDoor } from '../../../src/capabilities/signals/door.ts';
import { createEventReception } from '../../../src/capabilities/signals/event-reception.ts';
import { signalMetrics } from '../../../src/capabilities/signals/metrics.ts';
import type { NewClaim } from '../../../src/capabilities/signals/open-claim.ts';
import { openClaim } from '../../../src/capabilities/signals/open-claim.ts';
import { createSignalRound } from '../../../src/capabilities/signals/signals.job.ts';
import { renderMetrics } from '../../../src/health/metrics.ts';
import { installationOf } from '../../../src/running/roles/parts.ts';
import { PROCESSOR_EVENT_SECRET } from '../../../src/running/testing/world-wiring.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { answersTo, HOUR_MS, MINUTE_MS, outcomeOf, toldKinds } from '../../flow/support/books.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  const url = new URL('./signals.yaml', import.meta.url);
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

/** The disputes that the order of the charge carries, as it was told on. */
const disputesOf = async (reference: string) => {
  const { rows } = await sql<{ id: string }>`
    select d->>'reference_id' as id from order_record o, jsonb_array_elements(o.body->'disputes') d
    where o.body::text like ${`%${reference}%`}`.execute(world.database.db);
  return rows.map(({ id }) => id);
};

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
    currency: 'USD',
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
    const on = 'GET /processor/charges/*';
    world.sandbox.addFault({ on, kind: 'status', status: 503, times: 100 });
    await tell('captured', charge.reference);
    await world.drain();
    expect(await pendingEvents()).toBe(1);
    world.sandbox.faults.clear();
    await world.live(HOUR_MS);
    expect(await pendingEvents()).toBe(0);
  });
});

describe('a claim for a refund', () => {
  it('of a customer who has withdrawn is refunded once, however often it is asked for', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const id = await claim(charge.reference);
    expect(await claim(charge.reference)).toBe(id);
    await world.drain();
    expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
    expect(await movementsOf(charge.reference)).toEqual(['refund CONFIRMED']);
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    // The service knows nothing of it.
    expect(answersTo(world, id)).toEqual([]);
    // The alert that comes after it is answered with the same money.
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  });

  it('is due by the law of the country, and late is not too late', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const claimedAt = new Date(world.clock.nowMs() - 14 * 24 * HOUR_MS - HOUR_MS);
    const id = await claim(charge.reference, { claimedAt });
    const row = await world.database.db
      .selectFrom('refund_claim')
      .select(['due_at', 'due_by'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.due_at.getTime()).toBe(claimedAt.getTime() + 14 * 24 * HOUR_MS);
    expect(row.due_by).toBe('EU withdrawal: Directive 2011/83/EU, Article 13(1)');
    await world.drain();
    expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
  });

  it('that no rule names waits for a person', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const id = await claim(charge.reference, { source: 'SUPPORT' });
    await world.drain();
    expect(await world.stateOf(id)).toBe('HUMAN');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 0, sumMinor: 0 });
  });

  it('that waits for a person is refunded by one after its day as well', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const claimedAt = new Date(world.clock.nowMs() - 365 * 24 * HOUR_MS);
    const id = await claim(charge.reference, { source: 'SUPPORT', claimedAt });
    await world.drain();
    expect(await world.stateOf(id)).toBe('HUMAN');
    const decision = { alertId: id, action: 'REFUND', note: 'owed', operator: 'ada' } as const;
    const now = new Date(world.clock.nowMs());
    const { organisationId } = world.parts;
    expect(
      await applyOperatorDecision(world.database.db, { ...decision, organisationId, now }),
    ).toMatchObject({ ok: true });
    await world.drain();
    expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  });

  it('for which the charge is not known waits for a person too', async () => {
    const id = await claim('ch_nobody');
    await world.drain();
    expect(await world.stateOf(id)).toBe('HUMAN');
  });
});

describe('the service', () => {
  it('is asked about no claim, and none is missing from its list', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const id = await claim(charge.reference, { source: 'SUPPORT' });
    await world.advance(6 * MINUTE_MS, 2 * MINUTE_MS);
    expect(await world.stateOf(id)).toBe('HUMAN');
    expect(world.arrivals.count('GET /v1/alerts/', id)).toBe(0);
    const findings = await world.database.db
      .selectFrom('finding')
      .select('subject_id')
      .where('kind', '=', 'alert_not_found')
      .execute();
    expect(findings).toEqual([]);
  });

  it('may refuse our key: what is owed is refunded all the same, and says nothing about the key', async () => {
    const [first, owed, after] = [
      await world.sell(PRODUCTS.font),
      await world.sell(PRODUCTS.font),
      await world.sell(PRODUCTS.font),
    ];
    const on = 'PATCH /v1/alerts/*';
    world.sandbox.addFault({ on, kind: 'status', status: 401, code: 'UNAUTHORISED', times: 1_000 });
    const refused = world.sandbox.createAlertFor(first.charge.reference);
    await world.drain();
    const standing = async () =>
      await readKeyRefusal(world.database.db, world.parts.organisationId);
    const before = await standing();
    expect(before?.code).toBe('UNAUTHORISED');
    // Nothing else is left to be declared: whatever changes what is known of the key, the claim did.
    world.sandbox.resolveInDashboard(refused.id, 'REFUND');
    await world.drain();
    const id = await claim(owed.charge.reference);
    await world.drain();
    expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
    expect(await standing()).toEqual(before);
    // Still refused: what could not be declared is not refunded.
    const alert = world.sandbox.createAlertFor(after.charge.reference);
    await world.drain();
    expect(world.sandbox.moneyOut(after.charge.reference)).toEqual({ count: 0, sumMinor: 0 });
    world.sandbox.faults.clear();
    await world.live(HOUR_MS);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });
});

describe('an early fraud warning', () => {
  it('refunds what a rule names, and the alert and the dispute after it move nothing more', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    await tell('fraud_warning', charge.reference);
    await world.drain();
    const warning = await claimOf(charge.reference, 'FRAUD_WARNING');
    expect(await world.stateOf(warning?.id ?? '')).toBe('DECLARED_REFUND');
    expect(await accountOf(charge.reference)).toMatchObject({ fraud_warned_at: expect.any(Date) });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await tell('fraud_warning', charge.reference);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  });

  it('releases what is not captured yet', async () => {
    const charge = world.sandbox.createCharge({ status: 'authorised', currency: 'USD' });
    await tell('fraud_warning', charge.reference);
    await world.drain();
    expect(await movementsOf(charge.reference)).toEqual(['void CONFIRMED']);
    expect(world.sandbox.state.charges.get(charge.reference)?.status).toBe('voided');
  });

  it('that no rule names moves nothing, and stands in no alert’s way', async () => {
    const { charge } = await world.sell(PRODUCTS.bicycle);
    await tell('fraud_warning', charge.reference);
    await world.drain();
    const warning = await claimOf(charge.reference, 'FRAUD_WARNING');
    expect(await world.stateOf(warning?.id ?? '')).toBe('DECLARED_ACCEPT');
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });

  it('opens a claim only where a rule of the policy names that source', async () => {
    const installation = installationOf(world.parts, 'signals');
    const secret = 'processor-secret-for-tests';
    const baseUrl = world.sandbox.processorUrl;
    const processor = createHttpProcessor({ baseUrl, secret, clock: world.clock });
    const roundUnder = (sources: readonly ClaimSource[]) =>
      createSignalRound({
        ...installation,
        processor,
        claimSources: () => sources,
        samePart: () => 'REVIEW',
      })();
    const [unnamed, others, named] = [
      await world.sell(PRODUCTS.font),
      await world.sell(PRODUCTS.font),
      await world.sell(PRODUCTS.font),
    ].map(({ charge }) => charge.reference);
    const opened = async (reference: string, sources: readonly ClaimSource[]) => {
      await tell('fraud_warning', reference);
      expect(await roundUnder(sources)).toBe(1);
      expect(await accountOf(reference)).toMatchObject({ fraud_warned_at: expect.any(Date) });
      return (await claimOf(reference, 'FRAUD_WARNING')) !== undefined;
    };
    expect(await opened(unnamed ?? '', [])).toBe(false);
    expect(await opened(others ?? '', ['WITHDRAWAL', 'SUPPORT'])).toBe(false);
    expect(await opened(named ?? '', ['FRAUD_WARNING'])).toBe(true);
    await world.drain();
  });

  it('about a charge that nobody knows starts nothing', async () => {
    await tell('fraud_warning', 'ch_nobody');
    await world.drain();
    expect(await claimOf('ch_nobody', 'FRAUD_WARNING')).toBeUndefined();
    expect(await pendingEvents()).toBe(0);
  });
});

describe('the front door', () => {
  it('takes what is signed once, and refuses forged, stale and foreign deliveries unread', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const first = await tell('captured', charge.reference, { id: 'pe_same' });
    expect([first.status, await first.json()]).toEqual([200, { received: true, duplicate: false }]);
    const again = await tell('captured', charge.reference, { id: 'pe_same' });
    expect([again.status, await again.json()]).toEqual([200, { received: true, duplicate: true }]);
    const seconds = Math.floor(world.clock.nowMs() / 1_000);
    const body = Buffer.from(
      JSON.stringify({ id: 'pe_x', kind: 'captured', charge_references: ['ch_x'] }),
    );
    const by = (secret: string, at: number) => signDelivery(secret, body, at);
    const send = async (signature: string, path = 'http', method = 'POST') =>
      (
        await fetch(world.webhookUrl.replace('/webhooks', `/processor-events/${path}`), {
          method,
          headers: { 'x-signature': signature },
          ...(method === 'POST' ? { body } : {}),
        })
      ).status;
    const good = by(PROCESSOR_EVENT_SECRET, seconds);
    expect(await send(by('another-secret-of-sixteen', seconds))).toBe(401);
    expect(await send(by(PROCESSOR_EVENT_SECRET, seconds - 301))).toBe(401);
    expect(await send(by(PROCESSOR_EVENT_SECRET, seconds + 301))).toBe(401);
    expect(await send('')).toBe(401);
    expect(await send(good, 'stripe')).toBe(404);
    expect(await send(good, 'http', 'GET')).toBe(405);
    // Signed by the secret of the service's webhooks: another door.
    expect(await send(by(world.sandbox.accounts.webhookSecret, seconds))).toBe(401);
    const known = await world.database.db
      .selectFrom('processor_event')
      .select('event_id')
      .where('event_id', '=', 'pe_x')
      .execute();
    expect(known).toEqual([]);
  });

  it('keeps a genuine delivery that is no event aside, and tells somebody', async () => {
    expect((await tell('sings', 'ch_x')).status).toBe(200);
    await world.drain();
    expect(await toldKinds(world)).toContain('processor_event_unreadable warning');
  });
});

describe('the sandbox’s processor', () => {
  it('tells of warnings, disputes and refunds by itself, and each is acted on', async () => {
    const url = world.webhookUrl.replace('/webhooks', '/processor-events/http');
    world.sandbox.changeProcessor({ events: { url, secret: PROCESSOR_EVENT_SECRET } });
    const { charge: warned } = await world.sell(PRODUCTS.font);
    world.sandbox.warnOfFraud(warned.reference);
    const { charge: disputed } = await world.sell(PRODUCTS.font);
    world.sandbox.openDispute(disputed.reference);
    const { charge: failing } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(failing.reference);
    await world.drain();
    expect(await movementsOf(warned.reference)).toEqual(['refund CONFIRMED']);
    expect(await accountOf(disputed.reference)).toMatchObject({ disputed: true });
    expect(await disputesOf(disputed.reference)).toEqual([`dp_${disputed.reference}`]);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    world.sandbox.settleRefund(refundOf(failing.reference), 'failed', 'closed_account');
    await world.drain();
    expect(await movementsOf(failing.reference)).toEqual(['refund REVERSED']);
    const sent = world.sandbox.processorEvents();
    expect(sent.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'fraud_warning SUCCEEDED',
      'dispute_opened SUCCEEDED',
      'refund_failed SUCCEEDED',
    ]);
    // Nobody listens: tried again as a webhook is, and then no more.
    world.sandbox.changeProcessor({
      events: { url: `${url}/gone`, secret: PROCESSOR_EVENT_SECRET },
    });
    world.sandbox.warnOfFraud(warned.reference);
    await world.sandbox.advance(24 * HOUR_MS);
    const last = world.sandbox.processorEvents().at(-1);
    expect(last?.status).toBe('FAILED');
    expect(last?.attempts.map(({ http_status }) => http_status)).toEqual([
      404, 404, 404, 404, 404, 404,
    ]);
    world.sandbox.changeProcessor({ events: null });
  });
});

describe('a server that speaks the Fetch API', () => {
  it('takes the same deliveries, and counts what it took and refused', async () => {
    const { organisationId } = world.parts;
    const { db } = world.database;
    const counters = createReceiveCounters(eventDoor.counters);
    const noted: string[] = [];
    const receive = createFetchDoor(
      createEventReception({
        ...{
          db,
          organisationId,
          clock: world.clock,
          log: createLog({ level: 'silent' }),
          count: counters.countAtDoor,
        },
        events: signedEvents([PROCESSOR_EVENT_SECRET], world.clock),
        deliveries: { note: (verdict) => noted.push(verdict) },
      }),
    );
    const body = JSON.stringify({ id: 'pe_fetch', kind: 'captured', charge_references: ['ch_x'] });
    const seconds = Math.floor(world.clock.nowMs() / 1_000);
    const signature = signDelivery(PROCESSOR_EVENT_SECRET, Buffer.from(body), seconds);
    const post = async (path: string, init: RequestInit) => {
      const request = new Request(`http://localhost/shop/processor-events/${path}`, init);
      const response = await receive(request);
      return [response.status, await response.json()];
    };
    const genuine = { method: 'POST', headers: { 'X-Signature': signature }, body };
    expect(await post('http', genuine)).toEqual([200, { received: true, duplicate: false }]);
    expect(await post('http', genuine)).toEqual([200, { received: true, duplicate: true }]);
    expect((await post('stripe', genuine))[0]).toBe(404);
    expect((await post('http', { ...genuine, body: body.replace('ch_x', 'ch_y') }))[0]).toBe(401);
    expect((await post('http', { method: 'POST', body }))[0]).toBe(401);
    expect((await post('http', { method: 'GET' }))[0]).toBe(405);
    expect(noted).toEqual([
      'accepted',
      'accepted',
      'unknown_subscription',
      'no_match',
      'missing_header',
      'method',
    ]);
    const refused = (reason: string, value: number) => ({
      name: 'forestall_processor_events_refused_total',
      labels: { reason },
      value,
    });
    const zeros = ['too_old', 'encoding', 'too_large', 'incomplete', 'busy', 'unavailable'];
    const ones = ['unknown_subscription', 'no_match', 'missing_header', 'method'];
    const counted = counters.snapshot().ofDoors;
    expect(counted).toHaveLength(1 + zeros.length + ones.length);
    expect(counted).toEqual(
      expect.arrayContaining([
        { name: 'forestall_processor_events_received_total', value: 2 },
        ...zeros.map((reason) => refused(reason, 0)),
        ...ones.map((reason) => refused(reason, 1)),
      ]),
    );
    const facts = { organisationId, now: new Date(world.clock.nowMs() + 7_000) };
    const shown = async () =>
      renderMetrics(await signalMetrics.read(db, facts), signalMetrics.described);
    const text = await shown();
    expect(text).toContain('\nforestall_processor_events_waiting 1\n');
    expect(text).toContain('\nforestall_last_processor_event_age_seconds 7\n');
    await world.drain();
    expect(await shown()).toContain('_events_waiting 0\n');
  });
});
