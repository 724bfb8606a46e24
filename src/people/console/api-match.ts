/**
 * The JSON API of matching: choosing the charge of an alert, and everything that touches one charge.
 */
import type { RequestHandler, Router } from 'express';
import express from 'express';
import { z } from 'zod';
import { applyChargeChoice } from '../../alerts/review/choose-charge.ts';
import { OPERATOR_REFUSALS } from '../../alerts/review/operator-decision.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Account } from '../../books/history/account.ts';
import type { ChargeHistory } from '../../books/history/history.store.ts';
import { readChargeHistory } from '../../books/history/history.store.ts';
import type { Auth } from './auth.ts';
import { isFresh, operatorOf } from './auth.ts';
import type { ConsoleOptions } from './ports.ts';
import { alertIdOf, note, plainText, read } from './query.ts';
import { NOT_FOUND, route, sendFault, sendJson } from './reply.ts';

/** Largest body of a choice, in bytes: a reference and a note. */
const BODY_BYTES_MAX = 16 * 1024;

export const choiceBody = z.strictObject({ charge_reference: plainText, note: note.optional() });

/** Adds `POST /alerts/{id}/match` and `GET /charges/{reference}/history`. */
export function addMatchRoutes(router: Router, options: ConsoleOptions, auth: Auth): void {
  const json = express.json({ limit: BODY_BYTES_MAX, strict: true, type: 'application/json' });
  route(router, '/alerts/:id/match', { post: [json, chooseHandler(options, auth)] });
  route(router, '/charges/:reference/history', { get: historyHandler(options) });
}

function chooseHandler({ db, clock, organisationId }: ConsoleOptions, auth: Auth): RequestHandler {
  return async (request, response) => {
    const alertId = alertIdOf(request);
    const caller = auth.callerOf(request);
    if (alertId === undefined || caller === undefined) {
      sendFault(response, 404, NOT_FOUND);
      return;
    }
    const body = read(choiceBody, request.body);
    if (!body.ok) {
      sendFault(response, 400, ...body.faults);
      return;
    }
    const now = nowDate(clock);
    // The policy may refund the chosen charge without asking anybody again.
    if (!isFresh(caller, now)) {
      sendFault(response, 403, {
        code: 'CONFIRM_IDENTITY',
        message: 'Confirm who you are on the page /confirm before a charge is chosen.',
      });
      return;
    }
    const result = await applyChargeChoice(db, {
      organisationId,
      alertId,
      chargeReference: body.value.charge_reference,
      note: body.value.note ?? '',
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

/** A history under the names the interface uses for the same things. */
export function historyJson(history: ChargeHistory): Record<string, unknown> {
  const { charge, account } = history;
  const { money } = account;
  return {
    reference: history.reference,
    order_reference: history.orderReference,
    charge:
      charge === undefined
        ? null
        : {
            source: charge.source,
            amount_in_cents: charge.amountMinor,
            currency: charge.currency,
            authorised_at: charge.authorisedAt,
            settled_at: charge.settledAt,
            acquirer_reference_number: charge.acquirerReferenceNumber,
            authorisation_code: charge.authorisationCode,
            card: { brand: charge.cardBrand, bin: charge.cardBin, last4: charge.cardLast4 },
            descriptor: charge.descriptor,
            subscription_reference: charge.subscriptionReference,
          },
    money:
      money === undefined
        ? null
        : {
            currency: money.currency,
            captured_in_cents: money.capturedMinor,
            refunded_by_us_in_cents: money.oursMinor,
            refunded_elsewhere_in_cents: money.othersMinor,
            uncertain_in_cents: money.uncertainMinor,
            left_in_cents: money.leftMinor,
          },
    ...accountJson(account),
    alerts: history.alerts.map((alert) => ({
      id: alert.id,
      enrolment_type: alert.enrolmentType,
      status: alert.status,
      refund_outcome: alert.refundOutcome,
      state: alert.state,
      matched: alert.isMatched,
    })),
    entries: history.entries.map((entry) => ({
      at: entry.at,
      kind: entry.kind,
      actor: entry.actor,
      text: entry.text,
      subject: entry.subject,
      subject_id: entry.subjectId,
      alert_id: entry.alertId,
      amount_in_cents: entry.amountMinor,
      currency: entry.currency,
      link: entry.link,
    })),
    complete: history.complete,
  };
}

/** What moved on a charge, and which complaint each part answers. */
function accountJson({ movements, disputes }: Account): Record<string, unknown> {
  return {
    movements: movements.map((movement) => ({
      id: movement.id,
      kind: movement.kind,
      ours: movement.key !== null,
      state: movement.state,
      amount_in_cents: movement.amountMinor,
      currency: movement.currency,
      reference: movement.reference,
      alert_id: movement.alertId,
      observed_from: movement.observedFrom,
      answers: movement.covers.map((cover) => ({
        dispute_id: cover.disputeId,
        amount_in_cents: cover.amountMinor,
      })),
    })),
    disputes: disputes.map((dispute) => ({
      id: dispute.id,
      amount_in_cents: dispute.amountMinor,
      currency: dispute.currency,
      covered_in_cents: dispute.coveredMinor,
      missing_in_cents: dispute.missingMinor,
      alert_ids: dispute.alerts.map(({ alertId }) => alertId),
      mentions: dispute.mentions.map(({ entity, entity_id: id, reason }) => ({
        entity,
        id,
        reason,
      })),
    })),
  };
}
