/** Forestall's own stream of events, for the systems around it, and the endpoints that are told of them. */
import { SAFETY_MS } from '../../base/jobs/loop.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Capability, CapabilityWork } from '../../surface/capability.ts';
import { readCustomerEmail } from './customer-email.store.ts';
import { createDeliverer } from './deliver.ts';
import { deliveringHealth, deliveryMetrics } from './delivering.ts';
import { deleteOldDeliveries, hasDueDeliveries } from './delivery.store.ts';
import { resealEndpoints } from './endpoint.store.ts';
import type { FileEndpoint } from './endpoints-file.ts';
import { deleteOldEvents, hasWaiting } from './event.store.ts';
import {
  EVENT_DAYS,
  event,
  eventDelivery,
  eventEndpoint,
  eventHandler,
  eventOutbox,
  eventPosition,
} from './events.table.ts';
import { createHandlerRunner } from './handle.ts';
import { EVENT_KINDS_OF_ALERTS, EVENT_KINDS_OF_MONEY, EVENT_KINDS_OF_THE_REST } from './kinds.ts';
import { tellOfUntaken } from './retention.ts';
import { createSequence, PLACED_TOPIC, SEQUENCE_BATCH, TO_SEND_TOPIC } from './sequence.ts';
import { endpoints } from './settings.ts';
import { storeSettingsEndpoints } from './settings-endpoint.store.ts';

/** Longest time between two looks of one organisation, in milliseconds: a reader sees an event within two seconds. */
const LOOK_MS = 1_000;

const OLD_BATCH = 1_000;

export const events: Capability = {
  name: 'events',
  tables: [eventOutbox, eventPosition, event, eventEndpoint, eventDelivery, eventHandler],
  loops: (work) => [
    {
      name: 'events',
      runOnce: createSequence({ ...work, kinds: work.eventKinds }),
      // What comes during a round is for the next look: where much is going on a round at once would find one or two.
      fullAt: SEQUENCE_BATCH,
      idleMs: LOOK_MS,
      isDue: hasWaiting,
    },
    deliveries(work),
    ...handlersOf(work),
  ],
  nightly: ({ db, clock, organisationId }) => {
    const about = { organisationId, limit: OLD_BATCH };
    const before = (): Date => new Date(nowDate(clock).getTime() - EVENT_DAYS * 86_400_000);
    const deleting = async (deleteBatch: () => Promise<number>): Promise<{ deleted: number }> => ({
      deleted: await inBatches(deleteBatch),
    });
    return [
      {
        name: 'untaken-events',
        run: async () => await tellOfUntaken(db, { organisationId, now: nowDate(clock) }),
      },
      {
        name: 'old-events',
        run: async () => await deleting(() => deleteOldEvents(db, { ...about, before: before() })),
      },
      {
        name: 'old-deliveries',
        run: async () => await deleting(() => deleteOldDeliveries(db, about)),
      },
    ];
  },
  eventKinds: [...EVENT_KINDS_OF_ALERTS, ...EVENT_KINDS_OF_MONEY, ...EVENT_KINDS_OF_THE_REST],
  reseal: resealEndpoints,
  health: deliveringHealth,
  metrics: deliveryMetrics,
};

/** Where Forestall is embedded. */
function handlersOf(work: CapabilityWork): ReturnType<NonNullable<Capability['loops']>> {
  const { eventHandlers: handlers } = work;
  if (handlers === undefined) return [];
  const runner = createHandlerRunner({ ...work, handlers });
  const { runOnce, finish } = runner;
  return [{ name: 'handlers', runOnce, finish, idleMs: LOOK_MS, wakeOn: [PLACED_TOPIC] }];
}

async function inBatches(deleteBatch: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let batch = OLD_BATCH; batch === OLD_BATCH; deleted += batch) batch = await deleteBatch();
  return deleted;
}

function deliveries(work: CapabilityWork): ReturnType<NonNullable<Capability['loops']>>[number] {
  const { db, clock, organisationId, allowLoopback, log } = work;
  const inFile: readonly FileEndpoint[] | undefined = work.settings.of(endpoints);
  const deliverer = createDeliverer({
    db,
    clock,
    log,
    organisationId,
    allowLoopback,
    secretsOf: (name) => inFile?.find((each) => each.name === name)?.secrets,
    emailOf: async (about) => await readCustomerEmail(db, organisationId, about),
  });
  let isKept = false;
  return {
    name: 'deliveries',
    runOnce: async (onSlotFree): Promise<number> => {
      // Once: of two workers with different files the one that started last is right.
      if (!isKept && inFile !== undefined)
        await storeSettingsEndpoints(db, inFile, { organisationId, now: nowDate(clock) });
      isKept = true;
      return await deliverer.runOnce(onSlotFree);
    },
    finish: deliverer.finish,
    idleMs: SAFETY_MS,
    wakeOn: [TO_SEND_TOPIC],
    isDue: hasDueDeliveries,
  };
}
