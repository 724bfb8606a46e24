/** Guarantee: an owed answer is sent until the alert shows an outcome, and nothing untrue is ever said. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { claimDueCases } from '../../../src/alerts/cases/case-claim.store.ts';
import {
  findDeclaration,
  markDeclarationSent,
} from '../../../src/alerts/declare/declaration.store.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { ActFault } from '../../crash/support/fake-alert-service.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';

async function declarationState(): Promise<string | undefined> {
  return (await findDeclaration(world.db, world.organisationId, A))?.state;
}

describe('a reply that is missing or unclear', () => {
  it.each<[ActFault, number, number]>([
    // fault, PATCHes sent in all, of them effective
    ['lost_before', 2, 1],
    ['server_error', 2, 1],
    ['still_open', 2, 1],
    ['lost_after', 1, 1],
    ['throws_after', 1, 1],
  ])('%s: read again, and sent again only while it is open', async (fault, sent, effective) => {
    world.service.actFaults.push(fault);
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARE_REFUND');
    await world.pass([worker], 0.1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.service.patches).toHaveLength(sent);
    expect(world.service.effective(A)).toHaveLength(effective);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(await declarationState()).toBe('DONE');
  });

  it('a 429 storm ends with one effective answer', async () => {
    world.service.actFaults.push(...Array.from({ length: 20 }, () => 'server_error' as const));
    await world.open({ alertId: A });
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.service.effective(A)).toHaveLength(1);
  });

  it('while the alert cannot be read nothing is sent', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    world.service.getFault = { kind: 'unavailable', reason: 'timeout' };
    await world.pass([worker], 1);
    expect(world.service.patches).toEqual([]);
    expect(await world.state(A)).toBe('DECLARE_ACCEPT');
    world.service.getFault = undefined;
    await world.pass([worker], 0.1);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
  });

  it('a refusal stops the sending, pages a person and keeps the case open', async () => {
    world.service.actFaults.push('refused');
    await world.open({ alertId: A });
    await world.pass([worker], 2);
    expect(await world.state(A)).toBe('HUMAN');
    expect((await world.caseOf(A)).next_action_at).not.toBeNull();
    expect(world.service.patches).toHaveLength(1);
    expect(await declarationState()).toBe('REFUSED');
    expect(await world.notifications('declaration_refused')).toBe(1);
  });
});

describe('resolved by somebody else before our answer', () => {
  /** The dashboard acts between our read and our PATCH. */
  async function resolveInBetween(end: 'REFUNDED' | 'NOT_REFUNDED' | 'INVALID'): Promise<void> {
    const act = world.service.act.bind(world.service);
    world.service.act = async (...args) => {
      world.service.dashboard(A, end, 'by hand');
      return await act(...args);
    };
    await world.settle([worker]);
  }

  it('as refunded, after our refund: declared, by the dashboard', async () => {
    await world.open({ alertId: A });
    await resolveInBetween('REFUNDED');
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(await declarationState()).toBe('ELSEWHERE');
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('as not refunded, after our refund: conflict (F65)', async () => {
    await world.open({ alertId: A });
    await resolveInBetween('NOT_REFUNDED');
    expect(await world.state(A)).toBe('CONFLICT');
    expect(await world.notifications('conflict')).toBe(1);
  });

  it('withdrawn after our refund: the refund stands, and a person is notified (F64)', async () => {
    await world.open({ alertId: A });
    await resolveInBetween('INVALID');
    expect(await world.state(A)).toBe('CLOSED_INVALID');
    expect(await world.notifications('refund_stands')).toBe(1);
    expect(world.processor.ours('ch_1')).toBe(5000);
  });

  it('a refund shown although we accepted: conflict', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    await resolveInBetween('REFUNDED');
    expect(await world.state(A)).toBe('CONFLICT');
  });

  it('before anything was sent: closed quietly', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    const get = world.service.get.bind(world.service);
    world.service.get = async (...args) => {
      world.service.dashboard(A, 'NOT_REFUNDED');
      return await get(...args);
    };
    await world.settle([worker]);
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    expect(world.service.patches).toEqual([]);
    expect(await declarationState()).toBe('ELSEWHERE');
  });

  it('resolved without an outcome we can read: a person', async () => {
    await world.open({ alertId: A });
    const act = world.service.act.bind(world.service);
    world.service.act = async (...args) => {
      const alert = world.service.alerts.get(A)!;
      world.service.alerts.set(A, { ...alert, status: 'RESOLVED' });
      return await act(...args);
    };
    await world.settle([worker]);
    expect(await world.state(A)).toBe('HUMAN');
  });
});

