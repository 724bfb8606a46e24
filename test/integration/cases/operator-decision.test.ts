/** Guarantee: of two people one wins, and no decision of a person moves money that the rules hold back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveCase } from '../../../src/alerts/cases/case.store.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type {
  OperatorDecision,
  OperatorResult,
} from '../../../src/alerts/review/operator-decision.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { forOrganisation } from '../../../src/base/db/for-organisation.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { openAsConsole } from '../../support/console-role.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let shared: OpenDatabase;
let people: OpenDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  shared = openAsConsole(database.name, 'org_nobody');
});
afterAll(async () => {
  await shared.close();
  await database.drop();
});

let world: SagaWorld;
let worker: Worker;
beforeEach(() => {
  world = createSagaWorld(database.db);
  people = forOrganisation(shared, world.organisationId);
  worker = world.worker('w1');
});

const A = 'netalrt_a';

async function decide(options: Partial<OperatorDecision> = {}): Promise<OperatorResult> {
  return await applyOperatorDecision(people.db, {
    organisationId: world.organisationId,
    alertId: A,
    action: 'REFUND',
    note: 'asked the customer',
    operator: 'ada',
    now: nowDate(world.clock),
    ...options,
  });
}

/** A case held because its amount differs from the charge's. */
async function heldCase(): Promise<void> {
  await world.open({ alertId: A, amountMinor: 3000 });
  await world.settle([worker]);
  expect(await world.state(A)).toBe('HUMAN');
}

async function moveTo(state: 'UNMATCHED' | 'AMBIGUOUS'): Promise<void> {
  await world.open({ alertId: A });
  await world.db
    .deleteFrom('alert_case')
    .where('organisation_id', '=', world.organisationId)
    .execute();
  const alert = world.service.alerts.get(A)!;
  await world.db.transaction().execute(async (trx) => {
    await trx
      .insertInto('alert_case')
      .values({
        organisation_id: world.organisationId,
        alert_id: A,
        state: 'RECEIVED',
        opened_at: nowDate(world.clock),
        deadline_at: new Date(alert.action_required_deadline!),
        next_action_at: nowDate(world.clock),
        changed_at: nowDate(world.clock),
      })
      .execute();
    const claim = await trx
      .selectFrom('alert_case')
      .selectAll()
      .where('organisation_id', '=', world.organisationId)
      .executeTakeFirstOrThrow();
    await moveCase(trx, claim, {
      to: state,
      now: nowDate(world.clock),
      nextActionAt: new Date(world.clock.nowMs() + HOUR_MS),
      what: 'by the test',
    });
  });
}

describe('REFUND', () => {
  it('of a held case is carried out, and remembered with the person', async () => {
    await heldCase();
    expect(await decide()).toEqual({ ok: true, state: 'DECIDED_REFUND' });
    await world.settle([worker]);
    expect(world.processor.ours('ch_1')).toBe(3000);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    const row = await world.db
      .selectFrom('decision')
      .select(['decided_by', 'action'])
      .where('organisation_id', '=', world.organisationId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ decided_by: 'operator:ada', action: 'REFUND' });
  });

  it.each(['UNMATCHED', 'AMBIGUOUS'] as const)(
    'of a case that is %s needs a charge, and takes the one that is named',
    async (state) => {
      await moveTo(state);
      expect(await decide()).toEqual({ ok: false, reason: 'charge_needed' });
      expect(await decide({ chargeReference: 'ch_1' })).toEqual({
        ok: true,
        state: 'DECIDED_REFUND',
      });
      await world.settle([worker]);
      expect(world.processor.count('ch_1')).toBe(1);
      const match = await world.db
        .selectFrom('match')
        .select(['charge_reference', 'matched_by'])
        .where('organisation_id', '=', world.organisationId)
        .executeTakeFirstOrThrow();
      expect(match).toEqual({ charge_reference: 'ch_1', matched_by: 'operator:ada' });
    },
  );

  it('cannot pay a disputed charge twice', async () => {
    world.processor.charge('ch_1').disputed = true;
    await world.open({ alertId: A });
    await world.settle([worker]);
    await decide();
    await world.settle([worker]);
    expect(world.processor.calls).toEqual([]);
    expect((await world.caseOf(A)).hold_reason).toBe('disputed');
  });

  it('is refused after the deadline', async () => {
    await heldCase();
    world.clock.advanceMs(48 * HOUR_MS);
    expect(await decide()).toEqual({ ok: false, reason: 'too_late' });
  });
});

