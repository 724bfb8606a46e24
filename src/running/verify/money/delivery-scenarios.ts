/**
 * Situations on the way in: what happens to webhooks between the service and the inbox.
 */
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { MoneyScenario, Scene } from './money-scenario.ts';

const MINUTE_MS = 60_000;

/** The poll reads what webhooks missed within this time, in milliseconds. */
const POLL_MS = 5 * MINUTE_MS;

/** An alert whose first webhook meets the fault. */
async function disputeUnder(scene: Scene, fault: Omit<FaultRule, 'on'>): Promise<void> {
  const sale = await scene.sell();
  scene.world.sandbox.addFault({ on: 'webhook', event_type: 'alert.created', ...fault });
  scene.alert(sale);
  await scene.work();
  await scene.world.advance(POLL_MS);
  await scene.work();
}

export const DELIVERY_SCENARIOS: readonly MoneyScenario[] = [
  {
    name: 'delivery.plain',
    story: 'An alert about a known sale arrives once and in order.',
    async run(scene): Promise<void> {
      await scene.dispute();
      await scene.work();
    },
  },
  {
    name: 'delivery.twice',
    story: 'The webhook arrives twice.',
    run: (scene) => disputeUnder(scene, { kind: 'duplicate' }),
  },
  {
    name: 'delivery.lost',
    story: 'The webhook never arrives, and the service believes it did.',
    run: (scene) => disputeUnder(scene, { kind: 'lose' }),
  },
  {
    name: 'delivery.late',
    story: 'The webhook arrives an hour late.',
    run: (scene) => disputeUnder(scene, { kind: 'delay', late_ms: 60 * MINUTE_MS }),
  },
  {
    name: 'delivery.answer_lost',
    story: 'The webhook is stored, and our answer does not reach the service, which repeats it.',
    run: (scene) => disputeUnder(scene, { kind: 'drop_after' }),
  },
  {
    name: 'delivery.update_before_create',
    story: 'The alert’s update overtakes its creation.',
    async run(scene): Promise<void> {
      const sale = await scene.sell();
      const { sandbox } = scene.world;
      sandbox.addFault({ on: 'webhook', kind: 'reorder', event_type: 'alert.created' });
      const alertId = scene.alert(sale);
      sandbox.invalidateAlert(alertId, 'Raised by mistake');
      await scene.work();
    },
  },
  {
    name: 'delivery.forged',
    story: 'A webhook is signed with somebody else’s secret.',
    run: (scene) => disputeUnder(scene, { kind: 'wrong_secret' }),
  },
  {
    name: 'delivery.changed_on_the_way',
    story: 'A proxy changes the body after it was signed.',
    run: (scene) => disputeUnder(scene, { kind: 'tampered' }),
  },
  {
    name: 'delivery.clock_skew',
    story: 'The signature is ten minutes old when it arrives.',
    run: (scene) => disputeUnder(scene, { kind: 'stale_timestamp', age_seconds: 600 }),
  },
  {
    name: 'delivery.no_event',
    story: 'Signed bytes arrive that are no event.',
    run: (scene) => disputeUnder(scene, { kind: 'malformed' }),
  },
  {
    name: 'delivery.secret_rotated',
    story: 'The signing secret is replaced while alerts come in; both are known for a while.',
    async run(scene): Promise<void> {
      const { sandbox } = scene.world;
      const subscription = sandbox.state.subscriptions.get(sandbox.accounts.subscriptionId);
      if (subscription === undefined) return;
      await scene.dispute();
      subscription.secret = ROTATED_SECRET;
      await scene.dispute(PRODUCTS.course);
      await scene.work();
      subscription.secret = sandbox.accounts.webhookSecret;
    },
  },
  {
    name: 'delivery.none_for_hours',
    story: 'No webhook arrives for six hours; the poll alone must find the alert.',
    async run(scene): Promise<void> {
      const { sandbox, webhookUrl } = scene.world;
      sandbox.pointWebhooksAt(null);
      await scene.dispute();
      await scene.world.live(6 * 60 * MINUTE_MS, 60 * MINUTE_MS);
      sandbox.pointWebhooksAt(webhookUrl);
      await scene.work();
    },
  },
];

/** The secret that the rotation moves to; the world knows it beside its own. */
export const ROTATED_SECRET = 'whsec_the_next_one_during_rotation_0001';
