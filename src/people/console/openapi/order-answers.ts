/** What the JSON API answers about orders. */
import { z } from 'zod';
import { openObject } from './open-values.ts';

const text = z.string().nullable();
const maybeMoment = z.iso.datetime().nullable();

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
