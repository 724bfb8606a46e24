/**
 * The envelope of a webhook event, and the ten types the specification names.
 *
 * The envelope is read before the object inside it, so that an event of an unknown type is still
 * distinguished, stored and dated.
 */
import { z } from 'zod';
import { openEnum, text, timestamp } from './fields.ts';

export const EVENT_TYPES = [
  'alert.created',
  'alert.updated',
  'enrolment.created',
  'enrolment.updated',
  'representment.created',
  'representment.updated',
  'scheme_notice.created',
  'scheme_notice.updated',
  'lookup.created',
  'lookup.updated',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What an event is about. */
export const EVENT_ENTITIES = [
  'alert',
  'enrolment',
  'representment',
  'scheme_notice',
  'lookup',
] as const;
export type EventEntity = (typeof EVENT_ENTITIES)[number];

/** `api_version` per entity (section Versioning). */
export const EVENT_API_VERSIONS = {
  alert: 'v1',
  enrolment: 'v2',
  representment: 'v1',
  scheme_notice: 'v1',
  lookup: 'v1',
} as const satisfies Record<EventEntity, string>;

const entityByType: ReadonlyMap<string, EventEntity> = new Map(
  EVENT_ENTITIES.flatMap((entity) => [
    [`${entity}.created`, entity],
    [`${entity}.updated`, entity],
  ]),
);

/** Reads an event's envelope; `data.object` stays untyped until its entity is known. */
export const eventSchema = z.looseObject({
  id: text,
  type: openEnum(EVENT_TYPES),
  created_at: timestamp,
  api_version: openEnum(['v1', 'v2']).nullish(),
  data: z.looseObject({
    object: z.record(z.string(), z.unknown()),
    /** On `*.updated` only: the changed fields at their old values. */
    previous_attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
});
export type ServiceEvent = z.infer<typeof eventSchema>;

/** Whether `type` is one of the ten. */
export function isEventType(type: string): type is EventType {
  return entityByType.has(type);
}

/** What an event of this type is about, or `undefined` for a type we do not know. */
export function entityOfEventType(type: string): EventEntity | undefined {
  return entityByType.get(type);
}
