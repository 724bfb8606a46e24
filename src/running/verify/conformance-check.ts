/**
 * What a conformance check is: a named promise of the processor port, and a way to try it.
 *
 * Checks know nothing of HTTP. They drive any {@link Processor}, with charges, faults and books that
 * a fixture provides; what the fixture cannot provide is skipped, and says so.
 */

import type {
  Processor,
  ProcessorCapabilities,
  RefundRequest,
} from '../../service/wire/processor.ts';
import type { EventHeaders } from '../../service/wire/processor-event.ts';
import type { ConformanceFault } from '../testing/conformance-fault.ts';

/** A charge made for one check alone. */
export interface FixtureCharge {
  readonly reference: string;
  /** At least {@link CHARGE_MINOR_MIN}. */
  readonly amountMinor: number;
  readonly currency: string;
}

/** The least a fixture's charge is worth, in minor units: room for several partial refunds. */
export const CHARGE_MINOR_MIN = 500;

/** What one partial refund moves, in minor units. */
export const PART_MINOR = 100;

/**
 * Provides what the checks work with, at a provider's test mode, the sandbox or a fake. Only the
 * first three are needed; each further one lets more checks run.
 */
export interface ConformanceFixture {
  /** A captured charge of which nothing is refunded or disputed. */
  captured(): Promise<FixtureCharge>;
  /** A reference of the right form that belongs to nothing. */
  readonly absentReference: string;
  /** An idempotency key that was never used, as long as Forestall's: 44 characters. */
  newKey(): string;
  /** An authorised charge that was not captured. */
  authorised?(): Promise<FixtureCharge>;
  /** The reference of a running subscription. */
  subscription?(): Promise<string>;
  /** A reference of a subscription that does not exist. */
  readonly absentSubscription?: string;
  /** What the provider's own books say has been, or is being, refunded, in minor units. */
  refundedMinor?(chargeReference: string): Promise<number>;
  /** Lets everything that is pending at the provider take its course. */
  settle?(): Promise<void>;
  /** Makes a refund that was accepted fail afterwards. */
  failRefund?(refundReference: string): Promise<void>;
  /** Opens a dispute about the charge. */
  dispute?(chargeReference: string): Promise<void>;
  /** A webhook as the provider signs it now, of one of the kinds that Forestall knows. */
  signedEvent?(): Promise<{ readonly raw: Uint8Array; readonly headers: EventHeaders }>;
  /** Whether {@link withFault} can make this fault. */
  offersFault?(fault: ConformanceFault): boolean;
  /** Runs the call while the provider misbehaves. */
  withFault?<Value>(fault: ConformanceFault, call: () => Promise<Value>): Promise<Value>;
}

/** Thrown by a fixture that cannot provide what was asked for: the check is skipped, and says why. */
export class NoFixture extends Error {}

/** What a check works on. */
export interface ConformanceSubject {
  readonly processor: Processor;
  /** The same processor, of which nothing was asked yet. @default {@link processor} */
  readonly fresh?: () => Processor;
  readonly fixture: ConformanceFixture;
}

/** The problems found, none when the promise was kept, or why it could not be tried. */
export type CheckOutcome = readonly string[] | { readonly skipped: string };

/** One promise of the port. */
export interface ConformanceCheck {
  /** `<part>.<what>`, for example `refund.same_key_once`. */
  readonly name: string;
  /** What is promised, in one sentence. */
  readonly guarantee: string;
  run(subject: ConformanceSubject): Promise<CheckOutcome>;
}

/** Checks by their name, each with its guarantee and the way to try it. */
export function checks(
  table: Readonly<Record<string, readonly [guarantee: string, run: ConformanceCheck['run']]>>,
): readonly ConformanceCheck[] {
  return Object.entries(table).map(([name, [guarantee, run]]) => ({ name, guarantee, run }));
}

/** The problem, unless the condition holds. */
export function unless(condition: boolean, problem: string): string[] {
  return condition ? [] : [problem];
}

/** A refund of a part of the charge, under a new key. */
export function partOf(
  charge: FixtureCharge,
  fixture: ConformanceFixture,
  amountMinor: number = PART_MINOR,
): RefundRequest {
  return {
    idempotencyKey: fixture.newKey(),
    chargeReference: charge.reference,
    alertId: 'alrt_conformance',
    reason: 'conformance',
    amountMinor,
    currency: charge.currency,
  };
}

/**
 * What the processor states it can do.
 *
 * @throws when it does not answer: what a check expects follows from it
 */
export async function abilitiesOf({
  processor,
}: ConformanceSubject): Promise<ProcessorCapabilities> {
  const stated = await processor.capabilities();
  if (stated === undefined) throw new Error('the processor did not say what it offers');
  return stated;
}

/** Longer than any answer takes that comes at all. */
const PATIENCE_MS = 30_000;

/** A signal for a call that is expected to be answered. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

/** The problem when the provider's books show another sum; none when the fixture keeps no books. */
export async function booksShow(
  { fixture }: ConformanceSubject,
  charge: FixtureCharge,
  expectedMinor: number,
): Promise<string[]> {
  if (fixture.refundedMinor === undefined) return [];
  const bookedMinor = await fixture.refundedMinor(charge.reference);
  return unless(
    bookedMinor === expectedMinor,
    `the provider's books show ${bookedMinor} refunded, expected ${expectedMinor}`,
  );
}
