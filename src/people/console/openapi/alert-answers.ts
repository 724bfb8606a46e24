/** What the JSON API answers about alerts. */
import { z } from 'zod';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import { MOVEMENT_TRANSITIONS } from '../../../alerts/ledger/movement-state.ts';
import { OF_ALERT_SCHEMAS } from '../../../capabilities/of-alert.ts';
import { ALERT_ACTIONS } from '../../../service/wire/alert.ts';
import {
  decisionInputs,
  fieldChange,
  matchCandidate,
  matchEvidence,
  openObject,
} from './open-values.ts';

const text = z.string().nullable();
const moment = z.iso.datetime();
const maybeMoment = moment.nullable();
const minor = z.int().nullable();

export const alertItem = z
  .strictObject({
    id: z.string(),
    state: z.enum(CASE_STATES),
    status: text,
    enrolment_type: text,
    deadline_at: moment,
    opened_at: moment,
    changed_at: moment,
    next_action_at: maybeMoment,
    amount_in_cents: minor,
    currency: text,
    descriptor: text,
    card_last4: text,
    card_bin: text,
    card_scheme: text,
    card_issuer: text,
    acquirer_reference_number: text,
    authorisation_code: text,
    reason_code: text,
    charge_reference: text,
    refund_state: text,
    hold_reason: text,
    hold_sentence: text,
    fallback_action: z.enum(['REFUND', 'ACCEPT_DISPUTE']).nullable(),
    fallback_at: maybeMoment,
    missed_at: maybeMoment,
    closed_at: maybeMoment,
    last_error: text,
  })
  .meta({ id: 'AlertItem' });

const alertCase = z
  .strictObject({
    state: z.enum(CASE_STATES),
    seen: z
      .string()
      .meta({ description: 'Send it back with a decision: 409 when there is another' }),
    is_open: z.boolean(),
    opened_at: moment,
    deadline_at: moment,
    next_action_at: maybeMoment,
    attempts: z.int(),
    last_error: text,
    charge_reference: text,
    dispute_id: text,
    hold_reason: text,
    hold_sentence: text,
    fallback_action: text,
    fallback_at: maybeMoment,
    alarmed_at: maybeMoment,
    missed_at: maybeMoment,
    closed_at: maybeMoment,
    changed_at: moment,
  })
  .meta({ id: 'Case' });

const decision = z
  .strictObject({
    id: z.int(),
    action: z.string(),
    amount_in_cents: minor,
    currency: text,
    fallback_action: text,
    fallback_at: maybeMoment,
    decided_by: z.string(),
    policy_version: text,
    rule: text,
    guard: text,
    sentence: text,
    inputs: decisionInputs,
    shadow: z.boolean(),
    decided_at: moment,
  })
  .meta({ id: 'Decision' });

const movement = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    state: z.enum(Object.keys(MOVEMENT_TRANSITIONS)),
    charge_reference: z.string(),
    dispute_id: text,
    alert_id: text,
    amount_in_cents: minor,
    currency: text,
    idempotency_key: text,
    processor_reference: text,
    sent_through: text.meta({
      description: 'The merchant through whose own processor it went; null: the organisation’s',
    }),
    observed_from: text,
    failure_code: text,
    failure_class: text,
    first_sent_at: maybeMoment,
    confirmed_at: maybeMoment,
    attempts: z.int(),
    created_at: moment,
    changed_at: moment,
  })
  .meta({ id: 'Movement' });

export const alertDetail = z
  .strictObject({
    alert: openObject('The alert as the service sent it last').nullable(),
    case: alertCase.nullable(),
    match: z
      .strictObject({
        outcome: z.string(),
        charge_reference: text,
        tier: text,
        weak_sign: text,
        score: z.number().nullable(),
        margin: z.number().nullable(),
        runner_up: text,
        evidence: matchEvidence,
        candidates: z.array(matchCandidate),
        matched_at: moment,
        matched_by: text,
      })
      .nullable(),
    decision: decision.nullable().meta({ description: 'The one in force' }),
    decisions: z.array(decision),
    refund: movement.nullable(),
    movements: z.array(movement),
    declaration: z
      .strictObject({
        action: z.enum(ALERT_ACTIONS),
        note: text,
        state: z.string(),
        refund_id: text,
        despite_in_cents: minor,
        attempts: z.int(),
        first_sent_at: maybeMoment,
        settled_at: maybeMoment,
        remote_outcome: text,
      })
      .nullable(),
    ...OF_ALERT_SCHEMAS,
    history: z.array(
      z.strictObject({
        at: moment,
        source: z.string(),
        event_id: text,
        accepted: z.boolean(),
        changes: z.array(fieldChange),
      }),
    ),
    audit: z.array(
      z.strictObject({
        at: moment,
        subject: z.string(),
        subject_id: z.string(),
        actor: z.string(),
        what: z.string(),
        from_state: text,
        to_state: text,
        detail: openObject('What the step noted besides').nullable(),
      }),
    ),
    same_charge_alert_ids: z.array(z.string()),
  })
  .meta({ id: 'AlertDetail' });
