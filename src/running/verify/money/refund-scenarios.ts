/**
 * Situations at the processor: refunds that are lost, late, refused, repeated, or made by somebody else.
 */
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { MoneyScenario, Scene } from './money-scenario.ts';
import { chargeOf } from './money-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An alert whose refund request meets the fault. */
async function refundUnder(scene: Scene, fault: Omit<FaultRule, 'on' | 'contains'>): Promise<void> {
  const { sale } = await scene.dispute();
  const contains = sale.charge.reference;
  scene.world.sandbox.addFault({ on: 'POST /processor/refunds', contains, ...fault });
  await scene.work();
}

const LOST_REFUNDS: readonly MoneyScenario[] = [
  {
    name: 'refund.answer_lost',
    story: 'The refund executes, and its answer is lost.',
    run: (scene) => refundUnder(scene, { kind: 'drop_after' }),
  },
  {
    name: 'refund.request_lost',
    story: 'The request is lost before the processor sees it.',
    run: (scene) => refundUnder(scene, { kind: 'drop_before' }),
  },
  {
    name: 'refund.executes_late',
    story: 'The connection is lost, and the refund executes half a minute later.',
    run: (scene) => refundUnder(scene, { kind: 'late', late_ms: 30_000 }),
  },
  {
    name: 'refund.answer_unreadable',
    story: 'The refund executes, and a page comes back instead of an answer.',
    run: (scene) => refundUnder(scene, { kind: 'malformed' }),
  },
  {
    name: 'refund.error_after_execution',
    story: 'The refund executes, and the processor answers 500.',
    run: (scene) => refundUnder(scene, { kind: 'status_after', status: 500 }),
  },
  {
    name: 'refund.processor_overloaded',
    story: 'The processor answers 429, twice.',
    run: (scene) => refundUnder(scene, { kind: 'status', status: 429, times: 2 }),
  },
  {
    name: 'refund.declined',
    story: 'The processor refuses the refund for good.',
    run: (scene) => refundUnder(scene, { kind: 'status', status: 422, code: 'declined' }),
  },
];

const SHARED_CHARGES: readonly MoneyScenario[] = [
  {
    name: 'charge.twin_alerts',
    story: 'Two alerts about one charge arrive together.',
    async run(scene): Promise<void> {
      const { sale } = await scene.dispute();
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.second_alert_later',
    story: 'A second alert about a charge that was refunded hours ago.',
    async run(scene): Promise<void> {
      const { sale } = await scene.dispute();
      await scene.work();
      await scene.world.advance(3 * HOUR_MS);
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.look_alikes',
    story: 'Two sales of the same price on the same card; the alert names neither.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      await scene.sell(PRODUCTS.font, sale);
      scene.alert(sale, { acquirer_reference_number: null, authorisation_code: null });
      await scene.work();
    },
  },
  {
    name: 'charge.refunded_by_support',
    story: 'Support refunded the customer before the alert came.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.world.sandbox.refundInDashboard(sale.charge.reference);
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.partly_refunded_by_support',
    story: 'Support returned a part before the alert came.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.world.sandbox.refundInDashboard(sale.charge.reference, 1_000);
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.disputed_already',
    story: 'The bank has opened a dispute about the charge already.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      chargeOf(scene, sale.charge.reference).disputed = true;
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'charge.not_captured',
    story: 'The charge was voided before the alert came.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      chargeOf(scene, sale.charge.reference).status = 'voided';
      scene.alert(sale);
      await scene.work();
    },
  },
  {
    name: 'refund.fails_afterwards',
    story: 'A confirmed refund fails hours later.',
    async run(scene): Promise<void> {
      const { sale } = await scene.dispute();
      await scene.work();
      await scene.world.advance(HOUR_MS);
      const { sandbox } = scene.world;
      const [refund] = chargeOf(scene, sale.charge.reference).refunds;
      if (refund !== undefined) sandbox.settleRefund(refund.reference, 'failed', 'account_closed');
      await scene.work();
    },
  },
];

/** Everything about the processor. */
export const REFUND_SCENARIOS: readonly MoneyScenario[] = [...LOST_REFUNDS, ...SHARED_CHARGES];
