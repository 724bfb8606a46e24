/** Guarantee: a backtest prices its policy on the log: same figures in the result, the command's text, and the console. */
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { decide } from '../../../src/alerts/decide/decide.ts';
import { insertingDecision } from '../../../src/alerts/decide/decision.store.ts';
import type { Decision } from '../../../src/alerts/decide/decision.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { Trx } from '../../../src/base/db/database.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import type { BacktestResult } from '../../../src/capabilities/backtests/backtest.ts';
import { ASSUMED_FEES, reportOf } from '../../../src/capabilities/backtests/backtest-report.ts';
import { showBacktest } from '../../../src/capabilities/backtests/command-text.ts';
import { replayPast } from '../../../src/capabilities/backtests/replay.ts';
import { backtestResult } from '../../../src/capabilities/backtests/result.ts';
import { replayReaders } from '../../../src/capabilities/index.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { useTestDatabase } from '../../support/database.ts';
import { triable } from '../../support/trial-world.ts';

const ORG = 'org_1';
const test = useTestDatabase();
const ANSWERED = new Date('2026-03-11T13:00:00Z');
const NOW = '2026-11-20T12:00:00Z';

const RULES = 'rules: [{name: small, when: {amount: {at_most: 100.00 USD}}, then: REFUND}]\n';
const IN_FORCE = loadPolicy(`${RULES}otherwise: REVIEW\n`, { file: 'in-force.yaml' });
const CANDIDATE = loadPolicy('rules: []\notherwise: ACCEPT_DISPUTE\n', { file: 'new.yaml' });

/** 30.00 USD each: 1 to 8 were accepted for the trial, of which two came back; 9 to 14 refunded in it; 15 in none; 16 is a twin of 1. */
beforeAll(async () => {
  await test.db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (let n = 1; n <= 16; n++) await store(trx, n);
    const came = new Date('2026-04-01T00:00:00Z');
    for (const n of [2, 5]) {
      await sql`insert into representment (organisation_id, id, dispute_status, transaction_reference_id, created_at,
          updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
        values (${ORG}, ${`rep_${n}`}, 'OPEN', ${`ch_${n}`}, ${came}, ${came}, '{}', '\\x00', 'webhook', ${came}, ${came})`.execute(
        trx,
      );
    }
  });
});

const accepts = (n: number): boolean => n <= 8 || n === 16;

function decided(known: DecisionFacts, n: number): Decision {
  const refund = decide(IN_FORCE, known);
  if (n === 15) return refund;
  return accepts(n)
    ? {
        ...{ ...refund, action: 'ACCEPT_DISPUTE', amountMinor: null },
        trial: { experiment: 'explore', arm: 'accept', propensity: 0.1 },
      }
    : { ...refund, trial: { experiment: 'explore', arm: 'refund', propensity: 0.9 } };
}

async function store(trx: Trx, n: number): Promise<void> {
  const [id, at, facts] = [`netalrt_${n}`, new Date('2026-03-11T12:00:00Z'), triable(n, {}, 30_00)];
  await insertingDecision(trx, {
    ...{ organisationId: ORG, alertId: id, facts, now: at, decision: decided(facts, n) },
  }).execute(trx);
  await sql`insert into alert (organisation_id, id, status, enrolment_type, deadline_at, amount_minor, currency,
      reason_code, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, 'RESOLVED', 'NETA_ALERT', ${ANSWERED}, 3000, 'USD', '10.4', ${at}, ${at}, '{}',
      '\\x00', 'webhook', ${at}, ${at})`.execute(trx);
  await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, charge_reference,
      dispute_id, decision_id, closed_at, changed_at)
    select ${ORG}, ${id}, ${accepts(n) ? 'DECLARED_ACCEPT' : 'DECLARED_REFUND'}, ${at}, ${ANSWERED}, ${`ch_${n === 16 ? 1 : n}`},
      ${`dsp_${n === 16 ? 1 : n}`}, id, ${ANSWERED}, ${ANSWERED} from decision where alert_id = ${id}`.execute(
    trx,
  );
}

const tried = async (policy: typeof IN_FORCE): Promise<BacktestResult> => {
  const asked = { db: test.db, clock: createFixedClock(NOW), organisationId: ORG };
  return await replayPast(test.db, {
    ...{ policy, fees: ASSUMED_FEES, organisationId: ORG },
    readers: await replayReaders({ ...asked, settings: openSettings({}) }),
  });
};

const costOf = ({ parts = [] }: BacktestResult) => {
  const part = parts.find(({ name }) => name === 'cost');
  if (part === undefined) throw new Error('no price');
  return part;
};

it('by the arms that were drawn, and by the model for what was in none', async () => {
  const result = await tried(CANDIDATE);
  const { data, lines } = costOf(result);
  expect(result.alerts).toBe(16);
  // A dispute costs 20 + 5 + 0.7 × 30.00 and the fine of 8.00 that stands in for the ratio: 54.00; an alert 25.00.
  // 14 by the trial: 25.00 + 2/8 × 54.00 = 38.50. One by the model: the same, by the 8 that were counted.
  expect(data).toMatchObject({
    ...{ currency: 'USD', cases: 15, byTrial: 14, byModel: 1, matched: 8, changed: 15 },
    is: { costMinor: 15 * 38_50 },
    was: { costMinor: 15 * 55_00 },
    difference: { costMinor: -15 * 16_50 },
  });
  expect(lines.find(({ label }) => label === 'By the trial')?.says).toMatch(
    /^93 % of 15 cases, from 8 cases/,
  );
});

it('the trial is not the policy’s: the rules in force answer nothing otherwise', async () => {
  const { data } = costOf(await tried(IN_FORCE));
  expect(data).toMatchObject({ changed: 0, verdict: 'same', difference: { costMinor: 0 } });
});

it('the command and the console say it beside the figures of before', async () => {
  const result = await tried(CANDIDATE);
  const verdict = costOf(result).lines[0]?.says ?? '';
  expect(verdict).toMatch(/247\.50 USD less/);
  const policy = { name: 'new', version: 'v' };
  const text = showBacktest(result, { policy, against: null, tookMs: 1, all: false });
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`What it would cost Verdict: ${verdict}`);
  expect(text).toContain('Disputes accepted');
  const page = backtestResult(reportOf(result, ASSUMED_FEES), 'Then').toString();
  expect(page).toContain('<h2>What it would cost</h2>');
  expect(page).toContain(verdict);
});
