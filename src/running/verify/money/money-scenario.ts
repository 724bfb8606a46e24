/**
 * What a money scenario is: a situation in which money has been lost before, and what took part in it.
 *
 * Whatever the merchant's policy answers, the same promises must hold in each: see `money-audit.ts`.
 */

import type { CaseState } from '../../../alerts/cases/case-state.ts';
import type { CrashPoint } from '../../../base/kernel/crash-point.ts';
import { setCrashHook } from '../../../base/kernel/crash-point.ts';
import { InvariantError } from '../../../base/kernel/errors.ts';
import type { Product, Sale } from '../../../sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { NewAlert } from '../../../sandbox/resources/new-alert.ts';
import type { OpenTestWorld } from '../../testing/test-world.ts';

export interface MoneyScenario {
  /** `<what>.<which>`, for example `refund.answer_lost`. */
  readonly name: string;
  /** What happens, in one sentence. */
  readonly story: string;
  run(scene: Scene): Promise<void>;
}

/** What happens in a scenario, up to the work that it leaves due. */
export type Play = (scene: Scene) => Promise<void>;

/** Scenarios by name, with their stories. Each ends with all that is due. */
export function scenarios(
  stories: Readonly<Record<string, readonly [story: string, play: Play]>>,
): readonly MoneyScenario[] {
  return Object.entries(stories).map(([name, [story, play]]) => ({
    name,
    story,
    async run(scene): Promise<void> {
      await play(scene);
      await scene.work();
    },
  }));
}

/** Alerts and charges that took part, for the audit. */
export interface Cast {
  readonly alerts: Set<string>;
  readonly charges: Set<string>;
}

export interface Scene extends Cast {
  readonly world: OpenTestWorld;
  /** A charge with its order. */
  sell(product?: Product, twinOf?: Sale): Promise<Sale>;
  /** A charge of the processor whose order we were not told. */
  sellWithoutOrder(): Sale;
  /** An alert about a charge, its webhook not delivered yet. */
  alert(sale: Sale, fields?: NewAlert): string;
  /** A sale with an alert about it. */
  dispute(fields?: NewAlert, product?: Product): Promise<Disputed>;
  /** Does what is due; whatever then waits for a person, the person refunds where that is allowed. */
  work(): Promise<void>;
  /** Works until `point`, where the process dies; another one takes over once its lease is over. */
  crashAt(point: CrashPoint): Promise<void>;
}

export interface Disputed {
  readonly sale: Sale;
  readonly alertId: string;
}

const MINUTE_MS = 60_000;

/** Longer than any lease of ours, in milliseconds. */
const LEASE_OVER_MS = 10 * MINUTE_MS;

/** States in which a person is asked. */
const ASKED: readonly CaseState[] = ['HUMAN', 'UNMATCHED', 'AMBIGUOUS'];

/** Who decides in the scenarios. */
const OPERATOR = 'verify';

export function createScene(world: OpenTestWorld): Scene {
  const alerts = new Set<string>();
  const charges = new Set<string>();
  const sell = async (product: Product = PRODUCTS.font, twinOf?: Sale): Promise<Sale> => {
    const sale = await world.sell(product, twinOf);
    charges.add(sale.charge.reference);
    return sale;
  };
  const sellWithoutOrder = (): Sale => {
    const wishes = { product: PRODUCTS.font, unlike: world.sandbox.state.charges.values() };
    const sale = makeSale(wishes, world.clock.nowMs());
    world.sandbox.createCharge(sale.charge);
    charges.add(sale.charge.reference);
    return sale;
  };
  const alert = ({ charge }: Sale, fields?: NewAlert): string => {
    const { id } = world.sandbox.createAlertFor(charge.reference, fields);
    alerts.add(id);
    return id;
  };
  return {
    world,
    alerts,
    charges,
    sell,
    sellWithoutOrder,
    alert,
    async dispute(fields, product): Promise<Disputed> {
      const sale = await sell(product);
      return { sale, alertId: alert(sale, fields) };
    },
    async work(): Promise<void> {
      await world.drain();
      await approve(world, alerts);
      await world.drain();
    },
    crashAt: (point) => crashAt(world, { point, alerts }),
  };
}

/** A person refunds what waits for one. What is refused stays with its fallback. */
async function approve(world: OpenTestWorld, alertIds: ReadonlySet<string>): Promise<void> {
  for (const item of await world.alerts.list({ states: ASKED, limit: 500 })) {
    if (!alertIds.has(item.alertId)) continue;
    await world.alerts.decide({
      alertId: item.alertId,
      action: 'REFUND',
      operator: OPERATOR,
      note: 'Approved by the verification.',
    });
  }
}

async function crashAt(
  world: OpenTestWorld,
  { point, alerts }: { readonly point: CrashPoint; readonly alerts: ReadonlySet<string> },
): Promise<void> {
  let tell: () => void = () => undefined;
  const reached = new Promise<'died'>((resolve) => {
    tell = (): void => resolve('died');
  });
  let died = false;
  setCrashHook(async (name) => {
    if (name !== point || died) return;
    died = true;
    tell();
    // A process that is gone never continues from here.
    await new Promise<never>(() => undefined);
  });
  const working = world
    .drain()
    .then(() => approve(world, alerts))
    .then(() => world.drain());
  try {
    await Promise.race([reached, working]);
  } finally {
    setCrashHook(undefined);
  }
  // A policy that leads elsewhere never passes the point; then there is nothing to take over.
  if (!died) return;
  await world.replaceWorkers();
  await world.advance(LEASE_OVER_MS);
}

export function chargeOf(
  { world }: Pick<Scene, 'world'>,
  { charge: { reference } }: Sale,
): ReturnType<OpenTestWorld['sandbox']['charges']>[number] {
  const charge = world.sandbox.state.charges.get(reference);
  if (charge === undefined) throw new InvariantError(`The charge ${reference} is gone.`);
  return charge;
}
