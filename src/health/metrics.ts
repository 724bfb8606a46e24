/**
 * The metrics, named in one table (`metric-table.ts`), and the Prometheus text they are served as.
 *
 * A figure that was not measured is left out, never shown as 0: an absent series can be alarmed on, a
 * false one cannot.
 */

import { AWAITS_DECISION } from '../alerts/cases/open-cases.store.ts';
import { readRecoveryCheck } from '../alerts/guard/recovery-check.store.ts';
import type { ReceiveCounts } from '../alerts/receive/counters.ts';
import type { Db } from '../base/db/database.ts';
import type { LineStatus, StatusLine } from '../base/kernel/status-line.ts';
import type { Headroom } from './headroom.ts';
import { HEADROOM_BOUNDS_SECONDS } from './headroom.ts';
import type { MetricName, Metrics } from './metric-table.ts';
import { METRICS } from './metric-table.ts';
import type { Operations, Undelivered, WorkerAge } from './operations.store.ts';
import { readOperations } from './operations.store.ts';
import type { KeptOverview, Overview } from './overview.store.ts';
import { readOverview } from './overview.store.ts';

/** One figure; `Name`: those that a table of metrics describes. @default those of {@link METRICS} */
export interface Sample<Name extends string = MetricName> {
  readonly name: Name;
  /** The series of a histogram. */
  readonly series?: '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricSources {
  readonly db: Db;
  readonly organisationId: string;
  readonly now: Date;
  /** Left out where no receiver runs in this process. */
  readonly receiveCounts?: (() => ReceiveCounts) | undefined;
  /** What the order feed has still to send, by queue. */
  readonly feedBacklog?: (() => Promise<Readonly<Record<string, number>>>) | undefined;
}

export async function readMetrics(sources: MetricSources): Promise<Sample<string>[]> {
  const { db, organisationId, now, receiveCounts, feedBacklog } = sources;
  const overview = await readOverview(db, organisationId);
  const operations = await readOperations(db, { organisationId, now });
  const check = await readRecoveryCheck(db, organisationId);
  const reviews = countWaiting(overview);
  const { notifications: messages, lastWebhookAt } = operations;
  return [
    ...(receiveCounts === undefined ? [] : receiveSamples(receiveCounts())),
    ...standingSamples(
      { ...overview, ...operations, reviews, messages, isReconcilingFirst: check !== undefined },
      now,
    ),
    ...keptSamples(overview),
    ...openSamples(operations),
    ...heardSamples({ lastWebhookAt }, now),
    ...workerSamples(operations.workers),
    ...(feedBacklog === undefined ? [] : backlogSamples(await feedBacklog())),
  ];
}

const HEALTH_VALUES: Readonly<Record<LineStatus, number>> = { ok: 0, warning: 1, failed: 2 };

export function healthSamples(parts: readonly StatusLine[]): Sample[] {
  return labelled(
    'forestall_health',
    'part',
    parts.map(({ name, status }) => [name, HEALTH_VALUES[status]]),
  );
}

export function receiveSamples(counts: ReceiveCounts): Sample<string>[] {
  return [
    { name: 'forestall_events_received_total', value: counts.stored },
    { name: 'forestall_events_duplicate_total', value: counts.duplicate },
    ...labelled('forestall_events_refused_total', 'reason', Object.entries(counts.refused)),
    ...labelled('forestall_events_quarantined_total', 'reason', Object.entries(counts.quarantined)),
    ...counts.ofDoors,
  ];
}

/** How far cases, messages and polling are. */
interface Standing {
  readonly open: number;
  readonly reviews: number;
  readonly missed: number;
  readonly lastMissedAt: Date | null;
  readonly nearestDeadlineAt: Date | null;
  readonly isReconcilingFirst: boolean;
  readonly inboxWaiting: number;
  readonly inboxLagSeconds: number;
  readonly messages: Undelivered;
  readonly lastPollAt: Date | null;
}

export function standingSamples(standing: Standing, now: Date): Sample[] {
  const { nearestDeadlineAt, messages, lastPollAt } = standing;
  return [
    sampleOf('forestall_cases_open', standing.open),
    sampleOf('forestall_reviews_waiting', standing.reviews),
    sampleOf('forestall_missed_total', standing.missed),
    ...ageOf('forestall_last_missed_age_seconds', standing.lastMissedAt, now),
    ...(nearestDeadlineAt === null
      ? []
      : [sampleOf('forestall_nearest_deadline_seconds', secondsBetween(now, nearestDeadlineAt))]),
    sampleOf('forestall_reconciling_first', standing.isReconcilingFirst ? 1 : 0),
    sampleOf('forestall_inbox_waiting', standing.inboxWaiting),
    sampleOf('forestall_inbox_lag_seconds', standing.inboxLagSeconds),
    sampleOf('forestall_notifications_waiting', messages.waiting),
    sampleOf('forestall_notifications_oldest_seconds', messages.oldestSeconds),
    sampleOf('forestall_notifications_given_up', messages.givenUp),
    ...ageOf('forestall_last_poll_age_seconds', lastPollAt, now),
  ];
}

