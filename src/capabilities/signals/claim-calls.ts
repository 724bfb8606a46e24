/**
 * The JSON API of refunds that are owed without an alert: withdrawals of customers, and what support
 * promised. Each becomes a case, past the same reservation as an alert.
 */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import { readAlertDetail } from '../../alerts/list/alert-detail.store.ts';
import type { NewClaim } from '../../alerts/signals/open-claim.ts';
import { openClaim } from '../../alerts/signals/open-claim.ts';
import type { RefundClaimRow } from '../../alerts/signals/refund-claim.store.ts';
import { findClaim } from '../../alerts/signals/refund-claim.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { amountMinor } from '../../service/wire/fields.ts';
import { answerOf } from '../../surface/web/answer.ts';
import type { Auth } from '../../surface/web/auth.ts';
import { isFresh, operatorOf } from '../../surface/web/auth.ts';
import type { ConsoleOptions } from '../../surface/web/ports.ts';
import type { Reading } from '../../surface/web/query.ts';
import { alertIdOf, note, plainText, read } from '../../surface/web/query.ts';
import {
  askForProof,
  jsonBody,
  NOT_FOUND,
  route,
  sendFault,
  sendJson,
} from '../../surface/web/reply.ts';
import { refundClaim } from './openapi/answers.ts';

/** A claim that is older was answered long ago, or is a mistake; in milliseconds. */
const AGE_MS_MAX = 29 * 86_400_000;

export const claimBody = z.strictObject({
  source: z.enum(['WITHDRAWAL', 'SUPPORT']),
  reference: plainText,
  charge_reference: plainText,
  amount_in_cents: amountMinor.min(1),
  currency: z.string().regex(/^[A-Z]{3}$/, { error: 'must be three capital letters' }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: 'must be two capital letters' })
    .optional(),
  claimed_at: z.iso.datetime({ offset: true }).optional(),
  note: note.optional(),
});

/** Adds `POST /refund-claims` and `GET /refund-claims/{id}`. */
export function addClaimRoutes(router: Router, options: ConsoleOptions, auth: Auth): void {
  route(router, '/refund-claims', { post: [jsonBody, openHandler(options, auth)] });
  route(router, '/refund-claims/:id', { get: claimHandler(options) });
}

function openHandler({ db, clock, organisationId }: ConsoleOptions, auth: Auth): RequestHandler {
  return async (request, response) => {
    const caller = auth.callerOf(request);
    const now = nowDate(clock);
    // The policy may refund it without asking anybody again.
    if (caller === undefined) return sendFault(response, 404, NOT_FOUND);
    if (!isFresh(caller, now, 'claims:write')) return askForProof(response, caller);
    const body = readClaim(request.body, now);
    if (!body.ok) return sendFault(response, 400, ...body.faults);
    const { claimedAt, ...value } = body.value;
    const openedBy = `operator:${operatorOf(caller)}`;
    const opened = await openClaim(db, {
      ...claimOf(value),
      ...{ organisationId, claimedAt, openedBy, now },
    });
    if (opened.kind === 'other') {
      const message = 'This reference belongs to another claim already. Use one of its own.';
      sendFault(response, 409, { code: 'CONFLICT', message });
    } else {
      sendJson(response, opened.kind === 'new' ? 201 : 200, claimJson(opened.claim, undefined));
    }
  };
}

/** The claim as it was asked for, with the moment at which its clock begins. */
function readClaim(
  body: unknown,
  now: Date,
): Reading<z.infer<typeof claimBody> & { readonly claimedAt: Date }> {
  const claim = read(claimBody, body);
  if (!claim.ok) return claim;
  const { claimed_at: given } = claim.value;
  const claimedAt = given === undefined ? now : new Date(given);
  const ageMs = now.getTime() - claimedAt.getTime();
  if (ageMs >= 0 && ageMs <= AGE_MS_MAX) return { ok: true, value: { ...claim.value, claimedAt } };
  const message = 'claimed_at lies in the future, or more than 29 days back.';
  return { ok: false, faults: [{ code: 'INVALID_REQUEST', message, field: 'claimed_at' }] };
}

function claimOf(
  value: z.infer<typeof claimBody>,
): Omit<NewClaim, 'organisationId' | 'claimedAt' | 'openedBy' | 'now'> {
  return {
    source: value.source,
    reference: value.reference,
    chargeReference: value.charge_reference,
    amountMinor: value.amount_in_cents,
    currency: value.currency,
    country: value.country ?? null,
    note: value.note ?? '',
  };
}

function claimHandler({ db, organisationId }: ConsoleOptions): RequestHandler {
  return async (request, response) => {
    const id = alertIdOf(request);
    const claim = id === undefined ? undefined : await findClaim(db, organisationId, id);
    if (claim === undefined) return void sendFault(response, 404, NOT_FOUND);
    const detail = await readAlertDetail(db, organisationId, claim.id);
    sendJson(response, 200, claimJson(claim, detail?.case?.state));
  };
}

/** `state`: of its case, as in `GET /api/alerts/{id}`; null until it is opened, within seconds. */
function claimJson(claim: RefundClaimRow, state: string | undefined): Record<string, unknown> {
  return answerOf(refundClaim, claim, { state: state ?? null });
}
