/** One change at the service: exactly one call. References are keys of the file, else identifiers. */

import { z } from 'zod';
import { counted } from '../../../base/kernel/counted.ts';
import { GRANTS_MAX, WINDOW_MS } from '../../../service/client/budget.ts';
import {
  descriptorContentSchema,
  enrolmentContentSchema,
  merchantContentSchema,
  ruleContentSchema,
  rulesetContentSchema,
} from './content.ts';

/** What a change means for people who review it. */
export const MARKS = ['safe', 'irreversible', 'widens RDR'] as const;
export type Mark = (typeof MARKS)[number];

/** A field that changes. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

const key = z.string();
const id = z.string();
const organisation = z.string();
const rulesetChange = { key, id, before: rulesetContentSchema, after: rulesetContentSchema };
const rule = ruleContentSchema;

const rulesetSteps = [
  z.strictObject({
    kind: z.literal('create_ruleset'),
    key,
    organisation,
    content: rulesetContentSchema,
  }),
  z.strictObject({ kind: z.literal('update_ruleset'), ...rulesetChange }),
  z.strictObject({ kind: z.literal('create_rule'), ...rulesetChange, rule }),
  z.strictObject({ kind: z.literal('update_rule'), ...rulesetChange, rule, ruleId: id }),
  z.strictObject({ kind: z.literal('delete_rule'), ...rulesetChange, rule, ruleId: id }),
  z.strictObject({
    kind: z.literal('delete_ruleset'),
    key,
    id,
    before: rulesetContentSchema,
    /** Rulesets that apply to its enrolments afterwards, by key or id: they must be there first. */
    remaining: z.array(z.string()),
  }),
] as const;

export const stepSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('create_merchant'),
    key,
    organisation,
    content: merchantContentSchema,
  }),
  z.strictObject({
    kind: z.literal('update_merchant'),
    key,
    id,
    before: merchantContentSchema,
    after: merchantContentSchema,
  }),
  z.strictObject({ kind: z.literal('delete_merchant'), key, id, before: merchantContentSchema }),
  z.strictObject({ kind: z.literal('create_enrolment'), key, content: enrolmentContentSchema }),
  z.strictObject({
    kind: z.literal('append_descriptors'),
    key,
    id,
    descriptors: z.array(descriptorContentSchema),
  }),
  z.strictObject({ kind: z.literal('cancel_enrolment'), key, id }),
  ...rulesetSteps,
]);
export type Step = z.infer<typeof stepSchema>;
export type RulesetStep = z.infer<(typeof rulesetSteps)[number]>;

/** A step with what it means. */
export interface PlannedStep {
  readonly step: Step;
  readonly mark: Mark;
  /** One plain sentence. */
  readonly sentence: string;
}

/** The endpoint that a step calls, whose pool of requests it uses. */
const ENDPOINT_OF: Readonly<Record<Step['kind'], string>> = {
  create_merchant: 'POST /v1/merchants',
  update_merchant: 'PATCH /v1/merchants/{merchant_id}',
  delete_merchant: 'DELETE /v1/merchants/{merchant_id}',
  create_enrolment: 'POST /v2/enrolments',
  append_descriptors: 'PATCH /v2/enrolments/{enrolment_id}',
  cancel_enrolment: 'DELETE /v2/enrolments/{enrolment_id}',
  create_ruleset: 'POST /v1/rulesets',
  update_ruleset: 'PATCH /v1/rulesets/{ruleset_id}',
  create_rule: 'POST /v1/rulesets/{ruleset_id}/rules',
  update_rule: 'PATCH /v1/rulesets/{ruleset_id}/rules/{rule_id}',
  delete_rule: 'DELETE /v1/rulesets/{ruleset_id}/rules/{rule_id}',
  delete_ruleset: 'DELETE /v1/rulesets/{ruleset_id}',
};

/**
 * What is read right before a step: whether somebody else made the same meanwhile, or changed what the
 * step is about. Lists are asked with a filter that finds it in one page.
 */
function lookFirstEndpoints(step: Step): readonly string[] {
  switch (step.kind) {
    case 'create_merchant':
      return ['GET /v1/merchants'];
    case 'create_enrolment':
      return ['GET /v2/enrolments'];
    case 'create_ruleset':
      return [];
    case 'update_merchant':
    case 'delete_merchant':
      return ['GET /v1/merchants/{merchant_id}'];
    case 'cancel_enrolment':
      return ['GET /v2/enrolments/{enrolment_id}'];
    case 'append_descriptors':
      return ['GET /v2/enrolments/{enrolment_id}', 'GET /v2/enrolments/{enrolment_id}'];
    case 'delete_ruleset':
      return ['', ...step.remaining].map(() => 'GET /v1/rulesets/{ruleset_id}');
    default:
      return ['GET /v1/rulesets/{ruleset_id}'];
  }
}

/** The fields in which two contents differ. */
export function changesBetween(before: object, after: object): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((field) => {
    const [from, to]: unknown[] = [Reflect.get(before, field), Reflect.get(after, field)];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }];
  });
}

/** What to expect. */
export interface Forecast {
  readonly calls: number;
  /** At the rate limit; the service's answers are taken as immediate. */
  readonly durationMs: number;
}

/**
 * Counts calls one after another against the request budget of each endpoint. The budget allows
 * {@link GRANTS_MAX} calls of one endpoint in any {@link WINDOW_MS} milliseconds.
 */
export function forecastOf(steps: readonly PlannedStep[]): Forecast {
  const grants = new Map<string, number[]>();
  let nowMs = 0;
  let calls = 0;
  for (const { step } of steps) {
    for (const endpoint of [...lookFirstEndpoints(step), ENDPOINT_OF[step.kind]]) {
      const times = grants.get(endpoint) ?? [];
      const freeMs = (times.at(-GRANTS_MAX) ?? -WINDOW_MS) + WINDOW_MS;
      nowMs = Math.max(nowMs, freeMs);
      times.push(nowMs);
      grants.set(endpoint, times);
      calls += 1;
    }
  }
  return { calls, durationMs: nowMs };
}

/** For people: `12 calls, less than a minute`. */
export function forecastText({ calls, durationMs }: Forecast): string {
  const minutes = Math.ceil(durationMs / 60_000);
  const time = minutes < 1 ? 'less than a minute' : `about ${counted(minutes, 'minute')}`;
  return `${counted(calls, 'call')}, ${time} at the rate limit`;
}
