/**
 * Makes a processor of an adapter's calls, which speak to a provider through its own SDK and may throw.
 *
 * Here is decided, once for all adapters, what an end means: only a {@link CallFailure} that carries a refusal in the
 * provider's words is `rejected`; whatever else is thrown leaves a refund `unknown` and a question `unavailable`; what
 * is shown must be what was asked for.
 */
import type {
  Answer,
  ChargeQuery,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundRequest,
} from '../wire/processor.ts';
import { CallFailure } from './call-failure.ts';
import type { DisputeParts } from './disputes.ts';
import { disputesOf } from './disputes.ts';
import type { NOT_REPRESENTABLE } from './outcome.ts';
import {
  asList,
  fitsUnasked,
  foundAmong,
  outcomeOf,
  ownRefundIn,
  readAs,
  refusedOr,
} from './outcome.ts';

/** What an adapter writes. `Client` is opened for each call, so that it can end with the call's signal. */
export interface AdapterCalls<Client> {
  /** Charges by their facts, or null where the provider cannot be asked so; a text is one that cannot be read. */
  search?(client: Client, query: ChargeQuery): Promise<(ProcessorCharge | string)[] | null>;
  /** Null: the provider says that there is none. A text: why it cannot be read. Absent where nothing can be read at all. */
  readCharge?(client: Client, reference: string): Promise<ProcessorCharge | string | null>;
  /**
   * All refunds of the request's charge, where they are listed without it; null is one that cannot be read. Null for the
   * whole: this charge's refunds are listed nowhere. @default those of `readCharge`
   */
  refundsOf?(
    client: Client,
    request: RefundRequest,
  ): Promise<readonly (ProcessorRefund | null)[] | null>;
  /** What the provider shows, `null` when that is unreadable; `NOT_REPRESENTABLE` before anything is sent. */
  refund(
    client: Client,
    request: RefundRequest,
  ): Promise<ProcessorRefund | typeof NOT_REPRESENTABLE | null>;
  voidCharge?(client: Client, reference: string, key: string): Promise<Undone<'voided'>>;
  cancelSubscription?(client: Client, reference: string, key: string): Promise<Undone<'cancelled'>>;
}

/** How releasing or cancelling ended. */
export type Undone<Done> = Done | 'not_offered' | 'rejected' | 'unknown';

export interface AdapterParts<Client> extends AdapterCalls<Client> {
  readonly name: string;
  readonly capabilities: ProcessorCapabilities;
  /** `timeoutMs`: longest wait for one answer, where it is another than usual. */
  open(signal: AbortSignal | undefined, timeoutMs?: number): Client;
  /**
   * What the SDK has thrown, in the provider's words; undefined for a fault that is none of its errors. An adapter without
   * an SDK needs none: a {@link CallFailure} is known.
   */
  failureOf?(error: unknown): CallFailure | undefined;
  /** Its disputes. Left out: the provider takes no evidence over its API. */
  readonly disputes?: DisputeParts<Client>;
}

