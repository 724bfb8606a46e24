/** Alerts as the embedding program sees them: list, look, decide. */

import type { CaseState } from '../../alerts/cases/case-state.ts';
import { CASE_STATES } from '../../alerts/cases/case-state.ts';
import type { AmountLimits } from '../../alerts/guard/guard-settings.ts';
import { readAlertDetail } from '../../alerts/list/alert-detail.store.ts';
import type { AlertListItem, AlertPlace } from '../../alerts/list/alert-list.store.ts';
import { listAlerts } from '../../alerts/list/alert-list.store.ts';
import { applyOperatorDecision } from '../../alerts/review/apply-operator-decision.ts';
import type { OperatorAction, OperatorRefusal } from '../../alerts/review/operator-decision.ts';
import { OPERATOR_REFUSALS } from '../../alerts/review/operator-decision.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { readOfAlert } from '../../capabilities/of-alert.ts';
import type { OrganisationParts } from '../roles/parts.ts';
import type { Alert } from './alert.ts';
import { alertOf } from './alert.ts';

/** Which alerts, in order of deadline. */
export interface AlertQuery {
  /** @default every state */
  readonly states?: readonly CaseState[];
  /** @default 'soonest' */
  readonly order?: 'soonest' | 'latest';
  /** From 1 to 500. @default 50 */
  readonly limit?: number;
  /** The last item of the page before. */
  readonly after?: AlertPlace;
}

/** A person's decision. */
export interface AlertDecision {
  readonly alertId: string;
  readonly action: OperatorAction;
  /** Who decides, as the audit log shows it. */
  readonly operator: string;
  readonly note?: string;
  /** The charge the alert is about, where the match left it open. */
  readonly chargeReference?: string;
  /** `REFUND` of a charge that is named: the person knows that its card digits are not the alert's. @default false */
  readonly otherCard?: boolean;
  /**
   * `REFUND`: how much; absent: what is missing. `REFUNDED_OUTSIDE`: how much went back. `DID_EXECUTE`: how much,
   * where it is not what was asked for. Minor units.
   */
  readonly amountMinor?: number;
  /** `ACCEPT_DISPUTE`: accepted although this much went back, as the person was shown. Minor units. */
  readonly despiteMinor?: number;
  /** `REFUNDED_OUTSIDE`, `DID_EXECUTE`: where the money can be found. */
  readonly reference?: string;
  /** `JOIN_DISPUTE`: the dispute it is the same as. */
  readonly disputeId?: string;
}

/** How a decision ended; `message` is written for the person. */
export type AlertDecisionResult =
  | { readonly ok: true; readonly state: CaseState }
  | { readonly ok: false; readonly reason: OperatorRefusal; readonly message: string };

/** The alerts of one organisation. */
export interface ForestallAlerts {
  list(query?: AlertQuery): Promise<readonly AlertListItem[]>;
  /** Everything known about one: match, decisions, refund, declaration, both histories. */
  find(alertId: string): Promise<Alert | undefined>;
  /** Takes a person's decision, within the rules about money. Refusals are data. */
  decide(decision: AlertDecision): Promise<AlertDecisionResult>;
}

const LIMIT_MAX = 500;

/** Creates the part of the library for alerts. Statements above `approvalAboveMinor` take two people. */
export function createAlerts(
  parts: OrganisationParts,
  approvalAboveMinor?: AmountLimits,
): ForestallAlerts {
  const { clock, organisationId } = parts;
  const { db } = parts.database;
  return {
    list: ({ states = CASE_STATES, order = 'soonest', limit = 50, after } = {}) =>
      listAlerts(db, {
        organisationId,
        states,
        order,
        limit: Math.min(Math.max(1, limit), LIMIT_MAX),
        after,
      }),
    async find(alertId): Promise<Alert | undefined> {
      const detail = await readAlertDetail(db, organisationId, alertId);
      return detail === undefined
        ? undefined
        : {
            ...alertOf(alertId, detail),
            ...(await readOfAlert(db, organisationId, alertId)).values,
          };
    },
    async decide(decision): Promise<AlertDecisionResult> {
      const { note = '', ...rest } = decision;
      const now = nowDate(clock);
      const result = await applyOperatorDecision(db, {
        ...rest,
        note,
        organisationId,
        approvalAboveMinor,
        now,
      });
      return result.ok ? result : { ...result, message: OPERATOR_REFUSALS[result.reason] };
    },
  };
}
