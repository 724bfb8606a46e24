/**
 * The merchant and everybody around it: sales, alerts of both kinds, support that refunds by hand,
 * people who answer in the dashboard, networks that withdraw, orders that come late.
 *
 * Each alert is one story, drawn from the seed, planned on the simulated time.
 */

import type { Clock } from '../../src/base/kernel/clock.ts';
import type { Product, Sale } from '../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Truth } from './truth.ts';
import { addMinor } from './truth.ts';
import type { Weather } from './weather.ts';
import { oneOf } from './weather.ts';

/** Parts of the merchant. */
export interface MerchantOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly weather: Weather;
  readonly truth: Truth;
  /** From an alert to its deadline, in hours: one of these. */
  readonly windows: readonly number[];
  /** Added to every price: organisations that share every name sell at prices of their own. */
  readonly markMinor: number;
  /** Plans something for a moment, in milliseconds since 1970. */
  readonly at: (atMs: number, act: () => void) => void;
  /** Hands an order to Forestall, now. */
  readonly recordOrder: (order: Record<string, unknown>) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Story = (merchant: MerchantOptions) => void;

/** Raises an alert and notes what it is really about. */
function raise(
  { sandbox, truth, random, windows }: MerchantOptions,
  reference: string | null,
  { part, ...fields }: Parameters<Sandbox['createAlert']>[0] & { readonly part?: string } = {},
): string {
  const chosen = { deadline_hours: oneOf(random, windows), ...fields };
  const alert =
    reference === null ? sandbox.createAlert(chosen) : sandbox.createAlertFor(reference, chosen);
  truth.chargeOf.set(alert.id, reference);
  if (reference !== null) {
    truth.disputeOf.set(alert.id, part === undefined ? reference : `${reference} ${part}`);
  }
  if (alert.enrolment_type === 'NETB_RDR') {
    truth.rdr.add(alert.id);
    if (reference !== null && alert.transaction_refund_outcome === 'REFUNDED') {
      const minor = alert.transaction_amount_in_cents ?? 0;
      addMinor(truth.networkMinor, reference, minor);
      addMinor(truth.networkMostMinor, reference, minor);
    }
  }
  return alert.id;
}

function later({ clock, random, at }: MerchantOptions, most: number, act: () => void): void {
  at(clock.nowMs() + Math.floor(random() * most), act);
}

function sell(merchant: MerchantOptions, product: Product, twinOf?: Sale): Sale {
  const { sandbox, clock, recordOrder } = merchant;
  const wishes = {
    product: priced(merchant, product),
    ...(twinOf === undefined ? {} : { twinOf }),
  };
  const sale = makeSale(wishes, clock.nowMs());
  sandbox.createCharge(sale.charge);
  recordOrder(sale.order);
  return sale;
}

const priced = ({ markMinor }: MerchantOptions, product: Product): Product => ({
  ...product,
  priceMinor: product.priceMinor + markMinor,
});

const anyProduct = ({ random }: MerchantOptions): Product =>
  oneOf(random, [PRODUCTS.font, PRODUCTS.course, PRODUCTS.magazine, PRODUCTS.course]);

const plain: Story = (merchant) => {
  raise(merchant, sell(merchant, anyProduct(merchant)).charge.reference);
};

const physical: Story = (merchant) => {
  const product = oneOf(merchant.random, [PRODUCTS.lamp, PRODUCTS.bicycle]);
  raise(merchant, sell(merchant, product).charge.reference);
};

/** Neither number nor code. */
const WEAK = { acquirer_reference_number: null, authorisation_code: null } as const;

/** What an alert says of the card and the payment. */
function paidWith({ charge }: Sale): Parameters<Sandbox['createAlert']>[0] {
  return {
    amount_in_cents: charge.amount_in_cents,
    currency_code: charge.currency,
    authorised_at: charge.authorised_at,
    card_bin: charge.card_bin,
    card_last4: charge.card_last4,
    card_scheme: charge.card_brand,
  };
}

