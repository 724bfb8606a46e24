/**
 * The service, as far as alerts go, with a log of every PATCH: the oracle of every test about
 * declarations. Its rules are those of the specification, "Alert status".
 */
import type {
  AlertActed,
  AlertRead,
  AlertService,
  DeclaredAction,
  MayAnswer,
} from '../../../src/alerts/cases/alert-service.ts';
import { remoteAlertOf } from '../../../src/alerts/cases/client-alert-service.ts';
import type { Alert } from '../../../src/service/wire/alert.ts';

/** How one PATCH goes wrong. */
export type ActFault =
  | 'lost_before' // never arrives
  | 'lost_after' // takes effect; the reply is lost
  | 'server_error'
  | 'still_open' // 200, but nothing happened
  | 'throws_after'
  | 'refused'
  | 'unauthorised';

/** Faults that end the call before it takes effect. */
const EARLY: Partial<Record<ActFault, AlertActed>> = {
  lost_before: { kind: 'unavailable', reason: 'timeout' },
  server_error: { kind: 'unavailable', reason: '500' },
  refused: { kind: 'refused', code: 'VALIDATION_ERROR' },
  unauthorised: { kind: 'unauthorised', code: 'FORBIDDEN' },
};

export interface PatchEntry {
  readonly alertId: string;
  readonly action: DeclaredAction;
  readonly note: string;
  /** Whether it resolved the alert. */
  readonly effective: boolean;
}

export interface FakeAlertService extends AlertService {
  readonly alerts: Map<string, Alert>;
  readonly patches: PatchEntry[];
  readonly actFaults: ActFault[];
  /** What every GET answers instead, while set. */
  getFault: AlertRead | undefined;
  /** Alerts that cannot be read. */
  readonly unreadable: Set<string>;
  /** What the question whether our key may answer gets. */
  standing: MayAnswer;
  /** Somebody resolves the alert in the dashboard, or it is withdrawn. */
  dashboard(alertId: string, end: 'REFUNDED' | 'NOT_REFUNDED' | 'INVALID', note?: string): void;
  effective(alertId: string): PatchEntry[];
}

export function createFakeAlertService(nowIso: () => string): FakeAlertService {
  const alerts = new Map<string, Alert>();
  const patches: PatchEntry[] = [];
  const change = (alertId: string, fields: Partial<Alert>): Alert => {
    const next = { ...alerts.get(alertId)!, ...fields, updated_at: nowIso() };
    alerts.set(alertId, next);
    return next;
  };
  const snapshot = (alert: Alert) => ({ alert: remoteAlertOf(alert), object: { ...alert } });
  const self: FakeAlertService = {
    alerts,
    patches,
    actFaults: [],
    getFault: undefined,
    unreadable: new Set(),
    standing: { kind: 'yes' },
    mayAnswer: async () => self.standing,
    dashboard(alertId, end, note) {
      if (alerts.get(alertId)?.status !== 'ACTION_REQUIRED') return;
      change(
        alertId,
        end === 'INVALID'
          ? { status: 'INVALID' }
          : {
              status: 'RESOLVED',
              transaction_refund_outcome: end,
              ...(note === undefined ? {} : { note }),
            },
      );
    },
    effective: (alertId) => patches.filter((entry) => entry.alertId === alertId && entry.effective),
    async get(alertId): Promise<AlertRead> {
      if (self.getFault !== undefined) return self.getFault;
      if (self.unreadable.has(alertId)) return { kind: 'unavailable', reason: '503' };
      const alert = alerts.get(alertId);
      return alert === undefined ? { kind: 'not_found' } : { kind: 'found', ...snapshot(alert) };
    },
    async act(alertId, { action, note }): Promise<AlertActed> {
      const fault = self.actFaults.shift();
      const alert = alerts.get(alertId)!;
      const early = endsEarly(alert, fault);
      patches.push({ alertId, action, note, effective: early === undefined });
      if (early !== undefined) return early;
      const next = change(alertId, {
        status: 'RESOLVED',
        transaction_refund_outcome: action === 'REFUND' ? 'REFUNDED' : 'NOT_REFUNDED',
        note,
      });
      if (fault === 'lost_after') return { kind: 'unavailable', reason: 'timeout' };
      if (fault === 'throws_after') throw new Error('socket hang up');
      return { kind: 'answered', ...snapshot(next) };
    },
  };
  const endsEarly = (alert: Alert, fault: ActFault | undefined): AlertActed | undefined => {
    const early = fault === undefined ? undefined : EARLY[fault];
    if (early !== undefined) return early;
    if (fault === 'still_open') return { kind: 'answered', ...snapshot(alert) };
    return alert.status === 'ACTION_REQUIRED' ? undefined : { kind: 'already_resolved' };
  };
  return self;
}
