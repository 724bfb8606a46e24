/** The kinds of events that come from what every installation has: alerts, money, disputes, orders, findings. */
import { z } from 'zod';
import type { DataByType } from '../../surface/event-kind.ts';
import { describeEventKind, FIELDS, forOrder, maybe, ofAmount } from '../../surface/event-kind.ts';

const { alert_id, alert_type, charge_reference, order_reference, amount_minor, currency } = FIELDS;

const OF_ALERT = { alert_id, alert_type };
const OF_CHARGE = { charge_reference, order_reference };
const AMOUNT = { amount_minor, currency };

const movement = z.looseObject({
  alert_id: alert_id.optional(),
  alert_type: alert_type.optional(),
  ...OF_CHARGE,
  movement_id: z.string(),
  kind: z.string(),
  state: z.string(),
  amount_minor: z.int(),
  currency: z.string(),
  processor: maybe(z.string()),
  processor_reference: maybe(z.string()),
  failure_code: maybe(z.string()),
  failure_class: maybe(z.string()),
});

const dispute = z.looseObject({
  ...OF_CHARGE,
  dispute_id: z.string(),
  status: maybe(z.string()),
  stage: maybe(z.string()),
  ...AMOUNT,
  due_by: FIELDS.maybeMoment,
  merchant_id: maybe(z.string()),
  acquirer_reference_number: maybe(z.string()),
});

const finding = z.looseObject({
  finding_id: z.int(),
  kind: z.string(),
  severity: z.string(),
  about: z.string(),
  about_id: z.string(),
});

/** `PENDING`: the network has not said what became of it. Money that is taken back has no sum any more. */
function networkSentence(data: z.infer<typeof movement>): string {
  if (data.state === 'REVERSED')
    return `The network did not refund, or took it back${forOrder(data)}.`;
  const words =
    data.state === 'CONFIRMED' ? 'Refunded by the network' : 'Perhaps refunded by the network';
  return `${words}${ofAmount(data)}${forOrder(data)}.`;
}

const ANSWERS: Readonly<Record<string, string>> = {
  REFUND: 'refund',
  ACCEPT_DISPUTE: 'accept the dispute',
  REVIEW: 'a person must look',
  NONE: 'nothing to do',
};

/** What a case ended as. */
const ENDS: Readonly<Record<string, string>> = {
  DECLARED_REFUND: 'refunded, and the service knows it',
  DECLARED_ACCEPT: 'the dispute is accepted, and the service knows it',
  CLOSED_REMOTE: 'somebody else answered it',
  CLOSED_INVALID: 'the service withdrew it',
  RECONCILED_RDR: 'refunded by the network',
  CONFLICT: 'the service shows another answer than our books',
};

const DISPUTE_ENDS: Readonly<Record<string, string>> = {
  WON: 'was won',
  LOST: 'was lost',
  ACCEPTED: 'was accepted',
  CLOSED: 'was closed',
};

function words(code: string): string {
  return code.toLowerCase().replaceAll(/[_.]/g, ' ');
}

export const EVENT_KINDS_OF_ALERTS = [
  describeEventKind({
    type: 'alert.received',
    says: 'An alert is known, and its case is open.',
    data: z.looseObject({
      ...OF_ALERT,
      ...AMOUNT,
      reason_code: maybe(z.string()),
      acquirer_reference_number: maybe(z.string()),
      deadline_at: FIELDS.moment,
    }),
    sentence: (data) => `Alert ${data.alert_id}${ofAmount(data)} came in.`,
  }),
  describeEventKind({
    type: 'alert.matched',
    says: 'The charge that it is about was found.',
    data: z.looseObject({ ...OF_ALERT, ...OF_CHARGE }),
    sentence: (data) =>
      `Alert ${data.alert_id} is about charge ${data.charge_reference ?? 'unknown'}${forOrder(data)}.`,
  }),
  describeEventKind({
    type: 'alert.held',
    says: 'It waits for a person. Without one, the fallback is carried out at its moment.',
    data: z.looseObject({
      ...OF_ALERT,
      ...OF_CHARGE,
      reason: maybe(z.string()),
      deadline_at: FIELDS.moment,
      fallback_action: maybe(z.string()),
      fallback_at: FIELDS.maybeMoment,
    }),
    sentence: (data) =>
      `Alert ${data.alert_id} waits for a person${data.reason === null ? '' : `: ${words(data.reason)}`}.`,
  }),
  describeEventKind({
    type: 'alert.decided',
    says: 'What it is answered was decided, by the policy, a guard, the fallback or a person. Not in observe mode.',
    data: z.looseObject({
      ...OF_ALERT,
      action: z.string(),
      ...AMOUNT,
      decided_by: z.string(),
      rule: maybe(z.string()),
      guard: maybe(z.string()),
      policy_version: maybe(z.string()),
    }),
    sentence: (data) =>
      `Alert ${data.alert_id}: ${ANSWERS[data.action] ?? words(data.action)}${ofAmount(data)}${data.rule === null ? '' : `, by the rule “${data.rule}”`}.`,
  }),
  describeEventKind({
    type: 'alert.declared',
    says: 'The service shows our answer.',
    data: z.looseObject({ ...OF_ALERT, action: z.string(), movement_id: maybe(z.string()) }),
    sentence: (data) =>
      `Alert ${data.alert_id} is answered: ${ANSWERS[data.action] ?? words(data.action)}.`,
  }),
  describeEventKind({
    type: 'alert.closed',
    says: 'Nothing more happens to it. `RECONCILED_RDR` is a refund by the network, not a lost dispute.',
    data: z.looseObject({ ...OF_ALERT, ...OF_CHARGE, state: z.string() }),
    sentence: (data) =>
      `Alert ${data.alert_id}${forOrder(data)} is closed: ${ENDS[data.state] ?? words(data.state)}.`,
  }),
  describeEventKind({
    type: 'alert.missed',
    says: 'Its deadline passed without an answer.',
    data: z.looseObject({ ...OF_ALERT, ...OF_CHARGE, deadline_at: FIELDS.moment }),
    sentence: (data) => `Alert ${data.alert_id} was missed: no answer before its deadline.`,
  }),
] as const;

