/** The cost comparison of a period, from the installation's rows: for the command, the console, and the library. */

import type { CostModel } from '../../alerts/costs/cost-model.ts';
import { readStandings } from '../../alerts/decide/ratio-standing.store.ts';
import type { Db } from '../../base/db/database.ts';
import type { Economics, EconomicsInputs } from './economics.ts';
import { computeEconomics } from './economics.ts';
import { readAnswered, readRecentDisputes } from './outcome.store.ts';
import { ratioPrice } from './ratio-price.ts';
import { DAY_MS, unitsOf } from './unit.ts';

/** How far back complaints count when nothing is asked for, in days: a dispute has 120 days to come. */
export const ECONOMICS_DAYS = 365;

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
  scope: EconomicsScope,
): Promise<EconomicsReport> {
  const { from, to, inputs } = await readInputs(db, model, scope);
  return { from, to, ...computeEconomics(inputs) };
}

/** What the comparison is made from. */
export async function readInputs(
  db: Db,
  model: CostModel,
  { organisationId, now, to = now, from }: EconomicsScope,
): Promise<{ readonly from: Date; readonly to: Date; readonly inputs: EconomicsInputs }> {
  const since = from ?? new Date(to.getTime() - ECONOMICS_DAYS * DAY_MS);
  const rows = await readAnswered(db, { organisationId, from: since, to, now });
  const monthAgo = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  const recentDisputes = await readRecentDisputes(db, organisationId, monthAgo);
  const standings = await readStandings(db, organisationId, now);
  const { fineMinor } = model.terms.ratio;
  const ratioMinor: EconomicsInputs['ratioMinor'] = (unit) => {
    const ofScheme = standings.filter(({ scheme }) => scheme === unit.scheme);
    const own = ofScheme.find(
      ({ merchantId }) => merchantId !== '' && merchantId === unit.merchantId,
    );
    const standing = own ?? ofScheme.find(({ merchantId }) => merchantId === '');
    return standing === undefined ? undefined : ratioPrice(standing, fineMinor);
  };
  const inputs = { model, units: unitsOf(rows), now, recentDisputes, ratioMinor };
  return { from: since, to, inputs };
}
