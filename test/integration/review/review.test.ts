/**
 * Guarantee: the queue shows least time left first, one person holds a review at a time, and nobody
 * decides what another has claimed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeadlineSweep } from '../../../src/alerts/cases/deadline-sweep.ts';
import { holdCase } from '../../../src/alerts/cases/hold-case.ts';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { readGuardStatus } from '../../../src/alerts/guard/guard-status.store.ts';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import { CLAIM_MS } from '../../../src/alerts/review/claim.store.ts';
import { claimReview, handBackReview, handOverReview } from '../../../src/alerts/review/review.ts';
import type { ReviewSort } from '../../../src/alerts/review/review-order.store.ts';
import { listReviews } from '../../../src/alerts/review/review-queue.store.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { NO_PROGRAMMES } from '../../../src/orders/programme.ts';
import { registerReviews, show } from '../../../src/people/cli/reviews.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';

let test: TestDatabase;
let world: SagaWorld;
const A = 'netalrt_1';

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await test.drop();
});
beforeEach(() => {
  world = createSagaWorld(test.db);
});

const now = () => new Date(world.clock.nowMs());
const as = (operator: string, alertId = A) => ({
  organisationId: world.organisationId,
  alertId,
  operator,
  now: now(),
});

async function hold(
  alertId: string,
  how: { hours?: number; reason?: 'policy_review' | 'shadow_mode'; fallback?: boolean } = {},
): Promise<void> {
  const { hours = 48, reason = 'policy_review', fallback = false } = how;
  await world.open({ alertId, windowHours: hours, fallback: fallback ? 'ACCEPT_DISPUTE' : null });
  const claim = await world.caseOf(alertId);
  const keep = fallback ? 'keep' : 'none';
  await test.db
    .transaction()
    .execute((trx) => holdCase(trx, claim, { reason, fallback: keep, now: now() }));
}

const queue = async (extra: Partial<Parameters<typeof listReviews>[1]> = {}) =>
  await listReviews(test.db, {
    organisationId: world.organisationId,
    now: now(),
    limit: 10,
    ...extra,
  });

async function decide(operator: string) {
  return await applyOperatorDecision(test.db, {
    ...as(operator),
    action: 'ACCEPT_DISPUTE',
    note: '',
  });
}

describe('the queue', () => {
  it('shows what waits for a person by the time left, page by page', async () => {
    await hold('netalrt_late', { hours: 40 });
    await hold('netalrt_soon', { hours: 5 });
    await hold('netalrt_b', { hours: 20 });
    await hold('netalrt_a', { hours: 20 });
    await hold('netalrt_shadow', { reason: 'shadow_mode' });
    await world.open({ alertId: 'netalrt_working' });
    const all = await queue();
    expect(all.map(({ alertId }) => alertId)).toEqual([
      'netalrt_soon',
      'netalrt_a',
      'netalrt_b',
      'netalrt_late',
    ]);
    expect(all[0]).toMatchObject({
      amountMinor: 5_000,
      currency: 'EUR',
      holdReason: 'policy_review',
    });
    const [first, second] = await queue({ limit: 2 });
    expect(first?.alertId).toBe('netalrt_soon');
    const rest = await queue({ after: second });
    expect(rest.map(({ alertId }) => alertId)).toEqual(['netalrt_b', 'netalrt_late']);
  });

  it('shows what shadow mode has held once a worker is live, in every order; only then it is counted', async () => {
    await hold('netalrt_shadow', { reason: 'shadow_mode' });
    const { organisationId } = world;
    const start = async (mode: 'live' | 'shadow'): Promise<void> => {
      const settings = { mode, hasProcessor: true, channels: [], pollSeconds: 120 };
      await writeWorkerSettings(test.db, { organisationId, now: now() }, settings);
    };
    const seen = async (): Promise<[string[], string[], number]> => [
      (await queue()).map(({ alertId }) => alertId),
      (await queue({ sort: '-amount' })).map(({ alertId }) => alertId),
      (await readGuardStatus(test.db, organisationId, now())).reviewsOpen,
    ];
    await start('shadow');
    expect(await seen()).toEqual([[], [], 0]);
    await start('live');
    expect(await seen()).toEqual([['netalrt_shadow'], ['netalrt_shadow'], 1]);
  });

  it('is sorted by amount, age and holder, and walked page by page in every order', async () => {
    const rows = [
      // By currency: EUR, JPY, KWD. One alert names no amount.
      { id: 'netalrt_euro', hours: 40, amount_minor: 8_400, currency: 'EUR' },
      { id: 'netalrt_yen', hours: 30, amount_minor: 600, currency: 'JPY' },
      { id: 'netalrt_dinar', hours: 20, amount_minor: 9_500, currency: 'KWD' },
      { id: 'netalrt_none', hours: 35, amount_minor: null, currency: null },
    ];
    for (const { id, hours, ...amount } of rows) {
      await hold(id, { hours });
      await test.db
        .updateTable('alert')
        .set(amount)
        .where('organisation_id', '=', world.organisationId)
        .where('id', '=', id)
        .execute();
      world.clock.advanceMs(60_000);
    }
    await claimReview(test.db, as('noor', 'netalrt_dinar'));
    await claimReview(test.db, as('ada', 'netalrt_euro'));
    const walked = async (sort: ReviewSort): Promise<string[]> => {
      const ids: string[] = [];
      let [last] = await queue({ sort, limit: 1 });
      while (last !== undefined) {
        ids.push(last.alertId.slice('netalrt_'.length));
        [last] = await queue({ sort, limit: 1, after: last });
      }
      return ids;
    };
    const orders = {
      acts: ['dinar', 'yen', 'none', 'euro'],
      amount: ['none', 'euro', 'yen', 'dinar'],
      '-age': ['euro', 'yen', 'dinar', 'none'],
      // Whoever has none comes first; among them by id.
      who: ['none', 'yen', 'euro', 'dinar'],
    };
    for (const sort of ['acts', 'amount', '-age', 'who'] as const) {
      const reverse = sort === '-age' ? 'age' : (`-${sort}` as const);
      expect([sort, await walked(sort)]).toEqual([sort, orders[sort]]);
      expect([reverse, await walked(reverse)]).toEqual([reverse, orders[sort].toReversed()]);
    }
  });

  it('reads as text: time left, amount, reason, claim and fallback', async () => {
    await hold(A, { hours: 20, fallback: true });
    await claimReview(test.db, as('ada'));
    const text = show(await queue(), now());
    expect(text).toContain('15h 00m');
    expect(text).toContain('50.00 EUR');
    expect(text).toContain('[ada]');
    // A fallback without a moment of its own fires with a quarter of the window left: after 15 hours.
    expect(text).toContain('Else ACCEPT_DISPUTE in 15h 00m');
    expect(show([], now())).toBe('Nothing waits for a person.');
  });
});

describe('a claim', () => {
  beforeEach(async () => {
    await hold(A);
  });

  it('is one person’s: others are told, and cannot decide', async () => {
    const until = new Date(world.clock.nowMs() + CLAIM_MS);
    expect(await claimReview(test.db, as('ada'))).toEqual({ ok: true, claimedUntil: until });
    expect(await claimReview(test.db, as('noor'))).toEqual({ ok: false, reason: 'claimed' });
    expect(await decide('noor')).toEqual({ ok: false, reason: 'claimed_by_another' });
    expect(await handBackReview(test.db, as('noor'))).toEqual({ ok: false, reason: 'claimed' });
    expect((await queue())[0]).toMatchObject({ claimedBy: 'ada', claimedUntil: until });
    expect(await decide('ada')).toEqual({ ok: true, state: 'DECIDED_ACCEPT' });
    const left = await test.db
      .selectFrom('review_claim')
      .select('operator')
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(left).toEqual([]);
  });

  it('of two people at once goes to one', async () => {
    const results = await Promise.all(
      ['ada', 'noor', 'kofi'].map((name) => claimReview(test.db, as(name))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('handed back is free at once', async () => {
    await claimReview(test.db, as('ada'));
    expect(await handBackReview(test.db, as('ada'))).toEqual({ ok: true, claimedUntil: null });
    expect(await handBackReview(test.db, as('ada'))).toEqual({ ok: false, reason: 'not_claimed' });
    expect((await claimReview(test.db, as('noor'))).ok).toBe(true);
  });

  it('handed over is the other person’s, and only its holder can give it away', async () => {
    await hold(A);
    expect(await handOverReview(test.db, as('Ada'), 'Ben')).toMatchObject({ ok: true });
    expect((await queue())[0]?.claimedBy).toBe('Ben');
    expect(await handOverReview(test.db, as('Ada'), 'Cy')).toEqual({
      ok: false,
      reason: 'claimed',
    });
    expect(await decide('Ada')).toMatchObject({ ok: false });
    expect(await handOverReview(test.db, as('Ben'), 'Cy')).toMatchObject({ ok: true });
    const said = await test.db
      .selectFrom('audit')
      .select(['actor', 'what'])
      .where('organisation_id', '=', world.organisationId)
      .where('what', 'like', 'handed%')
      .orderBy('id')
      .execute();
    expect(said).toEqual([
      { actor: 'operator:Ada', what: 'handed the review over to Ben' },
      { actor: 'operator:Ben', what: 'handed the review over to Cy' },
    ]);
    // Nobody hears of the one that was refused.
    const told = await test.db
      .selectFrom('notification')
      .select(['alert_id', 'severity', 'text', 'next_attempt_at'])
      .where('organisation_id', '=', world.organisationId)
      .where('kind', '=', 'review_handed_over')
      .orderBy('id')
      .execute();
    expect(told).toEqual(
      [/^Ben: Ada handed the review of alert netalrt_1 over/, /^Cy: Ben handed/].map((text) => ({
        alert_id: A,
        severity: 'info',
        text: expect.stringMatching(text),
        // Due at the channels at once.
        next_attempt_at: now(),
      })),
    );
    expect(await decide('Cy')).toMatchObject({ ok: true });
  });

  it('is handed over by a command as well, to somebody who may decide', async () => {
    const { db, clock, organisationId } = world;
    for (const [name, role] of [
      ['Ben', 'reviewer'],
      ['Vera', 'viewer'],
    ] as const) {
      await addOperator(db, {
        organisationId,
        name,
        role,
        token: { as: 'shown' },
        by: 'cli',
        now: now(),
      });
    }
    const run = async (...words: string[]): Promise<string> => {
      const close = async (): Promise<void> => undefined;
      const context = {
        ...{ db, clock, organisationId, close },
        ...{ integrationId: undefined, programmes: NO_PROGRAMMES },
      };
      const { printed } = await runCommand(
        (program) => registerReviews(program, async () => context),
        ['reviews', ...words],
      );
      return printed;
    };
    expect(await run('hand-over', A, 'Vera')).toContain('No operator "Vera" may decide');
    expect((await queue())[0]?.claimedBy).toBeNull();
    expect(process.exitCode).toBe(1);
    expect(await run('hand-over', A, 'Ben')).toContain(`Ben has the review of ${A} until 2026-`);
    expect((await queue())[0]?.claimedBy).toBe('Ben');
    expect(await run('hand-over', A, 'Ben')).toContain('Somebody else has claimed this review');
    expect(await run()).toContain('[Ben]');
    process.exitCode = undefined;
  });

  it('lapses by itself, and claiming again renews it', async () => {
    await claimReview(test.db, as('ada'));
    world.clock.advanceMs(CLAIM_MS - 1);
    expect((await claimReview(test.db, as('noor'))).ok).toBe(false);
    await claimReview(test.db, as('ada'));
    world.clock.advanceMs(CLAIM_MS - 1);
    expect((await claimReview(test.db, as('noor'))).ok).toBe(false);
    world.clock.advanceMs(1);
    expect((await queue())[0]?.claimedBy).toBeNull();
    expect((await claimReview(test.db, as('noor'))).ok).toBe(true);
  });

  it('needs a review', async () => {
    expect(await claimReview(test.db, as('ada', 'netalrt_none'))).toEqual({
      ok: false,
      reason: 'not_found',
    });
    await world.open({ alertId: 'netalrt_2' });
    expect(await claimReview(test.db, as('ada', 'netalrt_2'))).toEqual({
      ok: false,
      reason: 'not_in_review',
    });
  });
});

describe('escalation', () => {
  it('speaks up at half, a quarter and a tenth of the time, and says who has it and what follows', async () => {
    await hold(A, { hours: 40, fallback: true });
    const sweep = createDeadlineSweep({
      db: test.db,
      clock: world.clock,
      log: createLog({ level: 'silent' }),
      organisationId: world.organisationId,
    });
    const said = async () =>
      await test.db
        .selectFrom('notification')
        .select(['severity', 'text'])
        .where('organisation_id', '=', world.organisationId)
        .where('kind', '=', 'deadline_near')
        .orderBy('id')
        .execute();
    world.clock.advanceMs(20 * HOUR_MS - 1);
    await sweep.runOnce();
    expect(await said()).toEqual([]);
    world.clock.advanceMs(1);
    await sweep.runOnce();
    expect((await said()).at(-1)).toMatchObject({
      severity: 'warning',
      text: expect.stringContaining(
        'Nobody has claimed it. Without a decision ACCEPT_DISPUTE follows at',
      ) as string,
    });
    world.clock.advanceMs(10 * HOUR_MS);
    await claimReview(test.db, as('ada'));
    await sweep.runOnce();
    expect((await said()).at(-1)?.text).toContain('ada has claimed it.');
    world.clock.advanceMs(6 * HOUR_MS - 1);
    await sweep.runOnce();
    expect(await said()).toHaveLength(2);
    world.clock.advanceMs(1);
    await sweep.runOnce();
    expect((await said()).map(({ severity }) => severity)).toEqual(['warning', 'warning', 'error']);
  });
});
