/**
 * The console's answers for programs: rows under the names that the interface uses for the same
 * things (`amount_in_cents`, `…_at`), moments as ISO 8601 UTC.
 */
import { caseEtag } from '../../alerts/cases/case-etag.ts';
import { holdSentence } from '../../alerts/cases/hold-reason.ts';
import type { AlertDetail } from '../../alerts/list/alert-detail.store.ts';
import type { AlertListItem } from '../../alerts/list/alert-list.store.ts';
import type { EventListItem, QuarantineItem } from '../../alerts/receive/event-list.store.ts';
import type { FindingRow } from '../../base/findings/finding.store.ts';
import { changedFields } from '../../surface/view/changed-fields.ts';
import { answerOf } from '../../surface/web/answer.ts';
import { alertDetail, alertItem } from './openapi/alert-answers.ts';
import { event, finding, quarantined } from './openapi/answers.ts';

type Json = Readonly<Record<string, unknown>>;

const PARTS = alertDetail.shape;
const decision = PARTS.decisions.element;
const movement = PARTS.movements.element;

export function alertItemJson(item: AlertListItem): Json {
  return answerOf(alertItem, item, {
    id: item.alertId,
    status: item.alertStatus,
    hold_sentence: sentenceOf(item.holdReason),
  });
}

/** `ofCapabilities`: what they know of it. */
export function alertDetailJson(detail: AlertDetail, ofCapabilities: Json): Json {
  const { alert, case: row, match, movement: refund, declaration: said } = detail;
  const inForce = detail.decisions.find(({ id }) => id === row?.decision_id);
  return {
    alert: alert === undefined ? null : alert.snapshot,
    case: row === undefined ? null : caseJson(row),
    match: match === undefined ? null : answerOf(PARTS.match.unwrap(), match, {}),
    decision: inForce === undefined ? null : answerOf(decision, inForce, {}),
    decisions: detail.decisions.map((each) => answerOf(decision, each, {})),
    refund: refund === undefined ? null : answerOf(movement, refund, {}),
    movements: detail.movements.map((each) => answerOf(movement, each, {})),
    declaration:
      said === undefined
        ? null
        : answerOf(PARTS.declaration.unwrap(), said, { refund_id: said.movement_id }),
    ...ofCapabilities,
    history: detail.changes.map((change) =>
      answerOf(PARTS.history.element, change, {
        at: change.changed_at,
        changes: changedFields(change.before, change.after),
      }),
    ),
    audit: detail.audit.map((entry) => answerOf(PARTS.audit.element, entry, {})),
    same_charge_alert_ids: detail.twins,
  };
}

function caseJson(row: NonNullable<AlertDetail['case']>): Json {
  return answerOf(PARTS.case.unwrap(), row, {
    seen: caseEtag(row),
    hold_sentence: sentenceOf(row.hold_reason),
  });
}

function sentenceOf(holdReason: string | null): string | null {
  return holdReason === null ? null : holdSentence(holdReason);
}

export function findingJson(row: FindingRow): Json {
  // How long it has been there, or was: to the last time it was seen.
  const ageMs = (row.closed_at ?? row.last_seen_at).getTime() - row.opened_at.getTime();
  return answerOf(finding, row, { age_seconds: Math.round(ageMs / 1_000) });
}

export function eventJson(item: EventListItem): Json {
  return answerOf(event, item, { id: item.eventId });
}

export function quarantineJson(item: QuarantineItem): Json {
  return answerOf(quarantined, item, {
    id: item.eventId,
    quarantine_id: item.id,
    state: item.resolvedAt === null ? 'quarantined' : 'resolved',
  });
}
