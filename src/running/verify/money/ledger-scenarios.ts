/**
 * Situations beyond "one alert, one charge, one refund": parts of a charge, refusals by their class,
 * money of the network that comes and goes, amounts that do not fit.
 */
import type { FaultRule } from '../../../sandbox/index.ts';
import type { Play } from './money-scenario.ts';
import { chargeOf, scenarios } from './money-scenario.ts';

const HOUR_MS = 3_600_000;

/** An alert whose refund is refused so often. */
function refused(refusal: Pick<FaultRule, 'status' | 'code' | 'failure_class' | 'times'>): Play {
  return async (scene) => {
    const { sale } = await scene.dispute();
    const contains = sale.charge.reference;
    const on = 'POST /processor/refunds';
    scene.world.sandbox.addFault({ on, kind: 'status', contains, ...refusal });
    await scene.work();
    await scene.world.live(HOUR_MS);
  };
}

/** Whatever needs more than one refund of a charge to be understood. */
export const LEDGER_SCENARIOS = scenarios({
  'refusal.for_now': [
    'The processor refuses three times for want of balance.',
    refused({ status: 402, code: 'insufficient_balance', failure_class: 'retry', times: 3 }),
  ],
  'refusal.because_of_us': [
    'The processor refuses a request that it cannot read.',
    refused({ status: 400, code: 'bad_request', failure_class: 'ours', times: 1 }),
  ],
  'refusal.for_good': [
    'The processor refuses for good: the charge is too old.',
    refused({ status: 422, code: 'too_old', failure_class: 'final', times: 100 }),
  ],
  'refusal.done': [
    'The processor says "already refunded", and nothing was.',
    refused({ status: 422, code: 'already_refunded', failure_class: 'done', times: 2 }),
  ],
  'part.side_by_side': [
    'Two alerts about two parts of one charge, a day apart.',
    async (scene) => {
      const { sale } = await scene.dispute({ amount_in_cents: 900 });
      await scene.work();
      await scene.world.live(24 * HOUR_MS, 6 * HOUR_MS);
      scene.alert(sale, { amount_in_cents: 700 });
    },
  ],
  'part.reported_again': [
    'One network reports the same part of a charge twice.',
    async (scene) => {
      const { sale } = await scene.dispute({ amount_in_cents: 900 });
      await scene.work();
      scene.alert(sale, { amount_in_cents: 900 });
    },
  ],
  'part.then_the_whole': [
    'An alert about a part, then one about the whole charge.',
    async (scene) => {
      const { sale } = await scene.dispute({ amount_in_cents: 900 });
      await scene.work();
      scene.alert(sale);
    },
  ],
  'amount.a_cent_above': [
    'An alert about one cent more than the charge.',
    async (scene) => {
      const sale = await scene.sell();
      scene.alert(sale, { amount_in_cents: sale.charge.amount_in_cents + 1 });
    },
  ],
  'amount.other_currency': [
    'An alert in another currency than the charge, of the same number.',
    async (scene) => {
      await scene.dispute({ currency_code: 'GBP' });
    },
  ],
  'charge.support_pending': [
    'A refund by support is pending when the alert comes, and fails.',
    async (scene) => {
      const { sandbox } = scene.world;
      const sale = await scene.sell();
      const refund = sandbox.refundInDashboard(sale.charge.reference, undefined, 'pending');
      scene.alert(sale);
      await scene.work();
      sandbox.settleRefund(refund.reference, 'failed', 'account_closed');
      await scene.world.live(HOUR_MS);
    },
  ],
  'network.refunds_before_us': [
    'The network refunds a charge by itself, then its alert comes.',
    async (scene) => {
      const { rdrEnrolmentId } = scene.world.sandbox.accounts;
      const { sale } = await scene.dispute({ enrolment_id: rdrEnrolmentId });
      await scene.work();
      scene.alert(sale);
    },
  ],
  'network.takes_its_money_back': [
    'The network refunds by itself and withdraws that; then its alert comes.',
    async (scene) => {
      const { sandbox } = scene.world;
      const rdr = await scene.dispute({ enrolment_id: sandbox.accounts.rdrEnrolmentId });
      await scene.work();
      sandbox.invalidateAlert(rdr.alertId, 'Raised by mistake');
      await scene.work();
      scene.alert(rdr.sale);
    },
  ],
  'network.lets_through': [
    'A ruleset lets the network’s own refund through, beside an open alert of the charge.',
    async (scene) => {
      const { sandbox, parts } = scene.world;
      const { rdrEnrolmentId } = sandbox.accounts;
      const sale = await scene.sell();
      const ruleset = await parts.client.rulesets.create({
        organisation_id: parts.organisationId,
        enrolment_ids: [rdrEnrolmentId],
        outcome: 'ACCEPT_DISPUTE',
        join_operator: 'AND',
        rules: [],
      });
      scene.alert(sale);
      scene.alert(sale, { enrolment_id: rdrEnrolmentId });
      await parts.client.rulesets.delete(ruleset.id);
    },
  ],
  'network.refunds_before_the_order': [
    'The network refunds a sale that nobody knows yet; then come its order and its alert.',
    async (scene) => {
      const { sandbox } = scene.world;
      const sale = scene.sellWithoutOrder();
      scene.alert(sale, { enrolment_id: sandbox.accounts.rdrEnrolmentId });
      sandbox.state.charges.delete(sale.charge.reference);
      await scene.work();
      await scene.world.live(2 * HOUR_MS, HOUR_MS);
      sandbox.createCharge(sale.charge);
      await scene.world.recordOrder(sale.order);
      scene.alert(sale);
    },
  ],
  'charge.captured_in_part': [
    'Less was captured than was authorised, and the alert is about all of it.',
    async (scene) => {
      const sale = await scene.sell();
      const charge = chargeOf(scene, sale);
      const wholeMinor = charge.amount_in_cents;
      charge.status = 'authorised';
      scene.world.sandbox.captureCharge(charge.reference, { amountMinor: 900 });
      scene.alert(sale, { amount_in_cents: wholeMinor });
    },
  ],
  'match.search_unanswered': [
    'The processor’s search does not answer when an alert comes about a sale without an order.',
    async (scene) => {
      const sale = scene.sellWithoutOrder();
      const on = 'GET /processor/charges';
      scene.world.sandbox.addFault({ on, kind: 'status', status: 503, for_ms: 6_000 });
      scene.alert(sale);
      await scene.work();
      await scene.world.live(60_000, 10_000);
    },
  ],
});
