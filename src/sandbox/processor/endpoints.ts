/**
 * The HTTP processor contract under `/processor/*`: what a merchant's own processor endpoint offers
 * to Forestall, played by the sandbox.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { SIGNATURE_TOLERANCE_SECONDS } from '../../service/wire/limits.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import type { Answer, Method } from '../http/route.ts';
import type { Query } from '../listing.ts';
import { readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { signatureNowMs } from '../sandbox-context.ts';
import type { ChargeRecord } from '../state/charges.ts';
import {
  acceptDispute,
  getDispute,
  listDisputes,
  postSubmission,
  stageFile,
} from './dispute-calls.ts';
import { showCharge } from './ledger.ts';
import { chargeNotFound, findRefunds, onceByKey, postRefund, processorError } from './refunds.ts';

type Handler = (context: SandboxContext, incoming: Incoming) => Answer;

/** A call of the contract. */
export interface ProcessorCall {
  readonly method: Method;
  readonly path: string;
  readonly handle: Handler;
}

export const PROCESSOR_CALLS: readonly ProcessorCall[] = [
  { method: 'GET', path: '/processor/charges', handle: listCharges },
  { method: 'GET', path: '/processor/charges/{reference}', handle: getCharge },
  { method: 'POST', path: '/processor/refunds', handle: postRefund },
  { method: 'GET', path: '/processor/refunds', handle: findRefunds },
  { method: 'POST', path: '/processor/voids', handle: postVoid },
  { method: 'POST', path: '/processor/subscriptions/{reference}/cancel', handle: postCancellation },
  { method: 'GET', path: '/processor/capabilities', handle: getCapabilities },
  { method: 'GET', path: '/processor/disputes', handle: listDisputes },
  { method: 'GET', path: '/processor/disputes/{reference}', handle: getDispute },
  { method: 'POST', path: '/processor/disputes/{reference}/files', handle: stageFile },
  { method: 'POST', path: '/processor/disputes/{reference}/submission', handle: postSubmission },
  { method: 'POST', path: '/processor/disputes/{reference}/acceptance', handle: acceptDispute },
];

/** The endpoints; with a processor secret every call must be signed. */
export function processorEndpoints(context: SandboxContext): readonly Endpoint[] {
  return PROCESSOR_CALLS.map(({ method, path, handle }) => ({
    method,
    path,
    faultable: true,
    handle(incoming): Answer {
      const secret = context.settings.processorSecret;
      // A caller in this process may share the sandbox's clock, any other has the machine's.
      const times = [signatureNowMs(context), context.clock.nowMs()];
      if (secret !== null && !times.some((nowMs) => isSignedCall(incoming, secret, nowMs))) {
        const said = { code: 'signature_refused', failureClass: 'ours' } as const;
        return processorError(401, said, 'The call is not signed with the secret.');
      }
      return handle(context, incoming);
    },
  }));
}

function notOffered(what: string): Answer {
  return processorError(501, { code: 'not_offered' }, `${what} is not offered.`);
}

function listCharges(context: SandboxContext, incoming: Incoming): Answer {
  if (!context.processor.offers.search) return notOffered('The search');
  const found = searchCharges(context.state.charges.values(), incoming.query);
  return { status: 200, body: { items: found.map((charge) => showCharge(context, charge)) } };
}

function getCharge(context: SandboxContext, incoming: Incoming): Answer {
  if (!context.processor.offers.read) return notOffered('Reading a charge');
  const charge = context.state.charges.get(incoming.params['reference'] ?? '');
  return charge === undefined
    ? chargeNotFound()
    : { status: 200, body: showCharge(context, charge) };
}

export const voidInput = z.looseObject({ charge_reference: z.string().min(1) });

function postVoid(context: SandboxContext, incoming: Incoming): Answer {
  if (!context.processor.offers.voids) return notOffered('Voiding');
  return onceByKey(context, incoming, () => {
    const input = readInput(voidInput, incoming.readBody());
    const charge = context.state.charges.get(input.charge_reference);
    if (charge === undefined) return chargeNotFound();
    if (charge.status !== 'authorised' && charge.status !== 'voided') {
      const said = { code: 'charge_not_voidable', failureClass: 'final' } as const;
      return processorError(422, said, `The charge is ${charge.status}.`);
    }
    charge.status = 'voided';
    return { status: 200, body: showCharge(context, charge) };
  });
}

function postCancellation(context: SandboxContext, incoming: Incoming): Answer {
  if (!context.processor.offers.cancellations) return notOffered('Cancelling subscriptions');
  return onceByKey(context, incoming, () => {
    const reference = incoming.params['reference'] ?? '';
    context.state.cancelledSubscriptions.add(reference);
    return { status: 200, body: { reference, status: 'cancelled' } };
  });
}

function getCapabilities(context: SandboxContext): Answer {
  const { offers, ...capabilities } = context.processor;
  return offers.capabilities
    ? { status: 200, body: capabilities }
    : processorError(404, { code: 'not_offered' }, 'Capabilities are not stated.');
}

type Test = (charge: ChargeRecord, value: string) => boolean;

const TESTS: Readonly<Record<string, Test>> = {
  reference: (charge, value) => charge.reference === value,
  acquirer_reference_number: (charge, value) => charge.acquirer_reference_number === value,
  authorisation_code: (charge, value) => charge.authorisation_code === value,
  card_bin: (charge, value) => charge.card.bin === value,
  card_last4: (charge, value) => charge.card.last4 === value,
  amount_in_cents: (charge, value) => String(charge.amount_in_cents) === value,
  currency: (charge, value) => charge.currency === value,
  authorised_from: (charge, value) => Date.parse(charge.authorised_at) >= Date.parse(value),
  authorised_to: (charge, value) => Date.parse(charge.authorised_at) <= Date.parse(value),
};

/** The charges that fit. Parameters the contract does not name are ignored. */
export function searchCharges(
  charges: Iterable<ChargeRecord>,
  query: Query,
): readonly ChargeRecord[] {
  const wanted = Object.entries(query).flatMap(([name, value]) => {
    const test = TESTS[name];
    return test === undefined ? [] : [{ test, value }];
  });
  return [...charges].filter((charge) => wanted.every(({ test, value }) => test(charge, value)));
}

const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{128})$/;

/**
 * Whether the call carries a fresh signature made with `secret`: HMAC-SHA512 over
 * `<t>.<METHOD> <path and query as sent>.<raw body>`, so that a captured call cannot become another.
 */
function isSignedCall(incoming: Incoming, secret: string, nowMs: number): boolean {
  const match = HEADER.exec(incoming.header('x-signature') ?? '');
  const [, signedAt, given] = match ?? [];
  if (signedAt === undefined || given === undefined) return false;
  const ageSeconds = Math.floor(nowMs / 1000) - Number(signedAt);
  if (Math.abs(ageSeconds) > SIGNATURE_TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha512', secret)
    .update(`${signedAt}.${incoming.method} ${incoming.url}.`)
    .update(incoming.rawBody)
    .digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}
