/**
 * What the steps of refund and declare are given, and the one way in which they read an alert.
 */
import type { Installation } from '../../base/db/database.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type {
  AlertRead,
  AlertService,
  ApplyAlertSnapshot,
  ApplyHow,
} from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { OpenAlerts } from '../cases/open-alerts.ts';
import type { RefundSettings } from '../guard/refund-settings.ts';
import type { SharesAccountWith } from '../guard/shared-account.store.ts';
import type { LedgerDeps } from '../ledger/with-ledger.ts';

/** The charge of an alert; `unanswered` where the processor's search gave no answer. */
export type LocatedCharge =
  | { readonly kind: 'single'; readonly reference: string }
  | {
      readonly kind: 'none' | 'unanswered';
      /** Charges that it may be about, by any sign. @default none */
      readonly candidates?: readonly string[];
    };

/** Finds it. */
export type LocateCharge = (alertId: string, signal: AbortSignal) => Promise<LocatedCharge>;

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
  /** Organisations of the installation whose processor account is ours too. @default none */
  readonly sharesAccountWith?: SharesAccountWith | undefined;
  /** Decide and record, act on nothing. */
  readonly shadow: boolean;
}

/** What opening a ledger works with. */
export function ledgerDeps({ db, clock, processor, settings }: SagaDeps): LedgerDeps {
  return { db, clock, processor, samePart: settings.samePart };
}

type AlertOwner = Pick<CaseRow, 'alert_id' | 'deadline_at'>;

/** Reads the alert from the service and applies what was read, before anything is decided by it. */
export async function readAlert(
  deps: SagaDeps,
  owner: AlertOwner,
  signal: AbortSignal,
): Promise<AlertRead> {
  return (await readAlertAnd(deps, { owner, reads: undefined }, signal)).read;
}

/** The same, and a row that is read after it; undefined where there is no alert. */
export async function readAlertAnd<Row>(
  deps: SagaDeps,
  { owner, reads }: Pick<ApplyHow<Row>, 'reads'> & { readonly owner: AlertOwner },
  signal: AbortSignal,
): Promise<{ readonly read: AlertRead; readonly row: Row | undefined }> {
  const { alert_id, deadline_at } = owner;
  const read = await deps.alerts.get(alert_id, signal, deadline_at.getTime());
  const isOpen = read.kind === 'found' && read.alert.status === 'ACTION_REQUIRED';
  deps.openAlerts.note(alert_id, isOpen, deps.clock.nowMs());
  const row =
    read.kind === 'found' ? await deps.applyAlertSnapshot(read.object, { reads }) : undefined;
  return { read, row };
}
