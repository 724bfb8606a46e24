/**
 * Makes the past of a demonstration: the sandbox's own clock runs through the days, its service and processor do what
 * they do, and Forestall's own receiver and worker answer, on the demonstration's own database. Every row is written by
 * the code that writes it in production, so every page and report agrees with it.
 *
 * A live installation never comes here: `open-service.ts` asks for it with the sandbox and the embedded database only.
 */
import type { OpenTestWorld } from '../../../running/testing/test-world.ts';
import { createTestWorld } from '../../../running/testing/test-world.ts';
import type { TestWorldOptions } from '../../../running/testing/world-wiring.ts';
import type { Product, Sale } from '../../../sandbox/demo-shop.ts';
import { makeSale } from '../../../sandbox/demo-shop.ts';
import { noteMadePast } from '../../console/made-past.store.ts';
import type { Planned } from './past-script.ts';
import {
  PAST_DAYS,
  pickProduct,
  planPast,
  SALES_A_DAY,
  SALES_BEFORE_DAYS,
  seededRandom,
} from './past-script.ts';

export interface PastOptions
  extends Pick<TestWorldOptions, 'database' | 'brandTokens' | 'dataKeys' | 'sandbox' | 'log'> {
  /** When it ends, in milliseconds since 1970. */
  readonly untilMs: number;
  readonly seed: number;
  /** @default 60 */
  readonly days?: number;
  readonly onDay?: (done: number, days: number) => void;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days after which evidence for a dispute is due; a day later the issuer decides. */
const EVIDENCE_DUE_DAYS = 5;

/** Loops that answer; the others run every few days, and at the end. */
const ANSWERING = ['apply', 'signals', 'refunds', 'cases', 'disputes', 'file-evidence'];

/** Loops that belong to a process that goes on: a sign of life of the past would be taken for a long silence. */
const OF_A_PROCESS = ['reconcile-first', 'reconcile', 'heartbeat', 'night', 'processor', 'policy'];

/** Days between two rounds of the other loops. */
const ROUND_DAYS = 6;

/** Commits need not reach the disk one by one: anyone who ends the making begins again. */
const FAST = 'options=-csynchronous_commit%3Doff';

/**
 * Lives through the days. The worker must not run yet.
 *
 * @returns what the sandbox knows at the end, for the sandbox that goes on
 */
export async function makePast(options: PastOptions): Promise<unknown> {
  const { database, untilMs, seed, days = PAST_DAYS, onDay } = options;
  const fromMs = untilMs - days * DAY_MS;
  const world = await createTestWorld({
    ...options,
    database: `${database}${database.includes('?') ? '&' : '?'}${FAST}`,
    startsAt: new Date(fromMs).toISOString(),
  });
  try {
    const { db } = world.parts.database;
    const { organisationId } = world.parts;
    const period = { from: new Date(fromMs), until: new Date(untilMs) };
    await noteMadePast(db, { organisationId, ...period });
    const merchant = createMerchant(world, seededRandom(seed));
    await merchant.open();
    for (const [day, { morning, afternoon }] of planPast(seededRandom(seed), days).entries()) {
      await merchant.liveDay(morning, afternoon);
      if (day % ROUND_DAYS === ROUND_DAYS - 1) await merchant.runOthers();
      onDay?.(day + 1, days);
    }
    await merchant.runOthers();
    // What a night does before rows go: their time has not come.
    for (const { night } of world.works) for (const { run } of night.beforeRetention) await run();
    await signLife(world);
    return world.sandbox.snapshot();
  } finally {
    await world.close();
  }
}

interface Merchant {
  /** What was sold before the first day. */
  open(): Promise<void>;
  liveDay(morning: readonly Planned[], afternoon: readonly Planned[]): Promise<void>;
  /** The feed, the figures, the ratios, and what else does not answer alerts. */
  runOthers(): Promise<void>;
}

/** Something that happens later, at a moment of the past. */
interface Later {
  readonly atMs: number;
  readonly run: () => void | Promise<void>;
}

/** People who decide; nobody of that name can sign in. */
const PEOPLE = ['Ines (made up)', 'Kofi (made up)'];

function createMerchant(world: OpenTestWorld, random: () => number): Merchant {
  const { sandbox, clock } = world;
  const sold: Sale[] = [];
  let later: Later[] = [];
  const at = (hours: number, run: Later['run']): void => {
    later.push({ atMs: clock.nowMs() + hours * HOUR_MS, run });
  };
  const sellDay = (daysAgo = 0): Sale[] =>
    Array.from({ length: SALES_A_DAY }, () => {
      const boughtAtMs = clock.nowMs() - (daysAgo + random()) * DAY_MS;
      const unlike = sandbox.state.charges.values();
      const wishes = { product: pickProduct(random), boughtAtMs, unlike };
      const sale = makeSale(wishes, clock.nowMs());
      sandbox.createCharge(sale.charge);
      return sale;
    });
  const record = async (sales: readonly Sale[]): Promise<void> => {
    await world.orders.accept(sales.map(({ order }) => order));
    sold.push(...sales);
  };
  const happen = createHappenings({ world, random, at, find: createFinder(sold, clock) });
  const moveTo = async (hours: number): Promise<void> => {
    await sandbox.advance(Math.round(hours * HOUR_MS));
    const due = later.filter(({ atMs }) => atMs <= clock.nowMs());
    later = later.filter(({ atMs }) => atMs > clock.nowMs());
    for (const { run } of due) await run();
    if (due.length > 0) await answer(world);
  };
  return {
    async open(): Promise<void> {
      const policy = world.works[0]?.loops.find(({ name }) => name === 'policy');
      await policy?.runOnce();
      await signLife(world);
      for (let day = SALES_BEFORE_DAYS; day > 0; day--) await record(sellDay(day));
    },
    async liveDay(morning, afternoon): Promise<void> {
      const first = 7 + random() * 3;
      const second = 4 + random() * 3;
      for (const [hours, complaints] of [
        [first, morning],
        [second, afternoon],
      ] as const) {
        await moveTo(hours);
        for (const complaint of complaints) happen(complaint);
        if (complaints.length > 0) await answer(world);
      }
      await moveTo(24 - first - second);
      await record(sellDay());
      await signLife(world);
    },
    runOthers: () => runLoops(world, (name) => !OF_A_PROCESS.includes(name)),
  };
}

/** As the worker does every few seconds: the next one sees that no time was lost, and refunds at once. */
async function signLife(world: OpenTestWorld): Promise<void> {
  const loops = world.works.flatMap((work) => work.loops);
  for (const { name, runOnce } of loops) if (name === 'reconcile-first') await runOnce();
}

function answer(world: OpenTestWorld): Promise<void> {
  return runLoops(world, (name) => ANSWERING.includes(name));
}

/** Delivers and works until nothing is left to do at this moment. */
async function runLoops(world: OpenTestWorld, isWanted: (name: string) => boolean): Promise<void> {
  const loops = world.works.flatMap((work) => work.loops.filter(({ name }) => isWanted(name)));
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    await world.sandbox.settle();
    for (const loop of loops) {
      while ((await loop.runOnce()) > 0) isBusy = true;
    }
  }
}

