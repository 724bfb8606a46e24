/**
 * What the flow tests compare with: the books of the sandbox's processor and service, and what people
 * were told. Our own rows are read only where the question is about them.
 */
import type { NotificationTable } from '../../../src/base/notify/notification.table.ts';
import type { World } from '../../support/world.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** How the service shows the alert. */
export function outcomeOf(world: World, alertId: string): string {
  const alert = world.sandbox.state.alerts.get(alertId);
  return `${alert?.status ?? 'gone'} ${alert?.transaction_refund_outcome ?? '-'}`;
}

/** Answers to the alert that reached the service's rules, as `action status`, oldest first. */
export function answersTo(world: World, alertId: string): string[] {
  return world.sandbox.patchLog
    .filter((entry) => entry.alert_id === alertId)
    .map((entry) => `${entry.action} ${entry.http_status}`);
}

/** The note of the one answer that the service took. */
export function noteTo(world: World, alertId: string): string | null | undefined {
  return world.sandbox.patchLog.find(
    (entry) => entry.alert_id === alertId && entry.http_status === 200,
  )?.note;
}

/** Refund requests for the charge that arrived at the processor, whatever became of them. */
export function refundCalls(world: World, chargeReference: string): number {
  return world.arrivals.count('POST /processor/refunds', chargeReference);
}

/** The reference of the charge's only refund that moved money. */
export function refundReference(world: World, chargeReference: string): string {
  const charge = world.sandbox.state.charges.get(chargeReference);
  const moved = (charge?.refunds ?? []).filter(({ status }) => status !== 'failed');
  if (moved.length !== 1) throw new Error(`${chargeReference} has ${moved.length} refunds, not 1.`);
  return moved[0]?.reference ?? '';
}

/** A message to a person. */
export interface Told {
  readonly kind: string;
  readonly severity: NotificationTable['severity'];
  readonly at: Date;
  readonly text: string;
}

/** What people were told about the alert, or, without one, about everything; oldest first. */
export async function told(world: World, alertId?: string): Promise<Told[]> {
  let query = world.database.db
    .selectFrom('notification')
    .select(['kind', 'severity', 'created_at as at', 'text'])
    .orderBy('id');
  if (alertId !== undefined) query = query.where('alert_id', '=', alertId);
  const messages = await query.execute();
  const spelled = messages.find(({ text }) => /\dT\d\d:\d\d/.test(text));
  if (spelled !== undefined) throw new Error(`A moment as machines write it: ${spelled.text}`);
  return messages;
}

/** The same, as `kind severity`. */
export async function toldKinds(world: World, alertId?: string): Promise<string[]> {
  return (await told(world, alertId)).map(({ kind, severity }) => `${kind} ${severity}`);
}

/** The case's row. */
export async function caseOf(world: World, alertId: string) {
  return await world.database.db
    .selectFrom('alert_case')
    .selectAll()
    .where('alert_id', '=', alertId)
    .executeTakeFirstOrThrow();
}

let rawEvents = 0;

/** An event as the service would send it, about an object that the sandbox itself would not make. */
export function sendEvent(
  world: World,
  type: string,
  object: Readonly<Record<string, unknown>>,
): { readonly eventId: string; readonly body: string } {
  rawEvents += 1;
  const eventId = `evt_flow${rawEvents}`;
  const created = new Date(world.clock.nowMs()).toISOString();
  const body = JSON.stringify({
    id: eventId,
    type,
    created_at: created,
    data: { object },
    api_version: type.startsWith('enrolment') ? 'v2' : 'v1',
  });
  world.sandbox.sendRawEvent({ type, body });
  return { eventId, body };
}

/** An alert of the charge with fields the sandbox never sends; the service shows them too. */
export function raiseOddAlert(
  world: World,
  chargeReference: string,
  odd: Readonly<Record<string, unknown>>,
): string {
  const { sandbox } = world;
  sandbox.pointWebhooksAt(null);
  const alert = sandbox.createAlertFor(chargeReference);
  sandbox.pointWebhooksAt(world.webhookUrl);
  Object.assign(alert, odd);
  sendEvent(world, 'alert.created', { ...alert });
  return alert.id;
}
