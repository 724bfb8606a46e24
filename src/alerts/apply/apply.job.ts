/**
 * Drains the inbox: takes stored events off the work list and applies them, hundreds at a time.
 *
 * Taking and applying are one transaction, so an event is applied once or is still on the list. An
 * event that cannot be understood is quarantined and has no effect; one that the database refuses is
 * found by halves and quarantined alone.
 */
import type { Installation, Trx } from '../../base/db/database.ts';
import { isRowFault } from '../../base/db/row-fault.ts';
import { inTransaction, sqlStateOf } from '../../base/db/transaction.ts';
import { maskBody, maskCards, mayHoldCards } from '../../base/kernel/card-number.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { tracePast } from '../../base/kernel/trace.ts';
import type { BrandTokens } from '../../service/wire/brand-tokens.ts';
import { entityOfEventType } from '../../service/wire/event.ts';
import { replaceBody } from '../receive/inbox.store.ts';
import type {
  WorkDivision,
  WorkItem,
  WorkRange,
  WorkSelection,
} from '../receive/inbox-work.store.ts';
import { divideWork, takeWork } from '../receive/inbox-work.store.ts';
import { insertQuarantine } from '../receive/quarantine.store.ts';
import { applySnapshots } from './apply-snapshots.ts';
import type { ServiceObject } from './fields.ts';
import { writingLastWebhook } from './last-webhook.store.ts';
import type { SnapshotInput, UnusableReason } from './snapshot.ts';

/** Events taken together. More would hold locks longer without gaining speed. */
export const APPLY_BATCH = 500;

/**
 * The same where others share the process: reading so many holds up their work for milliseconds only. One lane
 * drains a backlog there.
 */
export const SHARED_APPLY_BATCH = 50;

/**
 * Lanes that drain a backlog side by side: one reads a batch while the database writes the others'. Each has a
 * part of the list for itself, because neighbours on the list are often about one entity: of two lanes
 * that took them, one would wait for the other's commit.
 */
const APPLY_LANES = 3;

/** Most batches of a lane in one round, so that a round is over within seconds whatever waits. */
const LANE_BATCHES_MAX = 8;

const ROUND: WorkDivision = {
  limit: APPLY_LANES * LANE_BATCHES_MAX * APPLY_BATCH,
  parts: APPLY_LANES,
  partMin: APPLY_BATCH,
};

/** How much later a webhook must be to be worth noting, in milliseconds. */
const LAST_WEBHOOK_STEP_MS = 1_000;

/** Why an applied event ended in quarantine. */
export type ApplyQuarantineReason = EventRefusal | UnusableReason | 'apply_failed' | 'body_gone';

/** Options of {@link createApplier}. */
export interface ApplierOptions
  extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly brandTokens: Pick<BrandTokens, 'fromWire'>;
  /** Other organisations share the process. */
  readonly isShared?: boolean;
}

/** Applies stored events. */
export interface Applier {
  /**
   * One batch, or several side by side when it shows that there is a backlog.
   *
   * @returns how many events were taken off the list; 0 means there are none
   */
  drainOnce(): Promise<number>;
}

/** Creates an applier. Any number may run at once, in any number of processes. */
export function createApplier(options: ApplierOptions): Applier {
  const noted = { lastWebhookMs: 0, isBehind: false };
  const context = { ...options, noted };
  return {
    async drainOnce(): Promise<number> {
      if (options.isShared === true) return await applySome(context, { limit: SHARED_APPLY_BATCH });
      const first = noted.isBehind ? 0 : await applySome(context, { limit: APPLY_BATCH });
      if (!noted.isBehind && first < APPLY_BATCH) return first;
      const parts = await divideWork(options.db, options.organisationId, ROUND);
      const taken = await allOf(parts.map((part) => drainPart(context, part)));
      const total = taken.reduce((sum, count) => sum + count, 0);
      noted.isBehind = total >= ROUND.limit;
      return first + total;
    },
  };
}

