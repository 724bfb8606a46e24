/** The inventory of our own work on alerts and orders, and of the books. */

import type { TableEntry } from '../../base/db/table-entry.ts';
import { CASE_DAYS, entry } from '../../base/db/table-entry.ts';
import { EVIDENCE_DAYS } from '../../orders/record-evidence.ts';

export const CASE_TABLES: Readonly<Record<string, TableEntry>> = {
  charge: entry('the payments alerts are matched with', CASE_DAYS, {
    plain:
      'reference order_reference integration_id source currency authorisation_code acquirer_reference_number card_bin card_last4 card_brand descriptor subscription_reference',
  }),
  payment_evidence: entry('what of a payment a later one is compared with, hashed', EVIDENCE_DAYS, {
    plain: 'descriptor country reference',
  }),
  match: entry('which charge an alert is about, and the evidence', CASE_DAYS, {
    plain: 'alert_id outcome charge_reference tier matched_by runner_up weak_sign',
    personal: { evidence: 'json', candidates: 'json' },
  }),
  match_choice: entry('which charge people chose, as evidence for later', CASE_DAYS, {
    plain:
      'alert_id charge_reference operator acquirer_reference_number authorisation_code card_bin card_last4 currency charge_card_last4',
  }),
  alert_case: entry('where an alert stands on its way to an answer', CASE_DAYS, {
    plain:
      'alert_id state lease_owner charge_reference movement_id dispute_id hold_reason fallback_action when_refused',
    personal: { last_error: 'text', answer_note: 'text' },
  }),
  decision: entry('what was decided, by which rule, from which facts', CASE_DAYS, {
    plain:
      'alert_id action currency fallback_action decided_by policy_version rule guard experiment arm beside_version beside_action beside_currency beside_rule beside_guard beside_fallback_action',
    personal: { sentence: 'text', beside_sentence: 'text', inputs: 'json', side_actions: 'json' },
  }),
  movement: entry('money that went back, ours with its key: the book', 'ledger', {
    plain:
      'id charge_reference idempotency_key kind alert_id dispute_id observed_from state currency processor_reference failure_code failure_class lease_owner sent_through processor',
  }),
  charge_account: entry('each charge as an account, as the processor last showed it', 'ledger', {
    plain: 'charge_reference status currency',
  }),
  dispute: entry('each complaint about a charge', 'ledger', {
    plain: 'id charge_reference currency',
  }),
  dispute_mention: entry('notices and representments that speak of a dispute', 'ledger', {
    plain: 'entity entity_id dispute_id reason',
  }),
  cover: entry('which part of a movement answers which dispute', 'ledger', {
    plain: 'movement_id dispute_id',
  }),
  declaration: entry('each answer owed and given: the book', 'ledger', {
    plain: 'alert_id action movement_id state remote_outcome',
    personal: { note: 'text' },
  }),
  audit: entry('every step of every case, refund and declaration, and who took it', 'ledger', {
    plain: 'subject subject_id alert_id actor from_state to_state',
    personal: { what: 'text', detail: 'json' },
  }),
  order_record: entry('each order as the merchant told it', CASE_DAYS, {
    plain:
      'integration_id reference_id type state submitted_hash order_id ready error_code email_hmac account_hmac',
    personal: {
      submitted: 'json',
      body: 'json',
      missing: 'json',
      warnings: 'json',
      difference: 'json',
      reason: 'text',
    },
    sealed: ['submitted', 'body'],
  }),
  order_push: entry('parts of orders still to be sent', 'current', {
    plain: 'integration_id reference_id part state source error_code',
    personal: { reason: 'text' },
  }),
  order_nested_reference: entry('references in use, each unique', CASE_DAYS, {
    plain: 'integration_id kind reference order_reference given alias source',
  }),
  order_import: entry('how far each file was imported', CASE_DAYS, {
    plain: 'file_key',
    personal: { file_name: 'text' },
  }),
  feed_brake: entry('integrations whose orders are not sent for now, and why', 'current', {
    plain: 'integration_id error_code',
    personal: { reason: 'text', example: 'text' },
  }),
};
