/**
 * Takes in signed deliveries: durable when the promise resolves, each event once.
 *
 * Before `store` resolves, the event and its place on the work list are committed, or it was known
 * before, or it lies in quarantine. When `store` throws, the outcome is unknown and the sender must
 * repeat; a repeat of what was committed is recognised by its id.
 */
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Installation } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Delivery } from './delivery.ts';
import { hashOf, readBody } from './delivery.ts';
import type { OwnPace } from './flood-pace.ts';
import { createGroupCommit } from './group-commit.ts';
import type { ReadDelivery, StoreOutcome } from './inbox-flush.ts';
import { flushDeliveries } from './inbox-flush.ts';
import { createInboxWake } from './inbox-wake.ts';
import { insertPollRequest } from './poll-request.store.ts';

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
}

/** The share of one organisation, whatever comes for it: items that wait, and flushes at once. */
const SHARE = { waitingMax: 1_000, flushesMax: 2 };

/** Opens the inbox of one organisation. */
export function createInbox(options: InboxOptions): Inbox {
  const { database, log, pace } = options;
  const wake = createInboxWake(database.db, log);
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
