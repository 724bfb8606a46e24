/** What a program may ask of the past: what another policy would have done. */
import type { Policy } from '../../alerts/decide/policy.ts';
import type { ProgramsPolicies } from '../../surface/policy-questions.ts';
import { DECISIONS_MAX } from './backtest.job.ts';
import type { BacktestResult, Fees } from './backtest.ts';
import { ASSUMED_FEES } from './backtest-report.ts';
import { replayPast } from './replay.ts';

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

export interface BacktestQuestions {
  /**
   * Replays the last decision of each alert, as it was known then: at most 200,000. Caps, the breaker and
   * approvals are above any policy and are not replayed. It runs in this process and lets others continue.
   *
   * @throws {ConfigError} when a path cannot be read
   * @throws {PolicyError} naming every problem of a policy file with its line and column
   */
  backtest(wishes?: BacktestWishes): Promise<BacktestResult>;
}

export function backtestQuestions({
  db,
  organisationId,
  current,
  open,
  readers,
}: ProgramsPolicies): BacktestQuestions {
  return {
    backtest: async ({ policy, against, from, to, fees = ASSUMED_FEES } = {}) =>
      await replayPast(db, {
        policy: policy === undefined ? current() : open(policy),
        against: against === undefined ? undefined : open(against),
        ...{ fees, organisationId, from, to, decisionsMax: DECISIONS_MAX },
        readers: await readers(),
      }),
  };
}
