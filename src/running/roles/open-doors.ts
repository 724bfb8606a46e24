/** The doors that capabilities bring, of one organisation or of many: opened, counted, and on their paths. */
import type { Router } from 'express';
import express from 'express';
import type { ReceiveCounters } from '../../alerts/receive/counters.ts';
import { createReceiveCounters } from '../../alerts/receive/counters.ts';
import type { DeliveryLog } from '../../alerts/receive/delivery-log.ts';
import type { DoorReception } from '../../alerts/receive/door.ts';
import {
  createDoorRoutes,
  createOrganisationDoorRoutes,
} from '../../alerts/receive/door-routes.ts';
import type { ReceiverPlace } from '../../alerts/receive/receiver.ts';
import { CAPABILITY_DOORS } from '../../capabilities/doors.ts';
import type { ProcessorEvents } from '../../service/wire/processor-event.ts';
import type { Door, DoorWork } from '../../surface/door.ts';
import type { Absence, Elsewhere } from '../../surface/residence.ts';

/** Counters at zero, those of every door among them. */
export function createDoorCounters(): ReceiveCounters {
  return createReceiveCounters(CAPABILITY_DOORS.flatMap(({ counters }) => counters));
}

/** Who takes in what is posted at each door; a merchant is empty for the organisation's own. */
export type OpenDoors = (door: Door, merchant?: string) => DoorReception | undefined;

export interface DoorOptions {
  /** Vouches for the processor's webhooks. @default they are not taken */
  readonly events?: ProcessorEvents | undefined;
  /** The same of merchants with a processor of their own, by the merchant's id. */
  readonly merchantEvents?: ReadonlyMap<string, ProcessorEvents>;
}

interface DoorScope extends Omit<DoorWork, 'merchantId' | 'events' | 'count' | 'deliveries'> {
  readonly counters: ReceiveCounters;
  readonly deliveriesOf: (door: Door) => DeliveryLog;
  /** Whether the organisation lives elsewhere. Asked at each request. */
  readonly away: () => Absence | undefined;
}

export function openDoors(
  { counters, deliveriesOf, away, ...work }: DoorScope,
  { events, merchantEvents = new Map() }: DoorOptions,
): OpenDoors {
  const opened = new Map(
    CAPABILITY_DOORS.map((door) => {
      const deliveries = deliveriesOf(door);
      const openOne = (served: Pick<DoorWork, 'events' | 'merchantId'>): DoorReception => {
        const here = door.open({ ...work, ...served, count: counters.countAtDoor, deliveries });
        const now = (): DoorReception => away()?.elsewhere.door ?? here;
        return {
          knows: (name) => now().knows(name),
          receive: (request) => now().receive(request),
          refuse: (reason) => now().refuse(reason),
        };
      };
      const receptions = [
        ['', openOne({ events })] as const,
        ...[...merchantEvents].map(
          ([merchantId, own]) => [merchantId, openOne({ events: own, merchantId })] as const,
        ),
      ];
      return [door, new Map(receptions)] as const;
    }),
  );
  return (door, merchant = '') => opened.get(door)?.get(merchant);
}

/** Those of an organisation that does not live here. */
export function doorsElsewhere({ door }: Elsewhere): OpenDoors {
  return () => door;
}

/** Their paths, for the only organisation. */
export function doorRoutes(doors: OpenDoors, place: ReceiverPlace = {}): Router {
  const router = express.Router();
  for (const door of CAPABILITY_DOORS) {
    const reception = doors(door);
    if (reception !== undefined) router.use(createDoorRoutes(door.path, reception, place));
  }
  return router;
}

/** The same for several. */
export function organisationDoorRoutes(
  find: (organisation: string) => OpenDoors | undefined,
): Router {
  const router = express.Router();
  for (const door of CAPABILITY_DOORS)
    router.use(
      createOrganisationDoorRoutes(door.path, (name, merchant) => find(name)?.(door, merchant)),
    );
  return router;
}
