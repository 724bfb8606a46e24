/**
 * Guarantee: a backtest asked for in the console is run once, off the request, with figures that add up by
 * hand; it puts nothing in force, and neither a dead worker nor a greedy request holds anything up.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import {
  insertingDecision,
  storePolicyVersion,
} from '../../../src/alerts/decide/decision.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import type { LoopSpec } from '../../../src/base/jobs/loop.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock, nowDate } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { BacktestDeps } from '../../../src/capabilities/backtests/backtest.job.ts';
import { createBacktestLoop } from '../../../src/capabilities/backtests/backtest.job.ts';
import { KEPT_MAX, UNFINISHED_MAX } from '../../../src/capabilities/backtests/backtest.store.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { insertActivation } from '../../../src/policy/version.store.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { formOf, startConsole } from '../../integration/console/support.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { chargeHistory, facts, foundCharge } from '../../unit/decide/fixtures.ts';

const LIVE = loadPolicy(
  'name: Live\nlists: {vips: vips.txt}\nrules: [{name: everybody, when: {match: single}, then: REFUND}]\notherwise: ACCEPT_DISPUTE\n',
  { file: 'live.yaml', files: { 'vips.txt': 'anna@example.com\n' } },
);
const OTHER = loadPolicy('name: Other\nrules: []\notherwise: ACCEPT_DISPUTE\n', { file: 'o.yaml' });
const CANDIDATE =
  'name: <b>Careful</b>\nlists: {vips: vips.txt}\nrules: [{name: small, when: {amount: {at_most: 20 USD}}, then: REFUND}]\notherwise: ACCEPT_DISPUTE\n';
/** Decided the day before. */
const TODAY = '2026-03-12T12:00:00Z';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  clock = createFixedClock(TODAY);
  site = await startConsole(test.db, clock);
  await inTransaction(test.db, async (trx) => {
    const now = new Date('2026-03-01T00:00:00Z');
    const use = { organisationId: ORG, author: 'ops', origin: 'live.yaml', now };
    await insertActivation(trx, { ...use, policy: LIVE });
    await storePolicyVersion(trx, ORG, { policy: OTHER, now });
    await storePolicyVersion(trx, ORG, {
      policy: { ...OTHER, version: 'typescript1', kind: 'module' },
      now,
    });
  });
  for (const [id, amountMinor] of [
    ['netalrt_1', 1_500],
    ['netalrt_2', 2_000],
    ['netalrt_3', 2_001],
  ] as const) {
    await decideAlert(id, amountMinor);
  }
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  clock.setMs(Date.parse(TODAY));
  await test.pool.query('delete from backtest; delete from forestall_jobs.job');
  ({ cookie, csrf } = await site.signIn());
});

/** An alert that {@link LIVE} refunded, on 2026-03-11. */
async function decideAlert(id: string, amountMinor: number): Promise<void> {
  const known = facts({
    alert: { id, amountMinor },
    charge: foundCharge({ amountMinor, refundableMinor: amountMinor }),
    history: chargeHistory(),
  });
  await inTransaction(test.db, async (trx) => {
    const decision = decide(LIVE, known);
    const now = new Date(known.now);
    await insertingDecision(trx, {
      organisationId: ORG,
      alertId: id,
      decision,
      facts: known,
      now,
    }).execute(trx);
  });
}

async function ask(fields: Record<string, string> = {}): Promise<Response> {
  const form = { candidate: 'text', text: CANDIDATE, against: 'decided', days: '30', ...fields };
  return await site.post('/policies/backtests', formOf({ ...form, csrf_token: csrf }, { cookie }));
}

/** Asks, and gives the path of the result. */
async function asked(fields: Record<string, string> = {}): Promise<string> {
  const answer = await ask(fields);
  expect([answer.status, await answer.text()]).toEqual([303, expect.any(String)]);
  return answer.headers.get('location') ?? '';
}

