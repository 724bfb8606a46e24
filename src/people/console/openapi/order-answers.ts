/** What the JSON API answers about orders, and about all that touches one charge. */
import { z } from 'zod';
import { openObject } from './open-values.ts';

const text = z.string().nullable();
const maybeMoment = z.iso.datetime().nullable();
const minor = z.int().nullable();

const fault = z.strictObject({
  code: z.string(),
  message: z.string(),
  field: z.string().optional(),
});

export const refusal = z.strictObject({ errors: z.array(fault).min(1) }).meta({ id: 'Refusal' });

const intake = {
  result: z.enum(['accepted', 'corrected', 'unchanged', 'changed', 'differs', 'refused']),
  reference_id: text,
  integration_id: z.string().optional(),
  state: z.string().optional(),
  reason: text.optional(),
  warnings: z.array(z.string()).optional(),
  parts: z
    .array(z.string())
    .optional()
    .meta({ description: 'What is sent to the service as an update' }),
  errors: z.array(fault).optional(),
};

export const intakeResult = z.strictObject(intake).meta({ id: 'IntakeResult' });

export const intakeResults = z
  .strictObject({
    accepted: z.int(),
    refused: z.int(),
    results: z.array(z.strictObject({ index: z.int(), ...intake })),
  })
  .meta({ id: 'IntakeResults' });

export const orderChange = z.strictObject({
  result: z.enum(['changed', 'unchanged']),
  reference_id: z.string(),
  state: z.string(),
  parts: z.array(z.string()).meta({ description: 'What is sent to the service again' }),
});

export const order = z
  .strictObject({
    reference_id: z.string(),
    integration_id: z.string(),
    state: z.string(),
    order_id: text,
    reason: text,
    error_code: text,
    ready: z.array(z.string()).meta({ description: 'Programmes that it carries every field of' }),
    missing: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: 'Fields that it lacks, by programme' }),
    warnings: z.array(z.string()),
    difference: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Fields in which the service holds another order' }),
    pending: z.array(z.strictObject({ part: z.string(), state: z.string(), reason: text })),
    accepted_at: z.iso.datetime(),
    changed_at: z.iso.datetime(),
    settled_at: maybeMoment,
    order: openObject('The order as it was handed in, with its changes'),
  })
  .meta({ id: 'KeptOrder' });

export const chargeHistory = z
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
