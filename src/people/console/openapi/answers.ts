/**
 * What the JSON API answers about reviews, findings and events. The document is made of these schemas, and the
 * tests hold every answer against it. Moments are ISO 8601 UTC, amounts whole minor units of their currency.
 */
import { z } from 'zod';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import { openObject, sent } from './open-values.ts';

const text = z.string().nullable();
const moment = z.iso.datetime();
const maybeMoment = moment.nullable();
const minor = z.int().nullable();

export function pageOf(item: z.ZodType): z.ZodType {
  return z.strictObject({
    items: z.array(item),
    next_cursor: text.meta({ description: 'For `cursor`; null on the last page' }),
  });
}

export const finding = z
  .strictObject({
    id: z.int(),
    kind: z.string(),
    severity: z.enum(['info', 'warning', 'error']),
    subject: z.string(),
    subject_id: z.string(),
    evidence: openObject('Figures and references that show it; they depend on the kind'),
    next_step: z.string(),
    repair: text.meta({ description: 'What was put right without anybody; no repair moves money' }),
    opened_at: moment,
    last_seen_at: moment,
    closed_at: maybeMoment,
    age_seconds: z.int(),
  })
  .meta({ id: 'Finding' });

export const event = z
  .strictObject({
    id: z.string(),
    type: text,
    object_id: text,
    state: z.string(),
    reason: text,
    received_at: moment,
    delivery_id: text,
    subscription: text,
    bytes: z.int(),
  })
  .meta({ id: 'StoredEvent' });

export const quarantined = z
  .strictObject({
    id: z.string(),
    quarantine_id: z.int(),
    state: z.enum(['quarantined', 'resolved']),
    reason: z.string(),
    detail: text,
    quarantined_at: moment,
    resolved_at: maybeMoment,
    resolved_by: text,
  })
  .meta({ id: 'QuarantinedEvent' });

export const review = z
  .strictObject({
    alert_id: z.string(),
    deadline_at: moment,
    seconds_left: z.int(),
    acts_at: moment,
    hold_reason: text,
    hold_sentence: text,
    amount_in_cents: minor,
    currency: text,
    charge_reference: text,
    fallback_action: text,
    fallback_at: maybeMoment,
    claimed_by: text,
    claimed_until: maybeMoment,
    comments: z.int(),
  })
  .meta({ id: 'Review' });

const approval = z.strictObject({
  id: z.int(),
  kind: text,
  state: z.string(),
  charge_reference: z.string(),
  amount_in_cents: z.int(),
  currency: z.string(),
  reference: text,
  approvers: z.array(z.string()),
  people_needed: z.int(),
  asked_at: moment,
  settled_at: maybeMoment,
  settled_because: text,
});

export const reviewDetail = z.strictObject({
  review,
  comments: z.array(z.strictObject({ operator: z.string(), text: z.string(), at: moment })),
  /** What two people are asked to agree to now; where nothing is, the last that ended. */
  approvals: z.array(approval),
});

export const claimed = z.strictObject({ claimed_until: maybeMoment });

export const approved = z.strictObject({ state: z.string(), approvers: z.array(z.string()) });

export const accepted = z.strictObject({
  accepted: z.literal(true),
  state: z.enum(CASE_STATES).optional(),
});

export const sideActions = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.string(),
      subject: text,
      cause: z.string(),
      state: z.enum(['DUE', 'DONE', 'FAILED']),
      attempts: z.int(),
      next_attempt_at: maybeMoment,
      last_error: text,
      created_at: moment,
      settled_at: maybeMoment,
    }),
  ),
});

export const guardStatus = z.strictObject({
  health: z.array(
    z.strictObject({ part: z.string(), status: z.string(), detail: text, next_step: text }),
  ),
  paused: z.boolean(),
  pause: z
    .strictObject({
      at: moment,
      by: z.string(),
      reason: z.string(),
      layer: z.enum(['installation', 'organisation']).meta({ description: 'Whose switch it is' }),
    })
    .nullable(),
  breaker_opened_at: maybeMoment,
  breaker_threshold: z.number().nullable(),
  processor_refuses_us_since: maybeMoment,
  processor_refusal: text,
  sent_last_hour: sent,
  sent_last_day: sent,
  accepts_ahead: z.strictObject({ count: z.int(), first_at: maybeMoment }).meta({
    description:
      'Held alerts that the policy’s fallback accepts where nobody decides, also while refunds are stopped',
  }),
  reviews_open: z.int(),
  approvals_waiting: z.int(),
});

export const paused = z.strictObject({ paused: z.literal(true), already: z.boolean() });

export const resumed = z.strictObject({
  paused: z.literal(false),
  was_paused: z.boolean(),
  released: z.int(),
});
