/**
 * What polling needs of its neighbours: a client that reads, and the one path that applies what was
 * read. Webhooks take the same path, so a poll can never know better or worse than they do.
 */

import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { Enrolment } from '../../service/wire/enrolment.ts';
import type { ReadList } from '../../service/wire/list.ts';
import type { Lookup } from '../../service/wire/lookup.ts';

/** Options that polling gives to a read. */
export interface PollReadOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The reads of the service's client that polling uses. */
export interface PollClient {
  readonly alerts: {
    list(filter: { readonly status: string }, options?: PollReadOptions): AsyncIterable<Alert>;
    /** One page of all alerts, from `offset` on. */
    page(query: { readonly offset: number }, options?: PollReadOptions): Promise<ReadList<Alert>>;
    get(alertId: string, options?: PollReadOptions): Promise<Alert>;
  };
  readonly lookups: {
    list(filter?: Record<string, never>, options?: PollReadOptions): AsyncIterable<Lookup>;
  };
  /** Undefined without a partner key: nobody else may read enrolments. */
  readonly enrolments: PollEnrolments | undefined;
}

/** What polling uses of enrolments. */
export interface PollEnrolments {
  list(
    filter: { readonly organisation_id: string },
    options?: PollReadOptions,
  ): AsyncIterable<Enrolment>;
}

/** One object as the service showed it. */
export interface PolledSnapshot {
  readonly entity: 'alert' | 'lookup' | 'enrolment';
  readonly object: Alert | Lookup | Enrolment;
}

/** What a snapshot did to its row. `refused`: it cannot be placed, and had no effect. */
export type SnapshotEffect = 'created' | 'changed' | 'unchanged' | 'refused';

/**
 * Applies snapshots with source `poll`, each in full or not at all, and answers for each, in order,
 * what it did. Bound by `createApplyPolled`.
 */
export type ApplyPolled = (
  snapshots: readonly PolledSnapshot[],
) => Promise<readonly SnapshotEffect[]>;

/** Options of {@link createPoller}. */
export interface PollerOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Log;
  readonly client: PollClient;
  readonly organisationId: string;
  /** The apply path, with source `poll`. */
  readonly applySnapshots: ApplyPolled;
  /** Names this process in the lease. */
  readonly workerId: string;
  /** Time between rounds: how long the lease outlives one, in milliseconds. @default 120000 */
  readonly intervalMs?: number;
  /** Lookups and enrolments are read in every so many rounds. @default 30 */
  readonly lookupEvery?: number;
  /** The service's clock minus ours, in milliseconds, as its last answer showed; undefined before. */
  readonly clockSkewMs?: () => number | undefined;
}
