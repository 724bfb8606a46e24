/**
 * The sandbox as its user holds it: each method is one step of `control/` on the context.
 */
import type { Express } from 'express';
import { InvariantError } from '../base/kernel/errors.ts';
import type { AlertAction } from '../service/wire/alert.ts';
import type { FailureClass } from '../service/wire/processor.ts';
import type { NewSubscription } from './control/accounts.ts';
import { changeSubscription, createSubscription } from './control/accounts.ts';
import type { NewOrder } from './control/holdings.ts';
import { createOrder } from './control/holdings.ts';
import { must } from './control/must.ts';
import {
  askLookup,
  openRepresentment,
  raiseAlert,
  raiseAlertFor,
  reportSchemeNotice,
  resolveInDashboard,
  sendCaseNotice,
  updateAlert,
  updateLookup,
  updateRepresentment,
  updateSchemeNotice,
  withdrawAlert,
} from './control/network.ts';
import type { ProcessorChanges } from './control/processor-endpoints.ts';
import { changeProcessor, refundInDashboard } from './control/processor-endpoints.ts';
import { redeliver } from './control/run-endpoints.ts';
import type { FaultRule } from './fault-rule.ts';
import type { Faults, PlantedFault } from './faults.ts';
import { closeAtOnce, reachableHost } from './http/listen.ts';
import type { Capture } from './processor/charge-life.ts';
import {
  captureCharge,
  returnChargeback,
  setDisputed,
  takeChargeback,
  warnOfFraud,
} from './processor/charge-life.ts';
import { createCharge, moneyOut, settleRefund } from './processor/ledger.ts';
import type { NewCharge } from './processor/new-charge.ts';
import { RESTORED } from './recording/recorder.ts';
import { writeScenario } from './recording/write-scenario.ts';
import type { RequestEntry } from './request-log.ts';
import type { CaseNotice, NewLookup } from './resources/lookup-rules.ts';
import type { AlertChanges, NewAlert } from './resources/new-alert.ts';
import type { NewRepresentment, RepresentmentChanges } from './resources/representment-rules.ts';
import type { NewSchemeNotice, SchemeNoticeChanges } from './resources/scheme-notice-rules.ts';
import type { RawEvent, Sandbox } from './sandbox.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { SandboxParts } from './sandbox-parts.ts';
import type { SeedData, Seeded } from './seed.ts';
import { applySeed } from './seed.ts';
import type { SeededAccounts, Subscription } from './state/accounts.ts';
import type { ChargeRecord, RefundRecord, ToldEvent } from './state/charges.ts';
import type { DeliveryRecord, EventRecord } from './state/deliveries.ts';
import type { OrderRecord } from './state/orders.ts';
import type {
  AlertRecord,
  LookupRecord,
  RepresentmentRecord,
  SchemeNoticeRecord,
} from './state/resources.ts';
import { restoreSnapshot, takeSnapshot } from './state/snapshot.ts';
import type { PatchEntry, State } from './state/state.ts';
import { publishRaw } from './webhooks/emit.ts';

