/** The JSON API of matching: choosing the charge of an alert. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import { applyChargeChoice } from '../../alerts/review/choose-charge.ts';
import { OPERATOR_REFUSALS } from '../../alerts/review/operator-decision.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Auth } from '../../surface/web/auth.ts';
import { isFresh, operatorOf } from '../../surface/web/auth.ts';
import type { ConsoleOptions } from '../../surface/web/ports.ts';
import { alertIdOf, note, plainText, read } from '../../surface/web/query.ts';
import {
  askForProof,
  jsonBody,
  NOT_FOUND,
  route,
  sendFault,
  sendJson,
} from '../../surface/web/reply.ts';

export const choiceBody = z.strictObject({
  charge_reference: plainText,
  /** The caller knows that the charge's card digits are not the alert's. */
  other_card: z.boolean().optional(),
  note: note.optional(),
});

/** Adds `POST /alerts/{id}/match`. */
export function addMatchRoutes(router: Router, options: ConsoleOptions, auth: Auth): void {
  route(router, '/alerts/:id/match', { post: [jsonBody, chooseHandler(options, auth)] });
}

function chooseHandler({ db, clock, organisationId }: ConsoleOptions, auth: Auth): RequestHandler {
  return async (request, response) => {
    const alertId = alertIdOf(request);
    const caller = auth.callerOf(request);
    if (alertId === undefined || caller === undefined) return sendFault(response, 404, NOT_FOUND);
    const body = read(choiceBody, request.body);
    if (!body.ok) return sendFault(response, 400, ...body.faults);
    const now = nowDate(clock);
    // The policy may refund the chosen charge without asking anybody again.
    if (!isFresh(caller, now, 'alerts:refund'))
      return askForProof(response, caller, 'a charge is chosen');
    const result = await applyChargeChoice(db, {
      organisationId,
      alertId,
      chargeReference: body.value.charge_reference,
      note: body.value.note ?? '',
      otherCard: body.value.other_card ?? false,
      operator: operatorOf(caller),
      now,
    });
    if (result.ok) {
      sendJson(response, 202, { accepted: true, state: result.state });
    } else if (result.reason === 'not_found') {
      sendFault(response, 404, NOT_FOUND);
    } else {
      const message = OPERATOR_REFUSALS[result.reason];
      sendFault(response, 409, { code: 'CONFLICT', message });
    }
  };
}
