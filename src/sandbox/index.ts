/**
 * The sandbox: the whole service of the interface specification on this machine, in memory, with a
 * clock that can be moved and faults that can be planted.
 *
 * @module
 * @example
 * const sandbox = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z') });
 * sandbox.pointWebhooksAt('http://127.0.0.1:8080/webhooks');
 * const charge = sandbox.createCharge({ amount_in_cents: 12_990 });
 * const alert = sandbox.createAlertFor(charge.reference);
 * await sandbox.settle(); // the webhook has been delivered
 * await sandbox.close();
 */
import { createServer } from 'node:http';
import { createApp } from './app.ts';
import { accountEndpoints } from './control/account-endpoints.ts';
import { networkEndpoints } from './control/network-endpoints.ts';
import { bookEndpoints } from './control/processor-endpoints.ts';
import { runEndpoints } from './control/run-endpoints.ts';
import { createContext, resetContext } from './create-context.ts';
import { seedDefaults } from './default-seed.ts';
import type { Endpoint } from './http/endpoint.ts';
import { interfaceEndpoint } from './http/interface-endpoint.ts';
import { listen } from './http/listen.ts';
import { createRateLimits } from './limits.ts';
import { openapiEndpoint } from './openapi/document.ts';
import type { SandboxOptions } from './options.ts';
import { resolveOptions } from './options.ts';
import { pageEndpoints } from './page/page.ts';
import { processorEndpoints } from './processor/endpoints.ts';
import { createRecorder } from './recording/recorder.ts';
import { createRequestLog } from './request-log.ts';
import { ROUTES } from './routes.ts';
import { runningSandbox } from './running-sandbox.ts';
import type { Sandbox } from './sandbox.ts';

export type { Clock, FixedClock } from '../base/kernel/clock.ts';
export type { Log } from '../base/kernel/log.ts';
export type { Ability } from '../service/wire/abilities.ts';
export type { AlertAction } from '../service/wire/alert.ts';
export type { BrandTokens } from '../service/wire/brand-tokens.ts';
export type { FailureClass } from '../service/wire/processor.ts';
export type { NewSubscription } from './control/accounts.ts';
export type { NewOrder } from './control/holdings.ts';
export type { ProcessorChanges } from './control/processor-endpoints.ts';
export type { CallFault, FaultRule, WebhookFault } from './fault-rule.ts';
export type { FaultSubject, Faults, PlantedFault } from './faults.ts';
export type { Random } from './ids.ts';
export type { ProcessorSettings, SandboxOptions, SandboxTiming, SignatureTime } from './options.ts';
export type { Capture } from './processor/charge-life.ts';
export type { DisputeChanges } from './processor/dispute-life.ts';
export type { NewCharge } from './processor/new-charge.ts';
export type { RequestEntry } from './request-log.ts';
export type { CaseNotice, NewLookup } from './resources/lookup-rules.ts';
export type { AlertChanges, NewAlert } from './resources/new-alert.ts';
export type { NewRepresentment, RepresentmentChanges } from './resources/representment-rules.ts';
export type { NewSchemeNotice, SchemeNoticeChanges } from './resources/scheme-notice-rules.ts';
export type { NetworkActs, ProcessorActs, RawEvent, Sandbox } from './sandbox.ts';
export type { SandboxClock } from './sandbox-clock.ts';
export type { ScenarioReport, StepReport } from './scenario/run-scenario.ts';
export { runScenario } from './scenario/run-scenario.ts';
export type { Scenario } from './scenario/scenario.ts';
export { readScenarioFile } from './scenario/scenario.ts';
export type { SeedData, Seeded } from './seed.ts';
export type {
  ApiKey,
  Organisation,
  OwnerNotice,
  Partner,
  PartnerGroup,
  SeededAccounts,
  Subscription,
} from './state/accounts.ts';
export type { ChargeRecord, KeyUse, RefundRecord, ToldEvent } from './state/charges.ts';
export type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
} from './state/deliveries.ts';
export type {
  DisputeRecord,
  StagedFileRecord,
  SubmissionRecord,
  WantedRecord,
} from './state/disputes.ts';
export type {
  IngestedTransaction,
  OrderInput,
  OrderRecord,
  OrderTransaction,
} from './state/orders.ts';
export type {
  AlertRecord,
  AmountRule,
  Dated,
  DescriptorRecord,
  DescriptorRule,
  EnrolmentRecord,
  IntegrationRecord,
  LookupRecord,
  MerchantRecord,
  Programme,
  RepresentmentRecord,
  RuleRecord,
  RulesetRecord,
  SchemeNoticeRecord,
} from './state/resources.ts';
export type { PatchEntry, State } from './state/state.ts';
export { digestOf, signatureHeader } from './webhooks/signer.ts';
export { readSeedExample, readSeedFile } from './yaml-file.ts';

/**
 * Starts a sandbox. It listens on 127.0.0.1 and keeps everything in memory.
 *
 * @throws {ConfigError} when the port is taken
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = resolveOptions(options);
  const context = createContext(settings);
  const limits = createRateLimits(settings.requestsPerMinute);
  const requestLog = createRequestLog();
  const recorder = createRecorder(context.clock.nowMs());
  if (!settings.empty) seedDefaults(context);
  const reset = (): void => {
    resetContext(context);
    limits.clear();
    requestLog.clear();
    recorder.restart(context.clock.nowMs());
    if (!settings.empty) seedDefaults(context);
  };
  const controls: readonly Endpoint[] = [
    ...runEndpoints(context, { requestLog, recorder, reset }),
    ...networkEndpoints(context),
    ...accountEndpoints(context),
    ...bookEndpoints(context),
  ];
  const endpoints: readonly Endpoint[] = [
    ...ROUTES.map((route) => interfaceEndpoint(context, limits, route)),
    ...processorEndpoints(context),
    ...controls,
    ...pageEndpoints(context, { requestLog, recorder, endpoints: controls }),
    openapiEndpoint(controls),
  ];
  const app = createApp(context, { requestLog, recorder }, endpoints);
  const server = createServer(app);
  const port = await listen(server, settings.port, settings.host);
  return runningSandbox({ context, requestLog, recorder, app, server, port, reset });
}
