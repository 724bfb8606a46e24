/**
 * The calls of the JSON API about refunds that are owed without an alert: withdrawals of customers, and what support
 * promised. Each becomes a case, past the same reservation as an alert.
 */
import { z } from 'zod';
import { CASE_STATES } from '../../alerts/cases/case-state.ts';
import { CLAIM_SOURCES } from '../../alerts/cases/claim.ts';
import { readAlertDetail } from '../../alerts/list/alert-detail.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { amountMinor } from '../../service/wire/fields.ts';
import { movesMoney, reads } from '../../surface/access/call-needs.ts';
import { answerOf } from '../../surface/web/answer.ts';
import type { ApiAnswer, ApiCall } from '../../surface/web/api-call.ts';
import { describeApiChange, describeApiRead } from '../../surface/web/api-call.ts';
import { isFresh, operatorOf } from '../../surface/web/auth.ts';
import type { Fault } from '../../surface/web/fault.ts';
import { API_TAGS, MONEY_MAY_MOVE } from '../../surface/web/operation.ts';
import { alertIdOf, note, plainText } from '../../surface/web/query.ts';
import { NOT_FOUND, proofFault } from '../../surface/web/reply.ts';
import type { NewClaim } from './open-claim.ts';
import { openClaim } from './open-claim.ts';
import type { RefundClaimRow } from './refund-claim.store.ts';
import { findClaim } from './refund-claim.store.ts';

/** A claim that is older was answered long ago, or is a mistake; in milliseconds. */
const AGE_MS_MAX = 29 * 86_400_000;

const claimBody = z.strictObject({
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

const refundClaim = z
  .strictObject({
    id: z.string(),
    source: z.enum(CLAIM_SOURCES),
    reference: z.string(),
    charge_reference: z.string(),
    amount_in_cents: z.int(),
    currency: z.string(),
    country: z.string().nullable(),
    claimed_at: z.iso.datetime(),
    due_at: z.iso.datetime().meta({ description: 'Until when the money must be back' }),
    due_by: z.string().meta({ description: 'By which law, or the rule of the house' }),
    state: z
      .enum(CASE_STATES)
      .nullable()
      .meta({ description: 'Of its case, which has the same id; null until it is opened' }),
  })
  .meta({ id: 'RefundClaim' });

const openCall = describeApiChange({
  call: 'POST /api/refund-claims',
  needs: movesMoney('claims:write'),
  tag: API_TAGS.charges,
  summary: 'Ask for a refund that is owed without an alert',
  description: `The same source and reference is the same claim: 200 where it is known. ${MONEY_MAY_MOVE}`,
  body: claimBody,
  answers: { 200: refundClaim, 201: refundClaim },
  refusals: [409],
  // The policy may refund it without asking anybody again.
  refuse: ({ options: { clock } }, caller) =>
    isFresh(caller, nowDate(clock), 'claims:write')
      ? undefined
      : { status: 403, fault: proofFault(caller) },
  answer:
    ({ options: { db, clock, organisationId } }) =>
    async ({ body, caller }) => {
      const now = nowDate(clock);
      const claimedAt = body.claimed_at === undefined ? now : new Date(body.claimed_at);
      const fault = ageFault(claimedAt, now);
      if (fault !== undefined) return { status: 400, fault };
      const openedBy = `operator:${operatorOf(caller)}`;
      const by = { organisationId, claimedAt, openedBy, now };
      const opened = await openClaim(db, { ...claimOf(body), ...by });
      if (opened.kind === 'other') return { status: 409, fault: OTHER };
      const status = opened.kind === 'new' ? 201 : 200;
      return { status, body: claimJson(opened.claim, undefined) };
    },
});

const readCall = describeApiRead({
  call: 'GET /api/refund-claims/{id}',
  needs: reads('claims:read'),
  tag: API_TAGS.charges,
  summary: 'One such claim, and where its case stands',
  query: z.object({}),
  answers: { 200: refundClaim },
  refusals: [404],
  answer:
    ({ options: { db, organisationId } }) =>
    async ({ params }): Promise<ApiAnswer> => {
      const id = alertIdOf({ params });
      const claim = id === undefined ? undefined : await findClaim(db, organisationId, id);
      if (claim === undefined) return { status: 404, fault: NOT_FOUND };
      const detail = await readAlertDetail(db, organisationId, claim.id);
      return { status: 200, body: claimJson(claim, detail?.case?.state) };
    },
});

export const claimCalls: readonly ApiCall[] = [openCall, readCall];

const OTHER: Fault = {
  code: 'CONFLICT',
  message: 'This reference belongs to another claim already. Use one of its own.',
};

function ageFault(claimedAt: Date, now: Date): Fault | undefined {
  const ageMs = now.getTime() - claimedAt.getTime();
  if (ageMs >= 0 && ageMs <= AGE_MS_MAX) return undefined;
  const message = 'claimed_at lies in the future, or more than 29 days back.';
  return { code: 'INVALID_REQUEST', message, field: 'claimed_at' };
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

/** `state`: of its case, as in `GET /api/alerts/{id}`; null until it is opened, within seconds. */
function claimJson(claim: RefundClaimRow, state: string | undefined): Record<string, unknown> {
  return answerOf(refundClaim, claim, { state: state ?? null });
}
