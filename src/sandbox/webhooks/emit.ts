/** Emits events: freezes the body, then starts one delivery per subscription that selected the type. */
import type { Buffer } from 'node:buffer';
import type { EventEntity } from '../../service/wire/event.ts';
import { EVENT_API_VERSIONS, isEventType } from '../../service/wire/event.ts';
import { groupReaches } from '../access.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso, scheduleIn } from '../sandbox-context.ts';
import type { Subscription } from '../state/accounts.ts';
import type { EventRecord } from '../state/deliveries.ts';

export interface Emission {
  readonly entity: EventEntity;
  readonly change: 'created' | 'updated';
  readonly object: { readonly id: string; readonly organisation_id: string };
  /** On updates: the changed fields at their old values. */
  readonly previous?: Readonly<Record<string, unknown>>;
}

export function emit(context: SandboxContext, emission: Emission): EventRecord {
  const { entity, change, object, previous } = emission;
  if (change === 'created') context.state.announced.add(object.id);
  const id = context.ids.next('event');
  const type = `${entity}.${change}`;
  const createdAt = nowIso(context);
  const data = change === 'updated' ? { object, previous_attributes: previous ?? {} } : { object };
  const envelope = {
    id,
    type,
    created_at: createdAt,
    data,
    api_version: EVENT_API_VERSIONS[entity],
  };
  const body = JSON.stringify(context.settings.brandTokens.toWire(envelope));
  return publish(context, {
    id,
    type,
    organisation_id: object.organisation_id,
    created_at: createdAt,
    body,
  });
}

/** Stores an event of any content and starts its deliveries. Signed bytes are sent as they are. */
export function publish(context: SandboxContext, event: EventRecord): EventRecord {
  context.state.events.set(event.id, event);
  forgetOldest(context);
  for (const subscription of context.state.subscriptions.values()) {
    if (receives(context, subscription, event)) startDelivery(context, event, subscription);
  }
  return event;
}

/** Events and deliveries kept; a sandbox that runs for days must not grow for ever. */
const EVENTS_MAX = 50_000;

/** Forgets the oldest event and delivery beyond the limit. One that is under way is kept. */
function forgetOldest(context: SandboxContext): void {
  const { events, deliveries } = context.state;
  const [oldestEvent] = events.keys();
  if (events.size > EVENTS_MAX && oldestEvent !== undefined) events.delete(oldestEvent);
  const [oldestDelivery] = deliveries.values();
  const finished = oldestDelivery !== undefined && oldestDelivery.status !== 'PENDING';
  if (deliveries.size > EVENTS_MAX && finished) deliveries.delete(oldestDelivery.id);
}

/** Publishes raw bytes as an event, for what a receiver must survive. */
export function publishRaw(
  context: SandboxContext,
  raw: { readonly organisationId: string; readonly type: string; readonly body: string | Buffer },
): EventRecord {
  return publish(context, {
    id: context.ids.next('event'),
    type: raw.type,
    organisation_id: raw.organisationId,
    created_at: nowIso(context),
    body: raw.body,
  });
}

/** Types outside the ten go to everybody: they could not have been selected. */
function receives(
  context: SandboxContext,
  subscription: Subscription,
  event: EventRecord,
): boolean {
  if (subscription.status !== 'ENABLED' || subscription.url === null) return false;
  const { owner_id: ownerId } = subscription;
  const owned =
    ownerId === event.organisation_id || groupReaches(context, ownerId, event.organisation_id);
  if (!owned) return false;
  return !isEventType(event.type) || subscription.types.includes(event.type);
}

/** Starts a delivery; its first attempt is due at once. Answers the delivery's id. */
export function startDelivery(
  context: SandboxContext,
  event: EventRecord,
  subscription: Subscription,
): string {
  const id = context.ids.next('delivery');
  context.state.deliveries.set(id, {
    id,
    event_id: event.id,
    event_type: event.type,
    subscription_id: subscription.id,
    created_at: nowIso(context),
    status: 'PENDING',
    attempts: [],
    next_attempt_at: nowIso(context),
    first_signed_at_seconds: null,
  });
  scheduleIn(context, 0, { kind: 'deliver_webhook', subject: id });
  return id;
}
