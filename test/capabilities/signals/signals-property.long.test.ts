/**
 * Guarantee: an alert, an early fraud warning, a dispute, a refund of the network and a withdrawal about one
 * charge, in any order, at any pace, twice, and with two workers at once, move its money back once at most; and
 * never after the network or the bank has taken it.
 *
 * Each charge meets the five in an order of its own. Set FORESTALL_SIGNAL_ORDERS for more of them;
 * `node test/bench/signals.ts` spreads ten thousand over all cores.
 */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { openClaim } from '../../../src/capabilities/signals/open-claim.ts';
import { recordCharges } from '../../../src/orders/charge.store.ts';
import { PROCESSOR_EVENT_SECRET } from '../../../src/running/testing/world-wiring.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const ORDERS = Number(process.env['FORESTALL_SIGNAL_ORDERS'] ?? 16);
const SEED = Number(process.env['FORESTALL_SIGNAL_SEED'] ?? 20261122);
/** Charges that go through at once. */
const BATCH = 50;
const SIGNALS = ['alert', 'warning', 'withdrawal', 'dispute', 'rdr'] as const;
type Signal = (typeof SIGNALS)[number];
/** What asks for our refund, and what forbids it. */
const ASKS: readonly Signal[] = ['alert', 'warning', 'withdrawal'];

const random = createRandom(SEED);
const chance = (share: number) => random() < share;

/** Orders of one world: a database that grows without end would be another question. */
const WORLD = 500;

let world: World;
beforeEach(async () => {
  const url = new URL('./signals.yaml', import.meta.url);
  world = await createWorld({ policyPath: url.pathname, workers: 2 });
});
afterEach(() => world.close());

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

let count = 0;
async function tell(kind: string, reference: string): Promise<void> {
  count += 1;
  const event = {
    id: `pe_${count}`,
    kind,
    charge_references: [reference],
    dispute_reference: 'dp_1',
  };
  const body = Buffer.from(JSON.stringify(event));
  const signature = signDelivery(
    PROCESSOR_EVENT_SECRET,
    body,
    Math.floor(world.clock.nowMs() / 1_000),
  );
  const url = world.webhookUrl.replace('/webhooks', '/processor-events/http');
  // Providers repeat what they tell.
  for (let sent = chance(0.3) ? 2 : 1; sent > 0; sent -= 1) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-signature': signature },
      body,
    });
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
  }
}

async function send(signal: Signal, reference: string): Promise<void> {
  switch (signal) {
    case 'alert':
      world.sandbox.createAlertFor(reference);
      return;
    case 'rdr':
      world.sandbox.createAlertFor(reference, {
        enrolment_id: world.sandbox.accounts.rdrEnrolmentId,
      });
      return;
    case 'warning':
      return await tell('fraud_warning', reference);
    case 'dispute': {
      const charge = world.sandbox.state.charges.get(reference);
      if (charge !== undefined) charge.disputed = true;
      return await tell('dispute_opened', reference);
    }
    case 'withdrawal': {
      const now = new Date(world.clock.nowMs());
      await openClaim(world.database.db, {
        ...{ organisationId: world.parts.organisationId, source: 'WITHDRAWAL', country: 'FR' },
        ...{
          reference: `w_${reference}`,
          chargeReference: reference,
          note: '',
          openedBy: 'operator:t',
        },
        ...{ amountMinor: 2_900, currency: 'USD', claimedAt: now, now },
      });
    }
  }
}

/** A charge that no order names, as the processor shows it. */
async function makeCharge(index: number): Promise<string> {
  const reference = `ch_order_${index}`;
  const arn = `7${String(index).padStart(22, '0')}`;
  const last4 = String(index % 10_000).padStart(4, '0');
  world.sandbox.createCharge({
    ...{ reference, amount_in_cents: 2_900, currency: 'USD', acquirer_reference_number: arn },
    card_brand: 'SCHEME_A',
    card_bin: '422222',
    card_last4: last4,
  });
  await inTransaction(world.database.db, async (trx) => {
    const known = { authorisationCode: null, settledAt: null, descriptor: null, cardBrand: null };
    await recordCharges(trx, world.parts.organisationId, {
      charges: [
        {
          ...known,
          ...{ reference, source: 'order', amountMinor: 2_900, currency: 'USD', cardBin: '422222' },
          ...{ orderReference: null, integrationId: null, subscriptionReference: null },
          ...{ acquirerReferenceNumber: arn, cardLast4: last4 },
          authorisedAt: new Date(world.clock.nowMs()).toISOString(),
        },
      ],
      now: new Date(world.clock.nowMs()),
    });
  });
  return reference;
}

