/**
 * Guarantee: the console never says that all is well when it is not. What does not work stands above every page,
 * a form never promises what will not happen, nobody counts as told whom no channel reached, and a database that
 * stalls is named within seconds.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeWorkerSettings } from '../../../src/alerts/cases/worker-settings.store.ts';
import { pauseMoney, readPause } from '../../../src/alerts/guard/pause.store.ts';
import { setAlarm } from '../../../src/alerts/reconcile/poll-alarm.ts';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import type { PartHealth } from '../../../src/health/health.ts';
import { readHealth } from '../../../src/health/health.ts';
import { MENU } from '../../../src/people/console/menu.ts';
import { addOperator, listOperators } from '../../../src/surface/access/operator.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;
let csrf: string;
/** Stands in for what the rows show, where a test says so. */
let shown: readonly PartHealth[] | undefined;

const ALERT = 'netalrt_1';
const CARD = 'netalrt_2';
const scope = (): { organisationId: string; now: Date } => ({
  organisationId: ORG,
  now: nowDate(clock),
});

beforeAll(async () => {
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, {
    health: async () => {
      const parts = shown ?? (await readHealth(test.db, scope()));
      return { ok: true, parts };
    },
  });
  await insertAlert(test.db, alertObject(ALERT));
  await insertCase(test.db, ALERT, {
    state: 'HUMAN',
    chargeReference: 'ch_1',
    holdReason: 'policy_review',
  });
  for (const [id, cents] of [
    [CARD, 5_000],
    ['netalrt_3', 7_050],
  ] as const) {
    await insertAlert(test.db, alertObject(id, { transaction_amount_in_cents: cents }));
    await insertCase(test.db, id, {
      state: 'HUMAN',
      chargeReference: `ch_${id}`,
      holdReason: 'paused',
    });
  }
  // Too late to continue.
  await insertAlert(test.db, alertObject('netalrt_late', { transaction_amount_in_cents: 9_999 }));
  await insertCase(test.db, 'netalrt_late', {
    state: 'HUMAN',
    chargeReference: 'ch_late',
    holdReason: 'paused',
    deadlineAt: NOW,
  });
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  shown = undefined;
  for (const table of ['money_pause', 'fact', 'finding', 'notification'] as const) {
    await test.db.deleteFrom(table).execute();
  }
  await beat(test.db, { workerId: 'w', role: 'work', ...scope() });
  await writeWorkerSettings(test.db, scope(), {
    mode: 'live',
    hasProcessor: true,
    channels: ['Slack'],
    pollSeconds: 120,
  });
  ({ cookie, csrf } = await site.signIn());
});

async function page(path: string): Promise<string> {
  return await (await site.get(path, { cookie })).text();
}

/** What stands above a page about Forestall itself, without markup. */
async function banner(path: string): Promise<string> {
  const region = /<div id="health"[^>]*>(.*?)<\/div>/s.exec(await page(path))?.[1];
  return (region ?? 'no region').replaceAll(/<[^>]+>/g, '');
}

async function pause(): Promise<void> {
  await pauseMoney(test.db, { ...scope(), operator: 'ada', reason: 'a flood' });
}

const STOPPED =
  'Refunding does not work: refunds are stopped since 2026-03-01 12:00 UTC by ada; alerts that need one wait for people, and fallbacks that accept are still carried out at their moment.';

describe('refunds are stopped', () => {
  it.each([...MENU.map(({ path }) => path), `/alerts/${ALERT}`])(
    'and %s says so at its top',
    async (path) => {
      expect(await banner(path)).toBe('');
      await pause();
      expect(await banner(path)).toContain(STOPPED);
    },
  );

  it('and an open page hears of it, once', async () => {
    const mark = /hx-get="(\/health\?shown=\w+)"/.exec(await page('/'))?.[1] ?? '';
    expect((await site.get(mark, { cookie })).status).toBe(204);
    await pause();
    const changed = await site.get(mark, { cookie });
    expect(changed.status).toBe(200);
    const text = await changed.text();
    expect(text).toContain('refunds are stopped');
    const next = /hx-get="(\/health\?shown=\w+)"/.exec(text)?.[1] ?? '';
    expect((await site.get(next, { cookie })).status).toBe(204);
  });

  it('and the refund form promises no money', async () => {
    const path = `/alerts/${ALERT}/decide?action=REFUND`;
    expect(await page(path)).toContain('Money moves and the answer is final.');
    await pause();
    const text = await page(path);
    expect(text).not.toContain('Money moves');
    expect(text).toContain('<strong>Nothing is sent now:</strong> refunds are stopped since');
    expect(text).toMatch(/<button[^>]*>Refund( up to)? \S+ once refunds go<\/button>/);
    // Accepting needs no refund.
    expect(await page(`/alerts/${ALERT}/decide?action=ACCEPT_DISPUTE`)).not.toContain(
      'Nothing is sent now',
    );
  });

  it('and a decision is kept, not green', async () => {
    const path = `/alerts/${ALERT}?decided=1`;
    expect(await page(path)).toContain(
      '<p class="banner done" role="status">The decision is taken.',
    );
    await pause();
    const text = await page(path);
    expect(text).not.toContain('banner done');
    expect(text).toContain('Your decision is kept, and nothing is sent yet:');
  });

  it('and letting them go names how many alerts and how much money continue at once', async () => {
    await pause();
    expect(await page('/system')).toContain('href="/system/resume"');
    const text = await page('/system/resume');
    expect(text.replaceAll(/<[^>]+>/g, '')).toContain(
      '2 alerts, about $120.50 in all continue at once',
    );
    expect(await readPause(test.db, ORG)).toBeDefined();
    await site.post('/system/resume', formOf({ csrf_token: csrf }, { cookie }));
    expect(await readPause(test.db, ORG)).toBeUndefined();
  });
});

