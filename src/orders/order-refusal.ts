/**
 * Says in the merchant's words why the service refused an order, and what to do. Pure.
 */

import { maskCardNumbers } from '../base/kernel/card-number.ts';
import { personalTextsOf } from '../base/seal/redact.ts';
import { errorCodeFacts } from '../service/wire/error-codes.ts';
import type { OrderType } from '../service/wire/order.ts';
import type { OrderBody } from './order-body.ts';

/** What the service said about one order or one update. */
export interface Objection {
  readonly code: string;
  readonly message?: string | null | undefined;
  readonly field?: string | null | undefined;
}

/** The order it is about. */
export interface RefusedOrder {
  readonly type: OrderType;
  readonly integrationId: string;
  /** Left out where no order in particular is meant. */
  readonly body?: OrderBody;
}

const LENGTH_MAX = 500;
/** More of the service's words is not looked at. */
const QUOTED_MAX = 2_000;

/** Reason and next step, fit for a person to read; never longer than {@link LENGTH_MAX}. */
export function explainRefusal(order: RefusedOrder, objection: Objection): string {
  const { code, message, field } = objection;
  const own = explainType(order, code) ?? errorCodeFacts(code)?.operatorText;
  const quoted =
    message === undefined || message === null || message === ''
      ? ''
      : ` "${withoutCustomer(order, message.slice(0, QUOTED_MAX))}"`;
  const where = field === undefined || field === null || field === '' ? '' : ` at ${field}`;
  const said = `The service answered ${code}${where}:${quoted || ' no text'}.`;
  return maskCardNumbers(own === undefined ? said : `${own} ${said}`).slice(0, LENGTH_MAX);
}

const ADDRESS = /[^\s"'<>()[\]{},;:]+@[^\s"'<>()[\]{},;:]+/gu;
/** Shortest text that is looked for: shorter ones are initials, and are everywhere. */
const NAME_LENGTH_MIN = 3;

/** The service may quote what it refuses; whatever it is stored in is neither sealed nor an order. */
function withoutCustomer({ body }: RefusedOrder, message: string): string {
  const lower = message.toLowerCase();
  const named = personalTextsOf(body)
    .filter((text) => text.length >= NAME_LENGTH_MIN && lower.includes(text.toLowerCase()))
    .sort((a, b) => b.length - a.length);
  return named
    .reduce((text, name) => text.replaceAll(wholeWords(name), '[…]'), message)
    .replaceAll(ADDRESS, '[…]');
}

function wholeWords(text: string): RegExp {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'giu');
}

function explainType(order: RefusedOrder, code: string): string | undefined {
  const { type, integrationId } = order;
  if (code === 'INVALID_ORDER_TYPE') {
    return type === 'PARTIAL'
      ? `This order only adds to a payment (PARTIAL), but integration ${integrationId} takes whole orders. Send it as COMPLETE, or with the integration_id of your processor.`
      : `This is a whole order (COMPLETE), but integration ${integrationId} gets its payments from your processor. Send only what adds to the payment, as PARTIAL, or use your CUSTOM_ORDERS integration.`;
  }
  if (code === 'ENRICHMENT_NOT_ENABLED') {
    return `Integration ${integrationId} does not take additions to payments yet. Ask the service to enable order enrichment for it, then run "forestall orders replay --failed".`;
  }
  return undefined;
}
