/** What a minute of the platform bench says, from what was sent and when each alert was answered. Pure. */
import type { PlatformDelivery } from './platform-sender.ts';

/** What was seen. */
export interface PlatformMinute {
  readonly sent: readonly PlatformDelivery[];
  /** When each alert was answered at the service, in milliseconds. */
  readonly closedMs: ReadonlyMap<string, number>;
  readonly forestallCpuSeconds: number;
  readonly postgresCpuSeconds: number;
}

/** The figures, of the organisations that do not flood; deliveries are those of all. */
export interface PlatformFigures {
  readonly alerts: number;
  readonly answered: number;
  /** From the first delivery to the last answer. */
  readonly answeredPerMinute: number;
  readonly forestallMsEach: number;
  readonly postgresMsEach: number;
  readonly webhookP50Ms: number;
  readonly webhookP99Ms: number;
  /** Of the organisations' own medians, from the delivery to the answer. */
  readonly medianOrganisationMs: number;
  readonly slowestOrganisationMs: number;
  readonly slowestToMedian: number;
}

/** The value below which the share lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** @param flooded the organisation that floods: its own alerts stand behind thousands, and are not waited for */
export function figuresOf(
  minute: PlatformMinute,
  flooded: number,
  answered: number,
): PlatformFigures {
  const { sent, closedMs, forestallCpuSeconds, postgresCpuSeconds } = minute;
  const alerts = sent.filter(({ isAlert, organisation }) => isAlert && organisation !== flooded);
  const waits = new Map<number, number[]>();
  for (const { id, organisation, sentMs } of alerts) {
    const atMs = closedMs.get(id);
    if (atMs === undefined) continue;
    waits.set(organisation, [...(waits.get(organisation) ?? []), atMs - sentMs]);
  }
  const medians = [...waits.values()].map((each) => quantile(each, 0.5));
  const done = alerts.filter(({ id }) => closedMs.has(id));
  const firstMs = Math.min(...sent.map(({ sentMs }) => sentMs));
  const lastMs = Math.max(...done.map(({ id }) => closedMs.get(id) ?? 0));
  const answers = sent.map(({ sentMs, answeredMs }) => answeredMs - sentMs);
  const medianMs = quantile(medians, 0.5);
  const slowestMs = Math.max(...medians);
  return {
    alerts: alerts.length,
    answered: done.length,
    answeredPerMinute: (done.length * 60_000) / (lastMs - firstMs),
    forestallMsEach: (forestallCpuSeconds * 1_000) / answered,
    postgresMsEach: (postgresCpuSeconds * 1_000) / answered,
    webhookP50Ms: quantile(answers, 0.5),
    webhookP99Ms: quantile(answers, 0.99),
    medianOrganisationMs: medianMs,
    slowestOrganisationMs: slowestMs,
    slowestToMedian: slowestMs / medianMs,
  };
}
