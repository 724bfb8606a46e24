/**
 * Guarantee: an answer is given again only where the ledger and the processor still say that it is true, what came
 * of it is recorded, and the moments at which people are told are exact.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/base/kernel/log.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
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

const actions = (): string[] => world.service.effective(A).map(({ action }) => action);
const told = (): Promise<number> => world.notifications('alert_open_again');

/** The next round that looks at it. */
async function pollLater(): Promise<void> {
  world.clock.advanceMs(6 * MINUTE_MS);
  await reopening.poll();
}

/** What the audit log says of answers that were given again. */
async function repeats(): Promise<unknown[]> {
  const rows = await world.db
    .selectFrom('audit')
    .select(['what', 'subject', 'subject_id', 'detail'])
    .where('organisation_id', '=', world.organisationId)
    .where('alert_id', '=', A)
    .where('what', 'like', '% declared again: %')
    .execute();
  return rows;
}

const alertRow = () =>
  world.db
    .selectFrom('alert')
    .select(['status', 'refund_outcome'])
    .where('organisation_id', '=', world.organisationId)
    .where('id', '=', A)
    .executeTakeFirstOrThrow();

/** The case ended without an answer of ours, and the alert opens again a minute later. */
async function withdrawnAndOpenAgain(): Promise<void> {
  await world.open({ alertId: A });
  world.service.dashboard(A, 'INVALID');
  await world.settle([worker]);
  world.clock.advanceMs(MINUTE_MS);
  reopening.opensAgain();
}

describe('an answer that is given again', () => {
  it('is recorded, and the alert is stored as it was shown then', async () => {
    await reopening.answeredAndOpenAgain();
    await reopening.poll();
    const note = world.service.patches[0]?.note;
    expect(note).toMatch(/^refund re_/);
    expect(await repeats()).toEqual([
      {
        what: 'REFUND declared again: the service showed the alert as open',
        subject: 'declaration',
        subject_id: A,
        detail: { note, outcome: 'REFUNDED' },
      },
    ]);
    expect(await alertRow()).toEqual({ status: 'RESOLVED', refund_outcome: 'REFUNDED' });
  });

  it.each(['still_open', 'server_error', 'throws_after', 'refused'] as const)(
    'and has no effect that was seen (%s) is not recorded, and given again later',
    async (fault) => {
      await reopening.answeredAndOpenAgain();
      world.service.actFaults.push(fault);
      await reopening.poll();
      expect(await repeats()).toEqual([]);
      expect(await world.notifications('key_refused')).toBe(0);
      reopening.opensAgain();
      await pollLater();
      expect(await repeats()).toHaveLength(1);
    },
  );

  it.each([
    ['still_open', 'answered'],
    ['server_error', 'unavailable'],
    ['throws_after', 'unavailable'],
    ['refused', 'refused'],
  ] as const)('and is not taken (%s) is said in the log', async (fault, answer) => {
    await reopening.answeredAndOpenAgain();
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    Object.assign(worker.deps, { log: createLog({ destination }) });
    world.service.actFaults.push(fault);
    await reopening.poll();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'warn',
        msg: 'an alert that is open again was not answered',
        ...{ alertId: A, action: 'REFUND', answer },
      },
    ]);
  });

  it('and meets a key that is refused stops refunds, and pages', async () => {
    await reopening.answeredAndOpenAgain();
    world.service.actFaults.push('unauthorised');
    await reopening.poll();
    expect(await world.notifications('key_refused')).toBe(1);
    const { rows } = await sql`select value from fact where name = 'declare.unauthorised'
      and organisation_id = ${world.organisationId}`.execute(world.db);
    expect(rows).toEqual([{ value: { code: 'FORBIDDEN' } }]);
  });

  it('is not given more often than every five minutes', async () => {
    await reopening.answeredAndOpenAgain();
    world.service.actFaults.push('still_open');
    await reopening.poll();
    world.clock.advanceMs(5 * MINUTE_MS);
    await reopening.poll();
    expect(world.service.patches).toHaveLength(2);
    world.clock.advanceMs(1);
    await reopening.poll();
    expect(actions()).toEqual(['REFUND', 'REFUND']);
  });
});

