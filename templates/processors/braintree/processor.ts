/**
 * Braintree as Forestall's processor, over its GraphQL API.
 *
 * The key goes out twice: as `apiRequestKey`, which Braintree deduplicates by, and as the refund's
 * order id, which it is found by. A refund is pending until it has settled, a day or two later; set
 * `pendingCounts` if an accepted refund is enough for you to declare it.
 *
 * The calls are made by hand: what Braintree's SDK would lose is in this folder's README.
 *
 * The API user needs the rights to search, view, refund and void transactions, and to cancel
 * subscriptions if Forestall may.
 */
import type { ChargeQuery, Processor, ProcessorCapabilities, ProcessorCharge } from 'forestall';
import type { AdapterCalls, JsonObject, Refusal, Undone } from 'forestall/adapter';
import {
  adapterOf,
  CallFailure,
  callProvider,
  classOf,
  isObject,
  modeOfHost,
  NOT_REPRESENTABLE,
  nullIfMissing,
  objectsAt,
  reasonFor,
  textAt,
  toDecimal,
  valueAt,
} from 'forestall/adapter';
import type { BraintreeAsk } from './disputes.ts';
import { braintreeDisputes } from './disputes.ts';
import type { BraintreeReferences } from './transaction.ts';
import {
  BRAINTREE_CLASSES,
  BRAINTREE_DISPUTE_CLASSES,
  chargeOf,
  isCapturedInParts,
  REFUND_FIELDS,
  refundOf,
  TRANSACTION_FIELDS,
} from './transaction.ts';

export interface BraintreeOptions {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `https://payments.sandbox.braintree-api.com` for the sandbox. @default live */
  readonly baseUrl?: string;
  /** @default 'legacy' */
  readonly references?: BraintreeReferences;
  /**
   * Whether a refund that is accepted but not settled may be declared. Without it each alert is refunded and then
   * runs out: refunds settle after alerts have ended. With it you declare what may still fail. So you decide.
   */
  readonly pendingCounts: boolean;
}

/** Makes the processor that Forestall calls. */
export function createBraintreeProcessor(options: BraintreeOptions): Processor {
  const references = options.references ?? 'legacy';
  return adapterOf<Ask>({
    name: 'Braintree',
    capabilities: capabilitiesOf(options),
    open: (signal, timeoutMs) => askWith(options, signal, timeoutMs),
    ...callsWith(references),
    disputes: braintreeDisputes(references),
  });
}

const BRAINTREE_LIVE = 'https://payments.braintree-api.com';

/** https://developer.paypal.com/braintree/graphql/guides/making_api_calls */
const HOSTS = {
  test: /(?:^|\.)sandbox\.braintree-api\.com$/,
  live: /^payments\.braintree-api\.com$/,
};

function capabilitiesOf({ pendingCounts, baseUrl }: BraintreeOptions): ProcessorCapabilities {
  return {
    // A request key is remembered for 30 days after its first request finished.
    idempotencyTtlHours: 30 * 24 - 1,
    canLookupByReference: true,
    lookupLagSeconds: 60,
    refusesOverRefund: true,
    asyncRefunds: true,
    pendingCounts,
    // A refund is settled a day or two after it was accepted.
    settlesAfterHours: 50,
    requestLifetimeSeconds: 600,
    ...modeOfHost(baseUrl ?? BRAINTREE_LIVE, HOSTS),
  };
}

/** The API's version is a date; this one is the oldest that all the calls here know. */
const API_VERSION = '2019-01-01';

/** Asks GraphQL for what is at the path. With both data and errors the data counts: a mutation may have executed. */
type Ask = BraintreeAsk;