describe('the API key is revoked', () => {
  it('and every page, System among them, says what no longer works', async () => {
    await setAlarm(test.db, 'poll_failing', {
      ...scope(),
      isOn: true,
      evidence: { codes: ['UNAUTHORISED'] },
    });
    expect(await banner('/alerts')).toMatch(
      /^Refunding, declaring, polling and feeding do not work: the service refuses our API key \(UNAUTHORISED\)\. Set FORESTALL_API_KEY/,
    );
    const system = await page('/system');
    expect(system).toContain('4 parts do not work, of 11');
    expect(system).not.toContain('everything works');
  });
});

describe('messages', () => {
  it('went to the log only: nobody was told, and Today says that no channel is set', async () => {
    await writeWorkerSettings(test.db, scope(), {
      mode: 'live',
      hasProcessor: true,
      channels: [],
      pollSeconds: 120,
    });
    const row = {
      organisation_id: ORG,
      kind: 'case_held',
      severity: 'warning',
      alert_id: ALERT,
      created_at: NOW,
      next_attempt_at: null,
      sent_at: NOW,
    } as const;
    await test.db
      .insertInto('notification')
      .values([
        { ...row, dedupe_key: 'a', text: 'to the log', channel: 'log' },
        { ...row, dedupe_key: 'b', text: 'to a chat', channel: 'slack' },
        { ...row, dedupe_key: 'c', text: 'to nobody yet', sent_at: null, next_attempt_at: NOW },
        { ...row, dedupe_key: 'd', text: 'to nobody ever', sent_at: null },
      ])
      .execute();
    const text = (await page(`/alerts/${ALERT}?log=yes`)).replaceAll(/<[^>]+>/g, '');
    expect(text).toContain(
      'Nobody was notified (warning): no channel is set, so the message went to the log only: to the log',
    );
    expect(text).toContain('People were told (warning, by slack): to a chat');
    expect(text).toContain('Nobody has been notified yet (warning): to nobody yet');
    expect(text).toContain(
      'Nobody was notified (warning): the message was given up: to nobody ever',
    );
    expect(await page('/')).toContain(
      'no channel is set, so messages go to the log only: 1 in the last day',
    );
    await test.db.deleteFrom('notification').where('channel', 'is', null).execute();
    const system = await page('/system');
    expect(system).not.toContain('Every message has arrived.');
    expect(system).toContain('No channel was set for 1 message of the last day');
  });
});

describe('an operator', () => {
  it('is not removed by one click', async () => {
    await addOperator(test.db, {
      ...scope(),
      name: 'kim',
      by: 'test',
      role: 'viewer',
      token: { as: 'shown' },
    });
    const list = await page('/operators');
    expect(list).not.toContain('action="/operators/remove"');
    expect(list).not.toContain('action="/operators/token"');
    const asked = await page('/operators/remove?name=kim');
    expect(asked).toContain('Remove the operator?');
    const names = async (): Promise<string[]> =>
      (await listOperators(test.db, ORG)).map(({ name }) => name);
    expect(await names()).toContain('kim');
    await site.post('/operators/remove', formOf({ csrf_token: csrf, name: 'kim' }, { cookie }));
    expect(await names()).not.toContain('kim');
    expect((await site.get('/operators/remove?name=kim', { cookie })).status).toBe(404);
  });
});

describe('the database', () => {
  it('that is away is named at once, with the next step', async () => {
    shown = [
      { name: 'database', status: 'failed', detail: 'does not answer', nextStep: 'Look at it.' },
    ];
    const answer = await site.get('/', { cookie });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain(
      'The database is the trouble: does not answer. Look at it.',
    );
  });

  it('that stalls while a page is read is given up within 6 s', async () => {
    shown = [];
    const holder = await test.pool.connect();
    await holder.query('begin; lock table console_session in access exclusive mode');
    try {
      const startedAt = performance.now();
      const answer = await site.get('/reviews', { cookie, accept: 'text/html' });
      expect(performance.now() - startedAt).toBeLessThan(6_000);
      expect(answer.status).toBe(503);
      const text = await answer.text();
      expect(text).toMatch(
        /(This was not ready within 5 s|The database failed)\. Try again in a moment\./,
      );
      expect(text).toContain('<a href="/reviews">Try again</a>');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it.each([
    ['that stalls while a decision is taken', 'failed', 'The database did not answer within 5 s.'],
    ['that is well while something else stalls', 'ok', 'This was not ready within 5 s.'],
  ] as const)(
    '%s: the answer says so, and that it may still be done',
    async (_when, status, said) => {
      const done = Promise.withResolvers<{ ok: true }>();
      let parts: readonly PartHealth[] = [];
      const slow = await startConsole(test.db, clock, {
        health: async () => ({ ok: true, parts }),
        decide: () => {
          parts = [
            { name: 'database', status, detail: 'does not answer', nextStep: 'Look at it.' },
          ];
          return done.promise;
        },
      });
      const person = await slow.signIn();
      const startedAt = performance.now();
      const answer = await slow.post(
        `/alerts/${ALERT}/decision`,
        formOf(
          { action: 'ACCEPT_DISPUTE', csrf_token: person.csrf },
          { cookie: person.cookie, accept: 'text/html' },
        ),
      );
      expect(performance.now() - startedAt).toBeLessThan(6_000);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain(`${said} What you sent may still be done`);
      parts = [];
      // What is done late answers nobody, and breaks nothing.
      done.resolve({ ok: true });
      expect((await slow.get('/healthz')).status).toBe(200);
      expect(slow.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
      await slow.close();
    },
  );
});