export class RunningSandbox implements Sandbox {
  readonly url: string;
  readonly processorUrl: string;
  readonly port: number;
  readonly app: Express;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly #parts: SandboxParts;
  readonly #context: SandboxContext;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    this.#context = parts.context;
    this.url = `http://${reachableHost(this.#context.settings.host)}:${parts.port}`;
    this.processorUrl = `${this.url}/processor`;
    this.port = parts.port;
    this.app = parts.app;
    this.clock = this.#context.clock;
    this.faults = this.#context.faults;
  }

  get accounts(): SeededAccounts {
    const { accounts } = this.state;
    if (accounts === null) throw new InvariantError('This sandbox was started empty.');
    return accounts;
  }

  get state(): State {
    return this.#context.state;
  }

  get patchLog(): readonly PatchEntry[] {
    return this.state.patchLog;
  }

  advance(durationMs: number): Promise<void> {
    return this.#context.timers.advanceTo(this.#context.clock.nowMs() + durationMs);
  }

  settle(): Promise<void> {
    return this.advance(0);
  }

  snapshot(): unknown {
    return takeSnapshot(this.#context);
  }

  restore(snapshot: unknown): void {
    restoreSnapshot(this.#context, snapshot);
    this.#parts.recorder.giveUp(RESTORED);
  }

  recording(): string {
    return writeScenario(this.#context, this.#parts.recorder.read());
  }

  reset(): void {
    this.#parts.reset();
  }

  async close(): Promise<void> {
    this.#context.closing.abort();
    await Promise.all([closeAtOnce(this.#parts.server), this.#context.timers.close()]);
  }

  seed(data: SeedData): Seeded {
    const seeded = applySeed(this.#context, data);
    this.#parts.recorder.addSeed(data);
    return seeded;
  }

  createAlert(fields: NewAlert = {}): AlertRecord {
    return raiseAlert(this.#context, fields);
  }

  createAlertFor(chargeReference: string, fields: NewAlert = {}): AlertRecord {
    return raiseAlertFor(this.#context, chargeReference, fields);
  }

  createOrder(fields: NewOrder): OrderRecord {
    return createOrder(this.#context, fields);
  }

  createCharge(fields: NewCharge = {}): ChargeRecord {
    return createCharge(this.#context, fields);
  }

  createLookup(fields: NewLookup): LookupRecord {
    return askLookup(this.#context, fields);
  }

  createRepresentment(fields: NewRepresentment = {}): RepresentmentRecord {
    return openRepresentment(this.#context, fields);
  }

  createSchemeNotice(fields: NewSchemeNotice = {}): SchemeNoticeRecord {
    return reportSchemeNotice(this.#context, fields);
  }

  updateLookup(lookupId: string, changes: Parameters<Sandbox['updateLookup']>[1]): LookupRecord {
    return updateLookup(this.#context, lookupId, changes);
  }

  sendCaseNotice(lookupId: string, notice: CaseNotice): LookupRecord {
    return sendCaseNotice(this.#context, lookupId, notice);
  }

  updateRepresentment(id: string, changes: RepresentmentChanges): RepresentmentRecord {
    return updateRepresentment(this.#context, id, changes);
  }

  updateSchemeNotice(id: string, changes: SchemeNoticeChanges): SchemeNoticeRecord {
    return updateSchemeNotice(this.#context, id, changes);
  }

  resolveInDashboard(alertId: string, action: AlertAction, note?: string): AlertRecord {
    return resolveInDashboard(this.#context, alertId, { action, note });
  }

  invalidateAlert(alertId: string, note?: string): AlertRecord {
    return withdrawAlert(this.#context, alertId, note);
  }

  updateAlert(alertId: string, changes: AlertChanges): AlertRecord {
    return updateAlert(this.#context, alertId, changes);
  }

  captureCharge(chargeReference: string, capture: Capture = {}): ChargeRecord {
    return captureCharge(this.#context, this.#charge(chargeReference), capture);
  }

  takeChargeback(chargeReference: string, amountMinor?: number): ChargeRecord {
    return takeChargeback(this.#context, this.#charge(chargeReference), amountMinor);
  }

  returnChargeback(chargeReference: string): ChargeRecord {
    return returnChargeback(this.#context, this.#charge(chargeReference));
  }

  openDispute(chargeReference: string): ChargeRecord {
    return setDisputed(this.#context, this.#charge(chargeReference), true);
  }

  warnOfFraud(chargeReference: string): ChargeRecord {
    return warnOfFraud(this.#context, this.#charge(chargeReference));
  }

  refundInDashboard(
    chargeReference: string,
    amountMinor?: number,
    status?: 'succeeded' | 'pending',
  ): RefundRecord {
    const staysPending = status === 'pending';
    return refundInDashboard(this.#context, chargeReference, { amountMinor, staysPending });
  }

  settleRefund(
    refundReference: string,
    status: RefundRecord['status'],
    failure?: string | { readonly code: string; readonly failureClass: FailureClass },
  ): RefundRecord | undefined {
    const { code: failureCode, failureClass } =
      typeof failure === 'object' ? failure : { code: failure };
    return settleRefund(this.#context, refundReference, { status, failureCode, failureClass });
  }

  changeProcessor(changes: ProcessorChanges): void {
    changeProcessor(this.#context, changes);
  }

  pointWebhooksAt(url: string | null): void {
    const subscription = this.state.subscriptions.get(this.accounts.subscriptionId);
    changeSubscription(must(subscription, 'The seeded subscription'), { url, status: 'ENABLED' });
  }

  subscribe(input: NewSubscription): Subscription {
    return createSubscription(this.#context, input);
  }

  sendRawEvent(raw: RawEvent): EventRecord {
    const organisationId = raw.organisationId ?? this.accounts.organisationId;
    return publishRaw(this.#context, { organisationId, type: raw.type, body: raw.body });
  }

  redeliver(deliveryId: string): string {
    return redeliver(this.#context, deliveryId).id;
  }

  addFault(rule: FaultRule): PlantedFault {
    return this.faults.add(rule);
  }

  deliveries(): readonly DeliveryRecord[] {
    return [...this.state.deliveries.values()];
  }

  events(): readonly EventRecord[] {
    return [...this.state.events.values()];
  }

  requests(): readonly RequestEntry[] {
    return this.#parts.requestLog.all();
  }

  processorEvents(): readonly ToldEvent[] {
    return [...this.state.toldEvents.values()];
  }

  charges(): readonly ChargeRecord[] {
    return [...this.state.charges.values()];
  }

  moneyOut(chargeReference: string): { readonly count: number; readonly sumMinor: number } {
    return moneyOut(this.#charge(chargeReference));
  }

  #charge(reference: string): ChargeRecord {
    return must(this.state.charges.get(reference), 'The charge');
  }
}
