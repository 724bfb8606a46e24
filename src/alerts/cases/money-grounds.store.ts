/**
 * What is looked at before money moves for a case: the decision, the charge's other alerts, its ledger's
 * mark, our key.
 */
import { sql } from 'kysely';
import type { Reads } from '../../base/db/columns.ts';
import { columnsOf } from '../../base/db/columns.ts';
import { keyRefusal } from '../guard/declare-health.store.ts';
import type { LedgerMark } from '../ledger/ledger.store.ts';
import { ledgerMark } from '../ledger/ledger.store.ts';
import type { CaseRow } from './case.store.ts';
import type { CaseDecision, DecisionRow } from './case-decision.store.ts';
import { caseDecisionOf, decisionOf, toldByAlert } from './case-decision.store.ts';

/** How many other alerts of one charge are looked at. */
const SIBLINGS_MAX = 20;

/** Another open case about the same charge. */
export type Sibling = Pick<CaseRow, 'alert_id' | 'deadline_at'>;

/** What is looked at before money moves for a case. */
export interface MoneyGrounds {
  readonly siblings: readonly Sibling[];
  /** The decision in force; undefined: the case names none. */
  readonly decision: CaseDecision | undefined;
  /** What the alert says otherwise than when it was decided: its match, and the decision, rested on that. */
  readonly changed: readonly string[];
  /** When the service refused our key, where its last word was that. */
  readonly keyRefusedAt: Date | null;
  readonly mark: LedgerMark;
}

/** Selects them: one row, for {@link moneyGroundsOf}. */
export function selectingMoneyGrounds(row: CaseRow): Reads<MoneyGroundsRow> {
  const { organisation_id: organisationId, charge_reference } = row;
  const chargeReference = charge_reference ?? '';
  const query = sql<MoneyGroundsRow>`
    select mark.version, mark."nextRound", mark."isRenamed", (${keyRefusal(organisationId)}) as key_refused_at,
      (select row_to_json(d) from (${decisionOf(row)}) d) as decision,
      (select coalesce(inputs #> '{facts,alert}', inputs -> 'told') from decision
        where organisation_id = ${organisationId} and id = ${row.decision_id}) as told,
      (${toldByAlert(row)}) as said, coalesce((
      select json_agg(json_build_object('alert_id', alert_id, 'deadline_ms', extract(epoch from deadline_at) * 1000))
      from (select alert_id, deadline_at from alert_case
        where organisation_id = ${organisationId} and charge_reference = ${charge_reference}
          and alert_id <> ${row.alert_id} and is_open
        order by deadline_at, alert_id limit ${SIBLINGS_MAX}) as k), '[]'::json) as siblings
    from (${ledgerMark({ organisationId, chargeReference })}) as mark`;
  return { query, columns: COLUMNS };
}

/** What was selected. */
export function moneyGroundsOf(row: MoneyGroundsRow = NOTHING): MoneyGrounds {
  const { siblings, decision, key_refused_at: keyRefusedAt, version, nextRound, isRenamed } = row;
  return {
    changed: changedSince(row.told, row.said),
    mark: { version, nextRound, ...(isRenamed === undefined ? {} : { isRenamed }) },
    keyRefusedAt,
    decision: decision === null ? undefined : caseDecisionOf(decision),
    siblings: siblings.map(({ alert_id, deadline_ms }) => ({
      alert_id,
      deadline_at: new Date(deadline_ms),
    })),
  };
}

/** As {@link selectingMoneyGrounds} selects it. */
export interface MoneyGroundsRow extends LedgerMark {
  readonly siblings: readonly { readonly alert_id: string; readonly deadline_ms: number }[];
  readonly key_refused_at: Date | null;
  readonly decision: DecisionRow | null;
  /** What the alert said when it was decided; null: not stored. */
  readonly told: AlertFields | null;
  readonly said: AlertFields | null;
}

const COLUMNS = columnsOf<MoneyGroundsRow>()(
  'siblings key_refused_at decision told said version nextRound isRenamed',
);

const NOTHING: MoneyGroundsRow = {
  siblings: [],
  key_refused_at: null,
  decision: null,
  told: null,
  said: null,
  version: 0,
  nextRound: 1,
};

/** The alert's own fields, by name. */
type AlertFields = Readonly<Record<string, unknown>>;

/** The fields of both that differ. What an earlier version did not store is not compared. */
function changedSince(
  decidedOn: AlertFields | null,
  saidNow: AlertFields | null,
): readonly string[] {
  if (decidedOn === null || saidNow === null) return [];
  return Object.keys(saidNow).filter(
    (field) => Object.hasOwn(decidedOn, field) && decidedOn[field] !== saidNow[field],
  );
}
