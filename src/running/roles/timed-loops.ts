/**
 * The worker's loops that keep promises rather than make progress: deadlines, messages, the sign of
 * life, the policy, and the poll that heals what webhooks missed.
 */
import { hasDeadlineWork } from '../../alerts/cases/deadline.store.ts';
import { createDeadlineSweep } from '../../alerts/cases/deadline-sweep.ts';
import type { AnswerAgain } from '../../alerts/declare/answer-again.ts';
import { updateBreaker } from '../../alerts/guard/breaker.store.ts';
import { lockCaps } from '../../alerts/guard/caps.store.ts';
import { DEFAULT_GUARDS } from '../../alerts/guard/guard-settings.ts';
import { nameMentions } from '../../alerts/ledger/named-dispute.store.ts';
import { createApplyPolled } from '../../alerts/reconcile/apply-polled.ts';
import { createComparer } from '../../alerts/reconcile/comparer.ts';
import { createPoller } from '../../alerts/reconcile/poller.ts';
import { RECONCILE_TOPIC } from '../../alerts/reconcile/reconcile-request.store.ts';
import { createReconciler } from '../../alerts/reconcile/reconciler.ts';
import { createActionsCall } from '../../alerts/side-action/actions-endpoint.ts';
import { createSideActions, PERFORM_BATCH } from '../../alerts/side-action/side-action.job.ts';
import { hasDueSideActions } from '../../alerts/side-action/side-action.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { beat, HEARTBEAT_MS } from '../../base/jobs/heartbeat.store.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { SAFETY_MS } from '../../base/jobs/loop.ts';
import { PASS_QUEUE } from '../../base/jobs/queues.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { hasDueNotifications } from '../../base/notify/notification.store.ts';
import { openChannels } from '../../base/notify/notify-settings.ts';
import { createNotificationSender } from '../../base/notify/sender.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import { addUpFigures } from '../../health/figure.store.ts';
import { createPolicyWatcher } from '../../policy/policy-watcher.ts';
import { POLICY_TOPIC } from '../../policy/version.store.ts';
import { capabilityWork } from './capability-work.ts';
import type { OrganisationParts } from './parts.ts';
import { installationOf } from './parts.ts';
import { processUser } from './policies.ts';
import type { WorkOptions } from './work-options.ts';

/** Idle times of loops that keep their own pace, in milliseconds. */
const IDLE_MS = {
  breaker: 15_000,
  metrics: 60_000,
  mentions: 5 * 60_000,
};

/** How often the policy file is looked at, in milliseconds. */
const POLICY_MS = 5_000;
/** How much each organisation adds to that where many share a process. */
const POLICY_SPREAD_MS = 50;

