/**
 * Mollie as Forestall's processor, over its Payments, Refunds and Chargebacks API.
 *
 * Your orders must carry the payment's id (`tr_…`) as the transaction's reference: Mollie cannot be
 * searched by card or amount. The key goes out twice: as `Idempotency-Key`, and in the refund's metadata,
 * where it is found among the payment's refunds. Mollie may refund more than was paid, so nothing there
 * stops a refund that support makes at the same moment.
 *
 * The calls are made by hand: what Mollie's SDK would lose is in this folder's README.
 * https://docs.mollie.com/reference/create-refund
 */
import type { Processor, ProcessorCapabilities, ProcessorCharge } from 'forestall';
import type { AdapterCalls, Caller, JsonObject, ProviderAnswer, Undone } from 'forestall/adapter';
import {
  adapterOf,
  CallFailure,
  callerOf,
  isObject,
  NOT_REPRESENTABLE,
  nullIfMissing,
  objectsAt,
  oursOf,
  releaseAuthorised,
  textAt,
  toDecimal,
  valueAt,
} from 'forestall/adapter';
import { chargeOf, KEY_FIELD, MOLLIE_CLASSES, MOLLIE_WORDS, refundOf } from './payment.ts';

export interface MollieOptions {
  /** `live_…` or `test_…`. */
  readonly apiKey: string;
  /** @default 'https://api.mollie.com' */
  readonly baseUrl?: string;
  /** @default 'order_id' */
  readonly orderMetadataKey?: string;
  /** What the customer's statement may show of a refund. @default 'Refund' */
  readonly description?: string;
  /**
   * Whether a refund that Mollie has accepted but not completed may be declared. Without it each alert is refunded and then
   * runs out: refunds settle after alerts have ended. With it you declare what may still fail. So you decide.
   */
  readonly pendingCounts: boolean;
}

/** Makes the processor that Forestall calls. */
export function createMollieProcessor(options: MollieOptions): Processor {
  const { apiKey, baseUrl = 'https://api.mollie.com' } = options;
  const api = {
    baseUrl: `${baseUrl}/v2`,
    headers: { authorization: `Bearer ${apiKey}` },
    codeOf,
    classes: MOLLIE_CLASSES,
  };
  return adapterOf<Caller>({
    name: 'Mollie',
    capabilities: capabilitiesOf(options),
    open: (signal) => callerOf(api, signal),
    ...callsWith(options),
  });
}

function capabilitiesOf({ apiKey, pendingCounts }: MollieOptions): ProcessorCapabilities {
  // Mollie's keys say in their name whether they move real money.
  const [, mode] = /^(test|live)_/.exec(apiKey) ?? [];
  return {
    // Mollie keeps a key for a time that is too short to count on: the look-up is the proof.
    idempotencyTtlHours: 0,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    // Cards can be refunded beyond what was paid.
    refusesOverRefund: false,
    asyncRefunds: true,
    pendingCounts,
    // A refund is settled a day or two after it was accepted.
    settlesAfterHours: 50,
    requestLifetimeSeconds: 600,
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
  };
}

/**
 * The error in a word: its status, and the field that it is about. Others write the same shape (RFC 9457); the link is
 * Mollie's.
 */
function codeOf({ status, body }: ProviderAnswer): string | null {
  const isOwn = body['status'] === status && textAt(body, 'title') !== null;
  if (!isOwn || !isObject(valueAt(body, '_links', 'documentation'))) return null;
  const field = textAt(body, 'field');
  return field === null ? String(status) : `${status}:${field}`;
}

const pathOf = (reference: string): string => `/payments/${encodeURIComponent(reference)}`;

/** The reference of a subscription is the customer's id and its own, as the payment shows them. */
const SUBSCRIPTION = /^(cst_\w+)\/(sub_\w+)$/;

function callsWith({
  description = 'Refund',
  orderMetadataKey = 'order_id',
}: MollieOptions): AdapterCalls<Caller> {
  async function readCharge(
    api: Caller,
    reference: string,
  ): Promise<ProcessorCharge | string | null> {
    const payment = await api.get(pathOf(reference)).catch(nullIfMissing);
    if (payment === null) return null;
    const [refunds, chargebacks] = await Promise.all([
      wholeList(api, reference, 'refunds'),
      wholeList(api, reference, 'chargebacks'),
    ]);
    return chargeOf(payment, { refunds, chargebacks, orderMetadataKey });
  }
  const calls: AdapterCalls<Caller> = {
    readCharge,

    refundsOf: async (api, { chargeReference }) =>
      (await wholeList(api, chargeReference, 'refunds')).map(refundOf),

    refund: async (api, request) => {
      const { chargeReference, idempotencyKey, currency, amountMinor, alertId } = request;
      const value = toDecimal(amountMinor, currency);
      if (value === undefined) return NOT_REPRESENTABLE;
      const metadata = { [KEY_FIELD]: idempotencyKey, forestall_alert: alertId };
      const made = await api.post(`${pathOf(chargeReference)}/refunds`, {
        body: { amount: { currency, value }, description, metadata },
        headers: { 'idempotency-key': idempotencyKey },
        status: 201,
      });
      const shown = refundOf(made);
      // A key that was used before answers with the refund of that time.
      return shown?.idempotencyKey === idempotencyKey ? shown : null;
    },

    voidCharge: (api, reference, key) =>
      releaseAuthorised(
        () => readCharge(api, reference),
        () =>
          api.post(`${pathOf(reference)}/release-authorization`, {
            body: {},
            headers: { 'idempotency-key': `${key}_void` },
            status: 202,
          }),
      ),

    cancelSubscription,
  };
  return calls;
}

async function cancelSubscription(api: Caller, reference: string): Promise<Undone<'cancelled'>> {
  const [, customer, subscription] = SUBSCRIPTION.exec(reference) ?? [];
  if (customer === undefined || subscription === undefined) return 'rejected';
  const path = `/customers/${customer}/subscriptions/${subscription}`;
  try {
    return cancelledOr(await api.delete(path), 'unknown');
  } catch (error) {
    if (!(error instanceof CallFailure) || error.refusal === null) throw error;
  }
  // Cancelled before is a refusal too; reading it shows which.
  const read = await api
    .get(path)
    .catch(nullIfMissing)
    .catch(() => undefined);
  if (read === undefined) return 'unknown';
  return read === null ? 'rejected' : cancelledOr(read, 'rejected');
}

function cancelledOr(shown: JsonObject, otherwise: 'unknown' | 'rejected'): Undone<'cancelled'> {
  const status = oursOf(MOLLIE_WORDS['subscription.status'], textAt(shown, 'status'));
  return status === 'cancelled' ? status : otherwise;
}

/** Mollie's largest page. A payment has far fewer refunds and chargebacks; what is looked for may be in the rest. */
const LIST_MAX = 250;

async function wholeList(
  api: Caller,
  reference: string,
  name: 'refunds' | 'chargebacks',
): Promise<JsonObject[]> {
  const page = await api.get(`${pathOf(reference)}/${name}?limit=${LIST_MAX}`);
  const isWhole = valueAt(page, '_links', 'next') === null;
  if (isWhole && Array.isArray(valueAt(page, '_embedded', name))) {
    return objectsAt(page, '_embedded', name);
  }
  throw new CallFailure(`the list of ${name} is cut, or none`);
}
