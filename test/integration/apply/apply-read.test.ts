/** Guarantee: a read of an alert ends in the same row whether it is taken in one statement or folded. */
import { describe, expect, it } from 'vitest';
import { createApplyRead } from '../../../src/alerts/apply/apply-read.ts';
import { applySnapshots } from '../../../src/alerts/apply/apply-snapshots.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { useTestDatabase } from '../../support/database.ts';

const STARTS_AT = Date.parse('2026-03-02T08:00:00Z');

const database = useTestDatabase();

const ALERT = {
  id: 'netalrt_a',
  enrolment_type: 'NETA_ALERT',
  status: 'ACTION_REQUIRED',
  action_required_deadline: '2026-03-04T08:00:00Z',
  transaction_amount_in_cents: 5000,
  transaction_currency_code: 'EUR',
  created_at: '2026-03-02T07:59:00Z',
  updated_at: '2026-03-02T07:59:00Z',
};
type Alert = Record<keyof typeof ALERT, unknown>;

/** What the row says after an event and these reads, each with the seconds since the event. */
async function rowAfter(
  organisationId: string,
  reads: readonly { readonly at: number; readonly alert: Partial<Alert> }[],
  read: (clock: FixedClock, object: Alert) => Promise<void>,
) {
  const clock = createFixedClock(STARTS_AT);
  await inTransaction(database.db, (trx) =>
    applySnapshots(trx, {
      organisationId,
      source: 'webhook',
      snapshots: [
        {
          entity: 'alert',
          object: { ...ALERT, organisation_id: organisationId },
          eventId: 'evt_1',
          eventCreatedAt: '2026-03-02T07:59:30Z',
          isUpdate: true,
        },
      ],
      now: nowDate(clock),
    }),
  );
  await database.db
    .updateTable('alert')
    .set({ needs_read: true })
    .where('organisation_id', '=', organisationId)
    .execute();
  for (const { at, alert } of reads) {
    clock.setMs(STARTS_AT + at * 1_000);
    await read(clock, { ...ALERT, ...alert, organisation_id: organisationId } as Alert);
  }
  const {
    organisation_id: _,
    snapshot,
    snapshot_hash,
    ...row
  } = await database.db
    .selectFrom('alert')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  const changes = await database.db
    .selectFrom('entity_change')
    .select(['accepted', 'source'])
    .where('organisation_id', '=', organisationId)
    .execute();
  return { row, changes };
}

describe('an alert that was read', () => {
  it.each<[string, readonly { readonly at: number; readonly alert: Partial<Alert> }[]]>([
    ['as it is known', [{ at: 1, alert: {} }]],
    [
      'twice, the earlier read last',
      [
        { at: 5, alert: {} },
        { at: 2, alert: {} },
      ],
    ],
    [
      'twice at one moment',
      [
        { at: 5, alert: {} },
        { at: 5, alert: {} },
      ],
    ],
    [
      'with another amount at the same moment',
      [{ at: 1, alert: { transaction_amount_in_cents: 1 } }],
    ],
    ['resolved', [{ at: 1, alert: { status: 'RESOLVED', updated_at: '2026-03-02T08:00:01Z' } }]],
    [
      'as it was before it was resolved',
      [
        { at: 1, alert: { status: 'RESOLVED', updated_at: '2026-03-02T08:00:01Z' } },
        { at: 2, alert: {} },
      ],
    ],
  ])('%s', async (name, reads) => {
    const [slow, quick] = [`org_slow_${name}`, `org_quick_${name}`];
    const expected = await rowAfter(slow, reads, async (clock, object) => {
      await inTransaction(database.db, (trx) =>
        applySnapshots(trx, {
          organisationId: slow,
          source: 'poll',
          snapshots: [{ entity: 'alert', object, eventId: null }],
          now: nowDate(clock),
        }),
      );
    });
    const found = await rowAfter(quick, reads, (clock, object) =>
      createApplyRead({ db: database.db, organisationId: quick, clock })(object),
    );
    expect(found).toEqual(expected);
    expect(found.row.needs_read).toBe(false);
  });
});
