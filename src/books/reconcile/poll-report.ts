/** What one round of polling found, as it is logged, kept as a fact and shown. */

/** How a round ended. `standby`: another process polls for this organisation. */
export type PollOutcome = 'whole' | 'partial' | 'standby';

/** Counts of one round. */
export interface PollReport {
  readonly outcome: PollOutcome;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** Alerts on the list of those that need an action. */
  readonly listed: number;
  /** Alerts that no webhook had told us about. */
  readonly newWithoutWebhook: number;
  /** Known alerts whose change no webhook had told us about. */
  readonly healed: number;
  /** Alerts we held open that were no longer on the list. */
  readonly leftTheList: number;
  /** Of those, how many the service no longer knows. */
  readonly notFound: number;
  /** Reads that somebody asked for: ties between snapshots, refused deliveries. */
  readonly requested: number;
  /** Alerts that should have been read and were not; the next round goes on. */
  readonly unread: number;
  /** Items of another organisation: never applied. */
  readonly foreign: number;
  /** Alerts of any status read by the sweep; null in rounds without one. */
  readonly swept: number | null;
  /** Whether that sweep has come to its end; the next round goes on otherwise. */
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
