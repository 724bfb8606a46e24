/**
 * Sends messages by SMTP. Nothing crosses a network unencrypted: TLS from the start (`smtps:`) or
 * STARTTLS, except to a server on this machine.
 */
import type { Transporter } from 'nodemailer';
import { ConfigError, codeOf, messageOf } from '../kernel/errors.ts';
import type { Channel, OutgoingMessage } from './channel.ts';
import { ChannelError } from './channel.ts';
import { titleOf } from './message.ts';
import { POST_TIMEOUT_MS } from './post.ts';

/** Options of {@link createEmailChannel}. */
export interface EmailChannelOptions {
  /** `smtps://user:password@host:465` or `smtp://…:587`. */
  readonly url: string;
  readonly from: string;
  /** Addresses, separated by commas. */
  readonly to: string;
  /** Longest wait for each answer of the server, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Characters of a subject; the rest is in the body. */
const SUBJECT_LENGTH_MAX = 120;

/** @throws {ConfigError} when the URL is no SMTP address */
export function createEmailChannel(options: EmailChannelOptions): Channel {
  const { url, from, to, timeoutMs = POST_TIMEOUT_MS } = options;
  const parsed = URL.parse(url);
  if (parsed === null || !['smtp:', 'smtps:'].includes(parsed.protocol)) {
    throw new ConfigError('FORESTALL_NOTIFY_SMTP_URL must begin with smtp:// or smtps://.');
  }
  // Loaded at the first message: most programs that import Forestall never send one.
  const connect = async (answerMs = timeoutMs): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      requireTLS: parsed.protocol === 'smtp:' && !LOOPBACK.has(parsed.hostname),
      connectionTimeout: answerMs,
      greetingTimeout: answerMs,
      socketTimeout: answerMs,
      // A message is our own text: it never names a file or an address to be fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: Promise<Transporter> | undefined;
  return {
    name: 'email',
    async send(message): Promise<void> {
      try {
        transport ??= connect();
        await (await transport).sendMail({ from, to, ...mailOf(message, parsed.hostname) });
      } catch (error) {
        throw new ChannelError(smtpReason(error), { cause: error });
      }
    },
    async reach(reachMs): Promise<void> {
      const own = await connect(reachMs);
      try {
        await own.verify();
      } catch (error) {
        throw new ChannelError(smtpReason(error), { cause: error });
      } finally {
        own.close();
      }
    },
  };
}

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

function mailOf(message: OutgoingMessage, host: string): Mail {
  const [firstLine = ''] = message.text.split('\n');
  const subject = `${titleOf(message.severity)}: ${firstLine}`;
  return {
    subject: shortened(subject),
    text: `${message.text}\n${message.link === null ? '' : `\n${message.link}\n`}`,
    // The same at every attempt, so that a mail program shows a repeat once.
    messageId: `<${message.id}.${message.createdAt.getTime()}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** At the end of a word: half an amount would be another amount. */
function shortened(subject: string): string {
  if (subject.length <= SUBJECT_LENGTH_MAX) return subject;
  const cut = subject.slice(0, SUBJECT_LENGTH_MAX);
  const end = cut.lastIndexOf(' ');
  return `${cut.slice(0, end > 0 ? end : SUBJECT_LENGTH_MAX - 1)}…`;
}

/** nodemailer's code, for example `EAUTH`, and the system's behind it; its message can hold addresses. */
function smtpReason(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return 'SMTP failed';
  const [system] = messageOf(error).match(/\bE[A-Z]{4,}\b/) ?? [];
  return system === undefined || system === code ? code : `${code} (${system})`;
}