/** In which round each signal came, and after which rounds time passed. */
interface Plan {
  readonly rounds: ReadonlyMap<Signal, number>;
  readonly pauses: ReadonlySet<number>;
}

function planOf(): Map<Signal, number> {
  let round = 0;
  const rounds = new Map<Signal, number>();
  for (const signal of shuffled(SIGNALS)) {
    // Some come at one moment.
    if (!chance(0.25)) round += 1;
    rounds.set(signal, round);
  }
  return rounds;
}

const BUSY_TABLES = [
  ...['alert', 'alert_case', 'charge', 'charge_account', 'cover', 'declaration', 'decision'],
  ...['dispute', 'movement'],
];

/**
 * What autovacuum does, which is off in the tests: without it every statement about a charge reads the rows of all
 * charges, the dead ones too.
 */
async function tidy(): Promise<void> {
  if (ORDERS <= BATCH) return;
  const tables = sql.join(BUSY_TABLES.map((name) => sql.table(name)));
  await sql`vacuum analyze ${tables}`.execute(world.database.db);
}

async function runBatch(first: number, size: number): Promise<Map<string, Plan>> {
  const plans = new Map<string, Plan>();
  const pauses = new Set<number>();
  for (let index = first; index < first + size; index += 1) {
    plans.set(await makeCharge(index), { rounds: planOf(), pauses });
  }
  for (let round = 0; round <= SIGNALS.length; round += 1) {
    world.sandbox.changeProcessor({ async_refunds: chance(0.3) });
    for (const [reference, { rounds }] of plans) {
      const due = shuffled(SIGNALS.filter((signal) => rounds.get(signal) === round));
      for (const signal of due) await send(signal, reference);
    }
    await world.race();
    await tidy();
    if (chance(0.5)) {
      pauses.add(round);
      await world.advance(60_000);
    }
  }
  world.sandbox.changeProcessor({ async_refunds: false });
  await world.advance(3 * 3_600_000, 3_600_000);
  return plans;
}

/** Whether so many refunds of ours are right. */
function isAllowed({ rounds, pauses }: Plan, refunds: number): boolean {
  const asked = Math.min(...ASKS.map((signal) => rounds.get(signal) ?? 0));
  const forbidden = Math.min(rounds.get('dispute') ?? 0, rounds.get('rdr') ?? 0);
  if (asked > forbidden) return refunds === 0;
  // With no time between them, what was to be tried again a moment later is overtaken.
  const hadTime = [...pauses].some((round) => round >= asked && round < forbidden);
  return hadTime ? refunds === 1 : refunds <= 1;
}

describe('an alert, a warning, a dispute, a refund of the network and a withdrawal', () => {
  const worlds = Array.from({ length: Math.ceil(ORDERS / WORLD) }, (_, index) => index * WORLD);
  it.each(worlds)(
    'about one charge move its money back once at most, from order %i',
    async (from) => {
      const until = Math.min(from + WORLD, ORDERS);
      const ends: {
        readonly refunds: number;
        readonly isRight: boolean;
        readonly about: string;
      }[] = [];
      for (let first = from; first < until; first += BATCH) {
        const plans = await runBatch(first, Math.min(BATCH, until - first));
        for (const [reference, plan] of plans) {
          const { count: refunds, sumMinor } = world.sandbox.moneyOut(reference);
          const isRight = isAllowed(plan, refunds) && sumMinor === refunds * 2_900;
          const rounds = [...plan.rounds].map((each) => each.join(' ')).join(', ');
          const about = `${reference}: ${refunds} after ${rounds}; ${[...plan.pauses]}`;
          ends.push({ refunds, isRight, about });
        }
      }
      expect(ends.filter(({ isRight }) => !isRight).map(({ about }) => about)).toEqual([]);
      // Both ends were met, or the run says nothing.
      const refunded = ends.filter(({ refunds }) => refunds > 0).length;
      expect(refunded).toBeGreaterThan(0);
      expect(refunded).toBeLessThan(ends.length);
    },
    3_600_000,
  );
});
