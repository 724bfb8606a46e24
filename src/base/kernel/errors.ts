/**
 * The errors Forestall throws, all under {@link KitError}.
 *
 * A refusal that a caller is expected to handle is returned as data (`{ ok: false, reason }`); an
 * error is thrown when a promise was broken. Each says what was wrong, where, and the next step. A
 * module adds a subclass only when somebody catches it by kind.
 */

/** Base of every error thrown on purpose. */
export abstract class KitError extends Error {
  /** Stable, upper-case, greppable. */
  abstract readonly code: string;
  /** Whether the same call may succeed later without anybody changing anything. */
  abstract readonly retryable: boolean;
  override get name(): string {
    return this.constructor.name;
  }
}

/** A setting, file or argument is wrong. The process ends with status 2. */
export class ConfigError extends KitError {
  readonly code = 'CONFIG';
  readonly retryable = false;
}

/** The database refused, or could not be reached. */
export class DatabaseError extends KitError {
  readonly code = 'DATABASE';
  readonly retryable = true;
}

/** Something Forestall relies on turned out false. Always a defect, never the caller's fault. */
export class InvariantError extends KitError {
  readonly code = 'INVARIANT';
  readonly retryable = false;
}

/** Throws {@link InvariantError} unless `condition` holds. */
export function assertInvariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** The code of the system, of TLS or of the database that an error carries, if it does. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The message names what was asked for. */
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** Why something was not reached or refused, without the names and addresses in it: they are settings. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return messageOf(error);
  if (error instanceof Error && 'syscall' in error) return `${code} (${error.syscall})`;
  const text = code === WRONG_NAME ? '' : messageOf(error).replaceAll(/"[^"]*"/g, '"…"');
  return text === '' ? code : `${text} (${code})`;
}

/** The message of anything thrown, without its stack or the values attached to it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