/** What kept figures tell of cases and refunds. */
export function keptSamples(overview: KeptOverview): Sample[] {
  const refunded = overview.refunded.map(({ currency, amountMinor }): [string, number] => [
    currency,
    amountMinor,
  ]);
  return [
    ...labelled('forestall_cases', 'state', overview.casesByState),
    ...labelled('forestall_refunds', 'state', overview.refundsByState),
    ...labelled('forestall_refunded_minor_total', 'currency', refunded),
    ...headroomSamples(overview.headroom),
  ];
}

/** What the order feed has still to send, by queue. */
export function backlogSamples(backlog: Readonly<Record<string, number>>): Sample[] {
  return labelled('forestall_feed_backlog', 'queue', Object.entries(backlog));
}

function countWaiting({ casesByState }: Overview): number {
  const waiting: ReadonlySet<string> = new Set(AWAITS_DECISION);
  return [...casesByState].reduce((sum, [state, n]) => (waiting.has(state) ? sum + n : sum), 0);
}

function headroomSamples({ atMost, count, sumSeconds }: Headroom): Sample[] {
  const name = 'forestall_answer_headroom_seconds';
  const bucket = (le: string, value: number): Sample => ({
    name,
    series: '_bucket',
    labels: { le },
    value,
  });
  return [
    ...HEADROOM_BOUNDS_SECONDS.map((bound, index) => bucket(String(bound), atMost[index] ?? 0)),
    bucket('+Inf', count),
    { name, series: '_sum', value: sumSeconds },
    { name, series: '_count', value: count },
  ];
}

/** What is open, refused or used up. */
export function openSamples({
  quarantineOpen,
  pools,
  findingsOpen,
}: Pick<Operations, 'quarantineOpen' | 'pools' | 'findingsOpen'>): Sample[] {
  return [
    sampleOf('forestall_quarantine_open', quarantineOpen),
    ...pools.flatMap(({ pool, used, limit, pausedSeconds }): Sample[] => [
      { name: 'forestall_request_budget_used', labels: { pool }, value: used },
      { name: 'forestall_request_budget_limit', labels: { pool }, value: limit },
      { name: 'forestall_request_budget_paused_seconds', labels: { pool }, value: pausedSeconds },
    ]),
    ...labelled('forestall_findings_open', 'severity', findingsOpen),
  ];
}

/** How long ago the service was heard from. */
export function heardSamples(
  { lastWebhookAt }: { readonly lastWebhookAt: Date | null },
  now: Date,
): Sample[] {
  return ageOf('forestall_last_webhook_age_seconds', lastWebhookAt, now);
}

/** How long ago something was, in seconds; nothing where it never was. */
export function ageOf<Name extends string>(name: Name, at: Date | null, now: Date): Sample<Name>[] {
  return at === null ? [] : [{ name, value: secondsBetween(at, now) }];
}

/** How long ago each process said that it lives. */
export function workerSamples(workers: readonly WorkerAge[]): Sample[] {
  return workers.map(({ workerId, role, ageSeconds }) => ({
    name: 'forestall_worker_heartbeat_age_seconds',
    labels: { worker: workerId, role },
    value: ageSeconds,
  }));
}

function sampleOf(name: MetricName, value: number): Sample {
  return { name, value };
}

function labelled(
  name: MetricName,
  label: string,
  values: Iterable<readonly [string, number]>,
): Sample[] {
  return [...values].map(([text, value]) => ({ name, labels: { [label]: text }, value }));
}

function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1_000);
}

/** The samples in Prometheus' text format, in the order of the table. What the table does not describe is left out. */
export function renderMetrics(
  samples: readonly Sample<string>[],
  metrics: Metrics = METRICS,
): string {
  const lines: string[] = [];
  const byName = Map.groupBy(samples, ({ name }) => name);
  for (const [name, { type, help }] of Object.entries(metrics)) {
    const own = byName.get(name);
    if (own === undefined) continue;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { series = '', labels, value } of own) {
      lines.push(`${name}${series}${renderLabels(labels)} ${value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function renderLabels(labels: Readonly<Record<string, string>> | undefined): string {
  if (labels === undefined) return '';
  const parts = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `{${parts.join(',')}}`;
}

const MUST_BE_ESCAPED = /[\\"\n]/;

function escapeLabel(text: string): string {
  if (!MUST_BE_ESCAPED.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
