/**
 * The processor's own webhooks, `POST /processor-events/http` of the HTTP contract: signed, and tried again as the
 * service's are. Nobody is told before an address is set (`changeProcessor({ events: … })`).
 */
import { messageOf } from '../../base/kernel/errors.ts';
import { WEBHOOK_RETRY_DELAYS_MS } from '../../service/wire/limits.ts';
import type { ProcessorEventKind } from '../../service/wire/processor-event.ts';
import type { ChargeRecord, RefundRecord, ToldEvent } from '../state/charges.ts';
import { send } from '../webhooks/send.ts';
import type { World } from '../world.ts';
import { nowIso, scheduleIn, signatureNowMs } from '../world.ts';

/** What is told of a charge. */
export interface News {
  readonly kind: ProcessorEventKind;
  readonly charge: ChargeRecord;
  readonly refund?: RefundRecord;
  /** The dispute's own reference. */
  readonly dispute?: string;
  readonly amountMinor?: number;
}

/** Tells it, from now on until somebody has answered 2xx. */
export function tell(world: World, { kind, charge, refund, dispute, amountMinor }: News): void {
  if (world.processor.events == null) return;
  const id = world.ids.nextWith('pe_', 20);
  const body = JSON.stringify({
    id,
    kind,
    charge_references: [charge.reference],
    refund_reference: refund?.reference ?? null,
    dispute_reference: dispute ?? null,
    amount_in_cents: refund?.amount_in_cents ?? amountMinor ?? null,
    currency: charge.currency,
    occurred_at: nowIso(world),
  });
  world.state.toldEvents.set(id, { id, kind, body, status: 'PENDING', attempts: [] });
  scheduleIn(world, 0, { kind: 'tell_processor_event', subject: id });
}

/** Tells that a refund has moved. */
export function tellOfRefund(world: World, charge: ChargeRecord, refund: RefundRecord): void {
  const kind = refund.status === 'failed' ? 'refund_failed' : 'refund_updated';
  tell(world, { kind, charge, refund });
}

/** The dispute of a charge; there is one at most. */
export function disputeOf({ reference }: ChargeRecord): string {
  return `dp_${reference}`;
}

/** Runs the attempt that is due. */
export async function deliverToldEvent(world: World, id: string): Promise<void> {
  const event = world.state.toldEvents.get(id);
  const { events } = world.processor;
  if (event === undefined || events == null) return;
  const httpStatus = await attempt(world, event, events);
  event.attempts.push({ at: nowIso(world), ...httpStatus });
  const { http_status: status } = httpStatus;
  if (status !== null && status >= 200 && status < 300) {
    event.status = 'SUCCEEDED';
    return;
  }
  const waitMs = WEBHOOK_RETRY_DELAYS_MS[event.attempts.length - 1];
  if (waitMs === undefined) event.status = 'FAILED';
  else scheduleIn(world, waitMs, { kind: 'tell_processor_event', subject: id });
}

async function attempt(
  world: World,
  { id, body }: ToldEvent,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<Omit<ToldEvent['attempts'][number], 'at'>> {
  try {
    const { status } = await send(world, {
      url,
      secret,
      deliveryId: id,
      signedAtSeconds: Math.floor(signatureNowMs(world) / 1_000),
      signedBody: body,
      sentBody: body,
    });
    return { http_status: status, error: null };
  } catch (error) {
    return { http_status: null, error: messageOf(error) };
  }
}
