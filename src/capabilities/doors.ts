/** The doors of all capabilities on the public listener, besides that of the service's webhooks. One line each. */
import type { DoorReception } from '../alerts/receive/door.ts';
import { createFetchDoor } from '../alerts/receive/fetch-door.ts';
import type { Door } from '../surface/door.ts';
import type { EventDoor } from './signals/door.ts';
import { eventDoor } from './signals/door.ts';

export const CAPABILITY_DOORS: readonly Door[] = [eventDoor];

/** The same as functions for servers that speak the Fetch API, by property. */
export type DoorFunctions = object & EventDoor;

export function doorFunctions(
  receptionOf: (door: Door) => DoorReception | undefined,
): DoorFunctions {
  return functionsOf(
    CAPABILITY_DOORS.flatMap((door) => {
      const reception = receptionOf(door);
      return reception === undefined ? [] : [[door.property, createFetchDoor(reception)]];
    }),
  );
}

/** Each capability says which property is which door: see `DoorFunctions`. */
function functionsOf(entries: readonly (readonly unknown[])[]): DoorFunctions {
  return Object.fromEntries(entries);
}
