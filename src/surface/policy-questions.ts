/** What a capability answers programs about policies: properties of `forestall.policies`. */
import type { Policy } from '../alerts/decide/policy.ts';
import type { ReplayReader } from '../alerts/decide/replay-reader.ts';
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

/** What all capabilities say of a policy that is tried on the past. */
export type OpenReaders = () => Promise<readonly ReplayReader[]>;

/** The same of a program, which has policies of its own. */
export interface ProgramsPolicies extends AskedPolicies {
  /** The one in force. */
  current(): Policy;
  /** @throws {ConfigError} when a path cannot be read; {PolicyError} when a policy file is wrong */
  open(policy: Policy | string): Policy;
  readonly readers: OpenReaders;
}

/** The capability says in its own type which property answers what. */
export type PolicyQuestions = (asked: ProgramsPolicies) => object;
