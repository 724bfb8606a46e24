/**
 * Guarantee: `forestall verify` finds every promise about money kept by our own flow, and finds each
 * broken one in books that show it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configurationOf } from '../../../src/people/cli/verify-money.ts';
import { readSettings } from '../../../src/running/config.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { audit } from '../../../src/running/verify/money/money-audit.ts';
import type { Scene } from '../../../src/running/verify/money/money-scenario.ts';
import { createScene } from '../../../src/running/verify/money/money-scenario.ts';
import {
  MONEY_SCENARIOS,
  runMoneyScenarios,
} from '../../../src/running/verify/money/run-money-scenarios.ts';
import { createTestDatabase } from '../../support/database.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

describe('the money scenarios', () => {
  it('are more than thirty, each with a name of its own', () => {
    const names = MONEY_SCENARIOS.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
  });

  // The whole list takes a minute on a busy machine: `forestall verify` runs it.
  it('one of each kind keeps every promise', async () => {
    const wanted = [
      'delivery.lost',
      'refund.answer_lost',
      'charge.twin_alerts',
      'charge.not_captured',
      'part.side_by_side',
      'network.takes_its_money_back',
      'network.lets_through',
      'network.refunds_before_the_order',
      'charge.captured_in_part',
      'match.search_unanswered',
      'network.refunds_itself',
      'crash.refund_unrecorded',
    ];
    const database = await createTestDatabase();
    const report = await runMoneyScenarios({
      database: database.connectionString,
      scenarios: MONEY_SCENARIOS.filter(({ name }) => wanted.includes(name)),
    });
    await database.drop();
    expect(report.results.map(({ name }) => name)).toEqual(wanted);
    expect(report.results.flatMap(({ problems }) => problems)).toEqual([]);
    // Lost webhook 1, lost answer 1, twins 1, two parts 2, the one whose network money is gone 1, the one that
    // the network let through 1, the one captured in part 1, the unanswered search 1, two sales around the
    // crash 2; the voided charge and the network's own two refunds move nothing of ours.
    expect(report.refundsMade).toBe(11);
    expect(report).toMatchObject({ kept: true, answered: 18, leftToPeople: 0 });
  });

  it('are played with what the merchant’s settings put in force', () => {
    const settings = readSettings({
      FORESTALL_POLICY: 'templates/policies/small-amounts.yaml',
      FORESTALL_MATCHING: '/etc/forestall/matching.yaml',
    });
    expect(configurationOf(settings)).toMatchObject({
      policy: settings.policyPath,
      matching: '/etc/forestall/matching.yaml',
      guard: { actions: undefined },
    });
  });

  it('find no charge by themselves where the merchant’s matching leaves all to people', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-matching-'));
    const matching = join(folder, 'matching.yaml');
    await writeFile(matching, 'automatic: []\n');
    const database = await createTestDatabase();
    const world = await createTestWorld({ database: database.connectionString, matching });
    const { alertId } = await createScene(world).dispute();
    await world.drain();
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    await world.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
});

describe('the audit finds', () => {
  let world: World;
  let scene: Scene;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  async function played() {
    scene = createScene(world);
    const { sale, alertId } = await scene.dispute();
    await scene.work();
    const charge = world.sandbox.state.charges.get(sale.charge.reference)!;
    expect((await audit(world, scene)).problems).toEqual([]);
    return { sale, alertId, charge };
  }
  const problems = async () => (await audit(world, scene)).problems;

  it('a second refund of ours', async () => {
    const { charge } = await played();
    charge.refunds.push({ ...charge.refunds[0]!, reference: 're_again', idempotency_key: 'other' });
    expect(await problems()).toEqual([
      `${charge.reference} was refunded 2 times by us`,
      `${charge.reference}: 5800 refunded of 2900`,
    ]);
  });

  it('one part’s money declared for another, and nothing where each part has its own', async () => {
    scene = createScene(world);
    const sale = await scene.sell();
    for (const amount_in_cents of [900, 700]) scene.alert(sale, { amount_in_cents });
    await scene.work();
    expect((await audit(world, scene)).problems).toEqual([]);
    const charge = world.sandbox.state.charges.get(sale.charge.reference)!;
    charge.refunds.splice(
      charge.refunds.findIndex((each) => each.amount_in_cents === 700),
      1,
    );
    expect(await problems()).toEqual([
      `${sale.charge.reference}: 1600 declared refunded of 900 that had been`,
    ]);
  });

  it('a declaration that depends on money the network has taken back', async () => {
    scene = createScene(world);
    const sale = await scene.sell();
    const enrolment_id = world.sandbox.accounts.rdrEnrolmentId;
    const rdr = scene.alert(sale, { enrolment_id });
    await scene.work();
    const alertId = scene.alert(sale);
    await scene.work();
    expect((await audit(world, scene)).problems).toEqual([]);
    Object.assign(world.sandbox.state.alerts.get(rdr)!, { status: 'INVALID' });
    expect(await problems()).toEqual([`${alertId} was declared refunded when 0 of 2900 had been`]);
  });

  it('a refund of ours on top of the network’s, and nothing where the network came after it', async () => {
    const { sale, charge } = await played();
    const enrolment_id = world.sandbox.accounts.rdrEnrolmentId;
    await world.advance(60_000);
    scene.alert(sale, { enrolment_id });
    await scene.work();
    expect((await audit(world, scene)).problems).toEqual([]);
    Object.assign(charge.refunds[0]!, {
      created_at: new Date(world.clock.nowMs() + 1).toISOString(),
    });
    expect(await problems()).toContain(
      `${charge.reference}: 2900 refunded by us on top of 2900 by the network`,
    );
  });

  it('a refund declared before any money moved', async () => {
    const { alertId, charge } = await played();
    charge.refunds.length = 0;
    expect(await problems()).toEqual([`${alertId} was declared refunded when 0 of 2900 had been`]);
  });

  it('a dispute accepted after we refunded', async () => {
    const { alertId } = await played();
    const entry = world.sandbox.patchLog.find((each) => each.alert_id === alertId)!;
    Object.assign(entry, { action: 'ACCEPT_DISPUTE' });
    expect(await problems()).toEqual([
      `${alertId} was declared not refunded after we had refunded it`,
    ]);
  });

  it('an answer to an alert that refunds by itself', async () => {
    const { alertId } = await played();
    Object.assign(world.sandbox.state.alerts.get(alertId)!, { enrolment_type: 'NETB_RDR' });
    expect(await problems()).toEqual([
      `${alertId} refunds by itself and was answered all the same`,
    ]);
  });

  it('an alert that ran out without a word', async () => {
    const { alertId } = await played();
    Object.assign(world.sandbox.state.alerts.get(alertId)!, { status: 'ACTION_REQUIRED' });
    expect(await problems()).toEqual([
      `${alertId} ran out unanswered, and nobody was told before its deadline`,
    ]);
  });
});
