/** A process that gives positions and delivers, at the pace of the worker's loops, until it is killed. */
import { openDatabase } from '../../../src/base/db/connect.ts';
import { startLoop } from '../../../src/base/jobs/loop.ts';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { createDeliverer } from '../../../src/capabilities/events/deliver.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';

export interface WorkerOrder {
  readonly connectionString: string;
  readonly organisationId: string;
  readonly retryMs: readonly number[];
  readonly timeoutMs: number;
}

const order: WorkerOrder = JSON.parse(process.argv[2] ?? '{}');
const log = createLog({ level: 'silent' });
const { db } = openDatabase({
  connectionString: order.connectionString,
  log,
  maxConnections: 8,
  connectTimeoutMs: 60_000,
  organisation: order.organisationId,
});
const shared = { db, clock: systemClock, log, organisationId: order.organisationId };
const sequence = createSequence({ ...shared, kinds: EVENT_KINDS });
const deliverer = createDeliverer({
  ...shared,
  allowLoopback: true,
  secretsOf: () => undefined,
  retryMs: order.retryMs,
  timeoutMs: order.timeoutMs,
});
// As the look of all loops, every two seconds; and at once when this process gave positions.
let isReady = false;
const deliveries = startLoop({ name: 'deliveries', ...deliverer, idleMs: 2_000 }, log);
startLoop(
  {
    name: 'events',
    idleMs: 1_000,
    runOnce: async () => {
      const placed = await sequence();
      if (placed > 0) deliveries.wake();
      if (!isReady) process.stdout.write('ready\n');
      isReady = true;
      return placed;
    },
  },
  log,
);
