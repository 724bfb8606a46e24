/** How messages read. Pure. */
import type { OutgoingMessage } from './channel.ts';
import type { DueNotification } from './notification.store.ts';
import type { Severity } from './notification.table.ts';

const SEVERITY_WORDS: Record<Severity, string> = {
  error: 'ERROR',
  warning: 'Warning',
  info: 'Info',
};

/** What stands before every message. */
export function titleOf(severity: Severity): string {
  return `Forestall ${SEVERITY_WORDS[severity]}`;
}

/**
 * The message in Slack's own markup. `&`, `<` and `>` of the text would otherwise be links or mentions.
 */
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

/** The page where something can be done; null without a console address. */
export function linkTo(consoleUrl: string | undefined, alertId: string | null): string | null {
  if (consoleUrl === undefined) return null;
  const base = consoleUrl.replace(/\/+$/, '');
  return alertId === null ? `${base}/` : `${base}/alerts/${encodeURIComponent(alertId)}`;
}

/** A message of the outbox as it goes out. */
export function outgoing(
  message: DueNotification,
  consoleUrl: string | undefined,
): OutgoingMessage {
  return {
    id: `ntf_${message.id}`,
    kind: message.kind,
    severity: message.severity,
    text: message.text,
    alertId: message.alertId,
    link: linkTo(consoleUrl, message.alertId),
    createdAt: message.createdAt,
  };
}

/** Messages quoted in a digest; the rest is counted. */
const QUOTED_MAX = 5;

/** Many messages in one: the most severe in their own words, the rest by kind. */
export function digestOf(
  messages: readonly DueNotification[],
  consoleUrl: string | undefined,
): OutgoingMessage {
  const [first] = messages;
  const quoted = messages.slice(0, QUOTED_MAX).map(({ text }) => `• ${text}`);
  const rest = countByKind(messages.slice(QUOTED_MAX));
  return {
    id: `ntf_digest_${first?.id ?? 0}`,
    kind: 'digest',
    severity: first?.severity ?? 'info',
    text: [
      `${messages.length} messages came at once.`,
      ...quoted,
      ...(rest === '' ? [] : [`And ${rest}.`]),
    ].join('\n'),
    alertId: null,
    link: linkTo(consoleUrl, null),
    createdAt: first?.createdAt ?? new Date(0),
  };
}

function countByKind(messages: readonly DueNotification[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of messages) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} × ${kind.replaceAll('_', ' ')}`).join(', ');
}
