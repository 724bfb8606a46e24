/**
 * What the API answers out of stored JSON. Rows of earlier versions hold fewer fields, and those of later ones may hold
 * more: a reader takes what it knows.
 */
import { z } from 'zod';

const text = z.string().nullable();

/** An object whose fields depend on what it is about. */
export function openObject(description: string): z.ZodType {
  return z.record(z.string(), z.unknown()).meta({ description });
}

/** A field of the service's object: text, number, list, object. */
const fieldValue = z
  .unknown()
  .meta({ description: 'As the service sent it; null where it is absent' });

/** What changed in the service's object. */
export const fieldChange = z
  .strictObject({ field: z.string(), from: fieldValue, to: fieldValue })
  .meta({ id: 'FieldChange' });

export const matchEvidence = z
  .looseObject({
    sentence: z.string().optional(),
    note: z.string().optional().meta({ description: 'Of the person who chose the charge' }),
    facts: z
      .array(
        z.looseObject({
          fact: z.string(),
          verdict: z.enum(['agrees', 'differs', 'unknown']),
          text: z.string(),
          weight: z.number(),
          contradicts: z.boolean().optional(),
        }),
      )
      .optional(),
    runnerUp: text.optional(),
    margin: z.number().nullable().optional(),
    search: z.string().optional().meta({ description: "What the processor's search answered" }),
    unanswered: z.boolean().optional(),
  })
  .meta({ id: 'MatchEvidence' });

export const matchCandidate = z
  .looseObject({
    reference: z.string(),
    orderReference: text.optional(),
    sources: z.array(z.string()).optional(),
    tier: text,
    sign: text.optional(),
    score: z.number(),
    for: z.array(z.string()).optional(),
    against: z.array(z.string()).optional(),
    contradicted: z.boolean().optional(),
    amountMinor: z.int().nullable().optional(),
    currency: text.optional(),
    authorisedAt: text.optional(),
    cardLast4: text.optional(),
    cardBrand: text.optional(),
    descriptor: text.optional(),
  })
  .meta({ id: 'MatchCandidate' });

/** What a decision was taken from: of a person the note, of the policy the facts and how each rule fared. */
export const decisionInputs = z
  .looseObject({
    note: text.optional(),
    facts: openObject('Every fact that conditions of the policy can ask for').optional(),
    proposed: z.string().optional().meta({ description: 'By the policy, before any guard' }),
    layer: z.string().optional().meta({
      description:
        'Whose policy decided, where several layers may have one: installation, organisation, merchant mrch_…',
    }),
    trace: z
      .array(
        z.looseObject({
          rule: z.string(),
          line: z.int(),
          result: z.enum(['yes', 'no', 'unknown', 'not reached']),
          why: z.string(),
        }),
      )
      .optional(),
    fallback: z
      .looseObject({ answer: z.looseObject({ action: z.string() }), at: z.iso.datetime() })
      .nullable()
      .optional(),
  })
  .meta({ id: 'DecisionInputs' });

export const sent = z.strictObject({
  count: z.int(),
  amountMinor: z
    .record(z.string(), z.int())
    .meta({ description: 'Minor units by currency', example: { USD: 12_990 } }),
});
