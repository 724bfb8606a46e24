/**
 * What happens to the demonstration merchant, one story after another: every event type, and the
 * troubles that a real service and a real processor have.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Product, Sale } from '../../../sandbox/demo-shop.ts';
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { Sandbox } from '../../../sandbox/index.ts';
import type { ServiceClient } from '../../../service/client/index.ts';

export interface Stage {
  readonly sandbox: Sandbox;
  /** With the partner key: enrolment simulations need it. */
  readonly partner: ServiceClient;
  /** Sells something: the charge is at the processor, the order in Forestall. */
  sell(product: Product, twinOf?: Sale): Promise<Sale>;
}

export interface Story {
  /** Announced before it plays. */
  readonly title: string;
  play(stage: Stage): Promise<void>;
}

/** Between a thing and its update, in milliseconds: long enough to be seen. */
const BEAT_MS = 1_500;

/** When evidence is due, in milliseconds: what is due in 30 hours goes at the next look, before the day that the policy leaves. */
const DUE_MS = 30 * 60 * 60_000;

/** Reason codes as the networks write them. */
const FRAUD = '10.4';
const CANCELLED = '13.7';

const PLAYS: Readonly<Record<string, Story['play']>> = {
  'A cardholder disputes a small digital purchase': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.font);
    sandbox.createAlertFor(charge.reference, {
      reason_code: FRAUD,
      card_issuer: 'First Example Bank',
    });
  },
  'An issuer asks what was bought, and the answer deflects the dispute': async ({
    sandbox,
    sell,
  }) => {
    const { charge } = await sell(PRODUCTS.course);
    const lookup = sandbox.createLookup({
      type: 'NETB_ORDER_INSIGHT',
      transaction_card_bin: charge.card_bin,
      transaction_card_last4: charge.card_last4,
      transaction_arn: charge.acquirer_reference_number,
      transaction_auth_code: charge.authorisation_code,
      transaction_amount: charge.amount_in_cents,
      transaction_currency: charge.currency,
    });
    await wait(BEAT_MS);
    sandbox.updateLookup(lookup.id, {
      lookup_status: 'SUCCEEDED',
      deflection_status: 'SUCCEEDED',
    });
  },
  'A bicycle that was delivered is disputed': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.bicycle);
    sandbox.createAlertFor(charge.reference, {
      reason_code: '13.1',
      card_issuer: 'Second Example Bank',
    });
  },
  'The network has refunded by itself (RDR)': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.magazine);
    sandbox.createAlertFor(charge.reference, {
      enrolment_id: sandbox.accounts.rdrEnrolmentId,
      reason_code: CANCELLED,
    });
  },
  'The processor refunds, and its answer is lost on the way': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.magazine);
    sandbox.addFault({
      on: 'POST /processor/refunds',
      kind: 'drop_after',
      contains: charge.reference,
    });
    sandbox.createAlertFor(charge.reference, { reason_code: CANCELLED });
  },
  'Support refunded this one last week': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.lamp);
    sandbox.refundInDashboard(charge.reference);
    sandbox.createAlertFor(charge.reference, { reason_code: '13.3' });
  },
  'Two purchases could be meant, so a person must look': async ({ sandbox, sell }) => {
    const first = await sell(PRODUCTS.course);
    await sell(PRODUCTS.course, first);
    sandbox.createAlertFor(first.charge.reference, {
      reason_code: FRAUD,
      acquirer_reference_number: null,
      authorisation_code: null,
      match: 'never',
    });
  },
  'The scheme reports fraud, then takes it back': async ({ sandbox }) => {
    const notice = sandbox.createSchemeNotice({ scheme_notice_type: 'TC40' });
    await wait(BEAT_MS);
    sandbox.updateSchemeNotice(notice.id, { is_revoked: true });
  },
  'The webhook is lost; polling finds the alert': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.font);
    sandbox.addFault({ on: 'webhook', kind: 'lose', event_type: 'alert.created' });
    sandbox.createAlertFor(charge.reference, { reason_code: FRAUD });
  },
  'Both networks alert on the same purchase': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.font);
    sandbox.createAlertFor(charge.reference, { reason_code: FRAUD });
    await wait(BEAT_MS);
    sandbox.createAlertFor(charge.reference, { reason_code: FRAUD });
  },
  'A contested chargeback is lost': async ({ sandbox }) => {
    const representment = sandbox.createRepresentment({});
    await wait(BEAT_MS);
    sandbox.updateRepresentment(representment.id, { dispute_status: 'LOST' });
  },
  'A delivered lamp is disputed at the processor, and the evidence goes by itself': async ({
    sandbox,
    sell,
  }) => {
    const { charge } = await sell(PRODUCTS.lamp);
    const dueBy = new Date(sandbox.clock.nowMs() + DUE_MS).toISOString();
    sandbox.openDispute(charge.reference, { reason_code: '13.1', due_by: dueBy });
  },
  'An enrolment changes, and an alert arrives twice and out of order': async ({
    sandbox,
    partner,
    sell,
  }) => {
    const { alertEnrolmentId } = sandbox.accounts;
    await partner.simulate.enrolment(alertEnrolmentId, { status: 'IN_PROGRESS' });
    await partner.simulate.enrolment(alertEnrolmentId, { status: 'ENABLED' });
    const { charge } = await sell(PRODUCTS.lamp);
    sandbox.addFault({ on: 'webhook', kind: 'duplicate', event_type: 'alert.created' });
    sandbox.createAlertFor(charge.reference, { reason_code: '13.3' });
  },
  'The processor tells of an early fraud warning; the alert follows': async ({ sandbox, sell }) => {
    const { charge } = await sell(PRODUCTS.font);
    sandbox.warnOfFraud(charge.reference);
    await wait(BEAT_MS);
    sandbox.createAlertFor(charge.reference, { reason_code: FRAUD });
  },
  'A dispute is open before its alert comes, and the processor tells of it': async ({
    sandbox,
    sell,
  }) => {
    const { charge } = await sell(PRODUCTS.magazine);
    sandbox.openDispute(charge.reference);
    await wait(BEAT_MS);
    sandbox.createAlertFor(charge.reference, { reason_code: CANCELLED });
  },
  'A refund that was declared fails later, and the processor tells of it': async ({
    sandbox,
    sell,
  }) => {
    const { charge } = await sell(PRODUCTS.font);
    sandbox.createAlertFor(charge.reference, { reason_code: CANCELLED });
    await wait(2 * BEAT_MS);
    const [refund] = sandbox.state.charges.get(charge.reference)?.refunds ?? [];
    if (refund !== undefined) sandbox.settleRefund(refund.reference, 'failed', 'closed_account');
  },
  'No purchase of ours fits this alert': async ({ sandbox }) => {
    sandbox.createAlert({ amount_in_cents: 4_711, card_last4: '0000', reason_code: FRAUD });
    await Promise.resolve();
  },
};

export const STORIES: readonly Story[] = Object.entries(PLAYS).map(([title, play]) => ({
  title,
  play,
}));