describe('ACCEPT_DISPUTE', () => {
  it('of an alert without a charge is said again', async () => {
    await reopening.answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE', chargeReference: null });
    await reopening.poll();
    expect(actions()).toEqual(['ACCEPT_DISPUTE', 'ACCEPT_DISPUTE']);
    expect(await repeats()).toMatchObject([
      {
        what: 'ACCEPT_DISPUTE declared again: the service showed the alert as open',
        detail: { note: 'not refunded', outcome: 'NOT_REFUNDED' },
      },
    ]);
  });

  it('is not said again beside money that is pending, where that counts as gone back (L4)', async () => {
    await reopening.answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE' });
    world.processor.caps = { ...FULL_CAPABILITIES, pendingCounts: true };
    world.processor.supportRefund('ch_1', 5000, 'pending');
    await reopening.poll();
    expect(actions()).toEqual(['ACCEPT_DISPUTE']);
  });

  it('is not said again while the processor does not answer', async () => {
    await reopening.answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE' });
    world.processor.down = true;
    await reopening.poll();
    expect(actions()).toEqual(['ACCEPT_DISPUTE']);
    world.processor.down = false;
    await pollLater();
    expect(actions()).toEqual(['ACCEPT_DISPUTE', 'ACCEPT_DISPUTE']);
  });

  it('is not said on a reading that is older than the ledger (L9)', async () => {
    await reopening.answeredAndOpenAgain({ decision: 'ACCEPT_DISPUTE' });
    const { readCharge } = world.processor;
    world.processor.readCharge = async (reference, signal) => {
      const answer = await readCharge(reference, signal);
      await sql`update charge_account set version = version + 1
        where organisation_id = ${world.organisationId}`.execute(world.db);
      return answer;
    };
    await reopening.poll();
    expect(actions()).toEqual(['ACCEPT_DISPUTE']);
    world.processor.readCharge = readCharge;
    await pollLater();
    expect(actions()).toEqual(['ACCEPT_DISPUTE', 'ACCEPT_DISPUTE']);
  });

  describe('that a person said although a part had gone back (L5)', () => {
    /** 10.00 EUR, as the person was told. */
    async function acceptedDespitePart(): Promise<void> {
      world.processor.supportRefund('ch_1', 1000);
      await world.open({ alertId: A });
      await world.settle([worker]);
      await world.say({ action: 'ACCEPT_DISPUTE', despiteMinor: 1000 });
      await world.settle([worker]);
      expect(actions()).toEqual(['ACCEPT_DISPUTE']);
      await world.pass([worker], 1);
      reopening.opensAgain();
    }

    it('is said again while no more went back', async () => {
      await acceptedDespitePart();
      await reopening.poll();
      expect(actions()).toEqual(['ACCEPT_DISPUTE', 'ACCEPT_DISPUTE']);
    });

    it.each([
      ['one more went back', 'succeeded', 1],
      ['less than they were told of is on its way instead', 'pending', 999],
    ] as const)('is not where %s', async (_name, status, amountMinor) => {
      await acceptedDespitePart();
      if (status === 'pending') world.processor.ledger[0]!.status = 'failed';
      world.processor.supportRefund('ch_1', amountMinor, status);
      await reopening.poll();
      expect(actions()).toEqual(['ACCEPT_DISPUTE']);
    });
  });
});

