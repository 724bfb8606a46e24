/**
 * What a running sandbox offers to code: its addresses, its state as an oracle, its time, and
 * everything networks and dashboards can do.
 */
import type { Express } from 'express';
import type { AlertAction } from '../service/wire/alert.ts';
import type { FailureClass } from '../service/wire/processor.ts';
import type { NewSubscription } from './control/accounts.ts';
import type { NewOrder } from './control/holdings.ts';
import type { ProcessorChanges } from './control/processor-endpoints.ts';
import type { FaultRule } from './fault-rule.ts';
import type { Faults, PlantedFault } from './faults.ts';
import type { Capture } from './processor/charge-life.ts';
import type { DisputeChanges } from './processor/dispute-life.ts';
import type { NewCharge } from './processor/new-charge.ts';
import type { RequestEntry } from './request-log.ts';
import type { CaseNotice, NewLookup } from './resources/lookup-rules.ts';
import type { AlertChanges, NewAlert } from './resources/new-alert.ts';
import type { NewRepresentment, RepresentmentChanges } from './resources/representment-rules.ts';
import type { NewSchemeNotice, SchemeNoticeChanges } from './resources/scheme-notice-rules.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import type { SeedData, Seeded } from './seed.ts';
import type { SeededAccounts, Subscription } from './state/accounts.ts';
import type { ChargeRecord, RefundRecord, ToldEvent } from './state/charges.ts';
import type { DeliveryRecord, EventRecord } from './state/deliveries.ts';
import type { DisputeRecord } from './state/disputes.ts';
import type { OrderRecord } from './state/orders.ts';
import type {
  AlertRecord,
  LookupRecord,
  RepresentmentRecord,
  SchemeNoticeRecord,
} from './state/resources.ts';
import type { PatchEntry, State } from './state/state.ts';

/** A running sandbox. Close it when done. */
export interface Sandbox extends NetworkActs, ProcessorActs {
  /** `{base_url}` of the interface, for example `http://127.0.0.1:40001`. */
  readonly url: string;
  /** Base of the HTTP processor contract: `<url>/processor`. */
  readonly processorUrl: string;
  readonly port: number;
  readonly app: Express;
  /** Identifiers and secrets of the default seed. @throws when started `empty` */
  readonly accounts: SeededAccounts;
  readonly clock: SandboxClock;
  /** Everything it knows. Read it as an oracle; change it through the functions below. */
  readonly state: State;

  /** Moves the clock by `durationMs`; what falls due on the way has happened when it resolves. */
  advance(durationMs: number): Promise<void>;
  /** Runs what is due now: the same as `advance(0)`. */
  settle(): Promise<void>;
  /** Everything it knows, as JSON; planted faults are left out. */
  snapshot(): unknown;
  /** Goes on from a snapshot. @throws when it is none */
  restore(snapshot: unknown): void;
  /**
   * What came over HTTP since the start or the last reset, with seeds, time, events and deliveries, as
   * the text of a scenario file. What your code did through this object is not in it.
   */
  recording(): string;
  /** Forgets everything and seeds the defaults again. */
  reset(): void;
  /** Ends every connection and timer. */
  close(): Promise<void>;

  /** Creates many things at once; also takes what a seed file holds. */
  seed(data: SeedData): Seeded;

  /** Sends the events of the seeded organisation to this address from now on. */
  pointWebhooksAt(url: string | null): void;
  subscribe(input: NewSubscription): Subscription;
  /** Signs and sends these bytes as an event, for what a receiver must survive. */
  sendRawEvent(raw: RawEvent): EventRecord;
  /** The same event once more, under a new delivery id, which is answered. */
  redeliver(deliveryId: string): string;

  readonly faults: Faults;
  addFault(rule: FaultRule): PlantedFault;

