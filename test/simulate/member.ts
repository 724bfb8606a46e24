/**
 * One organisation of a run, with its own service, processor, merchant and people. Organisations of one run share our
 * processes, the database and, name for name, everything that is the same elsewhere: charges, orders, customers, cards,
 * alerts and events. What differs is their ids, their secrets, and the last digit of every price.
 */
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Acknowledged } from './acknowledged.ts';
import { createAcknowledged } from './acknowledged.ts';
import type { Providers } from './another-provider.ts';
import { createProviders } from './another-provider.ts';
import { createNextDelivery } from './next-delivery.ts';
import type { Oracle } from './oracle.ts';
import { createOracle } from './oracle.ts';
import { seedOf } from './simulated-time.ts';
import type { Truth } from './truth.ts';
import { createTruth } from './truth.ts';
import type { Watch } from './watch.ts';
import { createWatch } from './watch.ts';
import type { Weather } from './weather.ts';
import type { Wire } from './wire.ts';

export const PROCESSOR_SECRET = 'processor-secret-for-simulations';

/** An organisation. */
export interface Member {
  /** Its place; of an organisation alone 0. */
  readonly index: number;
  readonly organisationId: string;
  /** The name in the path of its webhooks; empty: the path that all share. */
  readonly path: string;
  readonly sandbox: Sandbox;
  /** Its payment provider, and the one that it changes to. */
  readonly providers: Providers;
  readonly truth: Truth;
  readonly oracle: Oracle;
  readonly watch: Watch;
  readonly acknowledged: Acknowledged;
  readonly nextDelivery: ReturnType<typeof createNextDelivery>;
}

/** How its world is made. */
export interface MemberOptions {
  readonly seed: number;
  readonly clock: FixedClock;
  readonly weather: Weather;
  /** A connection that belongs to nobody. */
  readonly raw: Wire;
  /** Looks at which the tables are analysed. */
  readonly analyseAt: readonly number[];
}

/** Opens as many organisations as are wanted. The last of several has its webhooks sent to the path that all share. */
export async function openMembers(
  count: number,
  options: MemberOptions,
): Promise<readonly Member[]> {
  const first = await openSandbox(options, undefined);
  const members = [memberOf(first, { index: 0, count, options })];
  for (let index = 1; index < count; index++) {
    const id = `${first.accounts.organisationId.slice(0, -2)}z${index}`;
    const sandbox = await openSandbox(options, id);
    giveOwnSecrets(sandbox, index);
    members.push(memberOf(sandbox, { index, count, options }));
  }
  return members;
}

async function openSandbox(
  { seed, clock, weather }: MemberOptions,
  organisationId: string | undefined,
): Promise<Sandbox> {
  return await createSandbox({
    clock,
    seed: seedOf(seed, 'sandbox'),
    processorSecret: PROCESSOR_SECRET,
    processor: weather.processor,
    disableAfterFailedDeliveries: 1_000_000,
    ...(organisationId === undefined ? {} : { organisationId }),
  });
}

/** Sandboxes of one seed have the same ones. */
function giveOwnSecrets({ state, accounts }: Sandbox, index: number): void {
  const own = (text: string): string => `${text}${index}`;
  const { organisationKey, partnerKey, webhookSecret } = accounts;
  for (const token of [organisationKey, partnerKey]) {
    const key = state.keys.get(token);
    if (key === undefined) throw new Error('The sandbox has no such key.');
    state.keys.delete(token);
    state.keys.set(own(token), Object.assign(key, { token: own(token) }));
  }
  for (const subscription of state.subscriptions.values()) {
    if (subscription.secret === webhookSecret) {
      Object.assign(subscription, { secret: own(webhookSecret) });
    }
  }
  Object.assign(accounts, {
    organisationKey: own(organisationKey),
    partnerKey: own(partnerKey),
    webhookSecret: own(webhookSecret),
  });
}

interface MemberPlace {
  readonly index: number;
  readonly count: number;
  readonly options: MemberOptions;
}

function memberOf(
  sandbox: Sandbox,
  { index, count, options: { raw, analyseAt } }: MemberPlace,
): Member {
  const { organisationId } = sandbox.accounts;
  const truth = createTruth();
  return {
    index,
    organisationId,
    path: index === count - 1 ? '' : `brand-${index}`,
    sandbox,
    providers: createProviders(sandbox),
    truth,
    oracle: createOracle(sandbox, truth),
    watch: createWatch(raw, organisationId, { analyseAt: index === 0 ? analyseAt : [] }),
    acknowledged: createAcknowledged(raw, organisationId),
    nextDelivery: createNextDelivery(sandbox),
  };
}
