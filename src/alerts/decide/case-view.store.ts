/** What our own rows say about a case before anything is asked: one statement for all of it. */
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import type { StoredBody } from '../../orders/order.store.ts';
import { newestOrder, orderReferenceOf } from '../../orders/order.store.ts';
import type { OrderBody } from '../../orders/order-body.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import { ALERT_COLUMNS } from '../apply/entity.table.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { LedgerMark } from '../ledger/ledger.store.ts';
import { ledgerMark } from '../ledger/ledger.store.ts';
import type { StoredAlert, StoredMatch } from '../match/match.store.ts';
import { chargeHistory } from './history-facts.store.ts';
import type { ChargeHistory } from './history-facts.ts';
import type { RatioInputs } from './ratio-standing.store.ts';
import { standingOfAlert } from './ratio-standing.store.ts';

/** The part of a match that a decision looks at. */
export type MatchView = Pick<
  StoredMatch,
  'outcome' | 'tier' | 'evidence' | 'candidates' | 'charge_reference' | 'matched_by'
>;

/** The case, with all that is decided from. */
export interface CaseView {
  readonly alert: StoredAlert;
  /** Undefined: nothing was matched yet. */
  readonly match: MatchView | undefined;
  /** The order of the case's charge, as our index says. */
  readonly orderReference: string | null;
  /** That order's body; undefined where we have none. */
  readonly order: OrderBody | undefined;
  /** What else happened to the charge; null without one. */
  readonly history: ChargeHistory | null;
  /** Of the charge's ledger. */
  readonly mark: LedgerMark;
  /** Null: not counted yet. */
  readonly ratio: RatioInputs | null;
}

interface ViewRow {
  readonly match: MatchView | null;
  readonly order_reference: string | null;
  readonly order: StoredBody | null;
  readonly history: ChargeHistory;
  readonly mark: LedgerMark;
  readonly ratio: RatioInputs | null;
}

/** Reads it. */
export async function readCaseView(db: Db, claim: CaseRow): Promise<CaseView> {
  const { organisation_id: organisationId, alert_id: alertId, charge_reference } = claim;
  const chargeReference = charge_reference ?? '';
  const ordered = orderReferenceOf(organisationId, chargeReference);
  const { rows } = await sql<StoredAlert & { readonly view: ViewRow }>`
    select ${ALERT_COLUMNS.of('a')}, json_build_object(
      'match', (select row_to_json(m) from (
        select outcome, tier, evidence, candidates, charge_reference, matched_by from match
        where organisation_id = ${claim.organisation_id} and id = ${claim.match_id}) m),
      'order', (select row_to_json(o) from (
        ${newestOrder(organisationId, ordered)}) o),
      'order_reference', ${ordered},
      'history', (select row_to_json(h) from (${chargeHistory(claim, sql`a.acquirer_reference_number`)}) h),
      'mark', (select row_to_json(k) from (${ledgerMark({ organisationId, chargeReference })}) k),
      'ratio', (select row_to_json(r) from (${standingOfAlert(organisationId)}) r)) as view
    from alert a where a.organisation_id = ${organisationId} and a.id = ${alertId}`.execute(db);
  const [row] = rows;
  if (row === undefined) {
    throw new InvariantError(`Case ${alertId} has no alert. Poll the service for it.`);
  }
  const { view, ...alert } = row;
  return {
    alert,
    match: view.match ?? undefined,
    orderReference: view.order_reference,
    order:
      view.order === null ? undefined : openBodyOf(dataKeysOf(db), organisationId, view.order).body,
    history: charge_reference === null ? null : view.history,
    mark: view.mark,
    ratio: view.ratio,
  };
}
