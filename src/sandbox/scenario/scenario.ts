/**
 * A scenario: a named story of calls and moments, each with what is expected of it.
 *
 * Values of earlier answers are used as `${name.path}`; `accounts` holds the seeded ids. An
 * expectation names only what matters: objects may hold more, lists may not; `/…/` is a pattern.
 * `$${` means `${` itself.
 */
import { z } from 'zod';

import { seedInput } from '../seed.ts';
import { readYamlFile } from '../yaml-file.ts';

const expectation = z.strictObject({
  /** Null: the connection was cut, or nothing was answered. @default any 2xx */
  status: z.int().nullable().optional(),
  body: z.unknown().optional(),
});

const callStep = z.strictObject({
  step: z.string(),
  /** Method and path, for example `PATCH /v1/alerts/${alert.id}`. */
  call: z.string().regex(/^(?:GET|POST|PATCH|DELETE) \/\S*$/, 'must be a method and a path'),
  /** Whose key is sent. @default 'organisation' */
  as: z.enum(['organisation', 'partner', 'nobody']).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  /** Sent as it is, in place of `body`: what is no JSON. */
  text: z.string().optional(),
  /** Keeps the answer's body under this name. */
  save: z.string().optional(),
  expect: expectation.optional(),
});

const advanceStep = z.strictObject({
  step: z.string(),
  /** How far the clock moves, for example `90s`, `5m`, `48h`. */
  advance: z.string().regex(/^\d+(?:ms|s|m|h|d)$/, 'must be a number and ms, s, m, h or d'),
});

const eventsStep = z.strictObject({
  step: z.string(),
  /** The types emitted since the last such step, in order. */
  events: z.array(z.string()),
});

const deliveriesStep = z.strictObject({
  step: z.string(),
  /** The attempts made since the last such step, in order. */
  deliveries: z.array(
    z.strictObject({
      event: z.string(),
      /** The receiver's status, or `none` when there was none. */
      answer: z.union([z.int(), z.literal('none')]),
      /** What the event carried. */
      data: z.unknown().optional(),
    }),
  ),
  /** Keeps the list under this name. */
  save: z.string().optional(),
});

export const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  /** What the story shows, in a sentence or two. */
  about: z.string().min(1),
  /** When it begins; the clock is moved there. @default whatever the time is */
  clock: z.iso.datetime().optional(),
  /** Whether events go to the receiver from the start; `${webhooks}` is its address. */
  webhooks: z.boolean().optional(),
  /** What is there at the start, as in seed files. */
  seeds: z.array(seedInput).optional(),
  steps: z.array(z.union([callStep, advanceStep, eventsStep, deliveriesStep])).min(1),
});
export type Scenario = z.infer<typeof scenarioSchema>;
export type ScenarioStep = Scenario['steps'][number];
export type CallStep = z.infer<typeof callStep>;
export type DeliveriesStep = z.infer<typeof deliveriesStep>;

/** Reads a scenario file. @throws {ConfigError} naming what is wrong, and where */
export function readScenarioFile(path: string): Promise<Scenario> {
  return readYamlFile(path, scenarioSchema);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90s` as milliseconds. */
export function durationMs(text: string): number {
  const [, amount = '0', unit = 'ms'] = /^(\d+)([a-z]+)$/.exec(text) ?? [];
  return Number(amount) * (UNIT_MS[unit] ?? 1);
}
