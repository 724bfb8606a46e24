/** What a capability answers programs about policies: properties of `forestall.policies`. */
import type { Db } from '../base/db/database.ts';
import type { Clock } from '../base/kernel/clock.ts';
import type { OpenSettings } from '../base/kernel/setting.ts';

/** What the answers are found with. */
export interface AskedPolicies {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
  readonly settings: OpenSettings;
}

/** The capability says in its own type which property answers what. */
export type PolicyQuestions = (asked: AskedPolicies) => object;
