/**
 * The shape of the settings: each with its kind and its default, on its own. What must fit together, and what
 * is made of them, is `config.ts`.
 */
import { z } from 'zod';
import { guardShape } from '../alerts/guard/guard-env.ts';
import { databaseShape } from '../base/db/database-settings.ts';
import { parseDataKeys } from '../base/kernel/data-keys.ts';
import { messageOf } from '../base/kernel/errors.ts';
import { secret, secretList } from '../base/kernel/secret-rule.ts';
import type { Given } from '../base/kernel/setting.ts';
import { webAddress, wholeNumber } from '../base/kernel/setting-kinds.ts';
import { notifyShape } from '../base/notify/notify-settings.ts';
import { CAPABILITY_VARIABLES } from '../capabilities/settings.ts';
import { parseProgrammes } from '../orders/programme.ts';
import { parseBrandTokens } from '../service/wire/brand-tokens.ts';
import { consoleShape } from './console-settings.ts';
import { remoteShape } from './remote-settings.ts';

const port = wholeNumber(0, 65_535);

/** A setting with a reader of its own, whose complaint becomes the setting's fault. */
function readBy<Value>(read: (text: string) => Value): z.ZodType<Value, string> {
  return z.string().transform((text, context): Value => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue(messageOf(error).replace(/\.$/, ''));
      return z.NEVER;
    }
  });
}

/** The same for one that is read as empty when it is not given. */
function parsedBy<Value>(read: (text: string) => Value): z.ZodType<Value, string | undefined> {
  return z.string().default('').pipe(readBy(read));
}

/** Those of capabilities, which nothing here knows by name: `givenIn` finds them. */
const capabilityShape: object = Object.fromEntries(
  CAPABILITY_VARIABLES.map(({ name, type }) => [name, type.optional()]),
);

export const settingsShape = z.object({
  ...capabilityShape,
  ...databaseShape,
  FORESTALL_DATA_KEYS: readBy(parseDataKeys).optional(),
  ...remoteShape,
  FORESTALL_WEBHOOK_SECRETS: secretList.optional(),
  FORESTALL_ORGANISATION_ID: z
    .string()
    .regex(/^org_\w+$/, { error: 'must begin with org_' })
    .optional(),
  FORESTALL_INTEGRATION_ID: z
    .string()
    .regex(/^int_\w+$/, { error: 'must begin with int_' })
    .optional(),
  FORESTALL_BRAND_TOKENS: parsedBy(parseBrandTokens),
  PORT: port.default(8080),
  FORESTALL_CONSOLE_PORT: port.default(8081),
  ...consoleShape,
  FORESTALL_SANDBOX_PORT: port.default(8082),
  FORESTALL_METRICS_PORT: port.optional(),
  FORESTALL_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  FORESTALL_WEBHOOK_URL: webAddress.optional(),
  FORESTALL_TLS_CERT: z.string().min(1).optional(),
  FORESTALL_TLS_KEY: z.string().min(1).optional(),
  FORESTALL_INSTALLATION: z.string().min(1).optional(),
  FORESTALL_POLICY: z.string().min(1).optional(),
  FORESTALL_MATCHING: z.string().min(1).optional(),
  FORESTALL_SHADOW_POLICY: z.string().min(1).optional(),
  FORESTALL_MODE: z.enum(['live', 'shadow'], { error: 'must be live or shadow' }).default('live'),
  FORESTALL_CONSOLE_TOKEN: secret.optional(),
  FORESTALL_RECONCILE_SECONDS: wholeNumber(10, 3_600).default(120),
  ...notifyShape,
  ...guardShape,
  FORESTALL_PROGRAMMES: parsedBy((text) =>
    parseProgrammes(text.split(',').filter((word) => word.trim() !== '')),
  ),
  FORESTALL_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'is no log level',
    })
    .default('info'),
});

/** What is given of the settings of capabilities. */
export function givenIn(raw: object): Given {
  return Object.fromEntries(CAPABILITY_VARIABLES.map(({ name }) => [name, Reflect.get(raw, name)]));
}

export type RawSettings = z.infer<typeof settingsShape>;

export const sandboxShape = settingsShape.pick({
  FORESTALL_SANDBOX_PORT: true,
  FORESTALL_BRAND_TOKENS: true,
  FORESTALL_LOG_LEVEL: true,
});

/** What `PartnerSettings` are read of. */
export const partnerShape = z.object({
  ...capabilityShape,
  ...settingsShape.pick({
    FORESTALL_SERVICE_URL: true,
    FORESTALL_PARTNER_API_KEY: true,
    FORESTALL_ORGANISATION_ID: true,
    FORESTALL_BRAND_TOKENS: true,
  }).shape,
});
