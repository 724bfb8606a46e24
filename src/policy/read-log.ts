/** The log of the last 90 days against a policy's conditions, for anyone who checks one with a database at hand. */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Db } from '../base/db/database.ts';
import type { LogFinding } from './analyse-log.ts';
import { analyseLog, LOG_DAYS } from './analyse-log.ts';
import type { LoadedPolicy } from './load.ts';
import { choosePastDecisions, readDecisionPages } from './past-decision.store.ts';

/** Alerts looked at: enough to tell what never happens. */
const ALERTS_MAX = 20_000;

/** Decisions read at a time. */
const PAGE = 500;

const DAY_MS = 24 * 60 * 60_000;

/** It reads only, and lets others continue meanwhile. */
export async function readLog(
  db: Db,
  policy: LoadedPolicy,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<{ readonly alerts: number; readonly findings: readonly LogFinding[] }> {
  const analysis = analyseLog(policy);
  const from = new Date(now.getTime() - LOG_DAYS * DAY_MS);
  const ids = await choosePastDecisions(db, { organisationId, from }, ALERTS_MAX);
  for await (const page of readDecisionPages(db, { organisationId, ids }, PAGE)) {
    for (const past of page) analysis.add(past);
    await giveWay();
  }
  return analysis.result();
}
