/** A service that shows an answered alert as open again, and the poll that finds it. */
import { createAnswerAgain } from '../../../src/alerts/declare/answer-again.ts';
import { createApplyPolled } from '../../../src/alerts/reconcile/apply-polled.ts';
import type { PollerOptions } from '../../../src/alerts/reconcile/poll-port.ts';
import { createPoller } from '../../../src/alerts/reconcile/poller.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { ServiceError } from '../../../src/service/client/service-error.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';
import type { OpenCase, SagaWorld } from '../../crash/support/saga-world.ts';
import type { Saga } from '../../crash/support/use-saga.ts';

/** What a test does with an alert that opens again. */
export interface Reopening {
  /** What a list shows that is older than the reads of single alerts. */
  readonly oldList: Alert[];
  poll(): Promise<void>;
  /** @throws {ServiceError} when the service does not know it, or cannot read it */
  shown(alertId: string): Alert;
  /** The service shows the alert as if nobody had answered. */
  opensAgain(fields?: Partial<Alert>): void;
  /** Answered, and an hour later open again. */
  answeredAndOpenAgain(options?: Partial<OpenCase>): Promise<void>;
}

function failure(code: string): ServiceError {
  return new ServiceError(code, {
    kind: 'refused',
    code,
    retryable: false,
    requestKind: 'read',
    outcome: 'refused',
    endpoint: 'GET /v1/alerts/{alert_id}',
  });
}

/** The service's alerts, as a poll reads them. */
function clientOf({ service }: SagaWorld, reopening: Reopening): PollerOptions['client'] {
  return {
    alerts: {
      async *list({ status }) {
        yield* reopening.oldList;
        yield* [...service.alerts.values()].filter((alert) => alert.status === status);
      },
      page: async () => ({ ok: true, items: [], invalid: [], count: 0 }),
      get: async (alertId) => reopening.shown(alertId),
    },
    lookups: {
      async *list() {
        yield* [];
      },
    },
    enrolments: undefined,
  };
}

/** Of one alert. */
export function reopeningOf({ world, worker }: Saga, alertId: string): Reopening {
  const { service, db, clock, organisationId } = world;
  const self: Reopening = {
    oldList: [],
    async poll() {
      const shared = { db, clock, log: createLog({ level: 'silent' }), organisationId };
      const poller = createPoller({
        ...shared,
        client: clientOf(world, self),
        applySnapshots: createApplyPolled(shared),
        answerAgain: createAnswerAgain(worker.deps),
        workerId: 'w1',
      });
      await poller.runOnce();
    },
    shown(id) {
      const alert = service.alerts.get(id);
      if (alert === undefined || service.unreadable.has(id)) throw failure('NOT_FOUND');
      return alert;
    },
    opensAgain(fields = {}) {
      const now = new Date(clock.nowMs()).toISOString();
      const open = { status: 'ACTION_REQUIRED', transaction_refund_outcome: null, note: null };
      service.alerts.set(alertId, {
        ...self.shown(alertId),
        ...open,
        updated_at: now,
        ...fields,
      });
    },
    async answeredAndOpenAgain(options = {}) {
      await world.open({ alertId, ...options });
      await world.settle([worker]);
      await world.pass([worker], 1);
      self.opensAgain();
    },
  };
  return self;
}
