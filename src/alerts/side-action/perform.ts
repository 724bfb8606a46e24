/**
 * Carries out one side action through its port. Calls out, and writes nothing but what the action
 * itself is: the caller settles the row.
 */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Processor } from '../../service/wire/processor.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { blockCustomer } from '../guard/blocked.store.ts';
import type { CallActions } from './actions-endpoint.ts';
import type { SideActionRow } from './side-action.store.ts';

/** The ports. */
export interface SideActionPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly processor: Pick<Processor, 'cancelSubscription' | 'readCharge'>;
  /** Undefined: the merchant has no endpoint. */
  readonly callActions: CallActions | undefined;
}

/** How it went. `failed`: never, so a person must do it; `again`: not known, or not now. */
export type Performed =
  | { readonly kind: 'done'; readonly note: string | null }
  | { readonly kind: 'failed' | 'again'; readonly why: string };

/** Performs it. May throw; the caller then tries again. */
export async function performSideAction(
  ports: SideActionPorts,
  row: SideActionRow,
  signal: AbortSignal,
): Promise<Performed> {
  switch (row.kind) {
    case 'cancel_subscription':
      return await cancel(ports, row, signal);
    case 'stop_fulfilment':
      return ports.callActions === undefined
        ? { kind: 'failed', why: 'FORESTALL_ACTIONS_URL is not set' }
        : await callMerchant(ports.callActions, row, signal);
    case 'block_customer':
      return await block(ports, row, signal);
    case 'notify':
      return await tell(ports, row);
  }
}

async function cancel(
  ports: SideActionPorts,
  row: SideActionRow,
  signal: AbortSignal,
): Promise<Performed> {
  const processor = await processorAt(ports.processor, row.subject);
  const found = await findSubscription(processor, row, signal);
  if (found.kind !== 'found') return found;
  const answer = await processor.cancelSubscription(found.reference, row.id, signal);
  switch (answer) {
    case 'cancelled':
      return { kind: 'done', note: found.reference };
    case 'unknown':
      return { kind: 'again', why: 'the processor did not answer' };
    case 'not_offered':
      return { kind: 'failed', why: 'the processor offers no cancellation' };
    case 'rejected':
      return { kind: 'failed', why: 'the processor refused the cancellation' };
  }
}

type FoundSubscription =
  | { readonly kind: 'found'; readonly reference: string }
  | Extract<Performed, { readonly why: string }>;

/** The processor's own reference; the order's only where the processor's charges cannot be read. */
async function findSubscription(
  processor: SideActionPorts['processor'],
  row: SideActionRow,
  signal: AbortSignal,
): Promise<FoundSubscription> {
  const charge = await processor.readCharge(row.subject, signal);
  switch (charge.kind) {
    case 'unavailable':
      return { kind: 'again', why: charge.reason };
    case 'absent':
      return { kind: 'failed', why: 'the processor does not know the charge' };
    case 'found':
    case 'not_offered': {
      const reference =
        charge.kind === 'found'
          ? charge.value.subscriptionReference
          : detailSchema.parse(row.detail).subscription;
      return reference === null
        ? { kind: 'failed', why: 'the processor names no subscription of the charge' }
        : { kind: 'found', reference };
    }
  }
}

async function callMerchant(
  callActions: CallActions,
  row: SideActionRow,
  signal: AbortSignal,
): Promise<Performed> {
  const subject =
    row.kind === 'block_customer'
      ? { order_reference: detailSchema.parse(row.detail).order }
      : { order_reference: row.subject };
  const body = { action: row.kind, alert_id: row.alert_id, ...subject };
  const answer = await callActions({ idempotencyKey: row.id, body }, signal);
  if (answer.kind === 'done') return { kind: 'done', note: null };
  const why = `the merchant's endpoint answered: ${answer.reason}`;
  return { kind: answer.kind === 'refused' ? 'failed' : 'again', why };
}

const detailSchema = z.object({
  identities: z.array(z.string()).default([]),
  order: z.string().nullable().default(null),
  subscription: z.string().nullable().default(null),
  text: z.string().default(''),
});

/** On our own list first, which policies ask; then, where there is an endpoint, at the merchant. */
async function block(
  ports: SideActionPorts,
  row: SideActionRow,
  signal: AbortSignal,
): Promise<Performed> {
  const { identities } = detailSchema.parse(row.detail);
  await inTransaction(ports.db, (trx) =>
    blockCustomer(trx, {
      organisationId: row.organisation_id,
      identities,
      by: row.cause,
      alertId: row.alert_id,
      now: nowDate(ports.clock),
    }),
  );
  if (ports.callActions === undefined) return { kind: 'done', note: 'on our own list only' };
  return await callMerchant(ports.callActions, row, signal);
}

async function tell({ db, clock }: SideActionPorts, row: SideActionRow): Promise<Performed> {
  const { text } = detailSchema.parse(row.detail);
  await notify(db, {
    organisationId: row.organisation_id,
    dedupeKey: `policy_says:${row.alert_id}`,
    kind: 'policy_says',
    severity: 'info',
    alertId: row.alert_id,
    text: `Alert ${row.alert_id}: ${text}`,
    at: nowDate(clock),
  });
  return { kind: 'done', note: null };
}
