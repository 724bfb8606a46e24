/** The JSON Schema of events, made of the table of kinds; published as `templates/events/event.schema.json`. */
import { z } from 'zod';
import type { EventKind } from '../../surface/event-kind.ts';
import { EVENT_VERSION } from '../../surface/event-kind.ts';
import { eventBody } from './event-body.ts';

/** Fields may be added to an event and to its data: a reader lets them through. */
export function eventsSchema(kinds: readonly EventKind[]): object {
  const sorted = kinds.toSorted((one, other) => (one.type < other.type ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ForestallEvent',
    description: `Events of Forestall, version ${EVENT_VERSION}. Amounts are whole minor units of their currency, moments ISO 8601 UTC.`,
    oneOf: sorted.map(({ type }) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(sorted.map((kind) => [kind.type, schemaOf(kind)])),
  };
}

function schemaOf({ type, says, data }: EventKind): object {
  const whole = z
    .looseObject({ ...eventBody.shape, type: z.literal(type), data })
    .meta({ description: says });
  const { $schema: _same, ...schema } = z.toJSONSchema(whole);
  return schema;
}
