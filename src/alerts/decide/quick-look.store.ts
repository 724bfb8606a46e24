/** What a quick look at a held case compares, in one statement; its result is the ledger's `releaseUnchanged`. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { ledgerOf, ledgerQuery } from '../ledger/ledger.store.ts';
import type { LedgerRow } from '../ledger/ledger.table.ts';
import { LEDGER_COLUMNS } from '../ledger/ledger.table.ts';
import type { LedgerView } from '../ledger/unchanged.store.ts';

/** What our own rows say about a held case. */
export interface HeldView extends LedgerView {
  readonly alert: {
    readonly id: string;
    readonly status: string | null;
    readonly enrolmentType: string | null;
    readonly amountMinor: number | null;
    readonly currency: string | null;
  };
  /** The decision in force, and what its alert said then. */
  readonly decision: {
    readonly action: string;
    readonly guard: string | null;
    readonly decidedBy: string;
    readonly amountMinor: number | null;
    readonly currency: string | null;
  };
}

type HeldRow = LedgerRow & Pick<HeldView, 'alert' | 'decision' | 'isMoneyWaiting'>;

/** Reads it; undefined where the alert or the decision is missing. */
export async function readHeldView(
  db: Db,
  claim: CaseRow,
  charge: ChargeKey,
): Promise<HeldView | undefined> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<HeldRow>`
    select ${LEDGER_COLUMNS.of('l')},
      json_build_object('id', t.id, 'status', t.status, 'enrolmentType', t.enrolment_type,
        'amountMinor', t.amount_minor, 'currency', t.currency) as alert,
      json_build_object('action', d.action, 'guard', d.guard, 'decidedBy', d.decided_by,
        'amountMinor', d.inputs #> '{facts,alert,amountMinor}', 'currency', d.inputs #> '{facts,alert,currency}') as decision,
      exists (select from movement where organisation_id = ${organisationId} and charge_reference is null
        and kind = 'network') as "isMoneyWaiting"
    from alert t
    join decision d on d.organisation_id = ${organisationId} and d.id = ${claim.decision_id}
    cross join lateral (${ledgerQuery(charge)}) l
    where t.organisation_id = ${organisationId} and t.id = ${claim.alert_id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { alert, decision, version, isMoneyWaiting } = row;
  return { alert, decision, version, isMoneyWaiting, ledger: ledgerOf(chargeReference, row) };
}
