/**
 * The structured log: one JSON line per event, ids only.
 *
 * Bodies, headers, e-mail addresses and card data never reach a log line. Errors are reduced to an
 * allow-list, because database and HTTP errors carry the values they failed on.
 */
import type { Logger } from 'pino';
import { pino } from 'pino';
import { reasonOf } from './errors.ts';
import { toldWords } from './told-words.ts';
import { traceIdOf } from './trace.ts';

export type Log = Logger;

/** What may be said about an error: its kind, code and text, never the values attached to it. */
export function serialiseError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const fields: Record<string, unknown> = { type: error.name };
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) {
    fields['code'] = typeof error.code === 'string' ? toldText(error.code) : error.code;
  }
  fields['message'] = toldText(textOf(error));
  if (error.cause instanceof Error) fields['cause'] = serialiseError(error.cause);
  return fields;
}

/** Longest text that is read, and longest that is written, in characters. */
const READ_LENGTH_MAX = 10_000;
const TEXT_LENGTH_MAX = 500;

/** First masked, then cut: a part of a card number is known by nothing. */
function toldText(text: string): string {
  return toldWords(text.slice(0, READ_LENGTH_MAX)).slice(0, TEXT_LENGTH_MAX);
}

function textOf(error: Error): string {
  // Postgres quotes the offending value in `detail` and, for casts, in the message itself.
  if ('severity' in error) return 'database error';
  // The system names the address or the path that it was asked for, which a setting holds.
  return 'syscall' in error ? reasonOf(error) : error.message;
}

/** A line that names an alert carries the id of its trace. */
function withTraceId(fields: Record<string, unknown>): Record<string, unknown> {
  const { alertId } = fields;
  return typeof alertId === 'string' ? { ...fields, traceId: traceIdOf(alertId) } : fields;
}

/** Options of {@link createLog}. */
export interface LogOptions {
  /** A pino level, or `silent`. @default 'info' */
  readonly level?: string;
  /** Where lines go. @default standard output */
  readonly destination?: { write(line: string): void };
}

/** Creates the root log. Derive one per part with `log.child({ part: 'receive' })`. */
export function createLog(options: LogOptions = {}): Log {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: (): string => `,"at":"${new Date().toISOString()}"`,
    formatters: {
      level: (label: string): { level: string } => ({ level: label }),
      log: withTraceId,
    },
    serializers: { err: serialiseError, error: serialiseError },
  };
  return options.destination === undefined
    ? pino(settings)
    : pino(settings, { write: (line: string) => options.destination?.write(line) });
}
