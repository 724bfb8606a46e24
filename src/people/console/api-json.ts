/**
 * The console's answers for programs: rows under the names that the interface uses for the same
 * things (`amount_in_cents`, `…_at`), moments as ISO 8601 UTC.
 */

import { caseEtag } from '../../alerts/cases/case-etag.ts';
import { holdSentence } from '../../alerts/cases/hold-reason.ts';
import type { FindingRow } from '../../base/findings/finding.store.ts';
import type { AlertDetail } from '../../books/insights/alert-detail.store.ts';
import type { AlertListItem } from '../../books/insights/alert-list.store.ts';
import type { EventListItem, QuarantineItem } from '../../books/insights/event-list.store.ts';
import { changedFields } from './view/changed-fields.ts';

type Json = Record<string, unknown>;

/** One alert of the list. */
export function alertItemJson(item: AlertListItem): Json {
  return {
    id: item.alertId,
    state: item.state,
    status: item.alertStatus,
    enrolment_type: item.enrolmentType,
    deadline_at: item.deadlineAt,
    opened_at: item.openedAt,
    changed_at: item.changedAt,
    next_action_at: item.nextActionAt,
    amount_in_cents: item.amountMinor,
    currency: item.currency,
    descriptor: item.descriptor,
    card_last4: item.cardLast4,
    card_bin: item.cardBin,
    card_scheme: item.cardScheme,
    card_issuer: item.cardIssuer,
    acquirer_reference_number: item.acquirerReferenceNumber,
    authorisation_code: item.authorisationCode,
    reason_code: item.reasonCode,
    charge_reference: item.chargeReference,
    refund_state: item.refundState,
    hold_reason: item.holdReason,
    hold_sentence: item.holdReason === null ? null : holdSentence(item.holdReason),
    fallback_action: item.fallbackAction,
    fallback_at: item.fallbackAt,
    missed_at: item.missedAt,
    closed_at: item.closedAt,
    last_error: item.lastError,
  };
}

/** Everything about one alert. */
export function alertDetailJson(detail: AlertDetail): Json {
  const { alert, match } = detail;
  const inForce = detail.decisions.find((row) => row.id === detail.case?.decision_id);
  return {
    alert: alert === undefined ? null : alert.snapshot,
    case: caseJson(detail),
    match:
      match === undefined
        ? null
        : {
            outcome: match.outcome,
            charge_reference: match.charge_reference,
            tier: match.tier,
            weak_sign: match.weak_sign,
            score: match.score,
            margin: match.margin,
            runner_up: match.runner_up,
            evidence: match.evidence,
            candidates: match.candidates,
            matched_at: match.matched_at,
            matched_by: match.matched_by,
          },
    decision: inForce === undefined ? null : decisionJson(inForce),
    decisions: detail.decisions.map(decisionJson),
    refund: detail.movement === undefined ? null : movementJson(detail.movement),
    movements: detail.movements.map(movementJson),
    declaration: declarationJson(detail),
    credit_claim: claimJson(detail),
    history: detail.changes.map((change) => ({
      at: change.changed_at,
      source: change.source,
      event_id: change.event_id,
      accepted: change.accepted,
      changes: changedFields(change.before, change.after),
    })),
    audit: detail.audit.map((entry) => ({
      at: entry.at,
      subject: entry.subject,
      subject_id: entry.subject_id,
      actor: entry.actor,
      what: entry.what,
      from_state: entry.from_state,
      to_state: entry.to_state,
      detail: entry.detail,
    })),
    same_charge_alert_ids: detail.twins,
  };
}

