/**
 * The processor's own webhooks, `POST /processor-events/http` of the HTTP contract: signed, and tried again as the
 * service's are. Nothing is sent before an address is set (`changeProcessor({ events: … })`).
 */
import { messageOf } from '../../base/kernel/errors.ts';
import { WEBHOOK_RETRY_DELAYS_MS } from '../../service/wire/limits.ts';
import type { ProcessorEventKind } from '../../service/wire/processor-event.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso, scheduleIn, signatureNowMs } from '../sandbox-context.ts';
import type { ChargeRecord, RefundRecord, ToldEvent } from '../state/charges.ts';
import { send } from '../webhooks/send.ts';

export interface News {
  readonly kind: ProcessorEventKind;
  readonly charge: ChargeRecord;
  readonly refund?: RefundRecord;
  /** The dispute's own reference. */
  readonly dispute?: string;
  readonly amountMinor?: number;
}

/** Tells it, from now on until somebody has answered 2xx. */
export function tell(
  context: SandboxContext,
  { kind, charge, refund, dispute, amountMinor }: News,
): void {
  if (context.processor.events == null) return;
  const id = context.ids.nextWith('pe_', 20);
  const body = JSON.stringify({
    id,
    kind,
    charge_references: [charge.reference],
    refund_reference: refund?.reference ?? null,
    dispute_reference: dispute ?? null,
    amount_in_cents: refund?.amount_in_cents ?? amountMinor ?? null,
    currency: charge.currency,
    occurred_at: nowIso(context),
  });
  context.state.toldEvents.set(id, { id, kind, body, status: 'PENDING', attempts: [] });
  scheduleIn(context, 0, { kind: 'tell_processor_event', subject: id });
}

/** Tells that a refund has moved. */
export function tellOfRefund(
  context: SandboxContext,
  charge: ChargeRecord,
  refund: RefundRecord,
): void {
  const kind = refund.status === 'failed' ? 'refund_failed' : 'refund_updated';
  tell(context, { kind, charge, refund });
}

/** Runs the attempt that is due. */
export async function deliverToldEvent(context: SandboxContext, id: string): Promise<void> {
  const event = context.state.toldEvents.get(id);
  const { events } = context.processor;
  if (event === undefined || events == null) return;
  const httpStatus = await attempt(context, event, events);
  event.attempts.push({ at: nowIso(context), ...httpStatus });
  const { http_status: status } = httpStatus;
  if (status !== null && status >= 200 && status < 300) {
    event.status = 'SUCCEEDED';
    return;
  }
  const waitMs = WEBHOOK_RETRY_DELAYS_MS[event.attempts.length - 1];
  if (waitMs === undefined) event.status = 'FAILED';
  else scheduleIn(context, waitMs, { kind: 'tell_processor_event', subject: id });
}

async function attempt(
  context: SandboxContext,
  { id, body }: ToldEvent,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<Omit<ToldEvent['attempts'][number], 'at'>> {
  try {
    const { status } = await send(context, {
      url,
      secret,
      deliveryId: id,
      signedAtSeconds: Math.floor(signatureNowMs(context) / 1_000),
      signedBody: body,
      sentBody: body,
    });
    return { http_status: status, error: null };
  } catch (error) {
    return { http_status: null, error: messageOf(error) };
  }
}