describe('what is never said', () => {
  it.each([
    ['as ever', 0],
    ['after the clock was set back by an hour', 60],
  ])('a refund that no longer stands when its answer is due (I2), %s', async (_when, minutes) => {
    world.service.actFaults.push('server_error');
    await world.open({ alertId: A });
    await world.settle([worker]);
    await sql`update charge_account set read_at = read_at + make_interval(mins => ${minutes})
      where organisation_id = ${world.organisationId}`.execute(world.db);
    // The card account was closed: the processor shows the refund as failed by now.
    world.processor.ledger[0]!.status = 'failed';
    world.clock.advanceMs(60_000);
    await world.settle([worker]);
    expect(await world.state(A)).toBe('HUMAN');
    expect((await world.caseOf(A)).hold_reason).toBe('refund_reversed');
    expect(world.service.effective(A)).toEqual([]);
  });

  it('a refund below the amount that the alert shows by now (L4)', async () => {
    world.service.actFaults.push('server_error');
    await world.open({ alertId: A, amountMinor: 3000, decidedMinor: 3000 });
    await world.settle([worker]);
    const alert = world.service.alerts.get(A)!;
    world.service.alerts.set(A, { ...alert, transaction_amount_in_cents: 3001 });
    world.clock.advanceMs(60_000);
    await world.settle([worker]);
    expect((await world.caseOf(A)).hold_reason).toBe('not_declarable');
    expect(world.service.effective(A)).toEqual([]);
  });

  it('an alert above the charge is declared once the whole charge has gone back (L4)', async () => {
    world.service.actFaults.push('server_error');
    await world.open({ alertId: A });
    await world.settle([worker]);
    const alert = world.service.alerts.get(A)!;
    world.service.alerts.set(A, { ...alert, transaction_amount_in_cents: 5001 });
    world.clock.advanceMs(60_000);
    await world.settle([worker]);
    expect(await world.state(A)).toBe('DECLARED_REFUND');
  });

  it('anything about an alert that turns out to be RDR (I4)', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    const alert = world.service.alerts.get(A)!;
    world.service.alerts.set(A, { ...alert, enrolment_type: 'NETB_RDR' });
    await world.settle([worker]);
    expect(await world.state(A)).toBe('CONFLICT');
    expect(world.service.patches).toEqual([]);
  });
});

describe('whoever lost the case', () => {
  it('marks no answer as sent, so that none is sent', async () => {
    await world.open({ alertId: A, decision: 'ACCEPT_DISPUTE' });
    world.service.getFault = { kind: 'unavailable', reason: 'timeout' };
    await world.settle([worker]);
    const declaration = (await findDeclaration(world.db, world.organisationId, A))!;
    const claimAs = async (owner: string) => {
      world.clock.advanceMs(31_000);
      const [claim] = await claimDueCases(world.db, {
        organisationId: world.organisationId,
        now: nowDate(world.clock),
        owner,
        limit: 1,
        leaseMs: 30_000,
        isShut: sql<boolean>`false`,
      });
      return claim!;
    };
    const [first, second] = [await claimAs('w1'), await claimAs('w2')];
    const mark = async (claim: typeof first) =>
      await markDeclarationSent(world.db, { claim, declaration }, nowDate(world.clock));
    expect(await mark(first)).toBe(false);
    expect(await declarationState()).toBe('DUE');
    expect(await mark(second)).toBe(true);
    world.clock.advanceMs(31_000);
    expect(await mark(second)).toBe(false);
  });
});

describe('after the deadline', () => {
  it('a confirmed refund is declared as long as the alert stays open', async () => {
    world.service.actFaults.push(...Array.from({ length: 80 }, () => 'server_error' as const));
    await world.open({ alertId: A, windowHours: 0.5 });
    await world.pass([worker], 3);
    expect(world.clock.nowMs()).toBeGreaterThan((await world.caseOf(A)).deadline_at.getTime());
    expect(await world.state(A)).toBe('DECLARED_REFUND');
    expect(world.service.effective(A)).toHaveLength(1);
  });
});
