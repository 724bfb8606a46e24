/** What a worker is told. */
import type { GuardEnvironment } from '../../alerts/guard/guard-env.ts';
import type { MatchSettings } from '../../alerts/match/match-settings.ts';
import type { NotifySettings } from '../../base/notify/notify-settings.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { PolicySource } from './policy-source.ts';

/** Options of {@link startWorkRole}. */
export interface WorkOptions {
  readonly processor: Processor;
  readonly policy: PolicySource;
  /** Judged beside it on the same facts, and acted on never. */
  readonly policyBeside?: PolicySource | undefined;
  readonly mode: 'live' | 'shadow';
  /** Windows and tolerances of matching. @default DEFAULT_MATCH_SETTINGS */
  readonly matching?: MatchSettings;
  readonly reconcileSeconds: number;
  /** The estate file. @default the estate is not managed */
  readonly estatePath?: string | undefined;
  /** How people are told. @default the log */
  readonly notify?: NotifySettings | undefined;
  /** What stands above the policy. @default no caps */
  readonly guard?: GuardEnvironment | undefined;
}
