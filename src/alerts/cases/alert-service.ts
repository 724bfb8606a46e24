/**
 * What the saga needs of the service about one alert: read it, and answer it. A narrow port, so that
 * the rules about money know nothing of HTTP; `client-alert-service.ts` adapts the typed client.
 */
import type { Reads } from '../../base/db/columns.ts';
import type { Trx } from '../../base/db/database.ts';

/** An alert as the service shows it now, reduced to what decides about money. */
export interface RemoteAlert {
  readonly id: string;
  /** `ACTION_REQUIRED`, `RESOLVED`, `INVALID`, or a status we do not know. */
  readonly status: string;
  readonly enrolmentType: string;
  readonly refundOutcome: string | null;
  readonly note: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** ISO 8601. */
  readonly deadlineAt: string | null;
}

/** An alert read, with the whole object for the apply path. */
export interface AlertSnapshot {
  readonly alert: RemoteAlert;
  readonly object: Record<string, unknown>;
}

/** Answers of the service that are no alert. None of them changes anything with us. */
export type NoAnswer =
  /** 401 or 403: nothing can be declared, so nothing may be refunded. */
  | { readonly kind: 'unauthorised'; readonly code: string }
  /** Timeout, no connection, 5xx, 429, something unreadable: ask again. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** The end of a read. */
export type AlertRead =
  | ({ readonly kind: 'found' } & AlertSnapshot)
  | { readonly kind: 'not_found' }
  | NoAnswer;

/** The end of an answer sent. Only a following read tells what became of it. */
export type AlertActed =
  /** 2xx with an alert; the alert says whether it is resolved. */
  | ({ readonly kind: 'answered' } & AlertSnapshot)
  /** `422 INVALID_ACTION`: somebody, maybe we, has resolved it. */
  | { readonly kind: 'already_resolved' }
  /** Another clear refusal: repeating it will not help. */
  | { readonly kind: 'refused'; readonly code: string }
  | NoAnswer;

/** The two actions a custom integration has. */
export type DeclaredAction = 'REFUND' | 'ACCEPT_DISPUTE';

/** An answer to send. */
export interface AlertAnswer {
  readonly action: DeclaredAction;
  readonly note: string;
  /** Milliseconds since 1970; the nearer, the earlier in the queue for the request budget. */
  readonly deadlineMs: number;
}

/** The end of the question whether an answer would be taken. */
export type MayAnswer = { readonly kind: 'yes' } | NoAnswer;

/** The service, as far as the saga speaks to it. No method throws for an outcome. */
export interface AlertService {
  get(alertId: string, signal: AbortSignal, deadlineMs?: number): Promise<AlertRead>;
  act(alertId: string, answer: AlertAnswer, signal: AbortSignal): Promise<AlertActed>;
  /** Asks whether our key may answer alerts at all, without answering one. */
  mayAnswer(signal: AbortSignal): Promise<MayAnswer>;
}

/**
 * Takes an alert that was read onto our own row, by the same rules as a webhook: in the transaction of
 * the one who holds its case, or in one of its own. Returns the row of `reads`, read after that; mostly by the
 * same statement.
 */
export type ApplyAlertSnapshot = <Row>(
  object: Record<string, unknown>,
  how?: ApplyHow<Row>,
) => Promise<Row | undefined>;

/** See {@link ApplyAlertSnapshot}. */
export interface ApplyHow<Row> {
  readonly trx?: Trx;
  readonly reads?: Reads<Row> | undefined;
}
