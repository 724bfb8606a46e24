/**
 * Takes in signed deliveries: durable when the promise resolves, each event once.
 *
 * Before `store` resolves, the event and its place on the work list are committed, or it was known
 * before, or it lies in quarantine. When `store` throws, the outcome is unknown and the sender must
 * repeat; a repeat of what was committed is recognised by its id.
 *
 * What arrives together is stored in one flush. New events go in together. Where the database refuses the
 * data of one, it is found by halves and set aside, so that its neighbours are stored. What was known before
 * is compared with what came.
 */

import type { Pool } from 'pg';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Installation } from '../../base/db/database.ts';
import { isRowFault } from '../../base/db/row-fault.ts';
import { inTransaction, sqlStateOf } from '../../base/db/transaction.ts';
import { maskText } from '../../base/kernel/card-number.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Delivery, MalformedReason } from './delivery.ts';
import { hashOf, readBody, syntheticId } from './delivery.ts';
import type { OwnPace } from './flood-pace.ts';
import { createGroupCommit } from './group-commit.ts';
import { insertIdleDelivery, readBodyHashes } from './inbox.store.ts';
import type { InboxBatch, InboxDelivery, KnownDelivery } from './inbox-insert.store.ts';
import { insertDeliveries } from './inbox-insert.store.ts';
import type { InboxWake, TellWorkers } from './inbox-wake.ts';
import { createInboxWake, tellingTogether } from './inbox-wake.ts';
import { insertPollRequest } from './poll-request.store.ts';
import { insertQuarantine, isQuarantined } from './quarantine.store.ts';

/** Connections the pool of {@link InboxOptions.database} needs: one for each flush, and one for the rest. */
export const INBOX_CONNECTIONS = 5;

/** Longest statement of that pool, in milliseconds: a delivery must be answered within 5 s. */
export const INBOX_STATEMENT_TIMEOUT_MS = 4_000;

/** A delivery that was authentic but signed outside the tolerance. */
export interface StaleDelivery {
  readonly alertId: string | undefined;
  /** Our clock minus the signature's, in seconds. */
  readonly ageSeconds: number;
}

/** Where deliveries go. */
export interface Inbox {
  /** @throws when it could not be stored; nothing may be promised to the sender then */
  store(delivery: Delivery): Promise<StoreOutcome>;
  /** Notes a refused but authentic delivery: asks for a read of its alert, warns about the clocks. */
  noteStale(stale: StaleDelivery): Promise<void>;
  /** Deliveries under way. */
  readonly pending: number;
  /** Waits for deliveries under way. */
  close(): Promise<void>;
}

/** Options of {@link createInbox}. */
export interface InboxOptions extends Pick<Installation, 'clock' | 'log' | 'organisationId'> {
  /**
   * A pool of its own, so that slow queries elsewhere cannot hold up a delivery: see
   * {@link INBOX_CONNECTIONS} and {@link INBOX_STATEMENT_TIMEOUT_MS}.
   */
  readonly database: Pick<OpenDatabase, 'db' | 'pool'>;
  /** Other organisations use that pool too: this one waits and stores in its share of it. */
  readonly isShared?: boolean;
  /** Where others share the process. @default nothing is paced */
  readonly pace?: OwnPace | undefined;
  /** Where others share the process. @default its own */
  readonly tellWorkers?: TellWorkers | undefined;
}

/** The share of one organisation, whatever comes for it: items that wait, and flushes at once. */
const SHARE = { waitingMax: 1_000, flushesMax: 2 };

/** Opens the inbox of one organisation. */
export function createInbox(options: InboxOptions): Inbox {
  const { database, log, pace } = options;
  const { tellWorkers = tellingTogether(database.db, log) } = options;
  const wake = createInboxWake(database.db, tellWorkers);
  const context = { ...options, wake };
  const commits = createGroupCommit<ReadDelivery, StoreOutcome>({
    flush: (deliveries) => flushDeliveries(context, deliveries),
    bytesOf: (delivery) => delivery.body.length,
    ...(options.isShared === true ? SHARE : {}),
    pace,
  });
  return {
    async store(delivery): Promise<StoreOutcome> {
      const { body } = delivery;
      const bodyHash = hashOf(body);
      const read = { ...delivery, ...readBody(body, bodyHash), bodyHash };
      const outcome = await commits.add(read);
      return outcome.duplicate ? { ...outcome, eventId: read.eventId } : outcome;
    },
    noteStale: (stale) => noteStale(options, stale),
    get pending(): number {
      return commits.pending;
    },
    async close(): Promise<void> {
      await commits.drain();
      wake.stop();
    },
  };
}

