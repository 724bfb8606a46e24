/** The alert that a page is about. */
import type { CaseRow } from '../../../alerts/cases/case.store.ts';
import { readLedger } from '../../../alerts/ledger/ledger.store.ts';
import type { Ledger } from '../../../alerts/ledger/ledger.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import { readAlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import { alertIdOf } from '../../../surface/web/query.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { sendError } from '../../../surface/web/visit.ts';

/** Everything about the alert of the path; undefined after 404 was answered. */
export async function readDetail(
  visit: Visit,
): Promise<{ readonly alertId: string; readonly detail: AlertDetail } | undefined> {
  const { db, organisationId } = visit.options;
  const alertId = alertIdOf(visit.request);
  const detail =
    alertId === undefined ? undefined : await readAlertDetail(db, organisationId, alertId);
  if (alertId !== undefined && detail !== undefined) return { alertId, detail };
  sendError(visit, 404, { title: 'No such alert', message: 'Check the id.' });
  return undefined;
}

/** The ledger of the case's charge; undefined while no charge is known. */
export async function ledgerOf(
  { options: { db, organisationId } }: Visit,
  row: CaseRow | undefined,
): Promise<Ledger | undefined> {
  const chargeReference = row?.charge_reference ?? null;
  return chargeReference === null
    ? undefined
    : await readLedger(db, { organisationId, chargeReference });
}
