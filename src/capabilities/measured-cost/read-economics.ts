/** The cost comparison of a period, from the installation's rows: for the command, and for the library. */
import type { Db } from '../../base/db/database.ts';
import type { CostModel } from '../../books/costs/cost-model.ts';
import type { Economics } from './economics.ts';
import { computeEconomics } from './economics.ts';
import { readOutcomes, readRecentDisputes } from './outcome.store.ts';

const DAY_MS = 24 * 3_600_000;

/** How far back outcomes count when nothing is asked for, in days. */
export const ECONOMICS_DAYS = 90;

/** Days whose disputes are compared with the headroom. */
const RECENT_DAYS = 30;

export interface EconomicsScope {
  readonly organisationId: string;
  /** @default {@link ECONOMICS_DAYS} before `to` */
  readonly from?: Date | undefined;
  /** @default now */
  readonly to?: Date | undefined;
  readonly now: Date;
}

export type EconomicsReport = Economics & { readonly from: Date; readonly to: Date };

export async function readEconomics(
  db: Db,
  model: CostModel,
  { organisationId, now, to = now, from }: EconomicsScope,
): Promise<EconomicsReport> {
  const since = from ?? new Date(to.getTime() - ECONOMICS_DAYS * DAY_MS);
  const rows = await readOutcomes(db, { organisationId, from: since, to });
  const monthAgo = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  const recent = await readRecentDisputes(db, organisationId, monthAgo);
  return { from: since, to, ...computeEconomics(model, rows, recent) };
}
