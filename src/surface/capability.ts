/**
 * What a capability is: one value for what works without people, and two lists for what people see (`capabilities/pages.ts`,
 * `capabilities/commands.ts`), which a worker never loads. Each part is described here once and walked in one place.
 */

import type { ClaimSource } from '../alerts/cases/claim.ts';
import type { Policy } from '../alerts/decide/policy.ts';
import type { ReplayReader } from '../alerts/decide/replay-reader.ts';
import type { SamePartRule } from '../alerts/ledger/same-dispute.ts';
import type { Db, Installation } from '../base/db/database.ts';
import type { DescribedTable } from '../base/db/described-table.ts';
import type { DueScope } from '../base/jobs/due.store.ts';
import type { LoopSpec } from '../base/jobs/loop.ts';
import type { DataKeys } from '../base/kernel/data-keys.ts';
import type { Html, HtmlValue } from '../base/kernel/html.ts';
import type { OpenSettings } from '../base/kernel/setting.ts';
import type { StatusLine } from '../base/kernel/status-line.ts';
import type { Variables } from '../base/kernel/yaml-text.ts';
import type { DigestTime } from '../base/notify/notify-settings.ts';
import type { Person } from '../base/seal/person.ts';
import type { PartHealth } from '../health/health.ts';
import type { ServiceClient } from '../service/client/index.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { Processor } from '../service/wire/processor.ts';
import type { CapabilityMetrics } from './capability-metrics.ts';
import type { EventHandlers } from './event-handlers.ts';
import type { EventKind } from './event-kind.ts';
import type { AlertPart } from './of-alert.ts';
import type { FiguresOfMonth, OfMonth } from './of-month.ts';
import type { OnPolicies } from './on-policies.ts';
import type { BelowCase, SeveralAct, ShownCase } from './on-reviews.ts';
import type { OnToday, RecentTime } from './on-today.ts';
import type { OrganisationColumn } from './organisation-column.ts';
import type { AskedPolicies, OpenReaders } from './policy-questions.ts';
import type { OpenResidence } from './residence.ts';
import type { MerchantNames } from './view/merchants.ts';
import type { MenuEntry } from './view/shell.ts';
import type { ApiCall } from './web/api-call.ts';
import type { AboveSearch, Keeping } from './web/search-page.ts';
import type { RegisterPage, Visit } from './web/visit.ts';

/** What the loops of a capability are given. */
export interface CapabilityWork extends Installation {
  readonly settings: OpenSettings;
  /** The service's real names. */
  readonly brands: BrandTokenMap;
  /** Every kind of the stream of events. */
  readonly eventKinds: readonly EventKind[];
  /**
   * The service, asked with the partner key alone: what an organisation key may not see must not look empty. Undefined: there
   * is no partner key.
   */
  readonly partner: () => ServiceClient | undefined;
  /** Values that files name as `${NAME}`. */
  readonly variables: Variables;
  /** The merchant's processor. */
  readonly processor: Processor;
  /** The organisation's policy that is in force now. */
  currentPolicy(): Policy;
  readonly readers: OpenReaders;
  /** It decides and records, and acts on nothing. */
  readonly isShadow: boolean;
  /** When people want the message of the day. @default never */
  readonly digestAt?: DigestTime | undefined;
  /** Plain HTTP and this machine may be posted to: with the sandbox, as with `notify`. */
  readonly allowLoopback: boolean;
  /** Those of an embedding program. @default there is none */
  readonly eventHandlers?: EventHandlers | undefined;
}

/** What its loops in the flow are given besides. */
export interface CapabilityStageWork extends CapabilityWork {
  /** Sources of claims for a refund that the policies in force name in their rules. */
  claimSources(): readonly ClaimSource[];
  /** What all of them say of disputes about the same part of a charge. */
  samePart(): SamePartRule;
}

/** Its row of the flow of an alert (`running/flow.ts`). It moves no money. */
export interface CapabilityStage {
  /** The stage after which its row is, and its loops run. */
  readonly behind: string;
  readonly does: string;
  /** Tables that hold its result. */
  readonly durable: readonly string[];
  readonly loops: (work: CapabilityStageWork) => readonly LoopSpec[];
}

/** A step of the night's work. */
export interface NightStep {
  readonly name: string;
  /** Returns figures for the log. Repeatable: a night that failed is tried again whole. */
  readonly run: () => Promise<object>;
}

/** What the doctor looks at for one line or a few that belong together. */
export interface DoctorLook extends DueScope {
  /** With our schema. */
  readonly db: Db;
  readonly settings: OpenSettings;
}

