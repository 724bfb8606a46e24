/** F19: clocks that disagree or jump. Leases and timers are the database's; what is signed too early waits for the poll. */
import { equal } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';

const MINUTE_MS = 60_000;

/** The service's clock is ahead: its webhooks are refused, somebody is told, the poll answers. */
async function disagrees(scene: Scene, minutes: number): Promise<void> {
  const { rig } = scene;
  // People are notified once a day, and the cases about stale signatures may have had it said already.
  await rig.sql(`delete from notification where kind = 'clock_skew'`);
  const dispute = await scene.dispute();
  await scene.refundedOnce(dispute, 120_000);
  const [row] = await rig.sql(
    'select count(*)::int as count from inbox_event where position($1::bytea in body) > 0',
    [Buffer.from(dispute.alertId)],
  );
  equal(row?.['count'], 0, 'no webhook about it was taken in');
  await until(`somebody is told that the clocks are ${minutes} minutes apart`, async () => {
    const rows = await rig.sql(
      `select 1 from finding where kind = 'clock_skew' and closed_at is null
       union all select 1 from notification where kind = 'clock_skew'`,
    );
    return rows.length > 0;
  });
}

/** The poll has just been told to wait a little: an hour later by a clock that goes back. */
async function throttled({ rig }: Scene): Promise<void> {
  await rig.sandbox.fault({ on: 'GET /v1/alerts', kind: 'status', status: 429 });
  await until('the poll is told to wait', async () => {
    const seen = await rig.sandbox.requests('/v1/alerts/');
    return seen.some(({ status }) => status === 429);
  });
}

async function clocks(scene: Scene): Promise<string> {
  const { rig } = scene;
  await rig.sandbox.advance(10 * MINUTE_MS);
  try {
    await disagrees(scene, 10);
  } finally {
    // Ours follows: both agree again.
    await rig.moveTime(10 * MINUTE_MS, { service: false });
  }
  await scene.refundedOnce(await scene.dispute());
  const under = await scene.dispute({}, { faults: ['hang_after'] });
  await until(
    'a refund is under way',
    async () => (await rig.processor.callsFor(under.charge.reference)) === 1,
  );
  await throttled(scene);
  await rig.moveTime(-60 * MINUTE_MS, { service: false });
  try {
    await disagrees(scene, 60);
  } finally {
    await rig.moveTime(60 * MINUTE_MS, { service: false });
  }
  await scene.refundedOnce(under, 120_000);
  equal(await rig.processor.callsFor(under.charge.reference), 1, 'nothing was sent twice');
  return 'the service 10 minutes ahead, ours an hour back in the middle of a refund and of a pause after a 429, and forth again';
}

export const CLOCK_CASES: readonly FaultCase[] = [{ id: 'F19', place: 'workers', run: clocks }];
