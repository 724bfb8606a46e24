/**
 * Pages that answer in time whatever the database does: a database that is away is told at once, and a page
 * that takes too long is given up.
 */
import type { Request, RequestHandler, Response } from 'express';
import { sqlStateOf } from '../../base/db/transaction.ts';
import { isReadOnlyError } from '../../base/db/writable.ts';
import { codeOf, DatabaseError, messageOf } from '../../base/kernel/errors.ts';
import { pathOfOrganisation } from './addresses.ts';
import type { Fault } from './fault.ts';
import type { ConsoleHealth } from './ports.ts';

/** Answers that something is wrong: a page to people, JSON to programs. */
export type AnswerFault = (
  request: Request,
  response: Response,
  fault: Fault & { readonly status: number },
) => void;

/** Longest wait for a page, in milliseconds: people think that nothing happens, and click again. */
const PAGE_MS_MAX = 5_000;

/** So long before that the database is looked at: a look has its answer in 2 s. */
const LOOK_MS = 2_500;

/** What asks the service, the processor and the endpoint, too. */
const DOCTOR_PATH = '/system/doctor';
const DOCTOR_MS_MAX = 20_000;

/** Answers at once that the database cannot be used, instead of waiting for it page by page. */
export function refuseWithoutDatabase(
  health: () => Promise<ConsoleHealth>,
  answerFault: AnswerFault,
): RequestHandler {
  return async (request, response, next) => {
    if (isForPrograms(request)) {
      next();
      return;
    }
    const database = failedDatabase(await health());
    if (database === undefined) {
      next();
      return;
    }
    const undone = isChange(request) ? ' What you sent was not carried out.' : '';
    const message = `The database is the trouble: ${database.detail}.${undone} ${database.nextStep ?? ''}`;
    answerFault(request, response, { status: 503, code: 'DATABASE', message });
  };
}

function failedDatabase({ parts }: ConsoleHealth): ConsoleHealth['parts'][number] | undefined {
  return parts.find(({ name, status }) => name === 'database' && status === 'failed');
}

/** Programs set their own limits, and some of what they send, a thousand orders at once, takes its time. */
export function isForPrograms(request: Request): boolean {
  const path = pathOfOrganisation(request.path);
  return path.startsWith('/api/') || path === '/metrics';
}

/** States of PostgreSQL that say: not now. No connection, no room, not available, ended by somebody. */
const NOT_NOW_STATE = /^(08|53|55|57|25006)/;

/** What the driver says in words, and system errors of the connection. */
const LOST = /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect)/;
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether a failure is the database's, and may pass without anybody changing anything here. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof DatabaseError || isReadOnlyError(error)) return true;
  if (NOT_NOW_STATE.test(sqlStateOf(error) ?? '') || NETWORK_CODES.has(codeOf(error) ?? '')) {
    return true;
  }
  return LOST.test(messageOf(error));
}

/** Whether it was to change something. */
function isChange({ method }: Pick<Request, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The answer to a request that the database left unanswered. */
export function databaseFault(
  request: Pick<Request, 'method'>,
  what: string,
): Fault & { readonly status: number } {
  const message = `The database ${what}. ${nextWords(request)} "forestall doctor" names the cause.`;
  return { status: 503, code: 'DATABASE', message };
}

function nextWords(request: Pick<Request, 'method'>): string {
  return isChange(request)
    ? 'What you sent may still be done: look before you send it again.'
    : 'Try again in a moment.';
}

/** The same where the database is not known to be the trouble: a busy machine is slow, too. */
function lateFault(request: Request, waitMs: number): ReturnType<typeof databaseFault> {
  const message = `This was not ready within ${waitMs / 1_000} s. ${nextWords(request)} "forestall doctor" names what is wrong.`;
  return { status: 503, code: 'NOT_IN_TIME', message };
}

/**
 * Gives up what takes too long. What was to be changed may still be changed then, and the answer says so. It blames the
 * database where a look at it found no answer either.
 */
export function answerInTime(
  health: () => Promise<ConsoleHealth>,
  answerFault: AnswerFault,
): RequestHandler {
  return (request, response, next) => {
    if (isForPrograms(request)) {
      next();
      return;
    }
    const waitMs = pathOfOrganisation(request.path) === DOCTOR_PATH ? DOCTOR_MS_MAX : PAGE_MS_MAX;
    let lastHealth: ConsoleHealth | undefined;
    // A look that fails says nothing.
    const look = (): Promise<void> =>
      health().then(
        (found) => {
          lastHealth = found;
        },
        () => undefined,
      );
    const looking = setTimeout(look, waitMs - LOOK_MS);
    const timer = setTimeout(() => {
      if (response.headersSent) return;
      const isDatabase = lastHealth !== undefined && failedDatabase(lastHealth) !== undefined;
      const fault = isDatabase
        ? databaseFault(request, `did not answer within ${waitMs / 1_000} s`)
        : lateFault(request, waitMs);
      answerFault(request, response, fault);
    }, waitMs);
    response.once('close', () => {
      clearTimeout(looking);
      clearTimeout(timer);
    });
    next();
  };
}
