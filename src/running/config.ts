/**
 * Settings: the only reader of the environment.
 *
 * Read once, validated together: every fault is reported at once, by name, without its value. A
 * setting may be given as `NAME` or as `NAME_FILE=/path`, never both. Secrets have no default.
 */
import type { z } from 'zod';
import type { GuardEnvironment } from '../alerts/guard/guard-env.ts';
import { guardEnvironmentOf, guardFaults } from '../alerts/guard/guard-env.ts';
import type { DatabaseSettings } from '../base/db/database-settings.ts';
import { databaseFaults, databaseSettingsOf } from '../base/db/database-settings.ts';
import { databaseUrlFaults } from '../base/db/database-user.ts';
import type { DataKeys } from '../base/kernel/data-keys.ts';
import { textsOfKeys } from '../base/kernel/data-keys.ts';
import { sharedSecretFaults } from '../base/kernel/secret-rule.ts';
import type { Given } from '../base/kernel/setting.ts';
import { faultsAmong } from '../base/kernel/setting.ts';
import type { NotifySettings } from '../base/notify/notify-settings.ts';
import { notifyFaults, notifySettingsOf } from '../base/notify/notify-settings.ts';
import { CAPABILITY_SETTINGS, secretsGiven } from '../capabilities/settings.ts';
import type { ProgrammePolicy } from '../orders/programme.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { ConsoleSettings } from './console-settings.ts';
import { consoleFaults, consoleSettingsOf } from './console-settings.ts';
import type { Environment } from './environment.ts';
import { collect, emptyFault, installationPathIn, SettingsError } from './environment.ts';
import { chosenEnvironment } from './installation/chosen-organisation.ts';
import type { LayerSettings } from './installation/layer-words.ts';
import { layersIn } from './installation/layer-words.ts';
import { withLayers } from './installation/layered-guards.ts';
import type { ProcessorSettings, ServiceSecret, ServiceSettings } from './remote-settings.ts';
import { ALL_SECRETS, processorOf, remoteFaults, serviceOf } from './remote-settings.ts';
import type { RawSettings } from './settings-shape.ts';
import { givenIn, partnerShape, sandboxShape, settingsShape } from './settings-shape.ts';

export interface Settings {
  /** Undefined: an embedded PostgreSQL under `.forestall/`. */
  readonly databaseUrl: string | undefined;
  readonly database: DatabaseSettings;
  /** Undefined: columns are not sealed. */
  readonly dataKeys: DataKeys | undefined;
  readonly service: ServiceSettings;
  /** Newest first; empty only with the sandbox, which brings its own. */
  readonly webhookSecrets: readonly string[];
  readonly organisationId: string | undefined;
  readonly integrationId: string | undefined;
  readonly brandTokens: BrandTokenMap;
  readonly port: number;
  readonly consolePort: number;
  readonly console: ConsoleSettings;
  /** The private port of `serve` and `work`. Without one: 8083, or a free one. */
  readonly metrics: { readonly port: number | undefined; readonly host: string };
  readonly sandboxPort: number;
  /** The webhook endpoint as the dashboard holds it; the doctor tries it. */
  readonly webhookUrl: string | undefined;
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined;
  readonly processor: ProcessorSettings;
  readonly policyPath: string | undefined;
  /** Windows and tolerances of matching. Undefined: the published ones. */
  readonly matchingPath: string | undefined;
  /** What is given of the settings of capabilities. */
  readonly given: Given;
  /** A second policy, judged with the one in force and never acted on. */
  readonly shadowPolicyPath: string | undefined;
  readonly mode: 'live' | 'shadow';
  /** Undefined: made again at each start and printed. */
  readonly consoleToken: string | undefined;
  readonly reconcileSeconds: number;
  readonly notify: NotifySettings;
  /** What comes before the policy, and the merchant's side of side actions. */
  readonly guard: GuardEnvironment;
  /** What is above and below the organisation; undefined: it is alone. */
  readonly layers: LayerSettings | undefined;
  /** Programmes whose fields every order must carry. */
  readonly programmes: ProgrammePolicy;
  readonly logLevel: string;
}

/**
 * Reads and validates all settings; of an installation with several organisations, those of the one that
 * `FORESTALL_ORGANISATION_ID` names, or of the first.
 *
 * `needed`: what a real service's settings must hold for anyone who reads them.
 *
 * @throws {SettingsError} listing every fault by the setting's name, never by its value
 * @throws {InstallationFileError} naming everything that is wrong with `installation.yaml`
 */
