/** What a person does about the alert that a form's path names, and where they continue. */
import { alertPath } from '../view/links.ts';
import { alertIdOf } from './query.ts';
import type { Visit } from './visit.ts';
import { fieldOf, goTo, localPath, sendError } from './visit.ts';

/** Who acts on which alert, and when. */
export interface AlertAct {
  readonly organisationId: string;
  readonly alertId: string;
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
  readonly now: Date;
}

/** Undefined after 404 was answered. */
export function alertActOf(visit: Visit): AlertAct | undefined {
  const { options, request, who, now } = visit;
  const alertId = alertIdOf(request);
  if (alertId === undefined) {
    sendError(visit, 404, { title: 'No such alert', message: 'Check the id.' });
    return undefined;
  }
  return { organisationId: options.organisationId, alertId, operator: who.name, now };
}

/** What follows an act: the page that the form names as `back`, or why it was refused. */
export function endAct(visit: Visit, refusal: string | undefined, status = 409): void {
  const { request } = visit;
  if (refusal !== undefined) {
    sendError(visit, status, { title: 'Not done', message: refusal });
    return;
  }
  const alertId = alertIdOf(request);
  const back = localPath(fieldOf(request, 'back'));
  const isQueue = back.startsWith('/reviews') || alertId === undefined;
  goTo(visit, isQueue ? back : alertPath(alertId));
}