type Find = (product: Product, daysAgo: number) => Sale | undefined;

/** Finds a purchase without a complaint so far, of about so many days ago. */
function createFinder(sold: readonly Sale[], clock: OpenTestWorld['clock']): Find {
  const used = new Set<Sale>();
  return ({ priceMinor }, daysAgo) => {
    const latestMs = clock.nowMs() - daysAgo * DAY_MS;
    const found = sold.findLast(
      (sale) =>
        !used.has(sale) &&
        sale.charge.amount_in_cents === priceMinor &&
        Date.parse(sale.charge.authorised_at) <= latestMs,
    );
    if (found !== undefined) used.add(found);
    return found;
  };
}

interface Happenings {
  readonly world: OpenTestWorld;
  readonly random: () => number;
  readonly at: (hours: number, run: Later['run']) => void;
  readonly find: Find;
}

type PersonsAnswer = 'REFUND' | 'ACCEPT_DISPUTE' | 'NOT_OURS';

const NOTES: Readonly<Record<PersonsAnswer, string>> = {
  REFUND: 'The customer wrote before; the goods come back.',
  ACCEPT_DISPUTE: 'Delivered and signed for: we contest it.',
  NOT_OURS: 'No purchase of this shop.',
};

const FRAUD = '10.4';
const CANCELLED = '13.7';
const NOT_AS_DESCRIBED = '13.3';

function createHappenings(happenings: Happenings): (complaint: Planned) => void {
  const { world, random, at } = happenings;
  const { sandbox } = world;
  /** Hours later a person looks at what the policy left to them. */
  const decideLater = (alertId: string, action: PersonsAnswer): void => {
    const operator = PEOPLE[Math.floor(random() * PEOPLE.length)] ?? '';
    at(2 + random() * 6, async () => {
      if ((await world.stateOf(alertId)) !== 'HUMAN') return;
      await world.alerts.decide({ alertId, action, operator, note: NOTES[action] });
    });
  };
  return ({ what, product, boughtDaysAgo, issuer }) => {
    const sale = happenings.find(product, boughtDaysAgo);
    if (sale === undefined) return;
    const { reference } = sale.charge;
    const isFraud = random() < 0.6;
    const alert = (fields = {}): void => {
      const { id } = sandbox.createAlertFor(reference, {
        card_issuer: issuer,
        reason_code: isFraud ? FRAUD : CANCELLED,
        ...fields,
      });
      decideLater(id, random() < 0.7 ? 'REFUND' : 'ACCEPT_DISPUTE');
    };
    switch (what) {
      case 'alert':
        alert();
        break;
      case 'reviewed':
        alert({ reason_code: NOT_AS_DESCRIBED });
        break;
      case 'rdr':
        alert({ enrolment_id: sandbox.accounts.rdrEnrolmentId });
        break;
      case 'refunded before':
        sandbox.refundInDashboard(reference);
        at(20, () => alert());
        break;
      case 'twice':
        alert();
        at(9, () => alert());
        break;
      case 'not ours':
        decideLater(
          sandbox.createAlert({
            amount_in_cents: 4_700 + Math.floor(random() * 90),
            card_last4: '0000',
            card_issuer: issuer,
            reason_code: FRAUD,
          }).id,
          'NOT_OURS',
        );
        break;
      case 'deflected':
      case 'not known':
        ask(happenings, sale, what === 'deflected');
        break;
      case 'fraud report':
        sandbox.createSchemeNotice(reportOf(sale));
        break;
      case 'won':
      case 'lost':
      case 'contested':
        contest(happenings, { sale, isFraud, ends: what });
        break;
    }
  };
}

