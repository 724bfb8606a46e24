/**
 * What a Connect platform takes back with a refund: the transfer to the connected account, and its own
 * fee. Stripe does neither unless it is asked to, and refuses to reverse a transfer that was never made:
 * so the charge is read first. Both belong to the charge from its beginning, and a repeat under the same
 * key reads the same.
 *
 * https://docs.stripe.com/connect/destination-charges#issue-refunds
 */
import type { RefundOutcome, RefundRequest } from 'forestall';
import type { JsonObject } from '../../shared/json.ts';
import { isObject } from '../../shared/json.ts';
import { idAt } from './charge.ts';
import { findCharge } from './find-charge.ts';
import type { StripeApi, StripeParameters } from './stripe-api.ts';

export interface StripeConnect {
  /** The connected account pays its part of the refund back to the platform. @default false */
  readonly reverseTransfer?: boolean;
  /** The platform gives back its fee, in proportion to the refund. @default false */
  readonly refundApplicationFee?: boolean;
}

/** The parameters of the refund, or its outcome where the charge could not be read: nothing was sent. */
export async function takenBackWith(
  api: StripeApi,
  { connect, request }: { readonly connect: StripeConnect; readonly request: RefundRequest },
  signal: AbortSignal,
): Promise<StripeParameters | RefundOutcome> {
  if (connect.reverseTransfer !== true && connect.refundApplicationFee !== true) return [];
  const found = await findCharge(api, request.chargeReference, signal);
  if (found.kind === 'absent') {
    return { kind: 'rejected', failureCode: 'resource_missing', failureClass: 'ours' };
  }
  const parameters = found.kind === 'found' ? parametersFor(found.value, connect) : null;
  if (parameters !== null) return parameters;
  const reason = found.kind === 'unavailable' ? found.reason : 'unreadable';
  return { kind: 'unknown', reason: `nothing sent, the charge could not be read: ${reason}` };
}

/** Null when the charge does not show what it has. */
function parametersFor(charge: JsonObject, connect: StripeConnect): StripeParameters | null {
  const { transfer_data: transferData, application_fee: fee } = charge;
  if (transferData === undefined || fee === undefined) return null;
  const isTransferred = isObject(transferData) || idAt(charge, 'transfer') !== null;
  const isCharged = idAt(charge, 'application_fee') !== null;
  const parameters: [string, string][] = [];
  if (connect.reverseTransfer === true && isTransferred) {
    parameters.push(['reverse_transfer', 'true']);
  }
  if (connect.refundApplicationFee === true && isCharged) {
    parameters.push(['refund_application_fee', 'true']);
  }
  return parameters;
}