function runner(options: Pick<BacktestDeps, 'decisionsMax'> = {}): LoopSpec {
  const log = createLog({ level: 'silent' });
  const deps = { db: test.db, clock, log, organisationId: ORG, brands: IDENTITY_BRAND_TOKENS };
  return createBacktestLoop({ ...deps, ...options });
}

/** What a person reads, without tags. */
async function read(path: string): Promise<string> {
  const page = await (await site.get(path, { cookie })).text();
  return page
    .slice(page.indexOf('<main'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

async function states(): Promise<string[]> {
  const rows = await test.db
    .selectFrom('backtest')
    .select('state')
    .orderBy('requested_at')
    .execute();
  return rows.map(({ state }) => state);
}

describe('a backtest', () => {
  it('of a pasted text says what would change, in money and by rule, and puts nothing in force', async () => {
    const path = await asked();
    expect(await read(path)).toContain('waits for a worker');
    expect(await runner().runOnce()).toBe(1);
    const page = await read(path);
    expect(page).toContain('1 of 3 alerts would have been decided otherwise');
    // 15 + 20 + 20.01 dollars then, 15 + 20 now; 3 × 29, and 20 for the one accepted.
    expect(page).toContain('Refunded $55.01 $35.00');
    // What gets worse says so in words, and stands in red.
    expect(page).toMatch(/Disputes accepted Then 0 This policy 1 \+1, worse/);
    expect(page).toMatch(/Refunded, USD Then \$55\.01 This policy \$35\.00 −\$20\.01, better/);
    expect(page).toContain('Amounts accepted none $20.01');
    expect(page).toContain('Fees (assumed) $87.00 $107.00');
    expect(page).toContain('rule “everybody” 3 → 0 $55.01 none 0 → 0 0 → 0');
    expect(page).toContain('rule “small” 0 → 2 none $35.00 0 → 0 0 → 0');
    expect(page).toContain('otherwise (no rule applied) 0 → 1 none none 0 → 1 0 → 0');
    expect(page).toMatch(/netalrt_3 [^|]*\$20\.01 refund \$20\.01 accept the dispute otherwise/);
    expect(page).toContain('Fees are an assumption: $29.00 for each alert and $20.00');
    // The candidate's own name is text, wherever it stands.
    expect(page).toContain('&lt;b&gt;Careful&lt;/b&gt;');
    expect(await runner().runOnce()).toBe(0);
    const activations = await test.db.selectFrom('policy_activation').select('version').execute();
    expect(activations).toEqual([{ version: LIVE.version }]);
    const versions = await test.db.selectFrom('policy_version').select('name').execute();
    expect(versions.map(({ name }) => name).sort()).toEqual(['Live', 'Other', 'Other']);
    const audit = await test.db.selectFrom('audit').select(['actor', 'what']).execute();
    expect(audit).toContainEqual({ actor: 'operator:console', what: 'backtest asked for' });
  });

  it('of a stored version is compared with another stored version, within the days alone', async () => {
    const versions = { candidate: LIVE.version, against: OTHER.version };
    const path = await asked(versions);
    await runner().runOnce();
    const page = await read(path);
    expect(page).toContain('3 of 3 alerts would have been decided otherwise');
    expect(page).toContain('Disputes accepted 3 0');
    clock.advanceMs(7 * 24 * 3_600_000);
    ({ cookie, csrf } = await site.signIn());
    const later = await asked({ ...versions, days: '7' });
    await runner().runOnce();
    expect(await read(later)).toContain('No alert was decided in these days.');
  });

  it.each([
    ['a fault of the text', { text: 'name: x\nrules: []\nother: y\n' }, 'policy:3:1:'],
    ['no text', { text: ' ' }, 'Write or paste the text'],
    ['a list nobody has', { text: CANDIDATE.replace('vips.txt', 'else.txt') }, 'else.txt'],
    ['an unknown version', { candidate: 'nothing' }, 'That version is not stored'],
    ['one written in TypeScript', { candidate: 'typescript1' }, 'written in TypeScript'],
    ['another number of days', { days: '9999' }, 'Choose a policy'],
  ])('is not begun with %s, and what was typed is kept', async (_what, fields, fault) => {
    const answer = await ask(fields);
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain(fault);
    if ('text' in fields && fields.text !== ' ') {
      expect(text).toContain(fields.text.split('\n')[1]?.replaceAll('"', '&quot;') ?? '');
    }
    expect(await states()).toEqual([]);
  });

  it('takes the role administrator, and is read by everybody', async () => {
    const path = await asked();
    for (const role of ['viewer', 'reviewer'] as const) {
      const change = { organisationId: ORG, name: role, by: 'test', now: nowDate(clock) };
      const added = await addOperator(test.db, { ...change, role, token: { as: 'shown' } });
      const token = added.ok ? (added.token ?? '') : '';
      const answer = await site.post('/login', formOf({ token }));
      cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const form = await (await site.get('/', { cookie })).text();
      csrf = /name="csrf_token" value="([^"]+)"/.exec(form)?.[1] ?? '';
      expect((await ask()).status).toBe(403);
      const stop = await site.post(`${path}/stop`, formOf({ csrf_token: csrf }, { cookie }));
      expect(stop.status).toBe(403);
      expect(await read('/policies/backtests')).toContain(
        'An administrator can try another policy',
      );
      expect(await read(path)).toContain('waits for a worker');
    }
    expect((await site.post('/policies/backtests', formOf({ text: 'x' }))).status).toBe(303);
    expect(await states()).toEqual(['WAITING']);
  });

  it('that fails again and again says so', async () => {
    const path = await asked();
    await test.pool.query(
      `update forestall_jobs.job set retry_limit = 0; alter table decision rename to gone`,
    );
    expect(await runner().runOnce()).toBe(1);
    await test.pool.query('alter table gone rename to decision');
    expect(await states()).toEqual(['WAITING']);
    expect(await runner().runOnce()).toBe(1);
    expect(await states()).toEqual(['FAILED']);
    expect(await read(path)).toContain('relation &quot;decision&quot; does not exist');
  });

  it('that an earlier version left without a job is run', async () => {
    await asked();
    await test.pool.query(
      `delete from forestall_jobs.job; update backtest set state = 'RUNNING', lease_owner = 'gone'`,
    );
    expect(await runner().runOnce()).toBe(1);
    expect(await states()).toEqual(['DONE']);
  });

  it('that a person stops is left alone', async () => {
    const path = await asked();
    const stop = await site.post(`${path}/stop`, formOf({ csrf_token: csrf }, { cookie }));
    expect(stop.status).toBe(303);
    await runner().runOnce();
    expect(await runner().runOnce()).toBe(0);
    expect(await states()).toEqual(['STOPPED']);
  });

  it('is bounded: in decisions, in how many wait, and in how many are kept', async () => {
    const path = await asked();
    expect(await runner({ decisionsMax: 2 }).runOnce()).toBe(1);
    expect(await read(path)).toContain('There are more than 2 decisions. Choose fewer days.');
    for (let count = 0; count < UNFINISHED_MAX; count++) await asked();
    const refused = await ask();
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('not finished yet'),
    ]);
    const row = await test.db.selectFrom('backtest').selectAll().limit(1).executeTakeFirstOrThrow();
    await test.db.deleteFrom('backtest').execute();
    const old = Array.from({ length: KEPT_MAX }, (_, index) => ({
      ...row,
      id: `bkt_${index}`,
      files: '{}',
      result: null,
      state: 'FAILED' as const,
      requested_at: new Date(Date.parse('2026-03-02T00:00:00Z') + index),
      finished_at: new Date('2026-03-02T00:00:00Z'),
    }));
    await test.db.insertInto('backtest').values(old).execute();
    await asked();
    const ids = await test.db.selectFrom('backtest').select('id').execute();
    expect(ids).toHaveLength(KEPT_MAX);
    expect(ids.map(({ id }) => id)).not.toContain('bkt_0');
  });
});
