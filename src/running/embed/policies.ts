/**
 * Policies tried on what has happened, as the embedding program asks for it: what another policy would have
 * done with past alerts, and what capabilities know. All only read.
 */
import type { Policy } from '../../alerts/decide/policy.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import { replayReaders } from '../../capabilities/index.ts';
import type { CapabilityPolicies } from '../../capabilities/policies.ts';
import { policiesOf } from '../../capabilities/policies.ts';
import { DECISIONS_MAX } from '../../capabilities/backtests/backtest.job.ts';
import type { BacktestResult, Fees } from '../../capabilities/backtests/backtest.ts';
import { ASSUMED_FEES } from '../../capabilities/backtests/backtest-report.ts';
import { replayPast } from '../../capabilities/backtests/replay.ts';
import type { OrganisationParts } from '../roles/parts.ts';

/** What is replayed. */
export interface BacktestWishes {
  /** A policy, or the path of a policy file. @default the one in force */
  readonly policy?: Policy | string;
  /** Compared with this one. @default what was decided then */
  readonly against?: Policy | string;
  /** Decided at or after. @default since the beginning */
  readonly from?: Date;
  /** Decided before. @default until now */
  readonly to?: Date;
  /** @default 29.00 USD an alert, 20.00 USD a chargeback */
  readonly fees?: Fees;
}

/** Policies of one organisation, tried on its past. */
export interface ForestallPolicies extends CapabilityPolicies {
  /**
   * Replays the last decision of each alert, as it was known then: at most 200,000. Caps, the breaker and
   * approvals stand above any policy and are not replayed. It runs in this process and lets others continue.
   *
   * @throws {ConfigError} when a path cannot be read
   * @throws {PolicyError} naming every problem of a policy file with its line and column
   */
  backtest(wishes?: BacktestWishes): Promise<BacktestResult>;
}

/** What it is made of, beside the parts. */
export interface PoliciesOptions {
  readonly current: () => Policy;
  readonly open: (policy: Policy | string) => Policy;
  /** Those of capabilities. */
  readonly settings: OpenSettings;
}

export function createPolicies(
  { clock, organisationId, database: { db } }: OrganisationParts,
  { current, open, settings }: PoliciesOptions,
): ForestallPolicies {
  return {
    ...policiesOf({ db, clock, organisationId, settings }),
    backtest: async ({ policy, against, from, to, fees = ASSUMED_FEES } = {}) =>
      await replayPast(db, {
        policy: policy === undefined ? current() : open(policy),
        against: against === undefined ? undefined : open(against),
        ...{ fees, organisationId, from, to, decisionsMax: DECISIONS_MAX },
        readers: await replayReaders({ db, clock, organisationId, settings }),
      }),
  };
}
