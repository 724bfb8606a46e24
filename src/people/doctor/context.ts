/** What the doctor looks at. */
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import type { Settings } from '../../running/config.ts';
import type { ServiceAddress } from '../../running/roles/organisation-mode.ts';
import type { FileSettings } from '../../running/roles/try-settings.ts';
import type { UnknownSetting } from '../../running/unknown-settings.ts';
import type { Processor } from '../../service/wire/processor.ts';

export interface DoctorService extends ServiceAddress {
  readonly organisationId: string;
  readonly integrationId: string | undefined;
}

/** Something that was to be opened: itself, or why it could not be and, where that is known, what to do. */
export type Opened<Value> =
  | { readonly value: Value }
  | { readonly problem: string; readonly nextStep?: string };

/** A merchant with a processor of its own. */
export interface DoctorMerchant {
  readonly id: string;
  readonly processor: Opened<Processor>;
}

export interface DoctorContext {
  readonly settings: Pick<
    Settings,
    'mode' | 'policyPath' | 'notify' | 'port' | 'tls' | 'processor' | 'brandTokens'
  > &
    Partial<Pick<Settings, 'dataKeys' | 'guard'>> &
    FileSettings;
  /** The sandbox is used instead of the service. */
  readonly isSandbox: boolean;
  readonly service: DoctorService;
  readonly webhookSecrets: readonly string[];
  /** The webhook endpoint as the service calls it; undefined when it was not said. */
  readonly webhookUrl: string | undefined;
  readonly database: Opened<Db>;
  /** Its addresses, the second without a pooler where the first is one's. */
  readonly databaseUrls: { readonly main: string; readonly direct: string | undefined };
  readonly processor: Opened<Processor>;
  /** Those with a processor of their own. @default none */
  readonly merchants?: readonly DoctorMerchant[];
  /** This machine's own clock. */
  readonly clock: Clock;
  /** The folder in which copied templates are looked for. */
  readonly projectRoot: string;
  /** Names in the environment that nothing reads. */
  readonly unknownSettings: readonly UnknownSetting[];
  /** Room on the disk that this folder is on. */
  readonly freeBytes: () => Promise<number>;
}

/** What each check is given: {@link DoctorContext}, and the rows where the schema is ours. */
export interface CheckContext extends DoctorContext {
  /** The database with our schema: what cannot be read there need not be asked for. */
  readonly rows: Opened<Db>;
}

/** Looks at one thing, or at a few that belong together. */
export type DoctorCheck = (context: CheckContext) => Promise<readonly StatusLine[]>;
