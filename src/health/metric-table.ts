/** The metrics of the path of an alert; a capability describes its own. */

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

export const counter = (help: string): Metric => ({ type: 'counter', help });
export const gauge = (help: string): Metric => ({ type: 'gauge', help });
const histogram = (help: string): Metric => ({ type: 'histogram', help });

export const METRICS = {
  forestall_events_received_total: counter(
    'Webhook events stored for the first time by this process.',
  ),
  forestall_events_duplicate_total: counter(
    'Deliveries by this process whose event was stored before.',
  ),
  forestall_events_refused_total: counter('Deliveries turned away by this process, by reason.'),
  forestall_events_quarantined_total: counter(
    'Signed deliveries this process kept without effect, by reason.',
  ),
  forestall_quarantine_open: gauge('Quarantined deliveries that nobody has dealt with.'),
  forestall_inbox_waiting: gauge('Stored events that are not applied yet.'),
  forestall_inbox_lag_seconds: gauge(
    'Age of the oldest event that is not applied yet; 0 without any.',
  ),
  forestall_cases: gauge('Cases by state.'),
  forestall_cases_open: gauge('Cases that still need an answer.'),
  forestall_reviews_waiting: gauge('Alerts that wait for a person.'),
  forestall_missed_total: counter('Alerts that ran out without a declared answer. Must stay 0.'),
  forestall_last_missed_age_seconds: gauge(
    'Seconds since the last alert ran out without a declared answer.',
  ),
  forestall_nearest_deadline_seconds: gauge(
    'Seconds until the nearest deadline of an open case; negative when it has passed.',
  ),
  forestall_answer_headroom_seconds: histogram(
    'Time left until the deadline when an answer was taken.',
  ),
  forestall_reconciling_first: gauge(
    'Refunds and answers wait for a look at service and processor: 1, else 0.',
  ),
  forestall_refunds: gauge('Refunds by state.'),
  forestall_refunded_minor_total: counter('Our confirmed refunds in minor units, by currency.'),
  forestall_request_budget_used: gauge('Requests of the last minute, by endpoint.'),
  forestall_request_budget_limit: gauge('Requests the service allows in a minute, by endpoint.'),
  forestall_request_budget_paused_seconds: gauge(
    'Seconds for which an endpoint pauses after a 429.',
  ),
  forestall_notifications_waiting: gauge('Messages to people that have not arrived yet.'),
  forestall_notifications_oldest_seconds: gauge(
    'Age of the oldest message that has not arrived yet; 0 without any.',
  ),
  forestall_notifications_given_up: gauge('Messages that never arrived. Must stay 0.'),
  forestall_findings_open: gauge('Open findings by severity.'),
  forestall_worker_heartbeat_age_seconds: gauge('Seconds since each process last reported itself.'),
  forestall_last_poll_age_seconds: gauge(
    'Seconds since polling last read the whole list of open alerts.',
  ),
  forestall_last_webhook_age_seconds: gauge('Seconds since the last genuine webhook was stored.'),
  forestall_feed_backlog: gauge('Orders and updates not sent yet, by queue.'),
  forestall_health: gauge(
    'How each part of the installation is: 0 works, 1 is less than it should be, 2 does not work.',
  ),
  forestall_ready: gauge('What /readyz of this process answers: 1, else 0.'),
  forestall_process_resident_bytes: gauge('Memory that this process holds.'),
} as const;

/** Metrics by their name. */
export type Metrics = Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;
