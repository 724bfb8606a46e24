/** The ten events as webhooks of the document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import type { EventEntity, EventType } from '../../service/wire/event.ts';
import { EVENT_API_VERSIONS, EVENT_TYPES, entityOfEventType } from '../../service/wire/event.ts';
import { SCHEMAS } from './schemas.ts';

const OBJECTS = {
  alert: SCHEMAS.Alert,
  enrolment: SCHEMAS.Enrolment,
  representment: SCHEMAS.Representment,
  scheme_notice: SCHEMAS.SchemeNotice,
  lookup: SCHEMAS.Lookup,
} as const satisfies Record<EventEntity, z.ZodType>;

export function webhooks(): ZodOpenApiPathsObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describe(type) }]));
}

const changed = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The changed fields at their old values.' });

function describe(type: EventType): ZodOpenApiOperationObject {
  const entity = entityOfEventType(type) ?? 'alert';
  const object = OBJECTS[entity];
  const data = type.endsWith('.updated')
    ? z.looseObject({ object, previous_attributes: changed })
    : z.looseObject({ object });
  const envelope = z.looseObject({
    id: z.string(),
    type: z.literal(type),
    created_at: z.iso.datetime(),
    data,
    api_version: z.literal(EVENT_API_VERSIONS[entity]),
  });
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['Events'],
    summary: `Sent when ${type.replace('.', ' ').replace('_', ' ')}`,
    description: 'Answer 2xx within 20 seconds; otherwise it is sent again, five times at most.',
    security: [],
    requestParams: { header: SIGNED },
    requestBody: { required: true, content: { 'application/json': { schema: envelope } } },
    responses: {
      '200': { description: 'Received' },
      '401': { description: 'The signature is not genuine' },
    },
  };
}

const SIGNED = z.object({
  'X-Signature': z.string().meta({
    description:
      't=<unix seconds>,v1=<hex>: HMAC-SHA512 over "<t>.<raw body>" with the signing secret.',
  }),
  'X-Idempotency-Key': z.string().meta({ description: 'Id of the delivery; the same on retries.' }),
});
