/**
 * What `forestall sandbox` is started with: its flags, the three settings that concern it, and what a
 * scenario file says about its clock.
 */
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { readSandboxSettings } from '../../running/config.ts';
import type { SandboxOptions, Scenario } from '../../sandbox/index.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';

export interface SandboxFlags {
  readonly port?: string;
  readonly host: string;
  readonly webhooks?: string;
  readonly clock?: string;
  readonly rate?: string;
  readonly seed: string;
  readonly seedFile?: string;
  readonly scenario?: string;
  readonly once?: boolean;
  readonly record?: string;
  readonly snapshot?: string;
}

type Settings = ReturnType<typeof readSandboxSettings>;

const PORT_MAX = 65_535;

/** Faster, a retry ladder of hours would be over before a receiver has answered once. */
const RATE_MAX = 100_000;

/** With or without seconds. */
const time = z.iso.datetime({ offset: true }).or(z.iso.datetime({ offset: true, precision: -1 }));

/** @throws {ConfigError} naming the first flag that is wrong */
export function sandboxOptions(
  flags: SandboxFlags,
  scenario: Scenario | undefined,
  settings: Settings,
): SandboxOptions {
  const startsAt = flags.clock ?? scenario?.clock;
  // A story tells when time passes: a clock that ran meanwhile would change it.
  const rate = flags.rate ?? (scenario === undefined ? '1' : '0');
  return {
    port:
      flags.port === undefined
        ? settings.FORESTALL_SANDBOX_PORT
        : readNumber('--port', flags.port, { max: PORT_MAX, whole: true }),
    host: flags.host,
    seed: readNumber('--seed', flags.seed, { max: Number.MAX_SAFE_INTEGER, whole: true }),
    clockRate: readNumber('--rate', rate, { max: RATE_MAX, whole: false }),
    ...(startsAt === undefined ? {} : { startsAtMs: readTime(startsAt) }),
    log: sandboxLog(settings),
    brandTokens: createBrandTokens(settings.FORESTALL_BRAND_TOKENS),
    ...(flags.webhooks === undefined ? {} : { webhookUrl: flags.webhooks }),
  };
}

/** People read the terminal: only what went wrong is logged, unless more is asked for. */
export function sandboxLog({ FORESTALL_LOG_LEVEL: level }: Settings): Log {
  return createLog({ level: level === 'info' ? 'warn' : level });
}

function readNumber(
  flag: string,
  text: string,
  { max, whole }: { readonly max: number; readonly whole: boolean },
): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = value >= 0 && value <= max && (!whole || Number.isSafeInteger(value));
  if (fits) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new ConfigError(`${flag} must be ${kind} from 0 to ${max}.`);
}

function readTime(text: string): number {
  if (time.safeParse(text).success) return Date.parse(text);
  throw new ConfigError('--clock must be a time such as 2026-11-01T00:00Z.');
}
