/** The comparison as pages show it. It reads a year of alerts, so a console counts it once in ten minutes. */
import { costs } from '../../books/costs/setting.ts';
import type { Visit } from '../../surface/web/visit.ts';
import type { EconomicsReport } from './read-economics.ts';
import { readEconomics } from './read-economics.ts';

const KEPT_MS = 10 * 60_000;

interface Kept {
  readonly atMs: number;
  readonly report: Promise<EconomicsReport>;
}

/** By the options of a console, which are one organisation's. */
const kept = new WeakMap<Visit['options'], Kept>();

/** Not older than ten minutes; `to` says of when it is. Who asks while it is counted waits for the same count. */
export async function recentEconomics({
  options,
  settings,
  now,
}: Pick<Visit, 'options' | 'settings' | 'now'>): Promise<EconomicsReport> {
  const last = kept.get(options);
  const atMs = now.getTime();
  if (last !== undefined && atMs >= last.atMs && atMs - last.atMs < KEPT_MS)
    return await last.report;
  const { db, organisationId } = options;
  const report = readEconomics(db, settings.of(costs), { organisationId, now });
  kept.set(options, { atMs, report });
  try {
    return await report;
  } catch (error) {
    kept.delete(options);
    throw error;
  }
}
