/** `/sandbox/*` for the processor's books: charges, refunds made by hand, late failures, settings. */
import { z } from 'zod';
import { FAILURE_CLASSES } from '../../service/wire/processor.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import { created, ok, param } from '../http/route.ts';
import {
  captureCharge,
  returnChargeback,
  setDisputed,
  takeChargeback,
  warnOfFraud,
} from '../processor/charge-life.ts';
import { changeDispute, disputeChanges, submitInDashboard } from '../processor/dispute-life.ts';
import {
  createCharge,
  executeRefund,
  moneyOut,
  refundableOf,
  settleRefund,
  showCharge,
} from '../processor/ledger.ts';
import { newChargeInput } from '../processor/new-charge.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { ChargeRecord } from '../state/charges.ts';
import type { DisputeRecord } from '../state/disputes.ts';
import { checkedUrl } from './accounts.ts';
import { control, creating, must, readControl } from './control-endpoint.ts';

export const chargeChanges = z.strictObject({
  status: z.enum(['authorised', 'captured', 'declined', 'voided']).optional(),
  disputed: z.boolean().optional(),
});

export const refundByHand = z.strictObject({
  /** @default all that is left */
  amount_in_cents: z.int().min(1).optional(),
  /** Pending until it is ended by hand. @default 'succeeded' */
  status: z.enum(['succeeded', 'pending']).optional(),
});

export const capture = z.strictObject({
  /** @default all that is left */
  amount_in_cents: z.int().min(1).optional(),
  /** Releases the rest. @default true */
  final: z.boolean().optional(),
});

export const chargeback = z.strictObject({
  /** 0 gives it back. @default all that was not refunded */
  amount_in_cents: z.int().min(0).optional(),
});

export const refundResult = z.strictObject({
  status: z.enum(['succeeded', 'pending', 'failed']),
  failure_code: z.string().nullable().optional(),
  failure_class: z.enum(FAILURE_CLASSES).nullable().optional(),
});

export const processorChanges = z.strictObject({
  idempotency_ttl_hours: z.number().min(0).optional(),
  can_lookup_by_reference: z.boolean().optional(),
  lookup_lag_seconds: z.number().min(0).optional(),
  refuses_over_refund: z.boolean().optional(),
  async_refunds: z.boolean().optional(),
  pending_counts: z.boolean().optional(),
  request_lifetime_seconds: z.number().min(0).optional(),
  mode: z.enum(['test', 'live']).optional(),
  /** Where its own webhooks go from now on; null: nothing is sent. */
  events: z
    .strictObject({ url: z.string().min(1), secret: z.string().min(16) })
    .nullable()
    .optional(),
  offers: z
    .strictObject({
      search: z.boolean(),
      read: z.boolean(),
      voids: z.boolean(),
      cancellations: z.boolean(),
      capabilities: z.boolean(),
      disputes: z.boolean(),
    })
    .partial()
    .optional(),
});
export type ProcessorChanges = z.input<typeof processorChanges>;

export function bookEndpoints(context: SandboxContext): readonly Endpoint[] {
  const post = creating(context);
  const chargeOf = (reference: string): ChargeRecord =>
    must(context.state.charges.get(reference), 'The charge');
  const disputeAt = (incoming: Incoming): DisputeRecord =>
    must(context.state.disputes.get(param(incoming, 'reference')), 'The dispute');
  return [
    control('GET', '/sandbox/charges', () =>
      ok({
        items: [...context.state.charges.values()].map((charge) => ({
          ...charge,
          ...showCharge(context, charge),
          refunds: charge.refunds,
          money_out: moneyOut(charge),
        })),
      }),
    ),
    post('/sandbox/charges', newChargeInput, createCharge),
    control('PATCH', '/sandbox/charges/{reference}', (incoming) => {
      const charge = chargeOf(param(incoming, 'reference'));
      const { status = charge.status, disputed = charge.disputed } = readControl(
        incoming,
        chargeChanges,
      );
      charge.status = status;
      return ok(setDisputed(context, charge, disputed));
    }),
    control('POST', '/sandbox/charges/{reference}/refunds', (incoming) => {
      const { amount_in_cents: amountMinor, status } = readControl(incoming, refundByHand);
      const byHand = { amountMinor, staysPending: status === 'pending' };
      return created(refundInDashboard(context, param(incoming, 'reference'), byHand));
    }),
    control('POST', '/sandbox/charges/{reference}/captures', (incoming) => {
      const { amount_in_cents: amountMinor, final } = readControl(incoming, capture);
      const charge = chargeOf(param(incoming, 'reference'));
      return created(captureCharge(context, charge, { amountMinor, final }));
    }),
    control('POST', '/sandbox/charges/{reference}/chargebacks', (incoming) => {
      const { amount_in_cents: amountMinor } = readControl(incoming, chargeback);
      const charge = chargeOf(param(incoming, 'reference'));
      return created(
        amountMinor === 0
          ? returnChargeback(context, charge)
          : takeChargeback(context, charge, amountMinor),
      );
    }),
    control('POST', '/sandbox/charges/{reference}/fraud-warnings', (incoming) =>
      created(warnOfFraud(context, chargeOf(param(incoming, 'reference')))),
    ),
    control('PATCH', '/sandbox/refunds/{reference}', (incoming) => {
      const read = readControl(incoming, refundResult);
      const { status, failure_code: failureCode, failure_class: failureClass } = read;
      const result = { status, failureCode, failureClass };
      return ok(must(settleRefund(context, param(incoming, 'reference'), result), 'The refund'));
    }),
    control('GET', '/sandbox/disputes', () => ok({ items: [...context.state.disputes.values()] })),
    control('PATCH', '/sandbox/disputes/{reference}', (incoming) =>
      ok(changeDispute(context, disputeAt(incoming), readControl(incoming, disputeChanges))),
    ),
    control('POST', '/sandbox/disputes/{reference}/submissions', (incoming) =>
      created(submitInDashboard(context, disputeAt(incoming))),
    ),
    control('GET', '/sandbox/processor', () => ok(context.processor)),
    control('PATCH', '/sandbox/processor', (incoming) =>
      ok(changeProcessor(context, readControl(incoming, processorChanges))),
    ),
  ];
}

/** Support refunds a charge by hand, in the processor's dashboard. */
export function refundInDashboard(
  context: SandboxContext,
  reference: string,
  byHand: {
    readonly amountMinor?: number | undefined;
    readonly staysPending?: boolean | undefined;
  },
): ReturnType<typeof executeRefund> {
  const charge = must(context.state.charges.get(reference), 'The charge');
  const { amountMinor = refundableOf(charge, charge.refunds), staysPending } = byHand;
  const { currency } = charge;
  return executeRefund(context, {
    charge,
    amountMinor,
    currency,
    idempotencyKey: null,
    staysPending,
  });
}

/** Changes what the processor can do, from now on. */
export function changeProcessor(
  context: SandboxContext,
  changes: ProcessorChanges,
): SandboxContext['processor'] {
  const { offers, ...flat } = changes;
  checkedUrl(flat.events?.url ?? null);
  const given = Object.entries(flat).filter(([, value]) => value !== undefined);
  context.processor = Object.assign({ ...context.processor }, Object.fromEntries(given), {
    offers: { ...context.processor.offers, ...offers },
  });
  return context.processor;
}