  /** The delivery log, oldest first. */
  deliveries(): readonly DeliveryRecord[];
  events(): readonly EventRecord[];
  /** The processor's own webhooks, oldest first; none before `changeProcessor({ events: … })`. */
  processorEvents(): readonly ToldEvent[];
  /** The last requests, oldest first. */
  requests(): readonly RequestEntry[];
  /** Every alert action that reached the rules. */
  readonly patchLog: readonly PatchEntry[];
  charges(): readonly ChargeRecord[];
  /** Disputes at the processor, with all that was handed in for each. */
  disputes(): readonly DisputeRecord[];
  /** Refunds of a charge that were not refused or failed: how many, and how much in all. */
  moneyOut(chargeReference: string): { readonly count: number; readonly sumMinor: number };
}

/** Bytes to send as an event. */
export interface RawEvent {
  /** @default the seeded organisation */
  readonly organisationId?: string;
  /** Selects the subscriptions; a type outside the ten goes to all. */
  readonly type: string;
  readonly body: string | Buffer;
}

/** What networks and dashboards do. */
export interface NetworkActs {
  createAlert(fields?: NewAlert): AlertRecord;
  /** An alert about a charge of the processor. */
  createAlertFor(chargeReference: string, fields?: NewAlert): AlertRecord;
  createOrder(fields: NewOrder): OrderRecord;
  createCharge(fields?: NewCharge): ChargeRecord;
  createLookup(fields: NewLookup): LookupRecord;
  createRepresentment(fields?: NewRepresentment): RepresentmentRecord;
  createSchemeNotice(fields?: NewSchemeNotice): SchemeNoticeRecord;
  updateLookup(
    lookupId: string,
    changes: Partial<Pick<LookupRecord, 'lookup_status' | 'deflection_status'>>,
  ): LookupRecord;
  sendCaseNotice(lookupId: string, notice: CaseNotice): LookupRecord;
  updateRepresentment(id: string, changes: RepresentmentChanges): RepresentmentRecord;
  updateSchemeNotice(id: string, changes: SchemeNoticeChanges): SchemeNoticeRecord;
  /** @throws Refusal when the alert is not open any more */
  resolveInDashboard(alertId: string, action: AlertAction, note?: string): AlertRecord;
  invalidateAlert(alertId: string, note?: string): AlertRecord;
  /** Changes an outcome alone, as a network does afterwards; the status stays. */
  updateAlert(alertId: string, changes: AlertChanges): AlertRecord;
}

/** What happens at the sandbox's processor. */
export interface ProcessorActs {
  /** Captures a part of an authorisation, once or again, and releases the rest by default. */
  captureCharge(chargeReference: string, capture?: Capture): ChargeRecord;
  /** The issuer takes money back; without an amount, all that was not refunded. */
  takeChargeback(chargeReference: string, amountMinor?: number): ChargeRecord;
  /** The dispute is won: the issuer's money comes back. */
  returnChargeback(chargeReference: string): ChargeRecord;
  /** A dispute is opened; nothing has moved yet. Its reference is `dp_` and the charge's. */
  openDispute(chargeReference: string, dispute?: DisputeChanges): ChargeRecord;
  /** A dispute is decided, or what is known of it changes. */
  changeDispute(disputeReference: string, changes: DisputeChanges): DisputeRecord;
  /** Somebody hands evidence in by hand. */
  submitEvidenceInDashboard(disputeReference: string): DisputeRecord;
  /** The network warns of fraud: told by a webhook of the processor, where one is set. */
  warnOfFraud(chargeReference: string): ChargeRecord;
  /** Support refunds by hand; without an amount, all that is left. `pending` waits for `settleRefund`. */
  refundInDashboard(
    chargeReference: string,
    amountMinor?: number,
    status?: 'succeeded' | 'pending',
  ): RefundRecord;
  /** Ends a pending refund, or turns one around, for example to `failed` days later. */
  settleRefund(
    refundReference: string,
    status: RefundRecord['status'],
    failure?: string | { readonly code: string; readonly failureClass: FailureClass },
  ): RefundRecord | undefined;
  changeProcessor(changes: ProcessorChanges): void;
}
