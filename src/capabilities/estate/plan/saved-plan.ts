/**
 * A plan as a file: reviewed by people, applied exactly as it is or refused as stale.
 *
 * Values that came from variables of the environment are never in it: wherever one occurs, the
 * variable's name is in its place, and `apply` needs the same value again.
 */
import { z } from 'zod';
import { ConfigError } from '../../../base/kernel/errors.ts';
import type { Variables } from '../../../base/kernel/yaml-text.ts';
import { fingerprint, hideValues, showValues } from './hidden-values.ts';
import type { EstatePlan } from './plan.ts';
import type { Reference, RefKind } from './references.ts';
import { REF_KINDS } from './references.ts';
import type { Forecast, PlannedStep } from './step.ts';
import { forecastOf, MARKS, stepSchema } from './step.ts';

/** What a plan file holds, with its variables replaced again. */
export interface SavedPlan {
  readonly createdAt: string;
  readonly organisations: readonly string[];
  readonly remoteDigest: string;
  readonly steps: readonly PlannedStep[];
  readonly forecast: Forecast;
  /** The service's ids of what exists already. */
  readonly ids: readonly Reference[];
  /** Of the whole file: what was applied of it is noted under this name. */
  readonly digest: string;
}

/** The version of the form. */
const FORM = 1;

const savedSchema = z.strictObject({
  forestall_estate_plan: z.literal(FORM),
  created_at: z.string(),
  variables: z.record(z.string(), z.string()),
  organisations: z.array(z.string()),
  remote_digest: z.string(),
  calls: z.int(),
  duration_ms: z.int(),
  ids: z.array(z.strictObject({ kind: z.enum(REF_KINDS), key: z.string(), id: z.string() })),
  steps: z.array(z.strictObject({ sentence: z.string(), mark: z.enum(MARKS), step: stepSchema })),
});

/** Not the names of the variables themselves, nor what tells their values. */
const KEPT: ReadonlySet<string> = new Set([
  'variables',
  'created_at',
  'remote_digest',
  'kind',
  'mark',
]);

/** Everything that goes into the file. */
export interface PlanToSave {
  readonly plan: EstatePlan;
  readonly organisations: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  readonly createdAt: string;
}

/** The text of the file. */
export function writePlan({ plan, organisations, variables, createdAt }: PlanToSave): string {
  const { calls, durationMs } = forecastOf(plan.steps);
  const body: z.input<typeof savedSchema> = {
    forestall_estate_plan: FORM,
    created_at: createdAt,
    // A wrong value is noticed before anything is sent.
    variables: Object.fromEntries(
      [...variables].map(([name, value]) => [name, fingerprint([createdAt, name, value])]),
    ),
    organisations: [...organisations],
    remote_digest: plan.remoteDigest,
    calls,
    duration_ms: Math.round(durationMs),
    ids: idsOf(plan),
    steps: [...plan.steps],
  };
  return `${JSON.stringify(hideValues(body, variables, KEPT), null, 2)}\n`;
}

/**
 * Reads the file.
 *
 * @throws {ConfigError} when it is no plan, or a variable is missing or has another value than then
 */
export function readPlan(text: string, environment: Variables): SavedPlan {
  const raw = parseJson(text);
  const named = z
    .looseObject({ created_at: z.string(), variables: z.record(z.string(), z.string()) })
    .safeParse(raw);
  const variables = named.success
    ? readVariables(named.data, environment)
    : new Map<string, string>();
  const parsed = savedSchema.safeParse(showValues(raw, variables, KEPT));
  if (!parsed.success) {
    throw new ConfigError(
      'This is no plan of this version. Make one with "forestall estate plan -o plan.json".',
    );
  }
  const { data } = parsed;
  return {
    createdAt: data.created_at,
    organisations: data.organisations,
    remoteDigest: data.remote_digest,
    steps: data.steps,
    forecast: { calls: data.calls, durationMs: data.duration_ms },
    ids: data.ids,
    digest: fingerprint([text]),
  };
}

function readVariables(
  {
    created_at: createdAt,
    variables,
  }: { readonly created_at: string; readonly variables: Readonly<Record<string, string>> },
  environment: Variables,
): Map<string, string> {
  return new Map(
    Object.entries(variables).map(([name, mark]) => {
      const value = environment[name];
      if (value === undefined || fingerprint([createdAt, name, value]) !== mark) {
        const now = value === undefined ? 'is not set' : 'has another value';
        throw new ConfigError(
          `The plan was made with the variable ${name}, which ${now} now. Set it as it was, or plan again.`,
        );
      }
      return [name, value];
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service's ids of what exists already. */
function idsOf({ matched }: EstatePlan): Reference[] {
  const referencesOf = (
    kind: RefKind,
    pairs: readonly {
      readonly entry: { readonly key: string };
      readonly remote?: { readonly id: string };
    }[],
  ): Reference[] =>
    pairs.flatMap(({ entry, remote }) =>
      remote === undefined ? [] : [{ kind, key: entry.key, id: remote.id }],
    );
  return [
    ...referencesOf('merchant', matched.merchants),
    ...referencesOf('enrolment', matched.enrolments),
    ...referencesOf('ruleset', matched.rulesets),
  ];
}
