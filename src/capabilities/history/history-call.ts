/** `GET /api/charges/{reference}/history`: everything that touches one charge. */
import { z } from 'zod';
import type { Account } from '../../alerts/ledger/account.ts';
import { reads } from '../../surface/access/call-needs.ts';
import { answerOf } from '../../surface/web/answer.ts';
import { describeApiRead } from '../../surface/web/api-call.ts';
import { API_TAGS } from '../../surface/web/operation.ts';
import { plainText } from '../../surface/web/query.ts';
import { NOT_FOUND } from '../../surface/web/reply.ts';
import type { ChargeHistory } from './history.store.ts';
import { readChargeHistory } from './history.store.ts';

const text = z.string().nullable();
const maybeMoment = z.iso.datetime().nullable();
const minor = z.int().nullable();

const chargeHistory = z
  .strictObject({
    reference: z.string(),
    order_reference: text,
    charge: z
      .strictObject({
        source: z.string(),
        amount_in_cents: minor,
        currency: text,
        authorised_at: maybeMoment,
        settled_at: maybeMoment,
        acquirer_reference_number: text,
        authorisation_code: text,
        card: z.strictObject({ brand: text, bin: text, last4: text }),
        descriptor: text,
        subscription_reference: text,
      })
      .nullable(),
    money: z
      .strictObject({
        currency: z.string(),
        captured_in_cents: z.int(),
        refunded_by_us_in_cents: z.int(),
        refunded_elsewhere_in_cents: z.int(),
        uncertain_in_cents: z.int(),
        left_in_cents: z.int(),
      })
      .nullable(),
    movements: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.string(),
        ours: z.boolean(),
        state: z.string(),
        amount_in_cents: minor,
        currency: text,
        reference: text,
        alert_id: text,
        observed_from: text,
        answers: z.array(z.strictObject({ dispute_id: z.string(), amount_in_cents: z.int() })),
      }),
    ),
    disputes: z.array(
      z.strictObject({
        id: z.string(),
        amount_in_cents: minor,
        currency: text,
        covered_in_cents: minor,
        missing_in_cents: minor,
        alert_ids: z.array(z.string()),
        mentions: z.array(
          z.strictObject({ entity: z.string(), id: z.string(), reason: z.string() }),
        ),
      }),
    ),
    alerts: z.array(
      z.strictObject({
        id: z.string(),
        enrolment_type: text,
        status: text,
        refund_outcome: text,
        state: text,
        matched: z.boolean(),
      }),
    ),
    entries: z.array(
      z.strictObject({
        at: z.iso.datetime(),
        kind: z.string(),
        actor: text,
        text: z.string(),
        subject: z.string(),
        subject_id: z.string(),
        alert_id: text,
        amount_in_cents: minor,
        currency: text,
        link: z
          .enum(['reference', 'acquirer_reference_number', 'card_and_amount'])
          .nullable()
          .meta({ description: 'How sure it is that this is about the charge; null: certain' }),
      }),
    ),
    complete: z.boolean(),
  })
  .meta({ id: 'ChargeHistory' });

export const historyCall = describeApiRead({
  call: 'GET /api/charges/{reference}/history',
  needs: reads('alerts:read'),
  tag: API_TAGS.charges,
  summary: 'Everything that touches one charge, as one account',
  query: z.object({}),
  answers: { 200: chargeHistory },
  refusals: [404],
  answer:
    ({ options: { db, organisationId } }) =>
    async ({ params }) => {
      const reference = plainText.safeParse(params['reference']);
      const history = reference.success
        ? await readChargeHistory(db, organisationId, reference.data)
        : undefined;
      return history === undefined
        ? { status: 404, fault: NOT_FOUND }
        : { status: 200, body: historyJson(history) };
    },
});

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
