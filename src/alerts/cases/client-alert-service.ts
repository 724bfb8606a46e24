/**
 * The service behind the {@link AlertService} port: the typed client's answers and errors, distinguished
 * by what they prove.
 */

import { traced } from '../../base/kernel/trace.ts';
import type { AlertsResource } from '../../service/client/resources/alerts.ts';
import type { ServiceError } from '../../service/client/service-error.ts';
import { isServiceError } from '../../service/client/service-error.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type {
  AlertActed,
  AlertRead,
  AlertService,
  AlertSnapshot,
  MayAnswer,
  NoAnswer,
  RemoteAlert,
} from './alert-service.ts';

/** The operations used of the client. */
export type AlertsClient = Pick<AlertsResource, 'get' | 'act'>;

/** The saga plans its own next look, with backoff and the deadline in mind; its lease is short. */
const READ_ATTEMPTS = 1;

/**
 * No alert has this id, so an answer to it declares nothing. Whether the key is refused (401, 403) or
 * the alert is not found tells whether the key may answer.
 */
const NO_ALERT = 'netalrt_00000000000000000000000000';

/** What another alert says proves nothing about the one that was asked for. */
const ANOTHER_ALERT: NoAnswer = { kind: 'unavailable', reason: 'the service showed another alert' };

/** Adapts the client's alerts. */
export function createClientAlertService(alerts: AlertsClient): AlertService {
  return {
    async get(alertId, signal, deadlineMs): Promise<AlertRead> {
      const options = { signal, priority: deadlineMs, attemptsMax: READ_ATTEMPTS };
      try {
        const alert = await alerts.get(alertId, options);
        return alert.id === alertId ? { kind: 'found', ...snapshotOf(alert) } : ANOTHER_ALERT;
      } catch (error) {
        if (isServiceError(error, 'NOT_FOUND')) return { kind: 'not_found' };
        return noAnswerOf(error) ?? unavailable(error);
      }
    },
    async act(alertId, { action, note, deadlineMs }, signal): Promise<AlertActed> {
      const options = { signal, priority: deadlineMs };
      try {
        const about = { alertId, attributes: { 'forestall.action': action } };
        const alert = await traced('service PATCH alert', about, () =>
          alerts.act(alertId, { action, note }, options),
        );
        return alert.id === alertId ? { kind: 'answered', ...snapshotOf(alert) } : ANOTHER_ALERT;
      } catch (error) {
        if (isServiceError(error, 'INVALID_ACTION')) return { kind: 'already_resolved' };
        const none = noAnswerOf(error);
        if (none !== undefined) return none;
        return isFinal(error) ? { kind: 'refused', code: error.code } : unavailable(error);
      }
    },
    async mayAnswer(signal): Promise<MayAnswer> {
      const answer = { action: 'ACCEPT_DISPUTE', note: 'may this key answer?' } as const;
      try {
        await alerts.act(NO_ALERT, answer, { signal });
        return { kind: 'yes' };
      } catch (error) {
        if (isServiceError(error, 'NOT_FOUND')) return { kind: 'yes' };
        return noAnswerOf(error) ?? unavailable(error);
      }
    },
  };
}

/** A clear refusal that a repeat would only repeat. 408 and 429 are neither. */
function isFinal(error: unknown): error is ServiceError {
  if (!isServiceError(error) || error.retryable) return false;
  return error.kind === 'refused' || error.kind === 'invalid_request';
}

function noAnswerOf(error: unknown): NoAnswer | undefined {
  return isServiceError(error, 'UNAUTHORISED', 'FORBIDDEN')
    ? { kind: 'unauthorised', code: error.code }
    : undefined;
}

function unavailable(error: unknown): NoAnswer {
  // Anything but the client's own error is a defect here, and must not pass as weather.
  if (!isServiceError(error)) throw error;
  return { kind: 'unavailable', reason: `${error.code} from ${error.endpoint}` };
}

function snapshotOf(alert: Alert): AlertSnapshot {
  return { alert: remoteAlertOf(alert), object: alert };
}

/** Reduces a wire alert to what decides about money. */
export function remoteAlertOf(alert: Alert): RemoteAlert {
  return {
    id: alert.id,
    status: alert.status,
    enrolmentType: alert.enrolment_type,
    refundOutcome: alert.transaction_refund_outcome ?? null,
    note: alert.note ?? null,
    amountMinor: alert.transaction_amount_in_cents ?? null,
    currency: alert.transaction_currency_code ?? null,
    deadlineAt: alert.action_required_deadline ?? null,
  };
}