describe('of two people', () => {
  it('one wins, the other is refused, and the log has both (F90)', async () => {
    await heldCase();
    const results = await Promise.all([
      decide({ operator: 'ada' }),
      decide({ operator: 'bob', action: 'ACCEPT_DISPUTE' }),
    ]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.filter((result) => !result.ok)).toEqual([
      { ok: false, reason: 'already_decided' },
    ]);
    const log = await world.db
      .selectFrom('audit')
      .select('actor')
      .where('organisation_id', '=', world.organisationId)
      .where('subject', '=', 'operator')
      .execute();
    expect(log.map(({ actor }) => actor).sort()).toEqual(['operator:ada', 'operator:bob']);
    await world.settle([worker]);
    expect(world.service.patches.filter(({ effective }) => effective)).toHaveLength(1);
  });

  it('the same click twice refunds once', async () => {
    await heldCase();
    const results = await Promise.all([decide(), decide(), decide()]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    await world.settle([worker]);
    expect(world.processor.calls).toHaveLength(1);
  });
});

describe('refusals', () => {
  it('unknown, closed and network-refunded alerts', async () => {
    expect(await decide({ alertId: 'netalrt_none' })).toEqual({ ok: false, reason: 'not_found' });
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await decide()).toEqual({ ok: false, reason: 'closed' });
    await world.open({ alertId: 'netalrt_rdr', enrolmentType: 'NETB_RDR' });
    expect(await decide({ alertId: 'netalrt_rdr' })).toEqual({ ok: false, reason: 'rdr' });
  });

  it('ACCEPT_DISPUTE while money is in doubt (I3)', async () => {
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      canLookupByReference: false,
      idempotencyTtlHours: 0,
    };
    world.processor.faults.push('lost_before');
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await decide({ action: 'ACCEPT_DISPUTE' })).toEqual({
      ok: false,
      reason: 'refund_under_way',
    });
    expect(await decide()).toEqual({ ok: false, reason: 'refund_under_way' });
  });

  it('a case that is being worked on', async () => {
    await world.open({ alertId: A });
    expect(await decide()).toEqual({ ok: false, reason: 'already_decided' });
  });
});

describe('RETRY', () => {
  it('asks at once about a refund in doubt', async () => {
    world.processor.faults.push('lost_after');
    world.processor.caps = {
      ...FULL_CAPABILITIES,
      idempotencyTtlHours: 1,
      lookupLagSeconds: 3_700,
    };
    await world.open({ alertId: A });
    await world.pass([worker], 1.01);
    expect(await world.refundState('ch_1')).toBe('HUMAN');
    // From now on it is shown, and nobody has looked since.
    world.clock.advanceMs(2 * MINUTE_MS);
    expect(await decide({ action: 'RETRY' })).toEqual({ ok: true, state: 'HUMAN' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('declares again what the service refused', async () => {
    world.service.actFaults.push('refused');
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('HUMAN');
    expect(await decide({ action: 'RETRY' })).toEqual({ ok: true, state: 'DECLARE_REFUND' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.processor.calls).toHaveLength(1);
  });

  it('has a case without money in it decided again', async () => {
    await heldCase();
    expect(await decide({ action: 'RETRY' })).toEqual({ ok: true, state: 'MATCHED' });
  });
});
