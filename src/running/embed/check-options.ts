/** Whether the options of a call can be used at all, for programs whose types were not checked. */
import { z } from 'zod';
import { ConfigError, DatabaseError } from '../../base/kernel/errors.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { nearestWord } from '../../base/kernel/nearest-word.ts';
import { shapeOfPlaces } from '../../base/kernel/setting.ts';
import type { CapabilityOptions } from '../../capabilities/settings.ts';
import { CAPABILITY_VARIABLES } from '../../capabilities/settings.ts';
import { issueProblem } from '../../service/wire/issue-sentence.ts';
import { isProcessor, PROCESSOR_METHODS } from '../roles/open-processor.ts';
import type { InstallationOptions, OwnOptions } from './options.ts';

type Call = 'createForestall' | 'createInstallation';
type ShapeOf<Options> = Readonly<Record<keyof Options, z.ZodType>>;

const text = z.string().min(1);
const path = text.optional();
const anything = z.unknown().optional();
const policy = z
  .custom<unknown>(
    (value) => value === undefined || typeof value === 'string' || isRecord(value),
    'must be the path of a policy file, or a policy',
  )
  .optional();

/** What has these methods. */
const withMethods = (names: readonly string[], sentence: string): z.ZodType =>
  z
    .custom<unknown>(
      (value) =>
        value === undefined ||
        (typeof value === 'object' &&
          value !== null &&
          names.every((name) => hasMethod(value, name))),
      sentence,
    )
    .optional();

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function';
}

const SHARED = {
  database: z.custom<unknown>(
    (value) =>
      typeof value === 'string' ||
      (isRecord(value) && ['connect', 'query', 'on'].every((name) => hasMethod(value, name))),
    'must be the address of a database, or a pool of pg',
  ),
  schema: path,
  directDatabase: path,
  dataKeys: path,
  logger: withMethods(
    ['debug', 'info', 'warn', 'error'],
    'must have the methods debug, info, warn and error',
  ),
  clock: anything,
} satisfies ShapeOf<Omit<InstallationOptions, 'organisations'>>;

const OWN = {
  service: z.strictObject({ url: text, apiKey: text, partnerApiKey: path }),
  organisationId: text,
  integrationId: path,
  webhookSecrets: z.array(z.string()),
  processor: z
    .custom<unknown>(
      (value) => value === undefined || isProcessor(value),
      `must have name and the methods ${PROCESSOR_METHODS.join(', ')}`,
    )
    .optional(),
  policy,
  policyBeside: policy,
  // A slip in "shadow" must not let money move.
  mode: z.enum(['live', 'shadow']).optional(),
  reconcileSeconds: z.number().min(1).optional(),
  guards: path,
  matching: path,
  brandTokens: anything,
  notify: anything,
  actions: anything,
  variables: z.record(z.string(), z.string().optional()).optional(),
  programmes: anything,
} satisfies ShapeOf<Omit<OwnOptions, keyof CapabilityOptions>>;

/** Those of capabilities. */
const OF_CAPABILITIES = shapeOfPlaces(
  CAPABILITY_VARIABLES.flatMap(({ option, type }) =>
    option === undefined ? [] : [[option, type] as const],
  ),
);

const FORESTALL = z.strictObject({ ...SHARED, ...OWN, ...OF_CAPABILITIES });
const INSTALLATION = z.strictObject({
  ...SHARED,
  organisations: z.array(z.strictObject({ ...OWN, ...OF_CAPABILITIES, name: text, path })),
} satisfies ShapeOf<InstallationOptions>);

/** Options without which no call goes. */
const NEEDED: Readonly<Record<Call, string>> = {
  createForestall: 'database, service, organisationId, webhookSecrets',
  createInstallation: 'database, organisations',
};

/** @throws {ConfigError} naming every option that is missing, unknown or of another kind, never its value */
export function refuseWrongOptions(call: Call, options: unknown): void {
  if (!isRecord(options)) {
    throw new ConfigError(`${call} was called without options. Give at least ${NEEDED[call]}.`);
  }
  const schema = call === 'createForestall' ? FORESTALL : INSTALLATION;
  const parsed = schema.safeParse(options, { reportInput: true });
  if (parsed.success) return;
  const faults = parsed.error.issues.flatMap(faultsOf);
  throw new ConfigError(`${call} cannot use its options: ${faults.join('; ')}. Correct them.`);
}

/** Every name that an option has, to tell which one was meant. */
const NAMES = [
  ...Object.keys({ ...SHARED, ...OWN, ...OF_CAPABILITIES }),
  'organisations',
  'name',
  'path',
];

function faultsOf(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [`${at.join('.')} ${issueProblem(issue)}`];
  return issue.keys.map((key) => {
    const meant = nearestWord(key, at.includes('service') ? Object.keys(OWN.service.shape) : NAMES);
    return `${[...at, key].join('.')} is no option${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
}

/** The option in place of a setting of the environment, which an embedding program does not have. */
const OPTION_OF: Readonly<Record<string, string>> = {
  DATABASE_URL: 'database',
  FORESTALL_DATABASE_DIRECT_URL: 'directDatabase',
  FORESTALL_DATA_KEYS: 'dataKeys',
  FORESTALL_WEBHOOK_SECRETS: 'webhookSecrets',
  FORESTALL_POLICY: 'policy',
  FORESTALL_GUARDS: 'guards',
  FORESTALL_MATCHING: 'matching',
  ...Object.fromEntries(
    CAPABILITY_VARIABLES.flatMap(({ name, option }) =>
      option === undefined ? [] : [[name, option]],
    ),
  ),
  baseUrl: 'service.url',
};

/** The error as somebody reads it who sets options and no variables; another kind of error as it is. */
export function inWordsOfOptions(error: unknown): unknown {
  if (!(error instanceof ConfigError || error instanceof DatabaseError)) return error;
  const message = error.message.replaceAll(
    /\b(?:[A-Z]+(?:_[A-Z]+)+|baseUrl)\b/g,
    (name) => OPTION_OF[name] ?? name,
  );
  if (message === error.message) return error;
  const { cause } = error;
  return error instanceof ConfigError
    ? new ConfigError(message, { cause })
    : new DatabaseError(message, { cause });
}
