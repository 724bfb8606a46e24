/**
 * A worker in a process of its own, to be killed with SIGKILL at a named point.
 *
 * Arguments: JSON with the database, the fakes' addresses, the time and the point. It works until it is
 * idle and exits 0, or is killed. The clock stands at the given time, as the parent's does.
 */
import { createApplyRead } from '../../../src/alerts/apply/apply-read.ts';
import { createCaseRunner } from '../../../src/alerts/cases/case-runner.ts';
import { createClientAlertService } from '../../../src/alerts/cases/client-alert-service.ts';
import { createOpenAlerts } from '../../../src/alerts/cases/open-alerts.ts';
import { createDeclareSteps } from '../../../src/alerts/declare/declare-steps.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { createMovementRunner } from '../../../src/alerts/refund/movement-runner.ts';
import { createRefundSteps } from '../../../src/alerts/refund/refund-steps.ts';
import type { SagaDeps } from '../../../src/alerts/refund/saga-deps.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createServiceClient } from '../../../src/service/client/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';

/** What the parent passes. */
export interface ChildArguments {
  readonly connectionString: string;
  readonly organisationId: string;
  readonly processorUrl: string;
  readonly serviceUrl: string;
  readonly nowMs: number;
  readonly point: CrashPoint | 'none';
}

const input = JSON.parse(process.argv[2] ?? '{}') as ChildArguments;
const { organisationId } = input;
const clock = createFixedClock(input.nowMs);
const log = createLog({ level: 'silent' });
const { db, close } = openDatabase({ connectionString: input.connectionString, log });
const client = createServiceClient({ baseUrl: input.serviceUrl, apiKey: 'key_for_tests' });
const deps: SagaDeps = {
  db,
  clock,
  log,
  organisationId,
  workerId: `child_${process.pid}`,
  // The processor of the other workers, reached over HTTP: under another name its requests would be a person's.
  processor: {
    ...createHttpProcessor({ baseUrl: input.processorUrl, secret: 'a secret for tests', clock }),
    name: 'fake',
  },
  alerts: createClientAlertService(client.alerts),
  applyAlertSnapshot: createApplyRead({ db, organisationId, clock }),
  openAlerts: createOpenAlerts(),
  locateCharge: async () => ({ kind: 'none' }),
  settings: DEFAULT_REFUND_SETTINGS,
  shadow: false,
};

setCrashHook(async (point) => {
  if (point !== input.point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise<never>(() => undefined);
});

const steps = { ...createRefundSteps(deps), ...createDeclareSteps(deps) };
const cases = createCaseRunner({ ...deps, steps });
const refunds = createMovementRunner(deps);
for (let rounds = 0; rounds < 50; rounds++) {
  const claimed = (await cases.runOnce()) + (await refunds.runOnce());
  if (claimed === 0) break;
}
await close();
