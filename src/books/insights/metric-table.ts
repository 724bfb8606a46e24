/** Every metric that there is. What an operator reads about each stands in this folder's README, word for word. */

export const METRICS = {
  forestall_events_received_total: {
    type: 'counter',
    help: 'Webhook events stored for the first time by this process.',
  },
  forestall_events_duplicate_total: {
    type: 'counter',
    help: 'Deliveries by this process whose event was stored before.',
  },
  forestall_events_refused_total: {
    type: 'counter',
    help: 'Deliveries turned away by this process, by reason.',
  },
  forestall_events_quarantined_total: {
    type: 'counter',
    help: 'Signed deliveries this process kept without effect, by reason.',
  },
  forestall_processor_events_received_total: {
    type: 'counter',
    help: 'Genuine webhooks of the processor that this process took, repeats too.',
  },
  forestall_processor_events_refused_total: {
    type: 'counter',
    help: 'Webhooks of the processor turned away by this process, by reason.',
  },
  forestall_processor_events_waiting: {
    type: 'gauge',
    help: 'Events of the processor that nothing has followed from yet.',
  },
  forestall_last_processor_event_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the last event of the processor was stored.',
  },
  forestall_quarantine_open: {
    type: 'gauge',
    help: 'Quarantined deliveries that nobody has dealt with.',
  },
  forestall_inbox_waiting: { type: 'gauge', help: 'Stored events that are not applied yet.' },
  forestall_inbox_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that is not applied yet; 0 without any.',
  },
  forestall_cases: { type: 'gauge', help: 'Cases by state.' },
  forestall_cases_open: { type: 'gauge', help: 'Cases that still need an answer.' },
  forestall_reviews_waiting: {
    type: 'gauge',
    help: 'Alerts that wait for a person.',
  },
  forestall_missed_total: {
    type: 'counter',
    help: 'Alerts that ran out without a declared answer. Must stay 0.',
  },
  forestall_nearest_deadline_seconds: {
    type: 'gauge',
    help: 'Seconds until the nearest deadline of an open case; negative when it has passed.',
  },
  forestall_answer_headroom_seconds: {
    type: 'histogram',
    help: 'Time left until the deadline when an answer was taken.',
  },
  forestall_reconciling_first: {
    type: 'gauge',
    help: 'Refunds and answers wait for a look at service and processor: 1, else 0.',
  },
  forestall_refunds: { type: 'gauge', help: 'Refunds by state.' },
  forestall_refunded_minor_total: {
    type: 'counter',
    help: 'Our confirmed refunds in minor units, by currency.',
  },
  forestall_request_budget_used: {
    type: 'gauge',
    help: 'Requests of the last minute, by endpoint.',
  },
  forestall_request_budget_limit: {
    type: 'gauge',
    help: 'Requests the service allows in a minute, by endpoint.',
  },
  forestall_request_budget_paused_seconds: {
    type: 'gauge',
    help: 'Seconds for which an endpoint pauses after a 429.',
  },
  forestall_notifications_waiting: {
    type: 'gauge',
    help: 'Messages to people that have not arrived yet.',
  },
  forestall_notifications_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest message that has not arrived yet; 0 without any.',
  },
  forestall_notifications_given_up: {
    type: 'gauge',
    help: 'Messages that never arrived. Must stay 0.',
  },
  forestall_findings_open: { type: 'gauge', help: 'Open findings by severity.' },
  forestall_worker_heartbeat_age_seconds: {
    type: 'gauge',
    help: 'Seconds since each process last reported itself.',
  },
  forestall_last_poll_age_seconds: {
    type: 'gauge',
    help: 'Seconds since polling last read the whole list of open alerts.',
  },
  forestall_last_webhook_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the last genuine webhook was stored.',
  },
  forestall_feed_backlog: { type: 'gauge', help: 'Orders and updates not sent yet, by queue.' },
  forestall_health: {
    type: 'gauge',
    help: 'How each part of the installation is: 0 works, 1 is less than it should be, 2 does not work.',
  },
  forestall_ready: { type: 'gauge', help: 'What /readyz of this process answers: 1, else 0.' },
  forestall_process_resident_bytes: { type: 'gauge', help: 'Memory that this process holds.' },
} as const satisfies Record<
  string,
  { readonly type: 'counter' | 'gauge' | 'histogram'; readonly help: string }
>;

export type MetricName = keyof typeof METRICS;
