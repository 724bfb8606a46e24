/**
 * Writes Forestall's log through the embedding program's logger, whatever it is made of.
 *
 * Lines are made here, so that what may be said about an error stays decided here: the logger receives
 * plain fields, never an error object with the values of a failed query attached.
 */
import type { Log } from '../../base/kernel/log.ts';
import { createLog } from '../../base/kernel/log.ts';

/** What pino, winston (through a small wrapper), `console` and most others are. */
export interface ForestallLogger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The log that writes through `logger`; without one, nothing is written. */
export function logThrough(logger: ForestallLogger | undefined): Log {
  if (logger === undefined) return createLog({ level: 'silent' });
  return createLog({ level: 'debug', destination: { write: (line) => pass(logger, line) } });
}

function pass(logger: ForestallLogger, line: string): void {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null) return;
  // The logger stamps its own time.
  const { level, msg, at: _at, ...fields } = { level: 'info', msg: '', at: '', ...parsed };
  logger[methodOf(level)](fields, String(msg));
}

function methodOf(level: unknown): keyof ForestallLogger {
  if (level === 'fatal') return 'error';
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
}
