/** What a processor shows of refunds, for worlds in which it does not show all of them. */
import { Buffer } from 'node:buffer';
import type { LoopbackAnswer } from './loopback.ts';

/** A refund as it is shown. */
export interface ShownRefund {
  readonly reference: string;
  readonly idempotency_key: string | null;
  readonly charge_reference: string;
  readonly status: string;
  readonly amount_in_cents: number;
}

interface ShownCharge {
  readonly refunds: readonly ShownRefund[];
  readonly refundable_in_cents: number;
}

/** The answer, about charges or about refunds, as of a processor that knows nothing of the hidden ones. */
export function withoutRefunds(
  answer: LoopbackAnswer,
  isHidden: (refund: ShownRefund) => boolean,
): LoopbackAnswer {
  const shown = JSON.parse(answer.body.toString(), (_, value: unknown) => {
    if (isList(value)) return { ...value, items: value.items.filter((each) => !isHidden(each)) };
    return isCharge(value) ? chargeWithout(value, isHidden) : value;
  });
  return { ...answer, body: Buffer.from(JSON.stringify(shown)) };
}

function chargeWithout(
  charge: ShownCharge,
  isHidden: (refund: ShownRefund) => boolean,
): ShownCharge {
  const hidden = charge.refunds.filter((refund) => isHidden(refund) && refund.status !== 'failed');
  const backMinor = hidden.reduce((sum, refund) => sum + refund.amount_in_cents, 0);
  return {
    ...charge,
    refunds: charge.refunds.filter((refund) => !isHidden(refund)),
    refundable_in_cents: charge.refundable_in_cents + backMinor,
  };
}

function isCharge(value: unknown): value is ShownCharge {
  return typeof value === 'object' && value !== null && 'refundable_in_cents' in value;
}

/** A list of refunds; one of charges is shown by its charges. */
function isList(value: unknown): value is { readonly items: readonly ShownRefund[] } {
  if (typeof value !== 'object' || value === null || !('items' in value)) return false;
  const { items } = value;
  return Array.isArray(items) && items.every((each: object) => 'charge_reference' in each);
}
