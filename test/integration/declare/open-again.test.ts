/**
 * Guarantee: an alert that the service shows as open again after its case has ended is told to people at once,
 * is answered again where our answer is still true, and is never refunded a second time.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../src/service/wire/alert.ts';
import type { OpenCase, SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import type { Reopening } from './reopening.ts';
import { reopeningOf } from './reopening.ts';

const A = 'netalrt_a';

let world: SagaWorld;
let worker: Worker;
let reopening: Reopening;
useSaga((saga) => {
  ({ world, worker } = saga);
  reopening = reopeningOf(saga, A);
});

const poll = (): Promise<void> => reopening.poll();
const shown = (): Alert => reopening.shown(A);
const opensAgain = (fields: Partial<Alert> = {}): void => reopening.opensAgain(fields);
const answeredAndOpenAgain = (options: Partial<OpenCase> = {}): Promise<void> =>
  reopening.answeredAndOpenAgain(options);

const actions = (): string[] => world.service.effective(A).map(({ action }) => action);

describe('answered REFUND', () => {
  it('is told to people, and answered again with the refund that stands', async () => {
    await answeredAndOpenAgain();
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(1);
    expect(actions()).toEqual(['REFUND', 'REFUND']);
    expect(world.processor.count('ch_1')).toBe(1);
    expect(shown()).toMatchObject({ status: 'RESOLVED', transaction_refund_outcome: 'REFUNDED' });
    await poll();
    expect(await world.openFindings()).toEqual([]);
    expect(actions()).toEqual(['REFUND', 'REFUND']);
    expect(await world.notifications('alert_open_again')).toBe(1);
  });

  it('is not answered again when the money is no longer there', async () => {
    await answeredAndOpenAgain();
    for (const entry of world.processor.ledger) entry.status = 'failed';
    await poll();
    expect(actions()).toEqual(['REFUND']);
    expect(world.processor.calls).toHaveLength(1);
    expect(await world.openFindings()).toContain('alert_open_again');
  });

  it('is answered in a later round where the service did not answer', async () => {
    await answeredAndOpenAgain();
    world.service.actFaults.push('server_error');
    await poll();
    await poll();
    expect(world.service.patches).toHaveLength(2);
    world.clock.advanceMs(6 * MINUTE_MS);
    await poll();
    expect(actions()).toEqual(['REFUND', 'REFUND']);
    expect(await world.notifications('alert_open_again')).toBe(1);
  });

  it('is left alone in shadow mode, and told', async () => {
    await answeredAndOpenAgain();
    Object.assign(worker.deps, { shadow: true });
    await poll();
    expect(actions()).toEqual(['REFUND']);
    expect(await world.notifications('alert_open_again')).toBe(1);
  });
});

describe('answered ACCEPT_DISPUTE', () => {
  it('is answered so again', async () => {
    await answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE' });
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(1);
    expect(actions()).toEqual(['ACCEPT_DISPUTE', 'ACCEPT_DISPUTE']);
    expect(world.processor.calls).toEqual([]);
  });

  it('is not, once somebody refunded the charge (L5)', async () => {
    await answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE' });
    world.processor.supportRefund('ch_1', 5000);
    await poll();
    expect(actions()).toEqual(['ACCEPT_DISPUTE']);
    expect(await world.openFindings()).toContain('alert_open_again');
  });
});

describe('ended without an answer of ours', () => {
  it('resolved in the dashboard: people are told, and nothing is sent', async () => {
    await world.open({ alertId: A });
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.settle([worker]);
    expect(await world.state(A)).toBe('CLOSED_REMOTE');
    world.clock.advanceMs(MINUTE_MS);
    opensAgain();
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(1);
    expect(world.service.patches).toEqual([]);
    expect(world.processor.calls).toEqual([]);
    expect(await world.openFindings()).toEqual(['alert_open_again']);
  });

  it('as a contradiction: people are told, and nothing is sent', async () => {
    world.service.actFaults.push('lost_before');
    await world.open({ alertId: A });
    await world.settle([worker]);
    world.service.dashboard(A, 'NOT_REFUNDED');
    await world.pass([worker], 1);
    expect(await world.state(A)).toBe('CONFLICT');
    opensAgain();
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(1);
    expect(actions()).toEqual([]);
  });

  it('is told once more in the last hour', async () => {
    await world.open({ alertId: A });
    world.service.dashboard(A, 'INVALID');
    await world.settle([worker]);
    world.clock.advanceMs(MINUTE_MS);
    opensAgain();
    for (const hours of [0, 24, 23.5, 0.1]) {
      world.clock.advanceMs(hours * HOUR_MS);
      await poll();
    }
    expect(await world.notifications('alert_open_again')).toBe(2);
  });

  it('and open again only after its deadline, it was not missed by us', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    await world.pass([worker], 49);
    opensAgain();
    await poll();
    expect((await world.caseOf(A)).missed_at).toBeNull();
    expect(await world.notifications('alert_open_again')).toBe(1);
  });

  it('that runs out so is counted as missed, once', async () => {
    await world.open({ alertId: A });
    world.service.dashboard(A, 'INVALID');
    await world.settle([worker]);
    world.clock.advanceMs(MINUTE_MS);
    opensAgain();
    await poll();
    world.clock.advanceMs(48 * HOUR_MS);
    await poll();
    world.clock.advanceMs(6 * MINUTE_MS);
    await poll();
    expect((await world.caseOf(A)).missed_at).not.toBeNull();
    expect(await world.notifications('missed')).toBe(1);
    const { rows } = await sql`select from audit where organisation_id = ${world.organisationId}
      and alert_id = ${A} and what = 'missed'`.execute(world.db);
    expect(rows).toHaveLength(1);
  });
});

describe('a late copy of what it was before', () => {
  it('right after the answer says nothing', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    opensAgain({ updated_at: shown().created_at });
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(0);
    expect(actions()).toEqual(['REFUND']);
  });

  it('on the list alone says nothing, however late', async () => {
    await world.open({ alertId: A });
    reopening.oldList.push(shown());
    await world.settle([worker]);
    world.clock.advanceMs(HOUR_MS);
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(0);
    expect(actions()).toEqual(['REFUND']);
  });

  it('that is still shown a quarter of an hour later is what the service holds', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    opensAgain({ updated_at: shown().created_at });
    world.clock.advanceMs(15 * MINUTE_MS);
    await poll();
    expect(await world.notifications('alert_open_again')).toBe(1);
    expect(actions()).toEqual(['REFUND', 'REFUND']);
  });
});

it('an alert whose case is open is none', async () => {
  await world.open({ alertId: A });
  await poll();
  expect(await world.notifications('alert_open_again')).toBe(0);
});

it('an alert that RDR turned out to be is never answered', async () => {
  await answeredAndOpenAgain();
  opensAgain({ enrolment_type: 'NETB_RDR' });
  await poll();
  expect(actions()).toEqual(['REFUND']);
  expect(await world.notifications('alert_open_again')).toBe(1);
});
