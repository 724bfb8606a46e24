/** What a worker is told. */
import type { GuardEnvironment } from '../../alerts/guard/guard-env.ts';
import type { OtherLayers } from '../../alerts/guard/guard-layers.ts';
import type { SharesAccountWith } from '../../alerts/guard/shared-account.store.ts';
import type { MatchSettings } from '../../alerts/match/match-settings.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import type { Variables } from '../../base/kernel/yaml-text.ts';
import type { NotifySettings } from '../../base/notify/notify-settings.ts';
import type { PolicySource } from '../../policy/policy-watcher.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { EventHandlers } from '../../surface/event-handlers.ts';

/** A merchant with something of its own. */
export interface MerchantWork {
  readonly id: string;
  /** Undefined: the organisation's. The same setting is the same processor. */
  readonly processor?: Processor | undefined;
  readonly policy?: PolicySource | undefined;
  readonly matching?: MatchSettings | undefined;
  /** See `fallback.before` of its guards. */
  readonly fallbackBeforeMs?: number | undefined;
}

export interface WorkOptions {
  readonly processor: Processor;
  readonly policy: PolicySource;
  /** Judged with it on the same facts, and never acted on. */
  readonly policyBeside?: PolicySource | undefined;
  readonly mode: 'live' | 'shadow';
  /** Windows and tolerances of matching. @default DEFAULT_MATCH_SETTINGS */
  readonly matching?: MatchSettings;
  /** Those of capabilities. @default nothing is given */
  readonly settings?: OpenSettings | undefined;
  /** Handlers of events of an embedding program. @default there is none */
  readonly eventHandlers?: EventHandlers | undefined;
  readonly reconcileSeconds: number;
  /** Values that files of capabilities name as `${NAME}`. @default none */
  readonly variables?: Variables | undefined;
  /** How people are notified. @default the log */
  readonly notify?: NotifySettings | undefined;
  /** What comes before the policy. @default no caps */
  readonly guard?: GuardEnvironment | undefined;
  /** Merchants with something of their own. @default none */
  readonly merchants?: readonly MerchantWork[];
  /** Guards that hold besides the organisation's. @default none */
  readonly layers?: OtherLayers | undefined;
  /** Organisations of the installation that name the same processor account. @default none */
  readonly sharesAccountWith?: SharesAccountWith | undefined;
  /** Whose the policy is, where several layers may have one. */
  readonly policyLayer?: string | undefined;
}
