/** Names of the facts that reconcile writes: when the last poll was, what it found, since when it fails. */
export const RECONCILE_FACTS = {
  /** ISO 8601: the end of the last poll that read the whole list. */
  lastPollAt: 'last_poll_at',
  /** The report of the last round, whole or not. */
  lastPollReport: 'last_poll_report',
  /** Failing rounds in a row; absent value null while polling works. */
  pollFailure: 'poll_failure',
  /** What polling found since a webhook last arrived. */
  webhookSilence: 'webhook_silence',
  /** How many rounds since lookups were read. */
  lookupRound: 'poll_lookup_round',
  /** How far the sweep over alerts of every status is. */
  sweep: 'poll_sweep',
  /** Whether the last full round read enrolments. */
  enrolmentsRead: 'poll_enrolments_read',
} as const;
