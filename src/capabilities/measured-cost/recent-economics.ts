/**
 * The comparison as pages show it: the count of the last night. Where there is none, or for another cost model, a console
 * counts it itself, once in ten minutes: it reads a year of alerts.
 */
import { costs } from '../../alerts/costs/setting.ts';
import type { Visit } from '../../surface/web/visit.ts';
import type { KeptEconomics } from './kept-economics.store.ts';
import { findKept, keptOf } from './kept-economics.store.ts';
import { readEconomics } from './read-economics.ts';

const OWN_MS = 10 * 60_000;

interface Own {
  readonly atMs: number;
  readonly report: Promise<KeptEconomics>;
}

/** By the options of a console, which are one organisation's. */
const own = new WeakMap<Visit['options'], Own>();

/** `to` says of when it is. A call during the count waits for the same count. */
export async function recentEconomics({
  options,
  settings,
  now,
}: Pick<Visit, 'options' | 'settings' | 'now'>): Promise<KeptEconomics> {
  const { db, organisationId } = options;
  const model = settings.of(costs);
  const kept = await findKept(db, { organisationId, model, now });
  if (kept !== undefined) return kept;
  const last = own.get(options);
  const atMs = now.getTime();
  if (last !== undefined && Math.abs(atMs - last.atMs) < OWN_MS) return await last.report;
  const report = readEconomics(db, model, { organisationId, now }).then(keptOf);
  own.set(options, { atMs, report });
  try {
    return await report;
  } catch (error) {
    own.delete(options);
    throw error;
  }
}