describe('what people are told', () => {
  /** The finding and the page about the alert. */
  async function words(): Promise<{ finding: unknown; step: string; page: unknown }> {
    const { db, organisationId } = world;
    const found = await db
      .selectFrom('finding')
      .select(['severity', 'subject', 'subject_id', 'evidence', 'next_step'])
      .where('organisation_id', '=', organisationId)
      .where('kind', '=', 'alert_open_again')
      .executeTakeFirstOrThrow();
    const page = await db
      .selectFrom('notification')
      .select(['severity', 'alert_id', 'text', 'next_attempt_at'])
      .where('organisation_id', '=', organisationId)
      .where('kind', '=', 'alert_open_again')
      .executeTakeFirstOrThrow();
    const { next_step: step, ...finding } = found;
    return { finding, step, page };
  }

  // The world begins at 08:00, and an alert has 48 hours.
  const DEADLINE = '2026-03-04 08:00 UTC';

  it.each([
    ['answered', 'DECLARED_REFUND', 'Forestall gives its answer again'],
    ['withdrawn', 'CLOSED_INVALID', 'Nothing is done about it automatically'],
  ])('of one that was %s', async (how, state, what) => {
    if (how === 'answered') await reopening.answeredAndOpenAgain();
    else await withdrawnAndOpenAgain();
    await reopening.poll();
    const { finding, step, page } = await words();
    const { closed_at: closedAt } = await world.caseOf(A);
    expect(finding).toEqual({
      severity: 'error',
      subject: 'case',
      subject_id: A,
      evidence: {
        case_state: state,
        closed_at: closedAt?.toISOString(),
        deadline_at: '2026-03-04T08:00:00.000Z',
      },
    });
    expect(step).toContain(what);
    expect(step).toContain(DEADLINE);
    expect(page).toEqual({
      severity: 'error',
      alert_id: A,
      text: `Alert ${A} ended here as ${state}, and the service shows it as open again. ${step}`,
      // Due at the channels at once.
      next_attempt_at: new Date(world.clock.nowMs()),
    });
  });
});

describe('the moments', () => {
  async function answeredThenOldCopy(ageMs: number): Promise<void> {
    await world.open({ alertId: A });
    await world.settle([worker]);
    reopening.opensAgain({ updated_at: reopening.shown(A).created_at });
    world.clock.setMs((await world.caseOf(A)).closed_at!.getTime() + ageMs);
    await reopening.poll();
  }

  it.each([
    [10 * MINUTE_MS - 1, 0],
    [10 * MINUTE_MS, 1],
  ])('a copy as it was before is a late one for ten minutes: after %i ms', async (ageMs, times) => {
    await answeredThenOldCopy(ageMs);
    expect(await told()).toBe(times);
  });

  it('a copy whose moment cannot be read is no news', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    reopening.opensAgain({ updated_at: 'soon' });
    await reopening.poll();
    expect(await told()).toBe(0);
  });

  it.each([
    [HOUR_MS + 1, 1],
    [HOUR_MS, 2],
    [1, 2],
    [0, 1],
  ])('the last call is made in the last hour, with %i ms left', async (leftMs, times) => {
    await withdrawnAndOpenAgain();
    await reopening.poll();
    const { deadline_at: deadlineAt } = await world.caseOf(A);
    world.clock.setMs(deadlineAt.getTime() - leftMs);
    await reopening.poll();
    expect(await told()).toBe(times);
    // At the deadline it has run out.
    const isMissed = (await world.caseOf(A)).missed_at !== null;
    expect(isMissed).toBe(leftMs === 0);
  });

  it('an alert that cannot be read says nothing, and keeps none behind it from being looked at', async () => {
    const B = 'netalrt_b';
    world.processor.addCharge('ch_2');
    await world.open({ alertId: B, chargeReference: 'ch_2', windowHours: 4 });
    await world.open({ alertId: A });
    const wasOpen = reopening.shown(B);
    await world.settle([worker]);
    await world.pass([worker], 1);
    reopening.oldList.push(wasOpen);
    world.service.unreadable.add(B);
    reopening.opensAgain();
    await reopening.poll();
    expect(await told()).toBe(1);
    expect(actions()).toEqual(['REFUND', 'REFUND']);
  });
});
