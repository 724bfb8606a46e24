/**
 * The HTTP processor contract under `/processor/*`: what a merchant's own processor endpoint offers
 * to Forestall, played by the sandbox.
 */
import { z } from 'zod';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import type { Answer, Method } from '../http/route.ts';
import { readInput } from '../input.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { signatureNowMs } from '../sandbox-context.ts';
import { isSignedCall } from './call-signature.ts';
import { showCharge } from './ledger.ts';
import { chargeNotFound, findRefunds, onceByKey, postRefund, processorError } from './refunds.ts';
import { searchCharges } from './search.ts';

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