/** Why a signed delivery will have no effect. */
export type QuarantineReason = MalformedReason | 'id_reused' | 'store_failed';

/** What became of a delivery. Whatever it is, it is answered 200. */
export interface StoreOutcome {
  /** Its event id had been stored before. */
  readonly duplicate: boolean;
  /** Why it will have no effect, or undefined. */
  readonly quarantined: QuarantineReason | undefined;
  /** Of which event a duplicate is. */
  readonly eventId?: string;
}

/** A delivery whose body has been read for its id. */
interface ReadDelivery extends InboxDelivery {
  readonly malformed: MalformedReason | undefined;
}

/** What a flush works with. */
interface FlushContext extends Pick<Installation, 'clock' | 'log' | 'organisationId'> {
  readonly database: Pick<OpenDatabase, 'db' | 'pool'>;
  readonly wake: InboxWake;
}

/** What a flush has found out so far. */
interface Findings {
  readonly outcomes: Map<ReadDelivery, StoreOutcome>;
  /** Hashes of the first bodies of events that were known. */
  readonly hashes: Map<string, Buffer>;
}

const STORED: StoreOutcome = { duplicate: false, quarantined: undefined };
/** The same bytes again: nothing to do. */
const REPEATED: StoreOutcome = { duplicate: true, quarantined: undefined };

/** SQLSTATEs that say only that two statements met: deadlock, serialization failure. */
const REPEATABLE: ReadonlySet<string> = new Set(['40P01', '40001']);
const ATTEMPTS_MAX = 3;

/**
 * Stores deliveries. Everything is committed when it resolves.
 *
 * @throws when the database is at fault; some may have been committed by then, and a repeat finds them
 */
async function flushDeliveries(
  context: FlushContext,
  deliveries: readonly ReadDelivery[],
): Promise<readonly StoreOutcome[]> {
  await crashPoint('delivery.read');
  const findings: Findings = { outcomes: new Map(), hashes: new Map() };
  const { outcomes } = findings;
  await storeNew(context, sortedHeads(deliveries), findings);
  for (const delivery of deliveries) {
    if (delivery.malformed !== undefined) await storeMalformed(context, delivery, findings);
  }
  const known = deliveries.filter((delivery) => !outcomes.has(delivery));
  if (known.length > 0) await compareKnown(context, known, findings);
  await crashPoint('delivery.stored');
  return deliveries.map((delivery) => outcomes.get(delivery) ?? REPEATED);
}

/** The first delivery of each event, sorted by event id in the order every process uses. */
function sortedHeads(deliveries: readonly ReadDelivery[]): ReadDelivery[] {
  const heads = new Map<string, ReadDelivery>();
  for (const delivery of deliveries) {
    if (delivery.malformed !== undefined || heads.has(delivery.eventId)) continue;
    heads.set(delivery.eventId, delivery);
  }
  return [...heads.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

async function storeNew(
  context: FlushContext,
  deliveries: readonly ReadDelivery[],
  findings: Findings,
): Promise<void> {
  const { outcomes, hashes } = findings;
  const [first] = deliveries;
  if (first === undefined) return;
  const { database, clock, organisationId, wake } = context;
  try {
    const dataKeys = dataKeysOf(database.db);
    const batch = { organisationId, receivedAt: nowDate(clock), deliveries, dataKeys };
    const known = await insertRepeatably(database.pool, batch);
    if (known.length < deliveries.length) wake.poke();
    const knownIds = new Set(known.map((each) => each.eventId));
    for (const delivery of deliveries) {
      if (!knownIds.has(delivery.eventId)) outcomes.set(delivery, STORED);
    }
    for (const { eventId, bodyHash } of known) {
      if (bodyHash !== null) hashes.set(eventId, bodyHash);
    }
  } catch (error) {
    if (!isRowFault(error)) throw error;
    if (deliveries.length === 1) {
      const detail = sqlStateOf(error) ?? 'unknown';
      await quarantine(context, first, { reason: 'store_failed', detail });
      outcomes.set(first, { duplicate: false, quarantined: 'store_failed' });
      return;
    }
    const half = Math.ceil(deliveries.length / 2);
    await storeNew(context, deliveries.slice(0, half), findings);
    await storeNew(context, deliveries.slice(half), findings);
  }
}

async function insertRepeatably(pool: Pool, batch: InboxBatch): Promise<readonly KnownDelivery[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await insertDeliveries(pool, batch);
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !REPEATABLE.has(sqlStateOf(error) ?? '')) throw error;
    }
  }
}

