/** An attempt to sign in: counted before it is looked at, refused unread when there were too many. */
import type { Request, Response } from 'express';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { callerAddress } from '../../base/http/caller-address.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { DoorOptions } from '../web/ports.ts';
import type { PageContext } from '../web/visit.ts';
import { fieldOf, localPath, sendHtml } from '../web/visit.ts';
import { addressKey, countAttempt, FAILURES_MAX, forgiveAttempt } from './attempt.store.ts';
import type { RefusedWay } from './refusals.ts';
import { toldThrough } from './refusals.ts';
import { signInPage } from './sign-in-page.ts';

interface FormAnswer {
  readonly request: Request;
  readonly response: Response;
  readonly status: number;
  readonly fault?: string;
}

const LOST =
  'You were signed out, so what you sent just now was not done. Sign in and do it again.';

/** Answers with the form, and what was wrong with the last attempt. */
export function sendForm(
  { assets, options, oidc }: PageContext<DoorOptions>,
  { request, response, status, fault }: FormAnswer,
): void {
  const next = localPath(request.query['next'] ?? fieldOf(request, 'next'));
  const lost = request.query['lost'] === '1' ? LOST : undefined;
  const frame = { assets, now: nowDate(options.clock) };
  sendHtml(
    response,
    status,
    signInPage(frame, { fault: fault ?? lost, next, hasProvider: oidc !== undefined }),
  );
}

/** An attempt that is being looked at; it counts as a failure until it is forgiven. */
export interface OpenAttempt {
  /** Counts it among what was refused, and tells somebody where it was the failure that closed the door. */
  failed(way: RefusedWay): Promise<void>;
  /** It was right, or no guess at all. */
  forgive(): Promise<void>;
}

/** Counts an attempt; undefined when there were too many, and the person has been told to wait. */
export async function beginAttempt(
  context: PageContext<DoorOptions>,
  { request, response, sessionId }: AttemptRequest,
): Promise<OpenAttempt | undefined> {
  const { db, clock, organisationId } = context.options;
  const { refusals } = context;
  const address = callerAddress(request);
  const session = sessionId === undefined ? [] : [`session:${sessionId}`];
  const keys = [...session, addressKey(address)];
  let isLast = false;
  for (const key of keys) {
    const counted = await countAttempt(db, { organisationId, key, now: nowDate(clock) });
    if (!counted.ok) {
      await refusals.note(address, 'closed');
      sendWait(context, { request, response }, counted.waitSeconds);
      return undefined;
    }
    isLast ||= counted.isLast;
  }
  return {
    failed: async (way): Promise<void> => {
      await refusals.note(address, way);
      if (isLast) await tellOfGuessing(context, address);
    },
    forgive: async (): Promise<void> => {
      for (const key of keys) await forgiveAttempt(db, { organisationId, key });
    },
  };
}

export interface AttemptRequest {
  readonly request: Request;
  readonly response: Response;
  /** Of whom proves again who they are: counted wherever they come from. */
  readonly sessionId?: string;
}

function sendWait(
  context: PageContext<DoorOptions>,
  { request, response }: AttemptRequest,
  waitSeconds: number,
): void {
  response.set('retry-after', String(waitSeconds));
  const fault = `Too many attempts. Try again in ${Math.ceil(waitSeconds / 60)} min.`;
  sendForm(context, { request, response, status: 429, fault });
}

async function tellOfGuessing(
  { options }: PageContext<DoorOptions>,
  address = 'unknown',
): Promise<void> {
  const { db, clock, log, organisationId } = options;
  const at = nowDate(clock);
  log.warn({ attempts: FAILURES_MAX, address }, 'console sign-in closed for an address');
  await inTransaction(db, async (trx) => {
    await writeAudit(trx, {
      organisationId,
      at,
      subject: 'operator',
      subjectId: 'unknown',
      what: 'sign-ins refused',
      detail: { address, attempts: FAILURES_MAX },
    });
  });
  await notify(db, {
    organisationId: toldThrough(options),
    dedupeKey: `console_guessing:${at.toISOString().slice(0, 13)}`,
    kind: 'console_guessing',
    severity: 'warning',
    text: `Somebody tried ${FAILURES_MAX} wrong console tokens from ${address}. Further attempts from there are refused for a while. If it was none of you, check who can reach the console's port.`,
    at,
  });
}
