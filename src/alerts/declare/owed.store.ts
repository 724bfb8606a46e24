/** What the step of an owed answer reads of our own rows, in one statement. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { AlertCopy } from '../cases/alert-copy.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { ledgerOf, ledgerQuery } from '../ledger/ledger.store.ts';
import type { LedgerRow } from '../ledger/ledger.table.ts';
import { LEDGER_COLUMNS } from '../ledger/ledger.table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DeclarationRow } from './declaration.store.ts';
import { DECLARATION_COLUMNS } from './declaration.table.ts';

/** The answer that is owed, with the alert and the money that it must be true of. */
export interface OwedView {
  readonly declaration: DeclarationRow | undefined;
  /** Our copy of the alert. */
  readonly alert: AlertCopy | undefined;
  /** Of the case's charge. */
  readonly ledger: Ledger;
}

type OwedRow = LedgerRow & { readonly shown: AlertCopy | null } & (
    | DeclarationRow
    | Record<keyof DeclarationRow, null>
  );

/** Reads it. */
export async function readOwed(
  db: Db,
  { organisation_id: organisationId, alert_id: alertId, charge_reference }: CaseRow,
): Promise<OwedView> {
  const chargeReference = charge_reference ?? '';
  const { rows } = await sql<OwedRow>`
    select ${DECLARATION_COLUMNS.of('d')}, ${LEDGER_COLUMNS.of('ledger')}, (
      select json_build_object('status', status, 'enrolmentType', enrolment_type, 'refundOutcome', refund_outcome,
        'amountMinor', amount_minor, 'currency', currency)
      from alert where organisation_id = ${organisationId} and id = ${alertId}) as shown
    from (${ledgerQuery({ organisationId, chargeReference })}) as ledger
    left join declaration d on d.organisation_id = ${organisationId} and d.alert_id = ${alertId}`.execute(
    db,
  );
  const [row] = rows;
  return {
    declaration: row === undefined || row.alert_id === null ? undefined : row,
    alert: row?.shown ?? undefined,
    ledger: ledgerOf(chargeReference, row),
  };
}