function askWith(
  options: BraintreeOptions,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Ask {
  const { publicKey, privateKey, baseUrl = BRAINTREE_LIVE } = options;
  const headers = {
    authorization: `Basic ${Buffer.from(`${publicKey}:${privateKey}`).toString('base64')}`,
    'braintree-version': API_VERSION,
  };
  const within = timeoutMs === undefined ? {} : { timeoutMs };
  const post = async (
    body: string | FormData,
    type: Readonly<Record<string, string>>,
    path: readonly string[],
  ): Promise<unknown> => {
    const sent = { ...headers, ...type };
    const url = `${baseUrl}/graphql`;
    const reply = await callProvider(
      { method: 'POST', url, headers: sent, body, ...within },
      signal,
    );
    if (reply.kind === 'silence') throw new CallFailure(reply);
    // It answers HTTP 200 also when it refuses.
    const isGraphql = isObject(reply.body['data']) || Array.isArray(reply.body['errors']);
    if (reply.status !== 200 || !isGraphql) throw new CallFailure(reasonFor(reply));
    const shown = valueAt(reply.body, 'data', ...path);
    if (shown !== undefined && shown !== null) return shown;
    throw new GraphqlFailure(objectsAt(reply.body, 'errors'));
  };
  const ask = (query: string, variables: JsonObject, ...path: string[]): Promise<unknown> =>
    post(JSON.stringify({ query, variables }), { 'content-type': 'application/json' }, path);
  return Object.assign(ask, {
    // https://developer.paypal.com/braintree/graphql/guides/uploading_files
    upload: ({ query, variables, file, name }, ...path) => {
      const form = new FormData();
      form.set('operations', JSON.stringify({ query, variables: { ...variables, file: null } }));
      form.set('map', JSON.stringify({ evidence: ['variables.file'] }));
      form.set('evidence', file, name);
      return post(form, {}, path);
    },
  } satisfies Pick<BraintreeAsk, 'upload'>);
}

/** Classes of errors with which nothing was begun, whatever their code. */
const NOT_BEGUN = /^(?:AUTHENTICATION|AUTHORIZATION|NOT_FOUND)$/;

/** An answer without what was asked for, and the words of its errors: a class, or the number of a validation. */
class GraphqlFailure extends CallFailure {
  readonly words: readonly (string | null)[];

  constructor(errors: readonly JsonObject[]) {
    const words = errors.map((error) => {
      const errorClass = textAt(error, 'extensions', 'errorClass') ?? '';
      return NOT_BEGUN.test(errorClass) ? errorClass : textAt(error, 'extensions', 'legacyCode');
    });
    const isMissing = words.length > 0 && words.every((word) => word === 'NOT_FOUND');
    const [first] = errors;
    const named = ['errorClass', 'legacyCode'].map((name) => textAt(first, 'extensions', name));
    const text = named.filter((part) => part !== null).join(' ');
    const reason = `Braintree reports ${text === '' ? 'nothing readable' : text}`;
    super(reason, { refusal: refusalOf(words), isMissing });
    this.words = words;
  }
}

const KNOWN = new Map([...BRAINTREE_CLASSES, ...BRAINTREE_DISPUTE_CLASSES]);

/** The refusal that the words prove, or null: every one of them must say that nothing was refunded. */
function refusalOf(words: readonly (string | null)[]): Refusal | null {
  const [code] = words;
  if (code === undefined || code === null) return null;
  const isProven = words.every((word) => word !== null && KNOWN.has(word));
  return isProven ? { code, failureClass: classOf(code, KNOWN) } : null;
}

const SEARCH = `query ($input: TransactionSearchInput!, $first: Int!) {
  search { transactions(input: $input, first: $first) {
    pageInfo { hasNextPage } edges { node { ${TRANSACTION_FIELDS} } }
  } }
}`;

const READ = `query ($id: ID!) { node(id: $id) { ... on Transaction { ${TRANSACTION_FIELDS} } } }`;

const TRANSLATE = 'query ($input: IdsFromLegacyIdsInput!) { idsFromLegacyIds(input: $input) }';

const REFUND = `mutation ($input: RefundTransactionInput!) {
  refundTransaction(input: $input) { refund { ${REFUND_FIELDS} } }
}`;

const VOID = `mutation ($input: VoidTransactionInput!) {
  voidTransaction(input: $input) { transaction { id status } }
}`;

/** The transaction is past the point where it can be voided, or has been voided before. */
const CANNOT_BE_VOIDED = '91504';

const CANCEL = `mutation ($input: CancelRecurringBillingSubscriptionInput!) {
  cancelRecurringBillingSubscription(input: $input) { subscription { id status } }
}`;

/** The subscription has been cancelled before. */
const ALREADY_CANCELLED = '81905';

/** Braintree's largest page. */
const PAGE_SIZE = 50;

function callsWith(references: BraintreeReferences): AdapterCalls<Ask> {
  /** The id that GraphQL takes. Braintree translates it without looking whether it exists. */
  async function globalId(ask: Ask, reference: string): Promise<string> {
    if (references === 'global') return reference;
    const input = { ids: [{ legacyId: reference, type: 'TRANSACTION' }] };
    const ids = await ask(TRANSLATE, { input }, 'idsFromLegacyIds');
    const id: unknown = Array.isArray(ids) ? ids[0] : undefined;
    if (typeof id === 'string') return id;
    throw new CallFailure('the id was not translated');
  }

  async function readCharge(ask: Ask, reference: string): Promise<ProcessorCharge | string | null> {
    const read = async (): Promise<unknown> =>
      await ask(READ, { id: await globalId(ask, reference) }, 'node');
    const node = await read().catch(nullIfMissing);
    return node === null ? null : chargeOf(node, references);
  }

  const calls: AdapterCalls<Ask> = {
    readCharge,

    search: async (ask, query) => {
      const input = searchInput(query);
      if (input === null) return null;
      const page = await ask(SEARCH, { input, first: PAGE_SIZE }, 'search', 'transactions');
      if (valueAt(page, 'pageInfo', 'hasNextPage') !== false) {
        throw new CallFailure(`more than ${PAGE_SIZE} transactions fit`);
      }
      const nodes = objectsAt(page, 'edges').map(({ node }) => node);
      // The parts of an authorisation are found by themselves.
      return nodes
        .filter((node) => !isCapturedInParts(node))
        .map((node) => chargeOf(node, references));
    },

    refund: async (ask, { chargeReference, idempotencyKey, amountMinor, currency }) => {
      const amount = toDecimal(amountMinor, currency);
      if (amount === undefined) return NOT_REPRESENTABLE;
      const input = {
        transactionId: await globalId(ask, chargeReference),
        apiRequestKey: idempotencyKey,
        refund: { amount, orderId: idempotencyKey },
      };
      const shown = await ask(REFUND, { input }, 'refundTransaction', 'refund');
      return refundOf(shown, { chargeReference, references });
    },

    voidCharge: async (ask, reference) => {
      try {
        const input = { transactionId: await globalId(ask, reference) };
        const voided = await ask(VOID, { input }, 'voidTransaction', 'transaction');
        return textAt(voided, 'status') === 'VOIDED' ? 'voided' : 'unknown';
      } catch (error) {
        if (!says(error, CANNOT_BE_VOIDED)) return missedOr(error, 'unknown');
      }
      const charge = await readCharge(ask, reference).catch(() => null);
      if (charge === null || typeof charge === 'string') return 'unknown';
      return charge.status === 'voided' ? 'voided' : 'rejected';
    },

    cancelSubscription: async (ask, reference) => {
      const input = { subscriptionId: reference };
      const path = ['cancelRecurringBillingSubscription', 'subscription'];
      try {
        const shown = await ask(CANCEL, { input }, ...path);
        return textAt(shown, 'status')?.toUpperCase() === 'CANCELED' ? 'cancelled' : 'unknown';
      } catch (error) {
        return says(error, ALREADY_CANCELLED) ? 'cancelled' : missedOr(error, 'unknown');
      }
    },
  };
  return calls;
}

function says(error: unknown, code: string): boolean {
  return error instanceof GraphqlFailure && error.words.includes(code);
}

/** What does not exist cannot be undone. */
function missedOr(error: unknown, otherwise: 'unknown'): Undone<never> {
  return error instanceof CallFailure && error.isMissing ? 'rejected' : otherwise;
}

/** The query as `TransactionSearchInput`; null when it holds nothing that Braintree can search by. */
export function searchInput(query: ChargeQuery): JsonObject | null {
  if (query.acquirerReferenceNumber !== undefined) return null;
  const { authorisationCode, authorisedFrom, authorisedTo } = query;
  const narrow = { ...cardInput(query), ...amountInput(query) };
  const code =
    authorisationCode === undefined ? {} : { processorAuthorizationId: { is: authorisationCode } };
  if (Object.keys({ ...narrow, ...code }).length === 0) return null;
  const from = authorisedFrom === undefined ? {} : { greaterThanOrEqualTo: authorisedFrom };
  const to = authorisedTo === undefined ? {} : { lessThanOrEqualTo: authorisedTo };
  const time = { ...from, ...to };
  return { ...code, ...narrow, ...(Object.keys(time).length === 0 ? {} : { createdAt: time }) };
}

function cardInput({ cardBin, cardLast4 }: ChargeQuery): JsonObject {
  const number = {
    // Braintree keeps six digits of it.
    ...(cardBin === undefined ? {} : { startsWith: cardBin.slice(0, 6) }),
    ...(cardLast4 === undefined ? {} : { endsWith: cardLast4 }),
  };
  if (Object.keys(number).length === 0) return {};
  return { paymentMethod: { paymentMethodSnapshot: { creditCardDetails: { number } } } };
}

function amountInput({ amountMinor, currency }: ChargeQuery): JsonObject {
  if (amountMinor === undefined || currency === undefined) return {};
  const value = toDecimal(amountMinor, currency);
  return value === undefined
    ? {}
    : { amount: { value: { is: value }, currencyCode: { is: currency } } };
}
