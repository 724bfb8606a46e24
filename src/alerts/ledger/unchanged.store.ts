/** A look at a case that found its charge as our rows have it: what it compares, in one statement; and its result, in another. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { releasing } from '../cases/case.store.ts';
import type { ChargeKey, LedgerMark } from './ledger.store.ts';
import { ledgerOf, ledgerQuery, notingReading } from './ledger.store.ts';
import type { LedgerRow } from './ledger.table.ts';
import { LEDGER_COLUMNS } from './ledger.table.ts';
import type { Ledger } from './ledger.ts';
import { isOurs } from './ledger.ts';
import { nextRound } from './movement-key.ts';

/** What our own rows say about a charge before the processor is asked. */
export interface LedgerView {
  readonly ledger: Ledger;
  /** Of the ledger: 0 while the charge has none. */
  readonly version: number;
  /** Network money waits for its charge, which may be this one. */
  readonly isMoneyWaiting: boolean;
}

type ViewRow = LedgerRow & Pick<LedgerView, 'isMoneyWaiting'>;

/** Reads it. */
export async function readLedgerView(db: Db, charge: ChargeKey): Promise<LedgerView> {
  const { organisationId, chargeReference } = charge;
  const { rows } = await sql<ViewRow>`
    select ${LEDGER_COLUMNS.of('l')},
      exists (select from movement where organisation_id = ${organisationId} and charge_reference is null
        and kind = 'network') as "isMoneyWaiting"
    from (${ledgerQuery(charge)}) l`.execute(db);
  const [row] = rows;
  const { version = 0, isMoneyWaiting = false } = row ?? {};
  return { version, isMoneyWaiting, ledger: ledgerOf(chargeReference, row) };
}

/** What a reading that is taken after it is compared by. */
export function markOf({ version, ledger }: Pick<LedgerView, 'version' | 'ledger'>): LedgerMark {
  return { version, nextRound: nextRound(ledger.movements.filter(isOurs)) };
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
