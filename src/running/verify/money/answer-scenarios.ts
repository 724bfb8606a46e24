/**
 * Situations on the way out and inside: the answer to the service, other people, and processes that
 * die in the middle.
 */

import type { CrashPoint } from '../../../base/kernel/crash-point.ts';
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { MoneyScenario, Scene } from './money-scenario.ts';

/** An alert whose answer meets the fault. */
async function answerUnder(scene: Scene, fault: Omit<FaultRule, 'on' | 'contains'>): Promise<void> {
  const { alertId } = await scene.dispute();
  const on = 'PATCH /v1/alerts/{alert_id}';
  scene.world.sandbox.addFault({ on, contains: alertId, ...fault });
  await scene.work();
}

const ANSWERS: readonly MoneyScenario[] = [
  {
    name: 'answer.reply_lost',
    story: 'The service takes the answer, and its reply is lost.',
    run: (scene) => answerUnder(scene, { kind: 'drop_after' }),
  },
  {
    name: 'answer.request_lost',
    story: 'The answer never reaches the service.',
    run: (scene) => answerUnder(scene, { kind: 'drop_before' }),
  },
  {
    name: 'answer.service_failing',
    story: 'The service answers 500, three times.',
    run: (scene) => answerUnder(scene, { kind: 'status', status: 500, times: 3 }),
  },
  {
    name: 'answer.rate_limited',
    story: 'The service answers 429.',
    run: (scene) => answerUnder(scene, { kind: 'status', status: 429, code: 'RATE_LIMITED' }),
  },
];

const OTHERS: readonly MoneyScenario[] = [
  {
    name: 'people.dashboard_race',
    story: 'Somebody accepts the dispute in the service’s dashboard before we act.',
    async run(scene): Promise<void> {
      const { alertId } = await scene.dispute();
      scene.world.sandbox.resolveInDashboard(alertId, 'ACCEPT_DISPUTE', 'Decided by hand');
      await scene.work();
    },
  },
  {
    name: 'people.withdrawn',
    story: 'The network withdraws the alert before we act.',
    async run(scene): Promise<void> {
      const { alertId } = await scene.dispute();
      scene.world.sandbox.invalidateAlert(alertId, 'Raised by mistake');
      await scene.work();
    },
  },
  {
    name: 'people.decide_twice',
    story: 'Two people press the button at the same moment.',
    async run(scene): Promise<void> {
      const { alertId } = await scene.dispute();
      await scene.world.drain();
      const decision = { alertId, action: 'REFUND', note: 'Both at once' } as const;
      await Promise.all([
        scene.world.alerts.decide({ ...decision, operator: 'first' }),
        scene.world.alerts.decide({ ...decision, operator: 'second' }),
      ]);
      await scene.work();
    },
  },
  {
    name: 'network.refunds_itself',
    story: 'An alert of the network that refunds by itself.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { enrolment_id: scene.world.sandbox.accounts.rdrEnrolmentId });
      await scene.work();
    },
  },
  {
    name: 'network.refunds_after_us',
    story: 'The network refunds a charge by itself that we have refunded.',
    async run(scene): Promise<void> {
      const { sale } = await scene.dispute();
      await scene.work();
      scene.alert(sale, { enrolment_id: scene.world.sandbox.accounts.rdrEnrolmentId });
      await scene.work();
    },
  },
  {
    name: 'alert.unknown_sale',
    story: 'An alert about a sale that nobody knows.',
    async run(scene): Promise<void> {
      const { id } = scene.world.sandbox.createAlert({
        amount_in_cents: 4_321,
        card_last4: '0000',
        acquirer_reference_number: '74000000000000000000001',
      });
      scene.alerts.add(id);
      await scene.work();
    },
  },
  {
    name: 'alert.almost_over',
    story: 'The alert arrives twenty minutes before its deadline.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      scene.alert(sale, { deadline_hours: 1 / 3 });
      await scene.work();
    },
  },
];

function crash(point: CrashPoint, name: string, story: string): MoneyScenario {
  return {
    name: `crash.${name}`,
    story,
    async run(scene): Promise<void> {
      await scene.dispute(PRODUCTS.course);
      await scene.dispute();
      await scene.crashAt(point);
      await scene.work();
    },
  };
}

const CRASHES: readonly MoneyScenario[] = [
  crash(
    'refund.marked_sent',
    'before_the_refund',
    'The process dies between the decision and the refund.',
  ),
  crash(
    'refund.cleared',
    'refund_under_way',
    'The process dies with the refund request about to leave.',
  ),
  crash(
    'refund.answered',
    'refund_unrecorded',
    'The process dies after the refund, before it is recorded.',
  ),
  crash(
    'declaration.marked_sent',
    'before_the_answer',
    'The process dies between the refund and its declaration.',
  ),
  crash(
    'declaration.answered',
    'answer_unrecorded',
    'The process dies after the declaration, before recording it.',
  ),
];

/** Everything about answers, people, networks and crashes. */
export const ANSWER_SCENARIOS: readonly MoneyScenario[] = [...ANSWERS, ...OTHERS, ...CRASHES];