/** Batch after batch, without waiting for the other lanes, until one is not full. */
async function drainPart(context: ApplyContext, within: WorkRange): Promise<number> {
  let taken = 0;
  for (let batch = 0; batch < LANE_BATCHES_MAX; batch++) {
    const count = await applySome(context, { limit: APPLY_BATCH, within });
    taken += count;
    if (count < APPLY_BATCH) break;
  }
  return taken;
}

/** Waits for all of them, also when one fails, so that none continues unseen. */
async function allOf(running: readonly Promise<number>[]): Promise<number[]> {
  await Promise.allSettled(running);
  return await Promise.all(running);
}

interface ApplyContext extends ApplierOptions {
  /** The last webhook this process noted, and whether its last round ended before the backlog did. */
  readonly noted: { lastWebhookMs: number; isBehind: boolean };
}

/** An event that will have no effect. */
interface Refused {
  readonly item: WorkItem;
  readonly reason: ApplyQuarantineReason;
  readonly detail: string;
}

/** Applies a selection; on a fault of the data by halves, down to the one event at fault. */
async function applySome(context: ApplyContext, selection: WorkSelection): Promise<number> {
  const { db, organisationId, noted } = context;
  let taken: readonly WorkItem[] = [];
  try {
    await inTransaction(db, async (trx) => {
      taken = await takeWork(trx, organisationId, selection);
      await applyItems(trx, context, taken);
    });
    const lastMs = taken.at(-1)?.receivedAt.getTime() ?? 0;
    noted.lastWebhookMs = Math.max(noted.lastWebhookMs, lastMs);
    return taken.length;
  } catch (error) {
    if (!isRowFault(error) || taken.length === 0) throw error;
    const seqs = taken.map((item) => item.seq);
    if (seqs.length === 1) return await setAside(context, seqs, sqlStateOf(error) ?? 'defect');
    const half = Math.ceil(seqs.length / 2);
    const first = await applySome(context, { seqs: seqs.slice(0, half) });
    const second = await applySome(context, { seqs: seqs.slice(half) });
    return first + second;
  }
}

async function applyItems(
  trx: Trx,
  context: ApplyContext,
  items: readonly WorkItem[],
): Promise<void> {
  const { clock, organisationId, brandTokens, noted } = context;
  const last = items.at(-1);
  if (last === undefined) return;
  const refused: Refused[] = [];
  const usable: { readonly item: WorkItem; readonly input: SnapshotInput }[] = [];
  for (const item of items) {
    if (item.text === null) {
      const detail = item.sealFault ?? 'the body is no longer stored';
      refused.push({ item, reason: 'body_gone', detail });
      continue;
    }
    const read = readEvent({ eventId: item.eventId, text: item.text }, brandTokens);
    if (read.heldCard) await maskStored(trx, organisationId, item);
    if (read.ok) usable.push({ item, input: read.input });
    else refused.push({ item, reason: read.reason, detail: read.detail });
  }
  const now = nowDate(clock);
  const isNews = last.receivedAt.getTime() >= noted.lastWebhookMs + LAST_WEBHOOK_STEP_MS;
  const outcomes = await applySnapshots(trx, {
    organisationId,
    source: 'webhook',
    beside: isNews ? [writingLastWebhook(organisationId, last.receivedAt)] : [],
    snapshots: usable.map(({ input }) => input),
    now,
  });
  for (const [index, { item, input }] of usable.entries()) {
    const outcome = outcomes[index];
    if (outcome?.effect !== 'refused') {
      traceArrival(item, input, now);
      continue;
    }
    refused.push({ item, reason: outcome.reason, detail: outcome.detail });
  }
  await quarantineAll(trx, context, refused);
}

/** Masks full card numbers in the body itself, which stays for longer than its event is under way. */
async function maskStored(trx: Trx, organisationId: string, item: WorkItem): Promise<void> {
  if (item.text === null) return;
  const body = Buffer.from(item.text);
  const masked = maskBody(body);
  if (masked !== body) await replaceBody(trx, organisationId, { ...item, body: masked });
}

