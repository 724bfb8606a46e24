/**
 * The processors of an organisation some of whose merchants have one of their own, as one processor: each call goes
 * to the one that the charge belongs to.
 *
 * Through which processor money was sent is written with the movement, and binds the charge from then on. Before that
 * the merchants of its alerts say. Where these have different processors nothing is asked and nothing is sent.
 */
import type { Db } from '../../base/db/database.ts';
import type {
  Answer,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  RefundOutcome,
} from '../../service/wire/processor.ts';
import type { ChargeTies } from './charge-route.store.ts';
import { readChargeTies, readNamedMerchants } from './charge-route.store.ts';
import type { NamedMerchants } from './merchant.ts';
import { allNamed, merchantOf } from './merchant.ts';
import {
  cautiousOf,
  createUnreachable,
  locateCharge,
  SEVERAL_MERCHANTS,
} from './several-processors.ts';

/** What it is made of. */
export interface RoutedOptions {
  readonly db: Db;
  readonly organisationId: string;
  /** The organisation's. */
  readonly own: Processor;
  /** Those of merchants, by the merchant's id. */
  readonly byMerchant: ReadonlyMap<string, Processor>;
  /** Merchants that are listed with another setting only, and use the organisation's. */
  readonly isListed: (merchantId: string) => boolean;
}

/** Which processor, and whose it is: the merchant's, or the organisation's own (null). */
export interface Through {
  readonly merchantId: string | null;
  readonly processor: Processor;
}

/** Processors as one. */
export interface RoutedProcessor extends Processor {
  /** The processor of an alert's merchant; undefined: it names several that have different ones. */
  ofMerchants(named: NamedMerchants): Through | undefined;
  /** The same of a stored alert. */
  ofAlert(alertId: string): Promise<Through | undefined>;
  /**
   * The processor that a charge belongs to; null: it was not said yet; undefined: its alerts have different ones.
   *
   * @param besides an alert that is left aside
   */
  ofCharge(chargeReference: string, besides?: string): Promise<Through | null | undefined>;
  /** The processor to ask about a charge, as {@link RoutedProcessor.ofCharge} found it. */
  followed(through: Through | null | undefined): Processor;
  /** The merchant whose processor alone knows the charge; null: the organisation's processor knows it, or none does. */
  merchantThatKnows(chargeReference: string, signal?: AbortSignal): Promise<string | null>;
}

/** Whether the processor is several. */
export function isRouted(processor: object): processor is RoutedProcessor {
  return 'ofCharge' in processor;
}

/** The processor to ask about a charge. */
export async function processorAt<Asked extends object>(
  processor: Asked,
  chargeReference: string,
): Promise<Asked | Processor> {
  return (await wayTo(processor, chargeReference)).processor;
}

/** The processor to ask about a charge, and the merchant whose own it is. */
export async function wayTo<Asked extends object>(
  processor: Asked,
  chargeReference: string,
): Promise<{ readonly processor: Asked | Processor; readonly sentThrough: string | null }> {
  if (!isRouted(processor)) return { processor, sentThrough: null };
  const through = await processor.ofCharge(chargeReference);
  return { processor: processor.followed(through), sentThrough: through?.merchantId ?? null };
}

/** Creates the processor that sends each call on to the one in charge. */
export function createRoutedProcessor(options: RoutedOptions): RoutedProcessor {
  const { db, organisationId, own, byMerchant, isListed } = options;
  const all = [...new Set([own, ...byMerchant.values()])];
  const through = (merchantId: string | null): Through => {
    const processor = merchantId === null ? undefined : byMerchant.get(merchantId);
    return processor === undefined
      ? { merchantId: null, processor: own }
      : { merchantId, processor };
  };
  const ofMerchants = (named: NamedMerchants): Through | undefined => {
    const found = merchantOf(named, isListed);
    if (found.kind === 'listed') return through(found.id);
    if (found.kind === 'none') return through(null);
    return alike(allNamed(named).map(through));
  };
  const ofAlert = async (alertId: string): Promise<Through | undefined> => {
    const named = await readNamedMerchants(db, organisationId, alertId);
    return named === undefined ? undefined : ofMerchants(named);
  };
  const ofTies = ({ sentThrough, alerts }: ChargeTies): Through | null | undefined => {
    if (sentThrough.length > 0) return alike(sentThrough.map((id) => sentThroughOf(options, id)));
    if (alerts.length === 0) return null;
    return alike(alerts.map(ofMerchants));
  };
  const ofCharge: RoutedProcessor['ofCharge'] = async (chargeReference, besides) =>
    ofTies(await readChargeTies(db, { organisationId, chargeReference, besides }));
  const followed = (found: Through | null | undefined): Processor => {
    if (found === undefined) return createUnreachable(own.name, SEVERAL_MERCHANTS);
    return found === null ? located : found.processor;
  };
  const at = async (reference: string): Promise<Processor> => followed(await ofCharge(reference));
  /** Of a charge that no alert names: the processor that knows it. */
  const located: Processor = {
    ...createUnreachable(own.name, SEVERAL_MERCHANTS),
    capabilities: (signal) => cautiousOf(all, signal),
    readCharge: async (reference, signal) => (await locateCharge(all, reference, signal)).answer,
    findRefund: () => Promise.resolve({ kind: 'not_offered' }),
  };
  return {
    name: own.name,
    ofMerchants,
    ofAlert,
    ofCharge,
    followed,
    async merchantThatKnows(reference, signal): Promise<string | null> {
      const { known } = await locateCharge(all, reference, signal);
      return [...byMerchant].find(([, processor]) => processor === known)?.[0] ?? null;
    },
    capabilities: (signal): Promise<ProcessorCapabilities | undefined> => cautiousOf(all, signal),
    searchCharges: (): Promise<Answer<ProcessorCharge[]>> =>
      Promise.resolve({ kind: 'unavailable', reason: SEVERAL_MERCHANTS }),
    readCharge: async (reference, signal) => (await at(reference)).readCharge(reference, signal),
    findRefund: async (request, signal) =>
      (await at(request.chargeReference)).findRefund(request, signal),
    async refund(request, signal): Promise<RefundOutcome> {
      const [charge, alert] = await Promise.all([
        ofCharge(request.chargeReference),
        ofAlert(request.alertId),
      ]);
      // The alert's merchant and the charge name the same processor, or nothing leaves.
      if (charge == null || charge.processor !== alert?.processor) {
        return await createUnreachable(own.name, SEVERAL_MERCHANTS).refund(request, signal);
      }
      return await charge.processor.refund(request, signal);
    },
    voidCharge: async (reference, key, signal) =>
      (await at(reference)).voidCharge(reference, key, signal),
    // What a subscription belongs to is known by its charge alone: `processorAt` is asked first.
    cancelSubscription: () => Promise.resolve('not_offered'),
  };
}

/** Money that went through a merchant's processor which is not set any more is asked for nowhere else. */
function sentThroughOf({ own, byMerchant }: RoutedOptions, merchantId: string | null): Through {
  if (merchantId === null) return { merchantId, processor: own };
  const processor = byMerchant.get(merchantId);
  return { merchantId, processor: processor ?? createUnreachable(merchantId, goneOf(merchantId)) };
}

function goneOf(merchantId: string): string {
  return `money was sent through the processor of merchant ${merchantId}, which is not set any more`;
}

/** The one that all of them are; undefined: they differ, or one is not known. */
function alike(several: readonly (Through | undefined)[]): Through | undefined {
  const [first] = several;
  const isSame = several.every((each) => each?.processor === first?.processor);
  return isSame ? first : undefined;
}