/** The processor that Forestall calls. None of its calls throws. */
export function adapterOf<Client>(parts: AdapterParts<Client>): Processor {
  /** The value, or how the call failed. */
  async function within<Value>(
    signal: AbortSignal | undefined,
    call: (client: Client) => Promise<Value>,
    timeoutMs?: number,
  ): Promise<Value | CallFailure> {
    const lease = endOf(signal);
    try {
      return await Promise.race([call(parts.open(signal, timeoutMs)), lease.ended]);
    } catch (error) {
      return failureIn(error, parts);
    } finally {
      lease.release();
    }
  }
  const processor: Processor = {
    name: parts.name,
    capabilities: () => Promise.resolve(parts.capabilities),
    searchCharges: async (query, signal) => {
      if (query.reference !== undefined) {
        return asList(await processor.readCharge(query.reference, signal));
      }
      const found = await within(signal, async (client) => parts.search?.(client, query));
      if (found instanceof CallFailure) return unanswered(found);
      if (found === undefined || found === null) return { kind: 'not_offered' };
      const answer = foundAmong(found);
      if (answer.kind !== 'found') return answer;
      return { kind: 'found', value: answer.value.filter((charge) => fitsUnasked(charge, query)) };
    },
    readCharge: async (reference, signal) => {
      const { readCharge } = parts;
      if (readCharge === undefined) return { kind: 'not_offered' };
      const charge = await within(signal, (client) => readCharge(client, reference));
      if (charge instanceof CallFailure) return unanswered(charge);
      return charge === null ? { kind: 'absent' } : readAs(charge);
    },
    findRefund: async (request, signal) => {
      const refunds = await within(signal, (client) => refundsWith(parts, client, request));
      if (refunds === null) return { kind: 'not_offered' };
      const own = ownOf(refunds, request.idempotencyKey);
      // Where absence proves nothing, it is no answer.
      const isProof = parts.capabilities.canLookupByReference;
      return own.kind === 'absent' && !isProof ? { kind: 'not_offered' } : own;
    },
    refund: async (request, signal) => {
      const made = await within(signal, (client) => parts.refund(client, request));
      if (made instanceof CallFailure) return refusedOr(made.refusal, made.message);
      if (made !== null && 'kind' in made) return made;
      return outcomeOf(made, request);
    },
    voidCharge: async (reference, key, signal) => {
      const { voidCharge } = parts;
      if (voidCharge === undefined) return 'not_offered';
      return undoneOr(await within(signal, (client) => voidCharge(client, reference, key)));
    },
    cancelSubscription: async (reference, key, signal) => {
      const { cancelSubscription } = parts;
      if (cancelSubscription === undefined) return 'not_offered';
      return undoneOr(await within(signal, (client) => cancelSubscription(client, reference, key)));
    },
    ...(parts.disputes === undefined ? {} : { disputes: disputesOf(parts.disputes, within) }),
  };
  return processor;
}

/** The refunds of the request's charge; null where they are listed nowhere. @throws when the charge cannot be read */
async function refundsWith<Client>(
  { refundsOf, readCharge }: AdapterCalls<Client>,
  client: Client,
  request: RefundRequest,
): Promise<readonly (ProcessorRefund | null)[] | null> {
  if (refundsOf !== undefined) return await refundsOf(client, request);
  if (readCharge === undefined) return null;
  const charge = await readCharge(client, request.chargeReference);
  if (typeof charge === 'string') throw new CallFailure(charge);
  return charge?.refunds ?? [];
}

/** Ends with the signal, whatever the SDK does: one that never settles would hold the alert. */
function endOf(signal: AbortSignal | undefined): {
  readonly ended: Promise<CallFailure>;
  release(): void;
} {
  const { promise: ended, resolve } = Promise.withResolvers<CallFailure>();
  const end = (): void =>
    resolve(new CallFailure({ kind: 'silence', reason: 'the call was aborted' }));
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  return { ended, release: () => signal?.removeEventListener('abort', end) };
}

function ownOf(
  refunds: readonly (ProcessorRefund | null)[] | CallFailure,
  idempotencyKey: string,
): Answer<ProcessorRefund> {
  if (!(refunds instanceof CallFailure)) return ownRefundIn(refunds, idempotencyKey);
  return refunds.isMissing ? { kind: 'absent' } : unanswered(refunds);
}

type Unanswered = { readonly kind: 'unavailable'; readonly reason: string };

function unanswered({ message }: CallFailure): Unanswered {
  return { kind: 'unavailable', reason: message };
}

function undoneOr<Done>(ended: Done | CallFailure): Done | 'rejected' | 'unknown' {
  if (!(ended instanceof CallFailure)) return ended;
  return ended.refusal === null ? 'unknown' : 'rejected';
}

function failureIn(
  error: unknown,
  { failureOf }: Pick<AdapterParts<never>, 'failureOf'>,
): CallFailure {
  if (error instanceof CallFailure) return error;
  const known = failureOf?.(error);
  if (known !== undefined) return known;
  // For an answer of an unknown shape only its kind is reported: the message may repeat what was sent.
  const what = error instanceof Error ? error.name : typeof error;
  return new CallFailure({ kind: 'silence', reason: `the answer could not be read (${what})` });
}
