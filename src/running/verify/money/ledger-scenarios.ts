/**
 * Situations beyond "one alert, one charge, one refund": parts of a charge, refusals by their class,
 * money of the network that comes and goes, amounts that do not fit.
 */
import type { FaultRule } from '../../../sandbox/index.ts';
import type { MoneyScenario, Scene } from './money-scenario.ts';
import { chargeOf } from './money-scenario.ts';

const HOUR_MS = 3_600_000;

/** An alert whose refund is refused so often. */
async function refused(
  scene: Scene,
  refusal: Pick<FaultRule, 'status' | 'code' | 'failure_class' | 'times'>,
): Promise<void> {
  const { sale } = await scene.dispute();
  const contains = sale.charge.reference;
  scene.world.sandbox.addFault({
    on: 'POST /processor/refunds',
    kind: 'status',
    contains,
    ...refusal,
  });
  await scene.work();
  await scene.world.live(HOUR_MS);
  await scene.work();
}

const REFUSALS: readonly MoneyScenario[] = [
  {
    name: 'refusal.for_now',
    story: 'The processor refuses three times for want of balance.',
    run: (scene) =>
      refused(scene, {
        status: 402,
        code: 'insufficient_balance',
        failure_class: 'retry',
        times: 3,
      }),
  },
  {
    name: 'refusal.because_of_us',
    story: 'The processor refuses a request that it cannot read.',
    run: (scene) =>
      refused(scene, { status: 400, code: 'bad_request', failure_class: 'ours', times: 1 }),
  },
  {
    name: 'refusal.for_good',
    story: 'The processor refuses for good: the charge is too old.',
    run: (scene) =>
      refused(scene, { status: 422, code: 'too_old', failure_class: 'final', times: 100 }),
  },
  {
    name: 'refusal.done',
    story: 'The processor says "already refunded", and nothing was.',
    run: (scene) =>
      refused(scene, { status: 422, code: 'already_refunded', failure_class: 'done', times: 2 }),
  },
];

const PARTS: readonly MoneyScenario[] = [
  {
    name: 'part.side_by_side',
    story: 'Two alerts about two parts of one charge, a day apart.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { amount_in_cents: 900 });
      await scene.work();
      await scene.world.live(24 * HOUR_MS, 6 * HOUR_MS);
      scene.alert(sale, { amount_in_cents: 700 });
      await scene.work();
    },
  },
  {
    name: 'part.reported_again',
    story: 'One network reports the same part of a charge twice.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { amount_in_cents: 900 });
      await scene.work();
      scene.alert(sale, { amount_in_cents: 900 });
      await scene.work();
    },
  },
  {
    name: 'part.then_the_whole',
    story: 'An alert about a part, then one about the whole charge.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { amount_in_cents: 900 });
      await scene.work();
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'amount.a_cent_above',
    story: 'An alert about one cent more than the charge.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { amount_in_cents: sale.charge.amount_in_cents + 1 });
      await scene.work();
    },
  },
  {
    name: 'amount.other_currency',
    story: 'An alert in another currency than the charge, of the same number.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { currency_code: 'GBP' });
      await scene.work();
    },
  },
];

const OTHERS_MONEY: readonly MoneyScenario[] = [
  {
    name: 'charge.support_pending',
    story: 'A refund by support is pending when the alert comes, and fails.',
    async run(scene): Promise<void> {
      const { sandbox } = scene.world;
      const sale = await scene.sell();
      const refund = sandbox.refundInDashboard(sale.charge.reference, undefined, 'pending');
      scene.alert(sale);
      await scene.work();
      sandbox.settleRefund(refund.reference, 'failed', 'account_closed');
      await scene.world.live(HOUR_MS);
      await scene.work();
    },
  },
  {
    name: 'network.refunds_before_us',
    story: 'The network refunds a charge by itself, then its alert comes.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { enrolment_id: scene.world.sandbox.accounts.rdrEnrolmentId });
      await scene.work();
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'network.takes_its_money_back',
    story: 'The network refunds by itself and withdraws that; then its alert comes.',
    async run(scene): Promise<void> {
      const { sandbox } = scene.world;
      const sale = await scene.sell();
      const rdr = scene.alert(sale, { enrolment_id: sandbox.accounts.rdrEnrolmentId });
      await scene.work();
      sandbox.invalidateAlert(rdr, 'Raised by mistake');
      await scene.work();
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'network.lets_through',
    story: 'A ruleset lets the network’s own refund through, beside an open alert of the charge.',
    async run(scene): Promise<void> {
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
      await scene.work();
    },
  },
  {
    name: 'network.refunds_before_the_order',
    story: 'The network refunds a sale that nobody knows yet; then come its order and its alert.',
    async run(scene): Promise<void> {
      const { sandbox } = scene.world;
      const sale = scene.sellWithoutOrder();
      scene.alert(sale, { enrolment_id: sandbox.accounts.rdrEnrolmentId });
      sandbox.state.charges.delete(sale.charge.reference);
      await scene.work();
      await scene.world.live(2 * HOUR_MS, HOUR_MS);
      sandbox.createCharge(sale.charge);
      await scene.world.recordOrder(sale.order);
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.captured_in_part',
    story: 'Less was captured than was authorised, and the alert is about all of it.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      const charge = chargeOf(scene, sale.charge.reference);
      const wholeMinor = charge.amount_in_cents;
      charge.status = 'authorised';
      scene.world.sandbox.captureCharge(charge.reference, { amountMinor: 900 });
      scene.alert(sale, { amount_in_cents: wholeMinor });
      await scene.work();
    },
  },
  {
    name: 'match.search_unanswered',
    story:
      'The processor’s search does not answer when an alert comes about a sale without an order.',
    async run(scene): Promise<void> {
      const { sandbox } = scene.world;
      const sale = scene.sellWithoutOrder();
      sandbox.addFault({
        on: 'GET /processor/charges',
        kind: 'status',
        status: 503,
        for_ms: 6_000,
      });
      scene.alert(sale);
      await scene.work();
      await scene.world.live(60_000, 10_000);
      await scene.work();
    },
  },
];

/** Everything that needs more than one refund of a charge to be understood. */
export const LEDGER_SCENARIOS: readonly MoneyScenario[] = [...REFUSALS, ...PARTS, ...OTHERS_MONEY];
