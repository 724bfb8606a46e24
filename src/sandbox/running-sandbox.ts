/** The sandbox as its user holds it: each method is one step of `control/` on the context. */
import type { Server } from 'node:http';
import type { Express } from 'express';
import { InvariantError } from '../base/kernel/errors.ts';
import { changeSubscription, createSubscription } from './control/accounts.ts';
import { must } from './control/control-endpoint.ts';
import { createOrder } from './control/holdings.ts';
import {
  alertOf,
  askLookup,
  lookupOf,
  openRepresentment,
  raiseAlert,
  raiseAlertFor,
  reportSchemeNotice,
  representmentOf,
  schemeNoticeOf,
} from './control/network.ts';
import { changeProcessor, refundInDashboard } from './control/processor-endpoints.ts';
import { redeliver } from './control/run-endpoints.ts';
import { closeAtOnce, reachableHost } from './http/listen.ts';
import {
  captureCharge,
  returnChargeback,
  setDisputed,
  takeChargeback,
  warnOfFraud,
} from './processor/charge-life.ts';
import { changeDispute, disputeOf, submitInDashboard } from './processor/dispute-life.ts';
import { createCharge, moneyOut, settleRefund } from './processor/ledger.ts';
import type { Recorder } from './recording/recorder.ts';
import { RESTORED } from './recording/recorder.ts';
import { writeScenario } from './recording/write-scenario.ts';
import type { RequestLog } from './request-log.ts';
import { changeAlert, invalidateAlert, resolveAlert } from './resources/alert-rules.ts';
import { changeLookup, noteCase } from './resources/lookup-rules.ts';
import { changeRepresentment, withoutUndefined } from './resources/representment-rules.ts';
import { changeSchemeNotice } from './resources/scheme-notice-rules.ts';
import type { NetworkActs, ProcessorActs, Sandbox } from './sandbox.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { Seeded } from './seed.ts';
import { applySeed } from './seed.ts';
import type { SeededAccounts } from './state/accounts.ts';
import type { ChargeRecord, RefundRecord } from './state/charges.ts';
import type { DisputeRecord } from './state/disputes.ts';
import { restoreSnapshot, takeSnapshot } from './state/snapshot.ts';
import type { PatchEntry, State } from './state/state.ts';
import { publishRaw } from './webhooks/emit.ts';

/** What a sandbox that listens is made of. */
export interface SandboxParts {
  readonly context: SandboxContext;
  readonly requestLog: RequestLog;
  readonly recorder: Recorder;
  readonly app: Express;
  readonly server: Server;
  readonly port: number;
  reset(): void;
}

export function runningSandbox(parts: SandboxParts): Sandbox {
  const { context, recorder, requestLog, app, port, server } = parts;
  const { clock, faults, timers } = context;
  const url = `http://${reachableHost(context.settings.host)}:${port}`;
  const advance = (durationMs: number): Promise<void> =>
    timers.advanceTo(clock.nowMs() + durationMs);
  return {
    ...networkActs(context),
    ...processorActs(context),
    url,
    processorUrl: `${url}/processor`,
    port,
    app,
    clock,
    faults,
    get accounts(): SeededAccounts {
      return accountsOf(context);
    },
    get state(): State {
      return context.state;
    },
    get patchLog(): readonly PatchEntry[] {
      return context.state.patchLog;
    },
    advance,
    settle: () => advance(0),
    snapshot: () => takeSnapshot(context),
    restore: (snapshot): void => {
      restoreSnapshot(context, snapshot);
      recorder.giveUp(RESTORED);
    },
    recording: () => writeScenario(context, recorder.read()),
    reset: () => parts.reset(),
    close: async (): Promise<void> => {
      context.closing.abort();
      await Promise.all([closeAtOnce(server), timers.close()]);
    },
    seed: (data): Seeded => {
      const seeded = applySeed(context, data);
      recorder.addSeed(data);
      return seeded;
    },
    pointWebhooksAt: (address): void => {
      const subscription = context.state.subscriptions.get(accountsOf(context).subscriptionId);
      const changed = must(subscription, 'The seeded subscription');
      changeSubscription(changed, { url: address, status: 'ENABLED' });
    },
    subscribe: (input) => createSubscription(context, input),
    sendRawEvent: ({ organisationId = accountsOf(context).organisationId, type, body }) =>
      publishRaw(context, { organisationId, type, body }),
    redeliver: (deliveryId) => redeliver(context, deliveryId).id,
    addFault: (rule) => faults.add(rule),
    deliveries: () => [...context.state.deliveries.values()],
    events: () => [...context.state.events.values()],
    requests: () => requestLog.all(),
    processorEvents: () => [...context.state.toldEvents.values()],
    charges: () => [...context.state.charges.values()],
    disputes: () => [...context.state.disputes.values()],
    moneyOut: (reference) => moneyOut(chargeOf(context, reference)),
  };
}

