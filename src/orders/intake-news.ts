/**
 * Notifies what depends on an intake, inside its transaction: the charge index, the evidence index,
 * the sender, and people when something was held or refused.
 */
import type { Trx } from '../base/db/database.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { maskCardNumbers } from '../base/kernel/card-number.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { notify } from '../base/notify/notification.store.ts';
import { indexCharges } from './charge-index.ts';
import type { IntakeContext } from './intake-context.ts';
import type { OrderBody } from './order-body.ts';
import { recordEvidence } from './record-evidence.ts';

/** Topic on which the sender and the updater are woken. */
export const FEED_TOPIC = 'feed';

/** Topic on which the updater alone is woken: an order that the service holds has changed. */
export const FEED_UPDATE_TOPIC = 'feed-update';

/** Everything that has to know about stored orders, in the same transaction. */
export async function announce(
  trx: Trx,
  context: IntakeContext,
  news: { readonly stored: readonly OrderBody[]; readonly held: readonly string[] },
): Promise<void> {
  const now = nowDate(context.clock);
  const { organisationId, onCharges } = context;
  await indexCharges(trx, { organisationId, orders: news.stored, onCharges, now });
  await recordEvidence(trx, { organisationId, orders: news.stored, now });
  if (news.held.length > 0) {
    await notify(trx, {
      organisationId: context.organisationId,
      dedupeKey: `feed.held:${now.toISOString().slice(0, 13)}`,
      kind: 'order_held',
      severity: 'warning',
      text: `Orders are held because fields of your programmes are missing, first ${news.held[0]}. Run "forestall orders status", then send them again corrected or release them.`,
      at: now,
    });
  }
  await wake(trx, FEED_TOPIC);
}

/** Tells people that card numbers were refused; one message an hour. */
export async function alarmCardNumbers(
  trx: Trx,
  context: IntakeContext,
  count: number,
): Promise<void> {
  const now = nowDate(context.clock);
  await notify(trx, {
    organisationId: context.organisationId,
    dedupeKey: `feed.card_number:${now.toISOString().slice(0, 13)}`,
    kind: 'card_number_refused',
    severity: 'error',
    text: `${count} order(s) held a full card number and were refused; nothing of them was stored. Send first six and last four digits only.`,
    at: now,
  });
}

/** The reference of an input that was refused, for the answer; a card number in it is masked. */
export function referenceIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('reference_id' in input)) return null;
  const { reference_id: reference } = input;
  return typeof reference === 'string' ? maskCardNumbers(reference).slice(0, 200) : null;
}
