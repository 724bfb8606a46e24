/** The settings of who is called over the network: the service, and the processor that refunds. */
import { z } from 'zod';
import { secret } from '../base/kernel/secret-rule.ts';
import { webAddress } from '../base/kernel/setting-kinds.ts';
import { LOOPBACK } from './console-settings.ts';

export type ServiceSettings =
  | { readonly kind: 'sandbox' }
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly apiKey: string;
      readonly partnerApiKey: string | undefined;
    };

export type ProcessorSettings =
  | { readonly kind: 'none' }
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'http'; readonly url: string; readonly secret: string }
  | { readonly kind: 'module'; readonly path: string };

/** Secrets of the service, of which a process is given those that its role needs. */
export type ServiceSecret = 'FORESTALL_API_KEY' | 'FORESTALL_WEBHOOK_SECRETS';

/** Of a process that does everything. */
export const ALL_SECRETS: readonly ServiceSecret[] = [
  'FORESTALL_API_KEY',
  'FORESTALL_WEBHOOK_SECRETS',
];

/** In the place of a key in a process that was given none. It asks the service nothing: see `makeParts`. */
export const NO_KEY = 'no-key-was-given-to-this-process';

/** A URL that carries a key: TLS, unless it never leaves the machine. */
const keyedUrl = webAddress.refine((text) => isLoopback(text) || text.startsWith('https:'), {
  error: 'must be https: a key would cross the network in the clear',
});

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const remoteShape = {
  FORESTALL_SERVICE_URL: keyedUrl.optional(),
  FORESTALL_API_KEY: secret.optional(),
  FORESTALL_PARTNER_API_KEY: secret.optional(),
  FORESTALL_PROCESSOR: z
    .string()
    .min(1)
    .refine((text) => isHttp(text) || !/^[a-z][a-z0-9+.-]+:/i.test(text), {
      error: 'must be none, sandbox, an http or https address, or the path of a module',
    })
    .optional(),
  FORESTALL_PROCESSOR_SECRET: secret.optional(),
};

/** What a real service needs besides its address and key. */
interface ServiceNeeds {
  readonly FORESTALL_WEBHOOK_SECRETS?: readonly string[] | undefined;
  readonly FORESTALL_ORGANISATION_ID?: string | undefined;
}

type Raw = z.infer<z.ZodObject<typeof remoteShape>>;

export function remoteFaults(raw: Raw & ServiceNeeds, needed: readonly ServiceSecret[]): string[] {
  return [...serviceFaults(raw, needed), ...processorFaults(raw)];
}

export function serviceOf(raw: Raw): ServiceSettings {
  const { FORESTALL_SERVICE_URL: serviceUrl, FORESTALL_API_KEY: apiKey = NO_KEY } = raw;
  if (serviceUrl === undefined) return { kind: 'sandbox' };
  return { kind: 'remote', url: serviceUrl, apiKey, partnerApiKey: raw.FORESTALL_PARTNER_API_KEY };
}

/** The processor, read: without a name, the sandbox's where the service is the sandbox, else none. */
export function processorOf(raw: Raw): ProcessorSettings {
  const { FORESTALL_PROCESSOR: name, FORESTALL_PROCESSOR_SECRET: key } = raw;
  if (name === undefined)
    return { kind: raw.FORESTALL_SERVICE_URL === undefined ? 'sandbox' : 'none' };
  if (name === 'none' || name === 'sandbox') return { kind: name };
  if (isHttp(name) && key !== undefined) return { kind: 'http', url: name, secret: key };
  return { kind: 'module', path: name };
}

function isHttp(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//.test(text);
}

function isLoopback(text: string): boolean {
  return URL.canParse(text) && LOOPBACK.has(new URL(text).hostname);
}

/** What a real service needs, and what makes no sense without one. */
function serviceFaults(raw: Raw & ServiceNeeds, needed: readonly ServiceSecret[]): string[] {
  if (raw.FORESTALL_SERVICE_URL === undefined) {
    return raw.FORESTALL_API_KEY === undefined
      ? []
      : ['FORESTALL_API_KEY is set without FORESTALL_SERVICE_URL; set both or neither.'];
  }
  const required = {
    FORESTALL_API_KEY: 'create a key in the dashboard, Settings, API keys',
    FORESTALL_WEBHOOK_SECRETS: 'copy the signing secret from the dashboard, Settings, Webhooks',
    FORESTALL_ORGANISATION_ID: 'it pins this installation to one organisation',
  } as const;
  return Object.entries(required)
    .filter(([name]) => Reflect.get(raw, name) === undefined)
    .filter(
      ([name]) => needed.some((each) => each === name) || name === 'FORESTALL_ORGANISATION_ID',
    )
    .map(([name, step]) => `${name} is missing; ${step}.`);
}

function processorFaults(raw: Raw): string[] {
  const faults: string[] = [];
  const processor = raw.FORESTALL_PROCESSOR;
  if (isHttp(processor)) {
    if (raw.FORESTALL_PROCESSOR_SECRET === undefined) {
      faults.push('FORESTALL_PROCESSOR_SECRET is missing; it signs calls to an HTTP processor.');
    }
    if (!keyedUrl.safeParse(processor).success) {
      faults.push('FORESTALL_PROCESSOR must be https unless it is on this machine.');
    }
  }
  if (raw.FORESTALL_SERVICE_URL !== undefined && processor === 'sandbox') {
    faults.push(
      'FORESTALL_PROCESSOR is the sandbox while the service is a real one; set none or yours.',
    );
  }
  return faults;
}