export const EVENT_KINDS_OF_MONEY = [
  describeEventKind({
    type: 'refund.requested',
    says: 'A refund or void is reserved and is about to be sent to the processor.',
    data: movement,
    sentence: (data) => `A ${data.kind}${ofAmount(data)}${forOrder(data)} is being requested.`,
  }),
  describeEventKind({
    type: 'refund.confirmed',
    says: 'The processor confirmed it.',
    data: movement,
    sentence: (data) => `The ${data.kind}${ofAmount(data)}${forOrder(data)} is confirmed.`,
  }),
  describeEventKind({
    type: 'refund.failed',
    says: 'The processor refused it (`REJECTED`), or it was never sent (`NOT_SENT`). No money moved.',
    data: movement,
    sentence: (data) =>
      data.state === 'NOT_SENT'
        ? `The ${data.kind}${ofAmount(data)}${forOrder(data)} was not sent.`
        : `The processor refused the ${data.kind}${ofAmount(data)}${forOrder(data)}.`,
  }),
  describeEventKind({
    type: 'refund.failed_late',
    says: 'A refund that had been confirmed failed after all: the money did not arrive.',
    data: movement,
    sentence: (data) =>
      `The ${data.kind}${ofAmount(data)}${forOrder(data)} failed after it had been confirmed.`,
  }),
  describeEventKind({
    type: 'network_refund.recorded',
    says: 'The network refunded the customer (RDR), or may have: `state` says. Again when its charge becomes known, or its sum or state changes.',
    data: movement,
    sentence: networkSentence,
  }),
] as const;

export const EVENT_KINDS_OF_THE_REST = [
  describeEventKind({
    type: 'dispute.opened',
    says: 'The service told of a dispute (a representment).',
    data: dispute,
    sentence: (data) => `Dispute ${data.dispute_id}${ofAmount(data)}${forOrder(data)} was opened.`,
  }),
  describeEventKind({
    type: 'dispute.closed',
    says: 'It ended: `WON`, `LOST`, `ACCEPTED` or `CLOSED`.',
    data: dispute,
    sentence: (data) =>
      `Dispute ${data.dispute_id}${ofAmount(data)}${forOrder(data)} ${DISPUTE_ENDS[data.status ?? ''] ?? 'has ended'}.`,
  }),
  describeEventKind({
    type: 'order.refused',
    says: 'The service does not take an order. It is corrected or sent again by a person.',
    data: z.looseObject({
      integration_id: z.string(),
      order_reference: z.string(),
      error_code: maybe(z.string()),
    }),
    sentence: (data) =>
      `The service refused order ${data.order_reference}${data.error_code === null ? '' : ` (${data.error_code})`}.`,
  }),
  describeEventKind({
    type: 'finding.opened',
    says: 'The service, the processor and our books disagree somewhere.',
    data: finding,
    sentence: (data) => `Finding: ${words(data.kind)}, ${data.about} ${data.about_id}.`,
  }),
  describeEventKind({
    type: 'finding.closed',
    says: 'They agree again.',
    data: finding,
    sentence: (data) => `No longer: ${words(data.kind)}, ${data.about} ${data.about_id}.`,
  }),
  describeEventKind({
    type: 'endpoint.test',
    says: 'Somebody sent a test event. Only the endpoint that it is for gets it; the log shows it.',
    data: z.looseObject({ endpoint_id: z.string(), endpoint: z.string(), asked_by: z.string() }),
    sentence: (data) => `A test event for the endpoint “${data.endpoint}”.`,
  }),
] as const;

export type CommonEvents = DataByType<
  | (typeof EVENT_KINDS_OF_ALERTS)[number]
  | (typeof EVENT_KINDS_OF_MONEY)[number]
  | (typeof EVENT_KINDS_OF_THE_REST)[number]
>;
