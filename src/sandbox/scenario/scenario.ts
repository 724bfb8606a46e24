/**
 * A scenario: a named story of calls and moments, each with what is expected of it.
 *
 * Values of earlier answers are used as `${name.path}`; `accounts` holds the seeded ids. An
 * expectation names only what matters: objects may hold more, lists may not; `/…/` is a pattern.
 */
import { z } from 'zod';
import { readYamlFile } from '../yaml-file.ts';

const expectation = z.strictObject({
  status: z.int().optional(),
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

export const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  /** What the story shows, in a sentence or two. */
  about: z.string().min(1),
  steps: z.array(z.union([callStep, advanceStep, eventsStep])).min(1),
});
export type Scenario = z.infer<typeof scenarioSchema>;
export type ScenarioStep = Scenario['steps'][number];
export type CallStep = z.infer<typeof callStep>;

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
