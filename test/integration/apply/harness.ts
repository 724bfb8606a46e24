/** Stored events and an applier over a real database. */
import type { Applier } from '../../../src/alerts/apply/apply.job.ts';
import { createApplier } from '../../../src/alerts/apply/apply.job.ts';
import type { Inbox } from '../../../src/alerts/receive/inbox.ts';
import { createInbox } from '../../../src/alerts/receive/inbox.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

export const ORGANISATION = 'org_test';
export const NOW = '2026-11-20T12:00:00.000Z';

export interface Bench {
  readonly database: TestDatabase;
  readonly clock: FixedClock;
  readonly inbox: Inbox;
  readonly applier: Applier;
  /** Stores event bodies as the receiver would. */
  store(...events: readonly unknown[]): Promise<void>;
  /** Drains until nothing is left; returns how many events were taken. */
  drain(): Promise<number>;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const database = await createTestDatabase();
  const clock = createFixedClock(NOW);
  const log = createLog({ level: 'silent' });
  const inbox = createInbox({ database, clock, log, organisationId: ORGANISATION });
  const applier = createApplier({
    db: database.db,
    clock,
    log,
    organisationId: ORGANISATION,
    brandTokens: { fromWire: (json) => json },
  });
  return {
    database,
    clock,
    inbox,
    applier,
    async store(...bodies): Promise<void> {
      await Promise.all(
        bodies.map((body) =>
          inbox.store({
            subscription: '',
            deliveryId: null,
            secretId: '0b4791ca',
            signedAtSeconds: 1_795_132_800,
            body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
          }),
        ),
      );
    },
    async drain(): Promise<number> {
      let total = 0;
      for (;;) {
        const taken = await applier.drainOnce();
        if (taken === 0) return total;
        total += taken;
      }
    },
    async close(): Promise<void> {
      await inbox.close();
      await database.drop();
    },
  };
}

let events = 0;

/** An event about an object. */
export function event(
  type: string,
  object: unknown,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  events += 1;
  return {
    id: `evt_${events}`,
    type,
    created_at: '2026-11-20T11:00:00Z',
    data: { object },
    api_version: 'v1',
    ...more,
  };
}

/** An alert as the service shows it. */
export function alertObject(
  id: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    organisation_id: ORGANISATION,
    merchant_id: 'mrch_1',
    enrolment_id: 'enrl_1',
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: '2026-11-22T12:00:00Z',
    transaction_amount_in_cents: 12_990,
    transaction_currency_code: 'USD',
    transaction_refund_outcome: null,
    integration_transaction_id: null,
    created_at: '2026-11-20T11:00:00Z',
    updated_at: '2026-11-20T11:00:00Z',
    ...more,
  };
}
