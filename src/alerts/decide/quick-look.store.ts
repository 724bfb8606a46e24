/** What a quick look at a held case compares, in one statement; and its result, in another. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { releasing } from '../cases/case.store.ts';
import type { ChargeKey, LedgerRow } from '../ledger/ledger.store.ts';
import { ledgerOf, ledgerQuery, notingReading } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What our own rows say about a held case. */
export interface HeldView {
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
  readonly ledger: Ledger;
  /** Of the ledger: 0 while the charge has none. */
  readonly version: number;
  readonly wasDisputed: boolean | null;
  /** Network money waits for its charge, which may be this one. */
  readonly isMoneyWaiting: boolean;
}

type HeldRow = LedgerRow & Pick<HeldView, 'alert' | 'decision' | 'wasDisputed' | 'isMoneyWaiting'>;

/** Reads it; undefined where the alert or the decision is missing. */
export async function readHeldView(
  db: Db,
  claim: CaseRow,
  charge: ChargeKey,
): Promise<HeldView | undefined> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<HeldRow>`
    select l.*, w.disputed as "wasDisputed",
      json_build_object('id', t.id, 'status', t.status, 'enrolmentType', t.enrolment_type,
        'amountMinor', t.amount_minor, 'currency', t.currency) as alert,
      json_build_object('action', d.action, 'guard', d.guard, 'decidedBy', d.decided_by,
        'amountMinor', d.inputs #> '{facts,alert,amountMinor}', 'currency', d.inputs #> '{facts,alert,currency}') as decision,
      exists (select from movement where organisation_id = ${organisationId} and charge_reference is null
        and kind = 'network') as "isMoneyWaiting"
    from alert t
    join decision d on d.organisation_id = ${organisationId} and d.id = ${claim.decision_id}
    left join charge_account w on w.organisation_id = ${organisationId} and w.charge_reference = ${chargeReference}
    cross join lateral (${ledgerQuery(charge)}) l
    where t.organisation_id = ${organisationId} and t.id = ${claim.alert_id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { alert, decision, version, wasDisputed, isMoneyWaiting } = row;
  const ledger = ledgerOf(chargeReference, row);
  return { alert, decision, version, wasDisputed, isMoneyWaiting, ledger };
}

/** Where and when the reading was taken, and when the case is looked at next. */
export interface Unchanged {
  readonly charge: ChargeKey;
  readonly version: number;
  readonly readAt: Date;
  readonly now: Date;
  readonly nextActionAt: Date;
}

/**
 * Notes the reading and releases the case with its next plan, in one statement. False: the ledger or the
 * case has changed meanwhile, and nothing is written of the case.
 */
export async function releaseUnchanged(
  db: Db,
  claim: CaseRow,
  { charge, version, readAt, now, nextActionAt }: Unchanged,
): Promise<boolean> {
  const { rows } = await sql`
    with noted as (${notingReading(charge, { version, readAt })})
    ${releasing(db, claim, { now, nextActionAt }).where(sql<boolean>`exists (select from noted)`)} returning alert_id`.execute(
    db,
  );
  return rows.length > 0;
}
