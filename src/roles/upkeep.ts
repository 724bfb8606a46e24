/**
 * The worker's loops that keep promises rather than make progress: deadlines, messages, the sign of
 * life, the policy, and the poll that heals what webhooks missed.
 */
import { createDeadlineSweep } from '../cases/deadline-sweep.ts';
import { beat, HEARTBEAT_MS } from '../jobs/heartbeat.store.ts';
import type { LoopSpec } from '../jobs/loop.ts';
import { nowDate } from '../kernel/clock.ts';
import { createNotificationSender } from '../notify/sender.ts';
import { createApplyPolled } from '../reconcile/apply-polled.ts';
import { createPoller } from '../reconcile/poller.ts';
import type { Parts } from './parts.ts';
import type { WorkOptions } from './work.ts';

/** How long the sweep and the sender rest when nothing wakes them, in milliseconds. */
const REST_MS = { sweep: 5_000, notify: 3_000 };

/** How often the policy file is looked at, in milliseconds. */
const POLICY_MS = 5_000;

/** Loops that keep promises rather than make progress: deadlines, messages, the sign of life, the policy. */
export function createUpkeep(parts: Parts, options: WorkOptions): LoopSpec[] {
  const { database, clock, log, organisationId, workerId } = parts;
  const sweep = createDeadlineSweep({
    db: database.db,
    clock,
    log: log.child({ part: 'deadlines' }),
    organisationId,
  });
  const sender = createNotificationSender({
    db: database.db,
    clock,
    log: log.child({ part: 'notify' }),
    url: options.notifyUrl,
  });
  return [
    {
      name: 'deadlines',
      runOnce: async (): Promise<number> => {
        const { alarms, missed, repaired } = await sweep.runOnce();
        return alarms + missed + repaired;
      },
      idleMs: REST_MS.sweep,
    },
    { name: 'notify', runOnce: () => sender.runOnce(), idleMs: REST_MS.notify },
    {
      name: 'heartbeat',
      idleMs: HEARTBEAT_MS,
      runOnce: async (): Promise<number> => {
        await beat(database.db, { workerId, organisationId, role: 'work', now: nowDate(clock) });
        return 0;
      },
    },
    {
      name: 'policy',
      idleMs: POLICY_MS,
      runOnce: async () => await Promise.resolve(options.policy.refresh() ? 1 : 0),
    },
  ];
}

/** The reconciler's poll, with the means to stop it. */
export function createPolling(
  parts: Parts,
  options: WorkOptions,
  stop: AbortSignal,
): { spec: LoopSpec; release: () => Promise<void> } {
  const { database, clock, organisationId, workerId } = parts;
  const log = parts.log.child({ part: 'reconcile' });
  const poller = createPoller({
    db: database.db,
    clock,
    log,
    client: parts.client,
    organisationId,
    applySnapshots: createApplyPolled({ db: database.db, clock, log, organisationId }),
    workerId,
    intervalMs: options.reconcileSeconds * 1_000,
  });
  return {
    spec: {
      name: 'reconcile',
      idleMs: options.reconcileSeconds * 1_000,
      runOnce: async (): Promise<number> => {
        await poller.runOnce(stop);
        return 0;
      },
    },
    release: () => poller.release(),
  };
}
