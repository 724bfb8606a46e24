/**
 * What polling needs from other stages: a client that reads, and the one path that applies what was
 * read. Webhooks take the same path, so a poll can never know better or worse than they do. And the
 * result of a round: logged, kept as a fact, shown.
 */

import type { Installation } from '../../base/db/database.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { Enrolment } from '../../service/wire/enrolment.ts';
import type { ReadList } from '../../service/wire/list.ts';
import type { Lookup } from '../../service/wire/lookup.ts';
import type { AnswerAgain } from '../declare/answer-again.ts';

export interface PollReadOptions {
  readonly signal?: AbortSignal | undefined;
}

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
  /** Undefined without a partner key: only with one may enrolments be read. */
  readonly enrolments: PollEnrolments | undefined;
}

/** What polling uses of enrolments. */
export interface PollEnrolments {
  list(
    filter: { readonly organisation_id: string },
    options?: PollReadOptions,
  ): AsyncIterable<Enrolment>;
}

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

export interface PollerOptions extends Installation {
  readonly client: PollClient;
  /** The apply path, with source `poll`. */
  readonly applySnapshots: ApplyPolled;
  /** Answers alerts that are open again. */
  readonly answerAgain: AnswerAgain;
  /** Time between rounds: how long the lease outlives one, in milliseconds. @default 120000 */
  readonly intervalMs?: number;
  /** Lookups and enrolments are read in every so many rounds. @default 30 */
  readonly lookupEvery?: number;
  /** The service's clock minus ours, in milliseconds, as its last answer showed; undefined before. */
  readonly clockSkewMs?: () => number | undefined;
}

/** How a round ended. `standby`: another process polls for this organisation. */
type PollOutcome = 'whole' | 'partial' | 'standby';

/** Counts of one round. */
export interface PollReport {
  readonly outcome: PollOutcome;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Alerts on the list of those that need an action. */
  readonly listed: number;
  /** Alerts that no webhook had announced. */
  readonly newWithoutWebhook: number;
  /** Known alerts whose change no webhook had announced. */
  readonly healed: number;
  /** Alerts we held open that were no longer on the list. */
  readonly leftTheList: number;
  /** Of those, how many the service no longer knows. */
  readonly notFound: number;
  /** Reads that somebody asked for: ties between snapshots, refused deliveries. */
  readonly requested: number;
  /** Alerts that should have been read and were not; the next round continues. */
  readonly unread: number;
  /** Items of another organisation: never applied. */
  readonly foreign: number;
  /** Alerts of any status read by the sweep; null in rounds without one. */
  readonly swept: number | null;
  /** Whether that sweep has come to its end; the next round continues otherwise. */
  readonly sweepDone: boolean;
  /** Lookups read; null in rounds that leave them out. */
  readonly lookups: number | null;
  /** Enrolments read; null in rounds that leave them out, and where they cannot be read. */
  readonly enrolments: number | null;
  readonly findingsOpened: number;
  readonly findingsClosed: number;
  /** Codes of what went wrong, each once. Empty when nothing did. */
  readonly errors: readonly string[];
}

/** What a round begins to count from. */
export const NOTHING_READ = {
  listed: 0,
  newWithoutWebhook: 0,
  healed: 0,
  leftTheList: 0,
  notFound: 0,
  requested: 0,
  unread: 0,
  foreign: 0,
  swept: null,
  sweepDone: false,
  lookups: null,
  enrolments: null,
} as const;

/** What is counted while a round goes on. */
export type Counts = { -readonly [Name in keyof typeof NOTHING_READ]: PollReport[Name] };

/** The report of a round that did nothing because another process polls. */
export function standbyReport(startedAt: string): PollReport {
  return {
    outcome: 'standby',
    startedAt,
    durationMs: 0,
    ...NOTHING_READ,
    findingsOpened: 0,
    findingsClosed: 0,
    errors: [],
  };
}
