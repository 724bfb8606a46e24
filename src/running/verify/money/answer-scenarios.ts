/**
 * Situations on the way out and inside: the answer to the service, other people, and processes that
 * die in the middle.
 */

import type { CrashPoint } from '../../../base/kernel/crash-point.ts';
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { Play } from './money-scenario.ts';
import { scenarios } from './money-scenario.ts';

/** An alert whose answer meets the fault. */
function answerUnder(fault: Omit<FaultRule, 'on' | 'contains'>): Play {
  return async (scene) => {
    const { alertId } = await scene.dispute();
    const on = 'PATCH /v1/alerts/{alert_id}';
    scene.world.sandbox.addFault({ on, contains: alertId, ...fault });
  };
}

function crashAt(point: CrashPoint): Play {
  return async (scene) => {
    await scene.dispute({}, PRODUCTS.course);
    await scene.dispute();
    await scene.crashAt(point);
  };
}

/** Answers, people, networks and crashes. */
export const ANSWER_SCENARIOS = scenarios({
  'answer.reply_lost': [
    'The service takes the answer, and its reply is lost.',
    answerUnder({ kind: 'drop_after' }),
  ],
  'answer.request_lost': [
    'The answer never reaches the service.',
    answerUnder({ kind: 'drop_before' }),
  ],
  'answer.service_failing': [
    'The service answers 500, three times.',
    answerUnder({ kind: 'status', status: 500, times: 3 }),
  ],
  'answer.rate_limited': [
    'The service answers 429.',
    answerUnder({ kind: 'status', status: 429, code: 'RATE_LIMITED' }),
  ],
  'people.dashboard_race': [
    'Somebody accepts the dispute in the service’s dashboard before we act.',
    async (scene) => {
      const { alertId } = await scene.dispute();
      scene.world.sandbox.resolveInDashboard(alertId, 'ACCEPT_DISPUTE', 'Decided by hand');
    },
  ],
  'people.withdrawn': [
    'The network withdraws the alert before we act.',
    async (scene) => {
      const { alertId } = await scene.dispute();
      scene.world.sandbox.invalidateAlert(alertId, 'Raised by mistake');
    },
  ],
  'people.decide_twice': [
    'Two people press the button at the same moment.',
    async ({ world, dispute }) => {
      const { alertId } = await dispute();
      await world.drain();
      const decision = { alertId, action: 'REFUND', note: 'Both at once' } as const;
      await Promise.all([
        world.alerts.decide({ ...decision, operator: 'first' }),
        world.alerts.decide({ ...decision, operator: 'second' }),
      ]);
    },
  ],
  'network.refunds_itself': [
    'An alert of the network that refunds by itself.',
    async (scene) => {
      await scene.dispute({ enrolment_id: scene.world.sandbox.accounts.rdrEnrolmentId });
    },
  ],
  'network.refunds_after_us': [
    'The network refunds a charge by itself that we have refunded.',
    async (scene) => {
      const { sale } = await scene.dispute();
      await scene.work();
      scene.alert(sale, { enrolment_id: scene.world.sandbox.accounts.rdrEnrolmentId });
    },
  ],
  'alert.unknown_sale': [
    'An alert about a sale that nobody knows.',
    async (scene) => {
      const { id } = scene.world.sandbox.createAlert({
        amount_in_cents: 4_321,
        card_last4: '0000',
        acquirer_reference_number: '74000000000000000000001',
      });
      scene.alerts.add(id);
    },
  ],
  'alert.almost_over': [
    'The alert arrives twenty minutes before its deadline.',
    async (scene) => {
      await scene.dispute({ deadline_hours: 1 / 3 });
    },
  ],
  'crash.before_the_refund': [
    'The process dies between the decision and the refund.',
    crashAt('refund.marked_sent'),
  ],
  'crash.refund_under_way': [
    'The process dies with the refund request about to leave.',
    crashAt('refund.cleared'),
  ],
  'crash.refund_unrecorded': [
    'The process dies after the refund, before it is recorded.',
    crashAt('refund.answered'),
  ],
  'crash.before_the_answer': [
    'The process dies between the refund and its declaration.',
    crashAt('declaration.marked_sent'),
  ],
  'crash.answer_unrecorded': [
    'The process dies after the declaration, before recording it.',
    crashAt('declaration.answered'),
  ],
});