function caseJson({ case: row }: AlertDetail): Json | null {
  if (row === undefined) return null;
  return {
    state: row.state,
    seen: caseEtag(row),
    is_open: row.is_open,
    opened_at: row.opened_at,
    deadline_at: row.deadline_at,
    next_action_at: row.next_action_at,
    attempts: row.attempts,
    last_error: row.last_error,
    charge_reference: row.charge_reference,
    dispute_id: row.dispute_id,
    hold_reason: row.hold_reason,
    hold_sentence: row.hold_reason === null ? null : holdSentence(row.hold_reason),
    fallback_action: row.fallback_action,
    fallback_at: row.fallback_at,
    alarmed_at: row.alarmed_at,
    missed_at: row.missed_at,
    closed_at: row.closed_at,
    changed_at: row.changed_at,
  };
}

function decisionJson(row: AlertDetail['decisions'][number]): Json {
  return {
    id: row.id,
    action: row.action,
    amount_in_cents: row.amount_minor,
    currency: row.currency,
    fallback_action: row.fallback_action,
    fallback_at: row.fallback_at,
    decided_by: row.decided_by,
    policy_version: row.policy_version,
    rule: row.rule,
    guard: row.guard,
    sentence: row.sentence,
    inputs: row.inputs,
    shadow: row.shadow,
    decided_at: row.decided_at,
  };
}

function movementJson(row: AlertDetail['movements'][number]): Json {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    charge_reference: row.charge_reference,
    dispute_id: row.dispute_id,
    alert_id: row.alert_id,
    amount_in_cents: row.amount_minor,
    currency: row.currency,
    idempotency_key: row.idempotency_key,
    processor_reference: row.processor_reference,
    observed_from: row.observed_from,
    failure_code: row.failure_code,
    failure_class: row.failure_class,
    first_sent_at: row.first_sent_at,
    confirmed_at: row.confirmed_at,
    attempts: row.attempts,
    created_at: row.created_at,
    changed_at: row.changed_at,
  };
}

function declarationJson({ declaration }: AlertDetail): Json | null {
  if (declaration === undefined) return null;
  return {
    action: declaration.action,
    note: declaration.note,
    state: declaration.state,
    refund_id: declaration.movement_id,
    despite_in_cents: declaration.despite_minor,
    attempts: declaration.attempts,
    first_sent_at: declaration.first_sent_at,
    settled_at: declaration.settled_at,
    remote_outcome: declaration.remote_outcome,
  };
}

function claimJson({ creditClaim }: AlertDetail): Json | null {
  if (creditClaim === undefined) return null;
  return {
    class: creditClaim.class,
    state: creditClaim.state,
    claim_until: creditClaim.claim_until,
    evidence: creditClaim.evidence,
    reference: creditClaim.reference,
  };
}

/** One finding. */
export function findingJson(row: FindingRow): Json {
  return {
    id: row.id,
    kind: row.kind,
    severity: row.severity,
    subject: row.subject,
    subject_id: row.subject_id,
    evidence: row.evidence,
    next_step: row.next_step,
    repair: row.repair,
    opened_at: row.opened_at,
    last_seen_at: row.last_seen_at,
    closed_at: row.closed_at,
    // How long it has been there, or was: to the last time it was seen.
    age_seconds: Math.round(
      ((row.closed_at ?? row.last_seen_at).getTime() - row.opened_at.getTime()) / 1_000,
    ),
  };
}

/** One stored event. */
export function eventJson(item: EventListItem): Json {
  return {
    id: item.eventId,
    type: item.type,
    object_id: item.objectId,
    state: item.state,
    reason: item.reason,
    received_at: item.receivedAt,
    delivery_id: item.deliveryId,
    subscription: item.subscription,
    bytes: item.bytes,
  };
}

/** One delivery in quarantine. */
export function quarantineJson(item: QuarantineItem): Json {
  return {
    id: item.eventId,
    quarantine_id: item.id,
    state: item.resolvedAt === null ? 'quarantined' : 'resolved',
    reason: item.reason,
    detail: item.detail,
    quarantined_at: item.quarantinedAt,
    resolved_at: item.resolvedAt,
    resolved_by: item.resolvedBy,
  };
}
