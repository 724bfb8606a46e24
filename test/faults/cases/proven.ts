/** What a kill may leave behind: a refund that was about to be sent, and never arrived. */
import type { Dispute, Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';

/** After this much time an absent refund is proven absent: lease, life of the request, lag. */
export const PROVEN_MS = 12 * 60_000;

/**
 * Waits until nothing of these alerts is in the hands of a killed worker. Where a refund was marked as
 * sent and the processor never got it, time is moved until that is proven.
 */
export async function takenOver({ rig }: Scene, disputes: readonly Dispute[]): Promise<void> {
  const ids = disputes.map(({ alertId }) => alertId);
  await until(
    'what was under way has been taken over',
    async () => {
      const [row] = await rig.sql(
        `select (select count(*) from alert_case where alert_id = any($1)) as known,
                (select count(*) from movement where alert_id = any($1)
                  and state = 'SENT')::int as open`,
        [ids],
      );
      return Number(row?.['known']) === ids.length && Number(row?.['open']) === 0;
    },
    180_000,
  );
  const rows = await rig.sql(
    `select charge_reference from movement where alert_id = any($1) and state = 'UNKNOWN'`,
    [ids],
  );
  const { ledger } = await rig.processor.books();
  const arrived = new Set(ledger.map(({ charge }) => charge));
  if (rows.every(({ charge_reference: charge }) => arrived.has(String(charge)))) return;
  await rig.moveTime(PROVEN_MS);
}
