/** The settings of the guard rails, the side actions and the cost model, as the environment names them. */
import { z } from 'zod';
import { webAddress } from '../../base/kernel/setting-kinds.ts';
import type { GuardSettings } from './guard-settings.ts';
import { openGuards } from './guard-settings.ts';

/** Where the merchant hears of side actions that only the merchant can carry out. */
export interface ActionsEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** Everything these settings give. */
export interface GuardEnvironment {
  readonly guards: GuardSettings;
  /** Undefined: no endpoint is called, and people are notified instead. */
  readonly actions: ActionsEndpoint | undefined;
}

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const guardShape = {
  FORESTALL_GUARDS: z.string().min(1).optional(),
  FORESTALL_ACTIONS_URL: webAddress
    .refine((text) => text.startsWith('https:') || isThisMachine(text), {
      error: 'must be https unless it is on this machine',
    })
    .optional(),
  FORESTALL_ACTIONS_SECRET: z
    .string()
    .min(16, { error: 'must have at least 16 characters' })
    .optional(),
};

type Raw = z.infer<z.ZodObject<typeof guardShape>>;

/** Faults that show when the settings are seen together. */
export function guardFaults(raw: Raw): string[] {
  return (raw.FORESTALL_ACTIONS_URL === undefined) === (raw.FORESTALL_ACTIONS_SECRET === undefined)
    ? []
    : ['FORESTALL_ACTIONS_URL and FORESTALL_ACTIONS_SECRET belong together; set both or neither.'];
}

/** The settings, read. @throws {ConfigError} when the guards file cannot be used */
export function guardEnvironmentOf(raw: Raw): GuardEnvironment {
  const { FORESTALL_ACTIONS_URL: url, FORESTALL_ACTIONS_SECRET: secret } = raw;
  return {
    guards: openGuards(raw.FORESTALL_GUARDS),
    actions: url === undefined || secret === undefined ? undefined : { url, secret },
  };
}

function isThisMachine(text: string): boolean {
  const host = URL.parse(text)?.hostname;
  return host === '127.0.0.1' || host === 'localhost' || host === '[::1]';
}