/** Loops that keep promises rather than make progress: deadlines, messages, the sign of life, the policy. */
export function createTimedLoops(parts: OrganisationParts, options: WorkOptions): LoopSpec[] {
  const { database, clock, organisationId, workerId } = parts;
  const sweep = createDeadlineSweep(installationOf(parts, 'deadlines'));
  const keeper = createPolicyWatcher({
    db: database.db,
    clock,
    organisationId,
    policy: options.policy,
    shadow: options.policyBeside,
    further: (options.merchants ?? []).flatMap((each) => each.policy ?? []),
    author: processUser(),
  });
  const sender = createNotificationSender({
    ...installationOf(parts, 'notify'),
    channels: openChannels(options.notify ?? {}, clock),
    place: () => ({
      consoleUrl: options.notify?.consoleUrl,
      organisation: options.notify?.organisation?.(),
    }),
  });
  const { guards, actions } = options.guard ?? { guards: DEFAULT_GUARDS, actions: undefined };
  const sideActions = createSideActions({
    ...installationOf(parts, 'side-actions'),
    processor: options.processor,
    callActions: actions === undefined ? undefined : createActionsCall(actions, clock),
    cancelSubscriptions: guards.cancelSubscriptions,
    shadow: options.mode === 'shadow',
  });
  return [
    ...createCounting(parts, options),
    {
      name: 'side-actions',
      runOnce: () => sideActions.runOnce(),
      fullAt: PERFORM_BATCH,
      idleMs: SAFETY_MS,
      isDue: hasDueSideActions,
    },
    {
      // Measures the rate, and closes the breaker when it is back; sending a refund asks again.
      name: 'breaker',
      runOnce: async (): Promise<number> => {
        if (guards.breaker === null) return 0;
        const scope = { organisationId, settings: guards.breaker, now: nowDate(clock) };
        await inTransaction(database.db, async (trx) => {
          await lockCaps(trx, organisationId);
          await updateBreaker(trx, scope);
        });
        return 0;
      },
      idleMs: IDLE_MS.breaker,
    },
    {
      name: 'deadlines',
      runOnce: async (): Promise<number> => {
        const { alarms, missed, repaired } = await sweep.runOnce();
        return alarms + missed + repaired;
      },
      idleMs: SAFETY_MS,
      isDue: hasDeadlineWork,
    },
    {
      name: 'notify',
      runOnce: () => sender.runOnce(),
      idleMs: SAFETY_MS,
      isDue: hasDueNotifications,
    },
    {
      name: 'heartbeat',
      idleMs: HEARTBEAT_MS,
      perProcess: true,
      runOnce: async (): Promise<number> => {
        await beat(database.db, { workerId, organisationId, role: 'work', now: nowDate(clock) });
        return 0;
      },
    },
    {
      name: 'policy',
      idleMs: POLICY_MS,
      // A file is looked at without a statement.
      ...(options.policy.followsConsole === true ? {} : { spreadMs: POLICY_SPREAD_MS }),
      wakeOn: [POLICY_TOPIC],
      runOnce: () => keeper.runOnce(),
    },
  ];
}

/** Loops that only count and sort: nothing with a deadline waits for them. */
function createCounting(parts: OrganisationParts, options: WorkOptions): LoopSpec[] {
  const { clock, organisationId } = parts;
  const { db } = parts.database;
  return [
    ...CAPABILITIES.flatMap(
      ({ name, loops }) => loops?.(capabilityWork(parts, options, name)) ?? [],
    ),
    {
      name: 'metrics',
      runOnce: async (): Promise<number> => {
        await addUpFigures(db, organisationId);
        return 0;
      },
      idleMs: IDLE_MS.metrics,
    },
    {
      name: 'mentions',
      runOnce: () => nameMentions(db, { organisationId, now: nowDate(clock) }),
      idleMs: IDLE_MS.mentions,
    },
  ];
}

/** The reconciler's loop, with the means to stop it. */
export function createReconciliation(
  parts: OrganisationParts,
  options: WorkOptions & { readonly answerAgain: AnswerAgain },
  stop: AbortSignal,
): { spec: LoopSpec; release: () => Promise<void> } {
  const { client, endpoints } = parts;
  const shared = installationOf(parts, 'reconcile');
  const intervalMs = options.reconcileSeconds * 1_000;
  const poller = createPoller({
    ...shared,
    client: {
      alerts: client.alerts,
      lookups: client.lookups,
      enrolments: endpoints.partnerApiKey === undefined ? undefined : client.enrolments,
    },
    applySnapshots: createApplyPolled(shared),
    answerAgain: options.answerAgain,
    intervalMs,
    clockSkewMs: parts.clockSkewMs,
  });
  const comparer = createComparer({ ...shared, processor: options.processor });
  const reconciler = createReconciler({ ...shared, poller, comparer });
  return {
    spec: {
      name: 'reconcile',
      idleMs: intervalMs,
      wakeOn: [RECONCILE_TOPIC, PASS_QUEUE.name],
      runOnce: () => reconciler.runOnce(stop),
      finish: reconciler.finish,
    },
    release: () => poller.release(),
  };
}