export function readSettings(
  env: Environment = process.env,
  needed: readonly ServiceSecret[] = ALL_SECRETS,
): Settings {
  const chosen = chosenEnvironment(env);
  const { raw, faults, wrong } = readShape(settingsShape, chosen);
  // What is wrong by itself is not missing, too.
  const together = crossCheck(raw, needed).filter(
    (fault) => !wrong.some((name) => new RegExp(`\\b${name}\\b`).test(fault)),
  );
  if (faults.length + together.length > 0) throw new SettingsError([...faults, ...together]);
  return assemble(raw, layersIn(chosen));
}

/**
 * The settings of a command that asks the service nothing: it runs where no secret of the service is, in the
 * container of the console for one.
 *
 * @throws {SettingsError} as {@link readSettings} does
 */
export function readCommandSettings(env: Environment = process.env): Settings {
  return readSettings(env, []);
}

/**
 * What `forestall sandbox` takes from the environment; no other setting can keep it from starting.
 *
 * @throws {ConfigError} when one of the three is wrong
 */
export function readSandboxSettings(env: Environment = process.env): z.infer<typeof sandboxShape> {
  return parseAs(sandboxShape, env);
}

/** What a command takes from the environment that asks the service with the partner key alone. */
export interface PartnerSettings {
  readonly serviceUrl: string | undefined;
  readonly partnerApiKey: string | undefined;
  readonly organisationId: string | undefined;
  readonly brandTokens: BrandTokenMap;
  /** Of capabilities. */
  readonly given: Given;
}

/**
 * A partner needs no organisation key and no secret of webhooks to review a plan.
 *
 * @throws {ConfigError} when one of them is wrong
 */
export function readPartnerSettings(env: Environment = process.env): PartnerSettings {
  const raw = parseAs(partnerShape, chosenEnvironment(env));
  return {
    serviceUrl: raw.FORESTALL_SERVICE_URL,
    partnerApiKey: raw.FORESTALL_PARTNER_API_KEY,
    organisationId: raw.FORESTALL_ORGANISATION_ID,
    brandTokens: raw.FORESTALL_BRAND_TOKENS,
    given: givenIn(raw),
  };
}

function parseAs<Shape extends z.ZodObject>(part: Shape, env: Environment): z.infer<Shape> {
  const { raw, faults } = readShape(part, env);
  if (faults.length > 0) throw new SettingsError(faults);
  return raw;
}

/** What was read of the settings, and what is wrong with the others: these are read as if they were not given. */
interface ReadShape<Raw> {
  readonly raw: Raw;
  readonly faults: readonly string[];
  /** The names of those that are wrong. */
  readonly wrong: readonly string[];
}

function readShape<Shape extends z.ZodObject>(
  part: Shape,
  env: Environment,
): ReadShape<z.infer<Shape>> {
  const names = Object.keys(part.shape);
  const faults: string[] = [];
  const values = collect(names, env, faults);
  const isGiven = (name: string): boolean =>
    env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  const wrong = new Set(names.filter((name) => isGiven(name) && values[name] === undefined));
  const parsed = part.safeParse(values);
  if (parsed.success) return { raw: parsed.data, faults, wrong: [...wrong] };
  const complaints = new Set<string>();
  for (const { path, message } of parsed.error.issues) {
    const name = String(path[0]);
    const entry = typeof path[1] === 'number' ? `, entry ${path[1] + 1},` : '';
    complaints.add(values[name] === '' ? emptyFault(name) : `${name}${entry} ${message}.`);
    wrong.add(name);
  }
  const rest = Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.has(name)));
  return { raw: part.parse(rest), faults: [...faults, ...complaints], wrong: [...wrong] };
}

/**
 * The one setting that `forestall verify processor` needs.
 *
 * @throws {ConfigError} when it is given twice or cannot be read
 */
export function readProcessorSecret(env: Environment = process.env): string | undefined {
  const faults: string[] = [];
  const values = collect(Object.keys(settingsShape.shape), env, faults);
  if (faults.length > 0) throw new SettingsError(faults);
  return values['FORESTALL_PROCESSOR_SECRET'];
}

/** Where `installation.yaml` lies; undefined: the settings are an installation of one organisation. */
export function readInstallationPath(env: Environment = process.env): string | undefined {
  return installationPathIn(env);
}

/** The variables that files may name as `${NAME}`. */
export function readVariables(env: Environment = process.env): Environment {
  return env;
}

export const SETTING_NAMES: readonly string[] = Object.keys(settingsShape.shape);

