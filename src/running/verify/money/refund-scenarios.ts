/** Situations at the processor: refunds that are lost, late, refused, repeated, or made by somebody else. */
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { Play } from './money-scenario.ts';
import { chargeOf, scenarios } from './money-scenario.ts';

const HOUR_MS = 60 * 60_000;

/** An alert whose refund request meets the fault. */
function refundUnder(fault: Omit<FaultRule, 'on' | 'contains'>): Play {
  return async (scene) => {
    const { sale } = await scene.dispute();
    const contains = sale.charge.reference;
    scene.world.sandbox.addFault({ on: 'POST /processor/refunds', contains, ...fault });
  };
}

export const REFUND_SCENARIOS = scenarios({
  'refund.answer_lost': [
    'The refund executes, and its answer is lost.',
    refundUnder({ kind: 'drop_after' }),
  ],
  'refund.request_lost': [
    'The request is lost before the processor sees it.',
    refundUnder({ kind: 'drop_before' }),
  ],
  'refund.executes_late': [
    'The connection is lost, and the refund executes half a minute later.',
    refundUnder({ kind: 'late', late_ms: 30_000 }),
  ],
  'refund.answer_unreadable': [
    'The refund executes, and a page comes back instead of an answer.',
    refundUnder({ kind: 'malformed' }),
  ],
  'refund.error_after_execution': [
    'The refund executes, and the processor answers 500.',
    refundUnder({ kind: 'status_after', status: 500 }),
  ],
  'refund.processor_overloaded': [
    'The processor answers 429, twice.',
    refundUnder({ kind: 'status', status: 429, times: 2 }),
  ],
  'refund.declined': [
    'The processor refuses the refund for good.',
    refundUnder({ kind: 'status', status: 422, code: 'declined' }),
  ],
  'charge.twin_alerts': [
    'Two alerts about one charge arrive together.',
    async (scene) => {
      const { sale } = await scene.dispute();
      scene.alert(sale);
    },
  ],
  'charge.second_alert_later': [
    'A second alert about a charge that was refunded hours ago.',
    async (scene) => {
      const { sale } = await scene.dispute();
      await scene.work();
      await scene.world.advance(3 * HOUR_MS);
      scene.alert(sale);
    },
  ],
  'charge.look_alikes': [
    'Two sales of the same price on the same card; the alert names neither.',
    async (scene) => {
      const sale = await scene.sell();
      await scene.sell(PRODUCTS.font, sale);
      scene.alert(sale, { acquirer_reference_number: null, authorisation_code: null });
    },
  ],
  'charge.refunded_by_support': [
    'Support refunded the customer before the alert came.',
    async (scene) => {
      const sale = await scene.sell();
      scene.world.sandbox.refundInDashboard(sale.charge.reference);
      scene.alert(sale);
    },
  ],
  'charge.partly_refunded_by_support': [
    'Support returned a part before the alert came.',
    async (scene) => {
      const sale = await scene.sell();
      scene.world.sandbox.refundInDashboard(sale.charge.reference, 1_000);
      scene.alert(sale);
    },
  ],
  'charge.disputed_already': [
    'The bank has opened a dispute about the charge already.',
    async (scene) => {
      const sale = await scene.sell();
      chargeOf(scene, sale).disputed = true;
      scene.alert(sale);
    },
  ],
  'charge.not_captured': [
    'The charge was voided before the alert came.',
    async (scene) => {
      const sale = await scene.sell();
      chargeOf(scene, sale).status = 'voided';
      scene.alert(sale);
    },
  ],
  'refund.fails_afterwards': [
    'A confirmed refund fails hours later.',
    async (scene) => {
      const { sale } = await scene.dispute();
      await scene.work();
      await scene.world.advance(HOUR_MS);
      const [refund] = chargeOf(scene, sale).refunds;
      if (refund === undefined) return;
      scene.world.sandbox.settleRefund(refund.reference, 'failed', 'account_closed');
    },
  ],
});
