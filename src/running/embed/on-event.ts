/** Handlers of events that an embedding program gives. */
import { ConfigError } from '../../base/kernel/errors.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import type { EventType, ForestallEvent, OnEvent } from '../../capabilities/event-types.ts';
import type { EventHandlers } from '../../surface/event-handlers.ts';
import type { EventBody } from '../../surface/event-kind.ts';

export function createOnEvent(handlers: EventHandlers): OnEvent {
  const known: readonly string[] = EVENT_KINDS.map(({ type }) => type);
  return <Type extends EventType>(
    types: Type | readonly Type[],
    handler: (event: Extract<ForestallEvent, { type: Type }>) => void | Promise<void>,
    { name, from = 'now' }: { readonly name: string; readonly from?: 'now' | 'beginning' },
  ): void => {
    const wanted: readonly string[] = typeof types === 'string' ? [types] : types;
    const unknown = wanted.find((type) => !known.includes(type));
    if (wanted.length === 0 || unknown !== undefined) {
      const fault =
        unknown === undefined ? 'names no type' : `names ${unknown}, which there is not`;
      throw new ConfigError(`The handler "${name}" ${fault}. The types are ${known.join(', ')}.`);
    }
    const isWanted = (event: EventBody): event is Extract<ForestallEvent, { type: Type }> =>
      wanted.includes(event.type);
    const handle = async (event: EventBody): Promise<void> => {
      if (isWanted(event)) await handler(event);
    };
    handlers.add({ name, types: wanted, from, handle });
  };
}
