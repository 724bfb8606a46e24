/**
 * What the steps of refund and declare are given, and the one way in which they read an alert.
 */
import type { Installation } from '../../base/db/installation.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { AlertRead, AlertService, ApplyAlertSnapshot } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { OpenAlerts } from '../cases/open-alerts.ts';
import type { RefundSettings } from '../guard/refund-settings.ts';

/** Finds the charge of an alert; `unanswered` where the processor's search gave no answer. */
export type LocateCharge = (
  alertId: string,
  signal: AbortSignal,
) => Promise<
  { readonly kind: 'single'; readonly reference: string } | { readonly kind: 'none' | 'unanswered' }
>;

/** Everything the saga acts with. */
export interface SagaDeps extends Installation {
  readonly processor: Processor;
  readonly alerts: AlertService;
  /** Takes an alert that was read onto our own row. */
  readonly applyAlertSnapshot: ApplyAlertSnapshot;
  readonly openAlerts: OpenAlerts;
  readonly settings: RefundSettings;
  /** Finds the charge of an alert of the network's own refunds, where none was known. */
  readonly locateCharge: LocateCharge;
  /** Decide and record, act on nothing. */
  readonly shadow: boolean;
}

/** Reads the alert from the service and applies what was read, before anything is decided by it. */
export async function readAlert(
  deps: SagaDeps,
  { alert_id, deadline_at }: Pick<CaseRow, 'alert_id' | 'deadline_at'>,
  signal: AbortSignal,
): Promise<AlertRead> {
  const read = await deps.alerts.get(alert_id, signal, deadline_at.getTime());
  const isOpen = read.kind === 'found' && read.alert.status === 'ACTION_REQUIRED';
  deps.openAlerts.note(alert_id, isOpen, deps.clock.nowMs());
  if (read.kind === 'found') await deps.applyAlertSnapshot(read.object);
  return read;
}
