/** How messages read. Pure. */
import type { OrganisationName } from '../http/organisation-path.ts';
import { organisationPath } from '../http/organisation-path.ts';
import { plainly } from '../kernel/shown-text.ts';
import type { OutgoingMessage } from './channel.ts';
import type { DueNotification } from './notification.store.ts';
import type { Severity } from './notification.table.ts';

const SEVERITY_WORDS: Record<Severity, string> = {
  error: 'ERROR',
  warning: 'Warning',
  info: 'Info',
};

/** What comes before every message. */
export function titleOf(severity: Severity): string {
  return `Forestall ${SEVERITY_WORDS[severity]}`;
}

/** The message in Slack's own markup. `&`, `<` and `>` of the text would otherwise be links or mentions. */
export function renderText(
  message: Pick<OutgoingMessage, 'severity' | 'text'> & { readonly link?: string | null },
): string {
  const text = message.text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  const link = message.link ?? null;
  return `${titleOf(message.severity)}: ${text}${link === null ? '' : ` <${link}|Open in the console>`}`;
}

/** Where people read on, and for which of several organisations a message is. */
export interface MessagePlace {
  /** The console as people reach it. */
  readonly consoleUrl?: string | undefined;
  /** @default there is one organisation */
  readonly organisation?: OrganisationName | undefined;
}

/** The page where something can be done; null without a console address. */
export function linkTo(
  { consoleUrl, organisation }: MessagePlace,
  alertId: string | null,
): string | null {
  if (consoleUrl === undefined) return null;
  const base = consoleUrl.replace(/\/+$/, '');
  const path = alertId === null ? '/' : `/alerts/${encodeURIComponent(alertId)}`;
  return `${base}${organisation === undefined ? path : organisationPath(organisation.path, path)}`;
}

function textFor({ organisation }: MessagePlace, text: string): string {
  return organisation === undefined ? text : `${organisation.name}: ${text}`;
}

/** A message of the outbox as it goes out. */
export function outgoing(message: DueNotification, place: MessagePlace): OutgoingMessage {
  return {
    id: `ntf_${message.id}`,
    kind: message.kind,
    severity: message.severity,
    text: plainly(textFor(place, message.text)),
    organisation: place.organisation?.name ?? null,
    alertId: message.alertId,
    link: linkTo(place, message.alertId),
    createdAt: message.createdAt,
  };
}

/** Messages quoted in a digest; the rest is counted. */
const QUOTED_MAX = 5;

/** Many messages in one: the most severe in their own words, the rest by kind. */
export function digestOf(
  messages: readonly DueNotification[],
  place: MessagePlace,
): OutgoingMessage {
  const [first] = messages;
  const quoted = messages.slice(0, QUOTED_MAX).map(({ text }) => `• ${text}`);
  const rest = countByKind(messages.slice(QUOTED_MAX));
  return {
    id: `ntf_digest_${first?.id ?? 0}`,
    kind: 'digest',
    severity: first?.severity ?? 'info',
    text: textFor(
      place,
      [
        `${messages.length} messages came at once.`,
        ...quoted,
        ...(rest === '' ? [] : [`And ${rest}.`]),
      ].join('\n'),
    ),
    organisation: place.organisation?.name ?? null,
    alertId: null,
    link: linkTo(place, null),
    createdAt: first?.createdAt ?? new Date(0),
  };
}

function countByKind(messages: readonly DueNotification[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of messages) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} × ${kind.replaceAll('_', ' ')}`).join(', ');
}