/** From the signed bytes on disk to the alert's row. */
function traceArrival(item: WorkItem, { entity, object }: SnapshotInput, now: Date): void {
  const { id } = object;
  if (entity !== 'alert' || typeof id !== 'string') return;
  const about = { alertId: id, attributes: { 'forestall.event_id': item.eventId } };
  tracePast('webhook applied', about, { startedAt: item.receivedAt, endedAt: now });
}

async function quarantineAll(
  trx: Trx,
  { organisationId, clock, log }: ApplierOptions,
  refused: readonly Refused[],
): Promise<void> {
  for (const { item, reason, detail } of refused) {
    const { eventId, seq } = item;
    await insertQuarantine(trx, {
      organisationId,
      eventId,
      seq,
      reason,
      detail,
      at: nowDate(clock),
    });
    // The detail quotes the event; it stays in the row, for anyone who may see it.
    log.warn({ eventId, reason }, 'event quarantined');
  }
}

/** Takes one event off the list without applying it: the database refused it. */
async function setAside(
  options: ApplierOptions,
  seqs: readonly number[],
  detail: string,
): Promise<number> {
  const { db, organisationId } = options;
  return await inTransaction(db, async (trx) => {
    const taken = await takeWork(trx, organisationId, { seqs });
    for (const item of taken) await maskStored(trx, organisationId, item);
    const refused = taken.map((item): Refused => ({ item, reason: 'apply_failed', detail }));
    await quarantineAll(trx, options, refused);
    return taken.length;
  });
}

/** Why an event has no effect. */
type EventRefusal = 'event_malformed' | 'unknown_type';

/** What an event is about, with the object it carries. */
type EventRead = {
  /** Whether its body held a full card number, and has to be stored again without. */
  readonly heldCard: boolean;
} & (
  | { readonly ok: true; readonly input: SnapshotInput }
  | { readonly ok: false; readonly reason: EventRefusal; readonly detail: string }
);

/** Longest part of an unknown type that is told to a person, in characters. */
const TYPE_SHOWN_MAX = 80;

/**
 * Reads an event's envelope. Its text was parsed strictly before it was put on the work list, so only its shape
 * can be wrong here.
 */
export function readEvent(
  stored: { readonly eventId: string; readonly text: string },
  brandTokens: Pick<BrandTokens, 'fromWire'>,
): EventRead {
  const parsed = parseObject(stored.text, brandTokens);
  if (parsed === undefined) {
    const body = Buffer.from(stored.text);
    return malformed('the body is not a JSON object', maskBody(body) !== body);
  }
  const { object: event, fields: masked } = mayHoldCards(stored.text)
    ? maskCards(parsed)
    : { object: parsed, fields: [] };
  const heldCard = masked.length > 0;
  const { type, data, created_at: eventCreatedAt } = event;
  if (typeof type !== 'string') return malformed('type is no text', heldCard);
  const entity = entityOfEventType(type);
  if (entity === undefined) {
    const detail = `type ${JSON.stringify(type.slice(0, TYPE_SHOWN_MAX))}`;
    return { ok: false, reason: 'unknown_type', detail, heldCard };
  }
  const object = isRecord(data) ? data['object'] : undefined;
  if (!isRecord(object)) return malformed('data.object is no object', heldCard);
  const { eventId } = stored;
  const isUpdate = type.endsWith('.updated');
  const input = { entity, object, eventId, eventCreatedAt, isUpdate, masked };
  return { ok: true, heldCard, input };
}

function parseObject(
  text: string,
  brandTokens: Pick<BrandTokens, 'fromWire'>,
): ServiceObject | undefined {
  try {
    const value = brandTokens.fromWire(JSON.parse(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function malformed(detail: string, heldCard: boolean): EventRead {
  return { ok: false, reason: 'event_malformed', detail, heldCard };
}
