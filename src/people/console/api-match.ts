/** The JSON API of matching: choosing the charge of an alert, and everything that touches one charge. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Account } from '../../alerts/ledger/account.ts';
import { applyChargeChoice } from '../../alerts/review/choose-charge.ts';
import { OPERATOR_REFUSALS } from '../../alerts/review/operator-decision.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { ChargeHistory } from '../../capabilities/history/history.store.ts';
import { readChargeHistory } from '../../capabilities/history/history.store.ts';
import { answerOf } from '../../surface/web/answer.ts';
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
import { chargeHistory } from './openapi/order-answers.ts';

export const choiceBody = z.strictObject({
  charge_reference: plainText,
  /** The caller knows that the charge's card digits are not the alert's. */
  other_card: z.boolean().optional(),
  note: note.optional(),
});

/** Adds `POST /alerts/{id}/match` and `GET /charges/{reference}/history`. */
export function addMatchRoutes(router: Router, options: ConsoleOptions, auth: Auth): void {
  route(router, '/alerts/:id/match', { post: [jsonBody, chooseHandler(options, auth)] });
  route(router, '/charges/:reference/history', { get: historyHandler(options) });
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

function historyHandler({ db, organisationId }: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const reference = plainText.safeParse(request.params['reference']);
    const history = reference.success
      ? await readChargeHistory(db, organisationId, reference.data)
      : undefined;
    if (history === undefined) sendFault(response, 404, NOT_FOUND);
    else sendJson(response, 200, historyJson(history));
  };
}

const PARTS = chargeHistory.shape;

/** A history under the names the interface uses for the same things. */
function historyJson(history: ChargeHistory): Record<string, unknown> {
  const { charge, account } = history;
  return {
    reference: history.reference,
    order_reference: history.orderReference,
    charge: charge === undefined ? null : chargeJson(charge),
    ...accountJson(account),
    alerts: history.alerts.map((alert) =>
      answerOf(PARTS.alerts.element, alert, { matched: alert.isMatched }),
    ),
    entries: history.entries.map((entry) => answerOf(PARTS.entries.element, entry, {})),
    complete: history.complete,
  };
}

function chargeJson(charge: NonNullable<ChargeHistory['charge']>): Record<string, unknown> {
  const card = { brand: charge.cardBrand, bin: charge.cardBin, last4: charge.cardLast4 };
  return answerOf(PARTS.charge.unwrap(), charge, { card });
}

/** What moved on a charge, and which complaint each part answers. */
function accountJson({ money, movements, disputes }: Account): Record<string, unknown> {
  return {
    money:
      money === undefined
        ? null
        : answerOf(PARTS.money.unwrap(), money, {
            refunded_by_us_in_cents: money.oursMinor,
            refunded_elsewhere_in_cents: money.othersMinor,
          }),
    movements: movements.map((movement) =>
      answerOf(PARTS.movements.element, movement, {
        ours: movement.key !== null,
        answers: movement.covers.map((cover) =>
          answerOf(PARTS.movements.element.shape.answers.element, cover, {}),
        ),
      }),
    ),
    disputes: disputes.map((dispute) =>
      answerOf(PARTS.disputes.element, dispute, {
        alert_ids: dispute.alerts.map(({ alertId }) => alertId),
        mentions: dispute.mentions.map(({ entity, entity_id: id, reason }) => ({
          entity,
          id,
          reason,
        })),
      }),
    ),
  };
}
