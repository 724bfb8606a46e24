/** What a program may ask about costs. */

import { costs } from '../../alerts/costs/setting.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { AskedPolicies } from '../../surface/policy-questions.ts';
import type { EconomicsReport } from './read-economics.ts';
import { readEconomics } from './read-economics.ts';

/** Which alerts are compared, by when they were opened. */
export interface EconomicsWishes {
  /** @default 90 days before `to` */
  readonly from?: Date;
  /** @default now */
  readonly to?: Date;
}

export interface CostQuestions {
  /** What each answer costs by segment, from the outcomes of alerts and the cost model (`costs`). */
  economics(wishes?: EconomicsWishes): Promise<EconomicsReport>;
}

export function costQuestions({
  db,
  clock,
  organisationId,
  settings,
}: AskedPolicies): CostQuestions {
  return {
    economics: async ({ from, to } = {}) =>
      await readEconomics(db, settings.of(costs), {
        organisationId,
        from,
        to,
        now: nowDate(clock),
      }),
  };
}
