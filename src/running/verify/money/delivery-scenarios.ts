/** Situations on the way in: what happens to webhooks between the service and the inbox. */
import { PRODUCTS } from '../../../sandbox/demo-shop.ts';
import type { FaultRule } from '../../../sandbox/index.ts';
import type { Play } from './money-scenario.ts';
import { scenarios } from './money-scenario.ts';

const MINUTE_MS = 60_000;

/** The poll reads what webhooks missed within this time, in milliseconds. */
const POLL_MS = 5 * MINUTE_MS;

/** An alert whose first webhook meets the fault. */
function disputeUnder(fault: Omit<FaultRule, 'on'>): Play {
  return async (scene) => {
    const sale = await scene.sell();
    scene.world.sandbox.addFault({ on: 'webhook', event_type: 'alert.created', ...fault });
    scene.alert(sale);
    await scene.work();
    await scene.world.advance(POLL_MS);
  };
}

export const DELIVERY_SCENARIOS = scenarios({
  'delivery.plain': [
    'An alert about a known sale arrives once and in order.',
    async (scene) => {
      await scene.dispute();
    },
  ],
  'delivery.twice': ['The webhook arrives twice.', disputeUnder({ kind: 'duplicate' })],
  'delivery.lost': [
    'The webhook never arrives, and the service believes it did.',
    disputeUnder({ kind: 'lose' }),
  ],
  'delivery.late': [
    'The webhook arrives an hour late.',
    disputeUnder({ kind: 'delay', late_ms: 60 * MINUTE_MS }),
  ],
  'delivery.answer_lost': [
    'The webhook is stored, and our answer does not reach the service, which repeats it.',
    disputeUnder({ kind: 'drop_after' }),
  ],
  'delivery.update_before_create': [
    'The alert’s update overtakes its creation.',
    async (scene) => {
      const sale = await scene.sell();
      const { sandbox } = scene.world;
      sandbox.addFault({ on: 'webhook', kind: 'reorder', event_type: 'alert.created' });
      sandbox.invalidateAlert(scene.alert(sale), 'Raised by mistake');
    },
  ],
  'delivery.forged': [
    'A webhook is signed with somebody else’s secret.',
    disputeUnder({ kind: 'wrong_secret' }),
  ],
  'delivery.changed_on_the_way': [
    'A proxy changes the body after it was signed.',
    disputeUnder({ kind: 'tampered' }),
  ],
  'delivery.clock_skew': [
    'The signature is ten minutes old when it arrives.',
    disputeUnder({ kind: 'stale_timestamp', age_seconds: 600 }),
  ],
  'delivery.no_event': [
    'Signed bytes arrive that are no event.',
    disputeUnder({ kind: 'malformed' }),
  ],
  'delivery.secret_rotated': [
    'The signing secret is replaced while alerts come in; both are known for a while.',
    async (scene) => {
      const { sandbox } = scene.world;
      const subscription = sandbox.state.subscriptions.get(sandbox.accounts.subscriptionId);
      if (subscription === undefined) return;
      await scene.dispute();
      subscription.secret = ROTATED_SECRET;
      await scene.dispute({}, PRODUCTS.course);
      await scene.work();
      subscription.secret = sandbox.accounts.webhookSecret;
    },
  ],
  'delivery.none_for_hours': [
    'No webhook arrives for six hours; the poll alone must find the alert.',
    async (scene) => {
      const { sandbox, webhookUrl } = scene.world;
      sandbox.pointWebhooksAt(null);
      await scene.dispute();
      await scene.world.live(6 * 60 * MINUTE_MS, 60 * MINUTE_MS);
      sandbox.pointWebhooksAt(webhookUrl);
    },
  ],
});

/** The secret that the rotation moves to; the world knows it besides its own. */
export const ROTATED_SECRET = 'whsec_the_next_one_during_rotation_0001';