/** An issuer asks what was bought; the answer is the service's, from the order. */
function ask({ world, at }: Happenings, { charge }: Sale, isKnown: boolean): void {
  const { sandbox } = world;
  const lookup = sandbox.createLookup({
    type: 'NETB_ORDER_INSIGHT',
    transaction_card_bin: charge.card_bin,
    transaction_card_last4: isKnown ? charge.card_last4 : '0000',
    transaction_arn: isKnown ? charge.acquirer_reference_number : null,
    transaction_auth_code: isKnown ? charge.authorisation_code : null,
    transaction_amount: charge.amount_in_cents,
    transaction_currency: charge.currency,
  });
  if (!isKnown) return;
  at(1, () => {
    sandbox.updateLookup(lookup.id, { lookup_status: 'SUCCEEDED', deflection_status: 'SUCCEEDED' });
  });
}

function reportOf({ charge }: Sale): Parameters<OpenTestWorld['sandbox']['createSchemeNotice']>[0] {
  return {
    scheme_notice_type: charge.card_brand === 'SCHEME_A' ? 'TC40' : 'SAF',
    transaction_amount_in_cents: charge.amount_in_cents,
    transaction_currency_code: charge.currency,
    transaction_card_bin: charge.card_bin,
    transaction_card_last4: charge.card_last4,
    transaction_acquirer_reference_number: charge.acquirer_reference_number,
    transaction_authorisation_code: charge.authorisation_code,
    transaction_purchase_date: charge.authorised_at.slice(0, 'YYYY-MM-DD'.length),
  };
}

interface Contested {
  readonly sale: Sale;
  readonly isFraud: boolean;
  readonly ends: 'won' | 'lost' | 'contested';
}

/** The issuer takes the money, and the merchant contests it. */
function contest({ world, at }: Happenings, { sale, isFraud, ends }: Contested): void {
  const { sandbox } = world;
  const { charge, order } = sale;
  const isDelivered = order.deliveries?.some(({ type }) => type === 'PHYSICAL') === true;
  const isOfFraud = isFraud && !isDelivered;
  const reasonCode = isOfFraud ? FRAUD : '13.1';
  sandbox.takeChargeback(charge.reference);
  const dispute = `dp_${charge.reference}`;
  const dueBy = new Date(world.clock.nowMs() + EVIDENCE_DUE_DAYS * DAY_MS).toISOString();
  sandbox.changeDispute(dispute, { reason_code: reasonCode, due_by: dueBy });
  // Evidence that is complete has gone by itself; a person hands the other in.
  at((EVIDENCE_DUE_DAYS - 0.3) * 24, () => {
    const shown = sandbox.disputes().find(({ reference }) => reference === dispute);
    if (shown?.status === 'needs_response') sandbox.submitEvidenceInDashboard(dispute);
  });
  const representment = sandbox.createRepresentment({
    dispute_stage: 'CHARGEBACK',
    dispute_reason: isOfFraud ? 'FRAUDULENT' : 'PRODUCT_NOT_RECEIVED',
    dispute_reason_code: reasonCode,
    dispute_schema: charge.card_brand,
    dispute_currency_code: charge.currency,
    dispute_amount_in_cents: charge.amount_in_cents,
    transaction_reference_id: charge.reference,
    transaction_currency_code: charge.currency,
    transaction_amount_in_cents: charge.amount_in_cents,
    transaction_authorisation_date: charge.authorised_at,
    transaction_acquirer_reference_number: charge.acquirer_reference_number,
  });
  if (ends === 'contested') return;
  at((EVIDENCE_DUE_DAYS + 1) * 24, () => {
    const dispute_status = ends === 'won' ? 'WON' : 'LOST';
    sandbox.updateRepresentment(representment.id, { dispute_status });
    if (ends === 'won') sandbox.returnChargeback(charge.reference);
    else sandbox.changeDispute(dispute, { status: 'lost' });
  });
}