const STORIES: readonly (readonly [weight: number, story: Story])[] = [
  [40, plain],
  [12, physical],
  // Both networks, or one network twice, about one payment.
  [
    9,
    (merchant) => {
      const { reference } = sell(merchant, anyProduct(merchant)).charge;
      raise(merchant, reference);
      later(merchant, 2 * HOUR_MS, () => raise(merchant, reference));
    },
  ],
  // Two payments that look alike.
  [
    4,
    (merchant) => {
      const first = sell(merchant, PRODUCTS.course);
      sell(merchant, PRODUCTS.course, first);
      raise(merchant, first.charge.reference, {
        acquirer_reference_number: null,
        authorisation_code: null,
      });
    },
  ],
  // Nothing fits.
  [
    4,
    (merchant) => {
      raise(merchant, null, { amount_in_cents: 7_777, card_bin: '411111', card_last4: '0001' });
    },
  ],
  // The network refunds by itself, alone and beside an alert.
  [
    4,
    (merchant) => {
      const { reference } = sell(merchant, anyProduct(merchant)).charge;
      raise(merchant, reference, { enrolment_id: merchant.sandbox.accounts.rdrEnrolmentId });
    },
  ],
  [
    3,
    (merchant) => {
      const { reference } = sell(merchant, anyProduct(merchant)).charge;
      const rdr = { enrolment_id: merchant.sandbox.accounts.rdrEnrolmentId };
      const rdrFirst = merchant.random() < 0.5;
      raise(merchant, reference, rdrFirst ? rdr : {});
      later(merchant, MINUTE_MS, () => raise(merchant, reference, rdrFirst ? {} : rdr));
    },
  ],
  // The same, and the network takes its money back.
  [
    3,
    (merchant) => {
      const { sandbox, truth, random } = merchant;
      const { reference } = sell(merchant, anyProduct(merchant)).charge;
      const rdr = raise(merchant, reference, { enrolment_id: sandbox.accounts.rdrEnrolmentId });
      later(merchant, 2 * HOUR_MS, () => raise(merchant, reference));
      later(merchant, oneOf(random, [30 * MINUTE_MS, 4 * HOUR_MS]), () => {
        const alert = sandbox.state.alerts.get(rdr);
        const isPaid = alert?.transaction_refund_outcome === 'REFUNDED';
        sandbox.invalidateAlert(rdr);
        if (!isPaid) return;
        addMinor(truth.networkMinor, reference, -(alert.transaction_amount_in_cents ?? 0));
      });
    },
  ],
  // Two complaints about parts of one payment, one of them sometimes reported twice.
  [
    7,
    (merchant) => {
      const { random } = merchant;
      const { charge } = sell(merchant, anyProduct(merchant));
      const cents = (share: number): number => Math.floor(charge.amount_in_cents * share);
      const first = { part: 'a', amount_in_cents: cents(0.3) };
      raise(merchant, charge.reference, first);
      later(merchant, HOUR_MS, () =>
        raise(merchant, charge.reference, { part: 'b', amount_in_cents: cents(0.25) }),
      );
      if (random() < 0.3) later(merchant, HOUR_MS, () => raise(merchant, charge.reference, first));
    },
  ],
  // The processor refuses, for now or for good, or because of us.
  [
    6,
    (merchant) => {
      const { sandbox, random } = merchant;
      const { reference } = sell(merchant, anyProduct(merchant)).charge;
      sandbox.addFault({
        on: 'POST /processor/refunds',
        kind: 'status',
        status: 402,
        code: 'refused',
        failure_class: oneOf(random, ['retry', 'retry', 'final', 'ours', 'done'] as const),
        times: oneOf(random, [1, 2, 5]),
        contains: reference,
      });
      raise(merchant, reference);
    },
  ],
  // Support refunded before, fully or partly.
  [
    7,
    (merchant) => {
      const { charge } = sell(merchant, anyProduct(merchant));
      const part = merchant.random() < 0.5;
      merchant.sandbox.refundInDashboard(
        charge.reference,
        part ? Math.floor(charge.amount_in_cents / 2) : undefined,
      );
      // Later than any processor here takes to show a refund: nobody can close that gap.
      merchant.at(merchant.clock.nowMs() + 10 * MINUTE_MS, () => raise(merchant, charge.reference));
    },
  ],
  // Support refunds while the alert is open, where the processor can bear it.
  [
    3,
    (merchant) => {
      const { charge } = sell(merchant, anyProduct(merchant));
      raise(merchant, charge.reference);
      if (!merchant.weather.supportRaces) return;
      later(merchant, oneOf(merchant.random, [MINUTE_MS, HOUR_MS]), () => {
        merchant.sandbox.refundInDashboard(charge.reference);
      });
    },
  ],
  // The order comes hours after the alert.
  [
    4,
    (merchant) => {
      const { sandbox, clock, recordOrder } = merchant;
      const product = priced(merchant, anyProduct(merchant));
      const sale = makeSale({ product }, clock.nowMs());
      raise(merchant, sandbox.createCharge(sale.charge).reference);
      later(merchant, 4 * HOUR_MS, () => recordOrder(sale.order));
    },
  ],
  // Order and charge come hours after the alert, which says card, amount and day only; then the same complaint with its number.
  [
    5,
    (merchant) => {
      const { sandbox, clock, random, recordOrder, truth } = merchant;
      // Of an alert that says no more, and comes before its order, the service would name a payment alike: nobody could know better.
      const unlike = sandbox.state.charges.values();
      const product = priced(merchant, anyProduct(merchant));
      const sale = makeSale({ product, unlike }, clock.nowMs());
      const { charge } = sale;
      const early = raise(merchant, null, { ...WEAK, ...paidWith(sale) });
      truth.chargeOf.set(early, charge.reference);
      truth.disputeOf.set(early, charge.reference);
      later(merchant, oneOf(random, [HOUR_MS, 14 * HOUR_MS]), () => {
        sandbox.createCharge(charge);
        recordOrder(sale.order);
        later(merchant, 2 * HOUR_MS, () => raise(merchant, charge.reference));
      });
    },
  ],
  // A sign and no more, without BIN: another network's alert, or the network's own money, about a payment that an alert names.
  [
    5,
    (merchant) => {
      const { sandbox, random } = merchant;
      const sale = sell(merchant, anyProduct(merchant));
      const { reference } = sale.charge;
      const weak = { ...WEAK, card_bin: null, match: 'never' } as const;
      const rdr = random() < 0.4 ? { enrolment_id: sandbox.accounts.rdrEnrolmentId } : {};
      const weakFirst = random() < 0.5;
      raise(merchant, reference, weakFirst ? { ...weak, ...rdr } : {});
      later(merchant, 2 * HOUR_MS, () =>
        raise(merchant, reference, weakFirst ? {} : { ...weak, ...rdr }),
      );
    },
  ],
  // Somebody answers in the dashboard, or the network withdraws.
  [
    6,
    (merchant) => {
      const { sandbox, random } = merchant;
      const id = raise(merchant, sell(merchant, anyProduct(merchant)).charge.reference);
      later(merchant, oneOf(random, [MINUTE_MS, 3 * HOUR_MS]), () => {
        if (sandbox.state.alerts.get(id)?.status !== 'ACTION_REQUIRED') return;
        const end = oneOf(random, ['REFUND', 'ACCEPT_DISPUTE', 'INVALID'] as const);
        if (end === 'INVALID') sandbox.invalidateAlert(id);
        else sandbox.resolveInDashboard(id, end);
      });
    },
  ],
  // A dispute is open already; an authorisation that was never captured.
  [
    2,
    (merchant) => {
      const { charge } = sell(merchant, anyProduct(merchant));
      setCharge(merchant, charge.reference, { disputed: true });
      raise(merchant, charge.reference);
    },
  ],
  [
    2,
    (merchant) => {
      const { charge } = sell(merchant, anyProduct(merchant));
      setCharge(merchant, charge.reference, { status: 'authorised' });
      raise(merchant, charge.reference);
    },
  ],
];

const WEIGHTS = STORIES.reduce((sum, [weight]) => sum + weight, 0);

function setCharge(
  { sandbox }: MerchantOptions,
  reference: string,
  changes: { readonly disputed?: boolean; readonly status?: 'authorised' },
): void {
  const charge = sandbox.state.charges.get(reference);
  if (charge !== undefined) Object.assign(charge, changes);
}

/** Plans `count` stories over the given time. */
export function planStories(merchant: MerchantOptions, count: number, overMs: number): void {
  const { random, clock, at } = merchant;
  const startMs = clock.nowMs();
  for (let index = 0; index < count; index++) {
    // In bursts: what comes together meets in one round of a worker.
    const bursts = Math.max(2, Math.floor(count / 10));
    const burst = Math.floor(random() * bursts) / bursts;
    at(startMs + Math.floor(burst * overMs), () => drawStory(random)(merchant));
  }
}

function drawStory(random: Random): Story {
  let place = random() * WEIGHTS;
  for (const [weight, story] of STORIES) {
    place -= weight;
    if (place < 0) return story;
  }
  return plain;
}