/** Keeps a body that is no event, under the id made of its bytes; without work to do. */
async function storeMalformed(
  context: FlushContext,
  delivery: ReadDelivery,
  { outcomes }: Findings,
): Promise<void> {
  const { database, clock, log, organisationId } = context;
  const { db } = database;
  const { eventId, malformed: reason } = delivery;
  if (reason === undefined) return;
  const receivedAt = nowDate(clock);
  const seq = await inTransaction(db, async (trx) => {
    // What is no event has no fields by which a card number could be told from a name.
    const masked = { ...delivery, body: maskText(delivery.body) };
    const stored = await insertIdleDelivery(trx, organisationId, { delivery: masked, receivedAt });
    if (stored === undefined) return undefined;
    await insertQuarantine(trx, { organisationId, eventId, seq: stored, reason, at: receivedAt });
    return stored;
  });
  if (seq !== undefined) log.warn({ eventId, reason }, 'event quarantined');
  outcomes.set(delivery, { duplicate: seq === undefined, quarantined: reason });
}

/** For deliveries whose id was known: the same bytes are a repeat, others are somebody's mistake. */
async function compareKnown(
  context: FlushContext,
  deliveries: readonly ReadDelivery[],
  { outcomes, hashes }: Findings,
): Promise<void> {
  const ids = new Set(deliveries.map((delivery) => delivery.eventId));
  const unread = [...ids].filter((id) => !hashes.has(id));
  const read = await readBodyHashes(context.database.db, context.organisationId, unread);
  for (const delivery of deliveries) {
    const { eventId, bodyHash } = delivery;
    const first = hashes.get(eventId) ?? read.get(eventId);
    const isRepeat = first?.equals(bodyHash) === true;
    if (!isRepeat) {
      const detail = syntheticId(bodyHash);
      await quarantine(context, delivery, { reason: 'id_reused', detail });
    }
    outcomes.set(delivery, isRepeat ? REPEATED : { duplicate: true, quarantined: 'id_reused' });
  }
}

/** Keeps a delivery whole in the quarantine itself, once. */
async function quarantine(
  context: FlushContext,
  delivery: ReadDelivery,
  why: { readonly reason: QuarantineReason; readonly detail: string },
): Promise<void> {
  const { database, clock, log, organisationId } = context;
  const { db } = database;
  const { eventId, body } = delivery;
  const row = { organisationId, eventId, body, ...why };
  if (await isQuarantined(db, row)) return;
  await inTransaction(db, (trx) => insertQuarantine(trx, { ...row, at: nowDate(clock) }));
  log.warn({ eventId, reason: why.reason }, 'event quarantined');
}

async function noteStale(options: InboxOptions, stale: StaleDelivery): Promise<void> {
  const { database, clock, organisationId } = options;
  const { alertId, ageSeconds } = stale;
  const at = nowDate(clock);
  const direction = ageSeconds > 0 ? 'behind' : 'ahead of';
  await inTransaction(database.db, async (trx) => {
    if (alertId !== undefined) {
      await insertPollRequest(trx, { organisationId, alertId, reason: 'stale_signature', at });
    }
    await notify(trx, {
      organisationId,
      dedupeKey: `clock_skew:${at.toISOString().slice(0, 10)}`,
      kind: 'clock_skew',
      severity: 'warning',
      text: `An authentic webhook was refused: its signature is ${Math.abs(ageSeconds)} s ${direction} our clock. An alert it was about is read from the service instead. Check the time synchronisation of this machine and of the database; retries that are not signed again look the same.`,
      at,
    });
  });
}
