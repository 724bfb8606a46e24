/** The settings of notifications: up to three channels, in the order in which they are tried. */
import { z } from 'zod';
import type { OrganisationName } from '../http/organisation-path.ts';
import type { Clock } from '../kernel/clock.ts';
import { webAddress } from '../kernel/setting-kinds.ts';
import type { Channel } from './channel.ts';
import { createEmailChannel } from './email-channel.ts';
import { createSlackChannel, createWebhookChannel } from './webhook-channel.ts';

/** A time of day in a zone. */
export interface DigestTime {
  readonly hour: number;
  readonly minute: number;
  /** An IANA name. */
  readonly zone: string;
}

const DIGEST = /^([01]\d|2[0-3]):([0-5]\d)(?: ([\w/+-]{1,60}))?$/;

/** Reads `07:30 Europe/Berlin`; null when it is none. */
function readDigest(text: string): DigestTime | null {
  const [, hour, minute, zone = 'UTC'] = DIGEST.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return null;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    return null;
  }
  return { hour: Number(hour), minute: Number(minute), zone };
}

/** How people are notified. Without any channel, messages go to the log. */
export interface NotifySettings {
  /** Slack-compatible. */
  readonly url?: string | undefined;
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
  readonly email?: { readonly url: string; readonly from: string; readonly to: string } | undefined;
  /** When the daily digest is sent. @default never */
  readonly digest?: DigestTime | undefined;
  /** The console as people reach it: messages link to its pages. */
  readonly consoleUrl?: string | undefined;
  /** For which of several organisations. @default there is one */
  readonly organisation?: (() => OrganisationName | undefined) | undefined;
  /** Allows receivers on this machine, for trying it out. @default false */
  readonly allowLoopback?: boolean | undefined;
}

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const notifyShape = {
  FORESTALL_NOTIFY_URL: webAddress.optional(),
  FORESTALL_NOTIFY_WEBHOOK_URL: webAddress.optional(),
  FORESTALL_NOTIFY_WEBHOOK_SECRET: z
    .string()
    .min(16, { error: 'must have at least 16 characters' })
    .optional(),
  FORESTALL_NOTIFY_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s/]+/, { error: 'must begin with smtp:// or smtps://' })
    .optional(),
  FORESTALL_NOTIFY_EMAIL_FROM: z.string().includes('@', { error: 'is no address' }).optional(),
  FORESTALL_NOTIFY_EMAIL_TO: z.string().includes('@', { error: 'is no address' }).optional(),
  FORESTALL_NOTIFY_DIGEST: z
    .string()
    .transform((text, context): DigestTime => {
      const time = readDigest(text);
      if (time !== null) return time;
      context.addIssue('must be a time and a zone, like 07:30 Europe/Berlin');
      return z.NEVER;
    })
    .optional(),
};

type Raw = z.infer<z.ZodObject<typeof notifyShape>>;

/** Faults that show when the settings are seen together. */
export function notifyFaults(raw: Raw): string[] {
  const faults: string[] = [];
  const webhook = [raw.FORESTALL_NOTIFY_WEBHOOK_URL, raw.FORESTALL_NOTIFY_WEBHOOK_SECRET];
  if (isPartly(webhook)) {
    faults.push(
      'FORESTALL_NOTIFY_WEBHOOK_URL and FORESTALL_NOTIFY_WEBHOOK_SECRET belong together; set both or neither.',
    );
  }
  const email = [
    raw.FORESTALL_NOTIFY_SMTP_URL,
    raw.FORESTALL_NOTIFY_EMAIL_FROM,
    raw.FORESTALL_NOTIFY_EMAIL_TO,
  ];
  if (isPartly(email)) {
    faults.push(
      'FORESTALL_NOTIFY_SMTP_URL, FORESTALL_NOTIFY_EMAIL_FROM and FORESTALL_NOTIFY_EMAIL_TO belong together; set all or none.',
    );
  }
  return faults;
}

function isPartly(values: readonly (string | undefined)[]): boolean {
  const given = values.filter((value) => value !== undefined).length;
  return given > 0 && given < values.length;
}

/** The settings, read. */
export function notifySettingsOf(
  raw: Raw,
  where: Pick<NotifySettings, 'consoleUrl' | 'allowLoopback'>,
): NotifySettings {
  const webhookUrl = raw.FORESTALL_NOTIFY_WEBHOOK_URL;
  const secret = raw.FORESTALL_NOTIFY_WEBHOOK_SECRET;
  const smtpUrl = raw.FORESTALL_NOTIFY_SMTP_URL;
  const from = raw.FORESTALL_NOTIFY_EMAIL_FROM;
  const to = raw.FORESTALL_NOTIFY_EMAIL_TO;
  return {
    ...where,
    url: raw.FORESTALL_NOTIFY_URL,
    digest: raw.FORESTALL_NOTIFY_DIGEST,
    webhook:
      webhookUrl === undefined || secret === undefined ? undefined : { url: webhookUrl, secret },
    email:
      smtpUrl === undefined || from === undefined || to === undefined
        ? undefined
        : { url: smtpUrl, from, to },
  };
}

/** What the channels are called, in the order in which they are tried. */
export function channelNames({ url, webhook, email }: NotifySettings): string[] {
  return [
    ...(url === undefined ? [] : ['Slack']),
    ...(webhook === undefined ? [] : ['webhook']),
    ...(email === undefined ? [] : ['e-mail']),
  ];
}

/** The channels in the order in which they are tried. @throws {ConfigError} for one that cannot be used */
export function openChannels(settings: NotifySettings, clock: Clock): Channel[] {
  const { url, webhook, email, allowLoopback = false } = settings;
  return [
    ...(url === undefined ? [] : [createSlackChannel({ url, allowLoopback })]),
    ...(webhook === undefined
      ? []
      : [
          createWebhookChannel({
            ...webhook,
            clock,
            allowLoopback,
            setting: 'FORESTALL_NOTIFY_WEBHOOK_URL',
          }),
        ]),
    ...(email === undefined ? [] : [createEmailChannel(email)]),
  ];
}
