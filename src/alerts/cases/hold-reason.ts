/**
 * Why a case is held for a person: one table of codes with the sentence an operator reads.
 *
 * `alert_case.hold_reason` stores the code; the console and the notifications show the sentence.
 */

export const HOLD_REASONS = {
  acceptance_unclear:
    'An alert that was accepted for no charge may be about this one: a refund beside it may be paid twice. Name the charge of that alert, or refund.',
  alert_amount_unreadable: 'The alert carries no amount or currency that can be refunded.',
  alert_changed:
    'The service says otherwise of this alert than when it was matched and decided. Its charge is looked for again.',
  alert_missing: 'The service no longer knows this alert.',
  alert_not_open: 'The alert is not open at the service.',
  alert_status_unknown: 'The service shows this alert in a status Forestall does not know.',
  alert_value_unknown: 'The alert carries a value Forestall does not know.',
  already_refunded:
    "The charge was refunded before, and the alert's amount or currency does not fit it.",
  amount_differs: "The alert's amount differs from the charge's.",
  another_alert_accepted:
    'Another alert on this charge was answered ACCEPT_DISPUTE, so nothing may be refunded.',
  another_refund_ahead:
    'Another alert about the charge is to be refunded. Say whether this one is about the same dispute or another.',
  another_processor:
    'A refund of this charge went through another processor than the one that is set now. Look there what became of it.',
  approval_declined: 'The second person declined the refund.',
  approval_needed: 'A refund of this amount needs two people. Approve it, or decide otherwise.',
  breaker_open:
    'Alerts come in far above the usual rate, so automatic refunds are stopped. A person may refund.',
  cancel_not_offered:
    'The policy asks for a cancellation, which a custom integration does not offer.',
  candidate_refunded:
    'A charge that this alert may be about was refunded, or is about to be. Choose that charge, and its refund answers the alert; or accept the dispute.',
  charge_absent: 'The processor does not know the charge.',
  charge_changed: 'The charge changed at the processor between the decision and the refund.',
  charge_limit: 'The refund is above the limit for one charge.',
  currency_unlimited: 'A limit is set, but not for this currency. Add it to the guards file.',
  currency_differs: "The alert's currency differs from the charge's.",
  customer_limit: 'The limit for refunds to one customer is reached.',
  customer_unknown:
    'A limit for refunds to one customer is set, and the customer of this charge is not known.',
  daily_limit: 'The daily limit for refunds is reached.',
  deadline_passed: 'The deadline has passed.',
  deadline_unusable: 'The alert carries no usable deadline.',
  declaration_refused: 'The service refuses the answer. Look at the alert in its dashboard.',
  declined: 'The payment was declined: there is nothing to refund.',
  dispute_unclear:
    'Another complaint about this charge is known. Say whether this alert is the same one or another.',
  disputed: 'A dispute is open at the processor: a refund would be paid twice.',
  hourly_limit: 'The hourly limit for refunds is reached.',
  key_failed: 'An earlier refund under the same key failed at the processor.',
  network_currency:
    'The network refunded (RDR) in another currency. Say that it was refunded outside, with the id of the RDR alert as the reference and the amount in the currency of the charge; then the answer is REFUND. Or accept, told the sum.',
  network_refund_unclear:
    'The network refunded a payment (RDR) that may be this one, and nobody can say. Look which one it was: another refund may be paid twice. Choose the charge on the page of the RDR alert, or refund.',
  network_refunded: 'The network refunded this payment already (RDR).',
  no_charge: 'No charge is certain for this alert. Choose one, or wait for its order.',
  no_decision: 'The case carries no decision to act on.',
  not_declarable: 'The refund on this charge does not reach the amount of the alert.',
  owed_by_law:
    'The customer has withdrawn: the refund is owed by law. Refund it, or say why it is not owed.',
  partial_needs_person:
    'The processor does not refuse a refund above the remainder, so a partial refund needs a person.',
  part_went_back:
    'Money went back for this dispute already. Refund the rest, or accept and confirm the sum that may be paid twice.',
  partly_refunded:
    'A part of the charge was refunded by somebody else. Where that was for this complaint, say that it was refunded outside, with the reference of that refund; else refund, or accept.',
  paused:
    'Refunds are stopped by the kill switch. The alert continues by itself once they go again; or accept the dispute. Where nobody decides, the policy’s fallback follows at its moment.',
  policy_error: 'The policy failed on this alert. Look at its text and the log.',
  policy_review: 'The policy asks for a person.',
  processor_cannot_be_asked: 'The processor cannot be asked about the charge.',
  processor_unavailable: 'The processor could not be asked about the charge in time.',
  refund_pending_elsewhere: 'A refund by somebody else is pending at the processor.',
  processor_refuses_us:
    'The processor refused several requests because of our own account or settings. Sending is stopped; correct it, then resume.',
  refund_not_sent: 'The refund was not sent.',
  refund_refused:
    'The processor refused the refund for a reason that may pass. It is tried again until the fallback is due.',
  refund_rejected: 'The processor refused the refund for good.',
  refund_reversed: 'The refund failed after it had been confirmed.',
  refund_under_way: 'Another refund of this charge is under way and not settled yet.',
  refund_unresolved: 'Whether the refund was executed could not be found out.',
  refunded_elsewhere:
    'The processor says that the charge was refunded, and shows no refund that answers this alert.',
  refunded_before_restore:
    'The processor shows a refund of ours that the restored database did not know. Answer with it.',
  remainder_too_small: 'What is left of the charge does not reach the amount of the alert.',
  search_unanswered:
    "The processor's search did not answer, so nobody knows yet which charge is meant. It is asked again.",
  several_charges: 'Several charges could be meant, and none is chosen.',
  service_unavailable:
    'The service could not be asked about this alert, or refuses our answers. It is asked again.',
  shadow_mode: 'It came in shadow mode: the decision is recorded and nothing is done by itself.',
  too_late: 'Too little time was left before the deadline to refund safely.',
  void_failed: 'The authorisation could not be voided.',
  void_not_offered: 'The payment is authorised, not captured, and the processor offers no void.',
} as const satisfies Record<string, string>;

export type HoldReason = keyof typeof HOLD_REASONS;

/** The sentence of a stored reason; a reason that is already a sentence stays as it is. */
export function holdSentence(reason: string): string {
  return isHoldReason(reason) ? HOLD_REASONS[reason] : reason;
}

/** Whether `value` is one of the codes of this table. */
export function isHoldReason(value: string): value is HoldReason {
  return Object.hasOwn(HOLD_REASONS, value);
}