function accountsOf({ state: { accounts } }: SandboxContext): SeededAccounts {
  if (accounts === null) throw new InvariantError('This sandbox was started empty.');
  return accounts;
}

function chargeOf({ state }: SandboxContext, reference: string): ChargeRecord {
  return must(state.charges.get(reference), 'The charge');
}

function disputeAt({ state }: SandboxContext, reference: string): DisputeRecord {
  return must(state.disputes.get(reference), 'The dispute');
}

function networkActs(context: SandboxContext): NetworkActs {
  return {
    createAlert: (fields = {}) => raiseAlert(context, fields),
    createAlertFor: (charge, fields = {}) => raiseAlertFor(context, charge, fields),
    createOrder: (fields) => createOrder(context, fields),
    createCharge: (fields = {}) => createCharge(context, fields),
    createLookup: (fields) => askLookup(context, fields),
    createRepresentment: (fields = {}) => openRepresentment(context, fields),
    createSchemeNotice: (fields = {}) => reportSchemeNotice(context, fields),
    updateLookup: (id, changes) => changeLookup(context, lookupOf(context, id), changes),
    sendCaseNotice: (id, notice) => noteCase(context, lookupOf(context, id), notice),
    updateRepresentment: (id, changes) =>
      changeRepresentment(context, representmentOf(context, id), changes),
    updateSchemeNotice: (id, changes) =>
      changeSchemeNotice(context, schemeNoticeOf(context, id), changes),
    resolveInDashboard: (id, action, note) =>
      resolveAlert(context, alertOf(context, id), { action, note }),
    invalidateAlert: (id, note) => invalidateAlert(context, alertOf(context, id), note),
    updateAlert: (id, changes) =>
      changeAlert(context, alertOf(context, id), withoutUndefined(changes)),
  };
}

function processorActs(context: SandboxContext): ProcessorActs {
  const recordOf = (reference: string): ChargeRecord => chargeOf(context, reference);
  return {
    captureCharge: (charge, capture = {}) => captureCharge(context, recordOf(charge), capture),
    takeChargeback: (charge, amountMinor) => takeChargeback(context, recordOf(charge), amountMinor),
    returnChargeback: (charge) => returnChargeback(context, recordOf(charge)),
    openDispute: (charge, dispute): ChargeRecord => {
      const changed = setDisputed(context, recordOf(charge), true);
      if (dispute !== undefined)
        changeDispute(context, disputeAt(context, disputeOf(changed)), dispute);
      return changed;
    },
    changeDispute: (reference, changes) =>
      changeDispute(context, disputeAt(context, reference), changes),
    submitEvidenceInDashboard: (reference) =>
      submitInDashboard(context, disputeAt(context, reference)),
    warnOfFraud: (charge) => warnOfFraud(context, recordOf(charge)),
    refundInDashboard: (charge, amountMinor, status) =>
      refundInDashboard(context, charge, { amountMinor, staysPending: status === 'pending' }),
    settleRefund: (refund, status, failure): RefundRecord | undefined => {
      const { code: failureCode, failureClass } =
        typeof failure === 'object' ? failure : { code: failure };
      return settleRefund(context, refund, { status, failureCode, failureClass });
    },
    changeProcessor: (changes) => void changeProcessor(context, changes),
  };
}