/** The texts of the settings that are given as files, by name. One that cannot be read is left out. */
export function settingsInFiles(env: Environment = process.env): ReadonlyMap<string, string> {
  const names = Object.keys(settingsShape.shape).map((name) => `${name}_FILE`);
  const paths = Object.fromEntries(names.map((name) => [name, env[name]]));
  return new Map(Object.entries(collect(Object.keys(settingsShape.shape), paths, [])));
}

/** Faults that only show when settings are seen together. */
function crossCheck(raw: RawSettings, needed: readonly ServiceSecret[]): string[] {
  const faults = [
    ...sharedSecretFaults(secretsOf(raw)),
    ...remoteFaults(raw, needed),
    ...faultsAmong(CAPABILITY_SETTINGS, givenIn(raw)),
    ...notifyFaults(raw),
    ...guardFaults(raw),
    ...databaseFaults(raw),
    ...databaseUrlFaults(
      {
        DATABASE_URL: raw.DATABASE_URL,
        FORESTALL_DATABASE_DIRECT_URL: raw.FORESTALL_DATABASE_DIRECT_URL,
      },
      raw.FORESTALL_SERVICE_URL !== undefined && raw.FORESTALL_MODE === 'live',
    ),
  ];
  if ((raw.FORESTALL_TLS_CERT === undefined) !== (raw.FORESTALL_TLS_KEY === undefined)) {
    faults.push('FORESTALL_TLS_CERT and FORESTALL_TLS_KEY belong together; set both or neither.');
  }
  const hasTls = raw.FORESTALL_TLS_CERT !== undefined;
  const hasToken = raw.FORESTALL_CONSOLE_TOKEN !== undefined;
  return [...faults, ...consoleFaults(raw, { hasTls, hasToken })];
}

function secretsOf(raw: RawSettings): Parameters<typeof sharedSecretFaults>[0] {
  const { FORESTALL_API_KEY, FORESTALL_PARTNER_API_KEY, FORESTALL_WEBHOOK_SECRETS } = raw;
  const { FORESTALL_PROCESSOR_SECRET, FORESTALL_CONSOLE_TOKEN } = raw;
  return {
    FORESTALL_API_KEY,
    FORESTALL_PARTNER_API_KEY,
    FORESTALL_WEBHOOK_SECRETS,
    FORESTALL_PROCESSOR_SECRET,
    ...secretsGiven(givenIn(raw)),
    FORESTALL_CONSOLE_TOKEN,
    FORESTALL_DATA_KEYS: textsOfKeys(raw.FORESTALL_DATA_KEYS),
  };
}

function assemble(raw: RawSettings, layers: LayerSettings | undefined): Settings {
  const tls =
    raw.FORESTALL_TLS_CERT === undefined || raw.FORESTALL_TLS_KEY === undefined
      ? undefined
      : { certPath: raw.FORESTALL_TLS_CERT, keyPath: raw.FORESTALL_TLS_KEY };
  return {
    databaseUrl: raw.DATABASE_URL,
    database: databaseSettingsOf(raw),
    dataKeys: raw.FORESTALL_DATA_KEYS,
    service: serviceOf(raw),
    webhookSecrets: raw.FORESTALL_WEBHOOK_SECRETS ?? [],
    organisationId: raw.FORESTALL_ORGANISATION_ID,
    integrationId: raw.FORESTALL_INTEGRATION_ID,
    brandTokens: raw.FORESTALL_BRAND_TOKENS,
    port: raw.PORT,
    consolePort: raw.FORESTALL_CONSOLE_PORT,
    console: consoleSettingsOf(raw, { hasTls: tls !== undefined }),
    metrics: { port: raw.FORESTALL_METRICS_PORT, host: raw.FORESTALL_METRICS_HOST },
    sandboxPort: raw.FORESTALL_SANDBOX_PORT,
    webhookUrl: raw.FORESTALL_WEBHOOK_URL,
    tls,
    processor: processorOf(raw),
    policyPath: raw.FORESTALL_POLICY,
    matchingPath: raw.FORESTALL_MATCHING,
    given: givenIn(raw),
    shadowPolicyPath: raw.FORESTALL_SHADOW_POLICY,
    mode: raw.FORESTALL_MODE,
    consoleToken: raw.FORESTALL_CONSOLE_TOKEN,
    reconcileSeconds: raw.FORESTALL_RECONCILE_SECONDS,
    notify: notifySettingsOf(raw, {
      consoleUrl: raw.FORESTALL_CONSOLE_URL,
      allowLoopback: raw.FORESTALL_SERVICE_URL === undefined,
    }),
    guard: withLayers(guardEnvironmentOf(raw), layers),
    layers,
    programmes: raw.FORESTALL_PROGRAMMES,
    logLevel: raw.FORESTALL_LOG_LEVEL,
  };
}