/** A customer who is erased. */
export interface CustomerErasure {
  readonly organisationId: string;
  /** By what they go, in other customers' rows too. */
  readonly person: Person;
  /** References of their orders. */
  readonly orders: readonly string[];
  /** Only count. */
  readonly dryRun: boolean;
}

export interface Capability {
  /** Its folder below `capabilities/`. */
  readonly name: string;
  /** Its tables, but for their migrations. */
  readonly tables?: readonly DescribedTable[];
  /** Kinds of the stream of events that it brings; the database writes them, in a trigger on its table. */
  readonly eventKinds?: readonly EventKind[];
  /** What it does between two stages of an alert. */
  readonly stage?: CapabilityStage;
  /** What it does by itself, with its pace. Nothing with a deadline waits for it. */
  readonly loops?: (work: CapabilityWork) => readonly LoopSpec[];
  /** What it does once a night before retention deletes what is too old, for example what it reads of such rows. */
  readonly beforeRetention?: (work: CapabilityWork) => readonly NightStep[];
  /** What it does once a night besides. */
  readonly nightly?: (work: CapabilityWork) => readonly NightStep[];
  /** Where organisations live, if they can leave this installation. @default every one lives here */
  readonly residence?: OpenResidence;
  /** Seals what it keeps sealed in columns that no walk finds under the key that seals now, or opens it where none does. */
  readonly reseal?: (db: Db, organisationId: string, keys: DataKeys) => Promise<void>;
  /**
   * Deletes the files that name a customer, or counts them; returns rows by table. Its columns of bytes are read by this
   * alone. Safe to repeat.
   */
  readonly erase?: (db: Db, erasure: CustomerErasure) => Promise<Readonly<Record<string, number>>>;
  /** How its part is, for health and the doctor; nothing where it is not used. */
  readonly health?: (db: Db, scope: DueScope) => Promise<readonly PartHealth[]>;
  /**
   * What the doctor looks at, by the name that is shown where a look does not end. Asked only where the database has our schema;
   * harmless whatever the answer is.
   */
  readonly doctor?: Readonly<Record<string, (look: DoctorLook) => Promise<readonly StatusLine[]>>>;
  /** Its figures for `/metrics`. */
  readonly metrics?: CapabilityMetrics;
  /** What it knows of an alert, by the property that programs find it under. */
  readonly ofAlert?: Readonly<Record<string, AlertPart>>;
  /** What it says of a policy that is tried on the past. */
  readonly ofBacktest?: (asked: AskedPolicies) => Promise<ReplayReader>;
}

/** The pages of a capability. */
export interface CapabilityPages {
  /** What it says of a month, on the page of its figures. */
  readonly ofMonth?: (visit: Visit, month: FiguresOfMonth) => Promise<OfMonth>;
  /** What it says on today's page of the outcome of alerts lately. */
  readonly onToday?: (visit: Visit, recent: RecentTime) => Promise<OnToday>;
  /** Where people find it; its place in the menu is `people/console/menu.ts`. */
  readonly menu?: MenuEntry;
  /** @default none */
  readonly register?: RegisterPage;
  /** Paths of pages of its own that the menu does not show. */
  readonly unlisted?: readonly string[];
  /** Links to its pages on pages of the console, by their path. */
  readonly linkedFrom?: Readonly<Record<string, Pick<MenuEntry, 'path' | 'label'>>>;
  /** A column on the page of all organisations. */
  readonly organisationColumn?: OrganisationColumn;
  /** What it adds to pages that search. */
  readonly aboveSearch?: AboveSearch;
  /** A section of the page of one alert. */
  readonly onAlert?: (visit: Visit, alertId: string) => Promise<Html>;
  /** A part below a case, on its page and next to the queue. */
  readonly belowCase?: (visit: Visit, shown: ShownCase) => Promise<BelowCase>;
  /** What can be done with several reviews at once. */
  readonly onSeveral?: readonly SeveralAct[];
  /** What this person is to look at, above today and above the reviews. */
  readonly forPerson?: (visit: Visit) => Promise<HtmlValue>;
  /** A section of the page of orders. */
  readonly onOrders?: (visit: Visit) => Promise<HtmlValue>;
  /** Its part of the page of policies, and of one version. */
  readonly onPolicies?: OnPolicies;
  /** What waits for this person as the second of two: at most so many lines of a list. */
  readonly forSecondPerson?: (visit: Visit, limit: number) => Promise<readonly Html[]>;
  /** It keeps for people how they want a page. */
  readonly keeping?: Keeping;
  /** Names of merchants that it knows. */
  readonly merchantNames?: (db: Db, organisationId: string) => Promise<MerchantNames>;
  /** Its calls of the JSON API. */
  readonly api?: readonly ApiCall[];
}
