/** Guarantee: each level of each line is told once, with the next step; the policy is told where ratios stand, while that is fresh. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCase } from '../../../src/alerts/cases/case.store.ts';
import { readCaseView } from '../../../src/alerts/decide/case-view.store.ts';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import { freshStanding } from '../../../src/alerts/decide/ratio-standing.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import type { CockpitDeps } from '../../../src/capabilities/ratios/cockpit.ts';
import { readCockpit } from '../../../src/capabilities/ratios/cockpit.ts';
import { cockpitDeps } from '../../../src/capabilities/ratios/cockpit-deps.ts';
import { openMonitoring } from '../../../src/capabilities/ratios/monitoring.ts';
import type { Programme } from '../../../src/capabilities/ratios/programme.ts';
import { readProgramme } from '../../../src/capabilities/ratios/programme.ts';
import {
  createProgrammeWatch,
  lookAtRatios,
} from '../../../src/capabilities/ratios/programmes.job.ts';
import { judgeCounts } from '../../../src/capabilities/ratios/roll-up.store.ts';
import { ORGANISATION_SCOPE } from '../../../src/capabilities/ratios/scope.ts';
import { POLICY_FIELDS } from '../../../src/policy/fields.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertAlert, insertNotice, insertPayments, ORG } from './rows.ts';

const test = useTestDatabase();
beforeAll(async () => {
  // 1,000 payments in each of 21 days: 30,000 expected of November, of which 0.5 % are 150.
  for (let day = 1; day <= 21; day++) {
    const text = `2026-11-${String(day).padStart(2, '0')}`;
    await insertPayments(test.db, { prefix: `p${day}_`, count: 1_000, day: text, brand: 'visa' });
  }
});

const NOW = new Date('2026-11-22T00:00:00Z');

const VAMP = readProgramme(
  `{id: test, name: Test, scheme: SCHEME_A, valid_from: 2026-01-01, per: merchant, base: same,
  readings: [{name: once, says: x, counts: [fraud, dispute]}],
  lines: [{name: line, ratio_percent: 0.5, count: 5, confidence: secondary, source: s, next_step: Call the acquirer.}]}`,
  'test',
);

function deps(): CockpitDeps {
  return {
    ...cockpitDeps({
      db: test.db,
      organisationId: ORG,
      settings: openSettings({ FORESTALL_MONITORING_REGION: 'EU' }),
    }),
    programmes: [VAMP],
  };
}

async function notices(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await insertNotice(test.db, { id: `n${n}`, type: 'TC40', day: '2026-11-20' });
  }
  await judgeCounts(test.db, ORG);
}

async function messages(): Promise<string[]> {
  const rows = await test.db
    .selectFrom('notification')
    .select('text')
    .where('kind', '=', 'ratio_alarm')
    .orderBy('id')
    .execute();
  return rows.map(({ text }) => text);
}

describe('alarms', () => {
  it('come at 50, 75, 90 and 100 % of what the line takes of the month, once each', async () => {
    // The pace of payments is 1,000 a day; half of the running day counts as over: 29,500 are expected, 148 cross.
    const after: [number, number][] = [
      [73, 0],
      [74, 1],
      [110, 1],
      [111, 2],
      [133, 2],
      [134, 3],
      [147, 3],
      [148, 4],
      [160, 4],
    ];
    let counted = 0;
    for (const [count, alarms] of after) {
      await notices(counted + 1, count);
      counted = count;
      await lookAtRatios(deps(), NOW);
      await lookAtRatios(deps(), NOW);
      expect([count, (await messages()).length]).toEqual([count, alarms]);
    }
    const texts = await messages();
    expect(texts[0]).toContain('is 50 % used up in November 2026');
    expect(texts[0]).toContain(
      '74 (148 are enough) of 29,500 payments expected, 0.25 %. Call the acquirer.',
    );
    expect(texts[3]).toContain('is crossed');
  });

  it('do not come again when messages were deleted for their age', async () => {
    await sql`delete from notification`.execute(test.db);
    await lookAtRatios(deps(), NOW);
    expect(await messages()).toEqual([]);
  });

  it('come for reported numbers too, the highest level alone', async () => {
    await sql`insert into programme_reported select ${ORG}, '2026-10-01', 'SCHEME_A', 'organisation', '', m, v, 'x', 'kim', now()
      from (values ('payments', 20000), ('fraud', 92)) as r (m, v)`.execute(test.db);
    await lookAtRatios(deps(), NOW);
    const texts = await messages();
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('is 90 % used up in October 2026, by the numbers reported');
  });
});

describe('the standing', () => {
  it('is what the page says: ratio, room and line', async () => {
    const row = await test.db
      .selectFrom('ratio_standing')
      .selectAll()
      .where('scheme', '=', 'SCHEME_A')
      .executeTakeFirstOrThrow();
    // 160 of 21,000 known payments; 148 are enough, so no room is left.
    expect(row.ratio_percent).toBeCloseTo(0.7619, 4);
    expect(row).toMatchObject({ merchant_id: '', headroom: 0, line: 'Test: line' });
  });

  it('reaches the decision about an alert of that scheme, and no other', async () => {
    for (const [id, scheme] of [
      ['a', 'SCHEME_A'],
      ['o', 'OTHER'],
    ] as const) {
      await insertAlert(test.db, {
        id,
        scheme,
        status: 'ACTION_REQUIRED',
        outcome: null,
        day: '2026-11-21',
      });
    }
    const viewOf = async (alertId: string) => {
      const row = await findCase(test.db, ORG, alertId);
      if (row === undefined) throw new Error(`no case ${alertId}`);
      return await readCaseView(test.db, row);
    };
    const { ratio } = await viewOf('a');
    expect(ratio).toMatchObject({ headroom: 0, line: 'Test: line' });
    const fields = [POLICY_FIELDS.get('ratio'), POLICY_FIELDS.get('ratio_headroom')];
    const read = fields.map((field) =>
      field?.read({ ratio } as unknown as DecisionFacts, { timeZone: 'UTC', rates: null }),
    );
    expect(read).toEqual([ratio?.percent, 0]);
    expect((await viewOf('o')).ratio).toBeNull();
  });

  it('is not known any more after a day', () => {
    const standing = { percent: 0.4, headroom: 12, line: 'l', measuredAt: '2026-11-21T00:00:00Z' };
    const at = Date.parse(standing.measuredAt) + 24 * 3_600_000;
    expect(freshStanding(standing, at)).toEqual(standing);
    expect(freshStanding(standing, at + 1)).toBeNull();
    expect(freshStanding(null, at)).toBeNull();
  });

  it('is written by the worker while counts change, and not each minute', async () => {
    const clock = createFixedClock('2026-11-22T01:00:00Z');
    const runOnce = createProgrammeWatch({
      ...cockpitDeps({
        db: test.db,
        organisationId: ORG,
        settings: openSettings({}),
        brands: IDENTITY_BRAND_TOKENS,
      }),
      programmes: [VAMP],
      clock,
    });
    const measured = async (): Promise<string | undefined> => {
      const row = await test.db
        .selectFrom('ratio_standing')
        .select('measured_at')
        .where('scheme', '=', 'SCHEME_A')
        .executeTakeFirst();
      return row?.measured_at.toISOString();
    };
    while ((await runOnce()) > 0);
    expect(await measured()).toBe('2026-11-22T01:00:00.000Z');
    clock.advanceMs(11 * 60_000);
    await runOnce();
    const second = await measured();
    clock.advanceMs(11 * 60_000);
    await runOnce();
    expect(await measured()).toBe(second);
    // The worker judges it by itself.
    await insertNotice(test.db, { id: 'n161', type: 'TC40', day: '2026-11-20' });
    await runOnce();
    expect(await measured()).toBe('2026-11-22T01:22:00.000Z');
  });
});

describe('reported months', () => {
  const ECP = openMonitoring({ region: 'EU' }).programmes.filter(({ id }) => id === 'ecp');
  const VAMPS = openMonitoring({ region: 'EU' }).programmes.filter(({ id }) =>
    /^vamp-202/.test(id),
  );
  const report = async (rows: readonly (readonly [string, string, string, number])[]) => {
    await sql`delete from programme_reported`.execute(test.db);
    for (const [month, scheme, measure, value] of rows) {
      await sql`insert into programme_reported values (${ORG}, ${`${month}-01`}, ${scheme}, 'organisation', '', ${measure}, ${value}, 'x', 'kim', now())`.execute(
        test.db,
      );
    }
  };
  const look = async (programmes: readonly Programme[], now: string) =>
    await readCockpit({ ...deps(), programmes }, ORGANISATION_SCOPE, new Date(now));

  it('of a programme over the payments of the month before are judged by their own chargebacks', async () => {
    await report([
      ['2026-09', 'SCHEME_B', 'payments', 10_000],
      ['2026-09', 'SCHEME_B', 'dispute', 90],
      ['2026-10', 'SCHEME_B', 'payments', 10_000],
      ['2026-10', 'SCHEME_B', 'dispute', 310],
    ]);
    const { programmes } = await look(ECP, '2026-11-22T00:00:00Z');
    const judged = programmes[0]?.reported ?? [];
    // The payments of October alone are no report about November, and those of August are not known.
    expect(judged.map(({ month }) => month)).toEqual(['2026-09', '2026-10']);
    // 310 of the 10,000 of September: 3.1 %.
    expect(judged[1]?.readings[0]).toMatchObject({ count: 310, base: 10_000 });
    expect(judged[1]?.readings[0]?.ratioPercent).toBeCloseTo(3.1, 10);
    expect(judged[1]?.readings[0]?.crossed?.name).toBe('HECM');
    // Without the acquirer's payments there is no ratio: ours are another count.
    expect(judged[0]?.readings[0]).toMatchObject({ count: 90, base: null, ratioPercent: null });

    await sql`delete from notification`.execute(test.db);
    await lookAtRatios({ ...deps(), programmes: ECP }, new Date('2026-11-22T00:00:00Z'));
    const texts = await messages();
    expect(texts.filter((text) => text.includes('October 2026, by the numbers reported'))).toEqual(
      expect.arrayContaining([expect.stringContaining('310')]),
    );
  });

  it('say which lines they mean while no region is set, and raise no alarm of another one', async () => {
    // 120 of 5,000 are 2.4 %: beyond 0.5 % and 5 where most acquirers are, and beyond CEMEA's floor of 100.
    await report([
      ['2026-10', 'SCHEME_A', 'payments', 5_000],
      ['2026-10', 'SCHEME_A', 'fraud', 100],
      ['2026-10', 'SCHEME_A', 'dispute', 20],
    ]);
    const raised = async (region: string | undefined): Promise<string[]> => {
      await sql`delete from notification`.execute(test.db);
      await sql`delete from programme_alarm`.execute(test.db);
      await sql`delete from ratio_standing`.execute(test.db);
      const { programmes } = openMonitoring({ region });
      const vamps = programmes.filter(({ id }) => id.startsWith('vamp-'));
      await lookAtRatios({ ...deps(), programmes: vamps, region }, NOW);
      return (await messages()).filter((text) => text.includes('reported'));
    };
    const [unset, ...others] = await raised(undefined);
    expect(others).toEqual([]);
    expect(unset).toContain('line "non-compliant"');
    expect(unset).toContain('AP, CA, EU, US: set FORESTALL_MONITORING_REGION');
    const { line } = await test.db
      .selectFrom('ratio_standing')
      .select('line')
      .where('scheme', '=', 'SCHEME_A')
      .executeTakeFirstOrThrow();
    expect(line).not.toContain('floor');
    expect((await raised('CEMEA')).join()).toContain('line "excessive, floor of 100"');
    const inEu = (await raised('EU')).join();
    expect(inEu).toContain('line "non-compliant"');
    expect(inEu).not.toContain('FORESTALL_MONITORING_REGION');
  });

  it('say in an alarm what was taken for reached, and that not all was reported', async () => {
    await sql`delete from programme_alarm`.execute(test.db);
    await sql`delete from notification`.execute(test.db);
    await report([
      ['2026-09', 'SCHEME_B', 'payments', 10_000],
      ['2026-10', 'SCHEME_B', 'dispute_of_fraud', 150],
    ]);
    const { programmes } = openMonitoring({ region: 'EU' });
    const some = programmes.filter(({ id }) => ['ecp', 'efm'].includes(id));
    await lookAtRatios({ ...deps(), programmes: some }, NOW);
    const texts = (await messages()).join(' ');
    expect(texts).toContain(
      'Not known, and taken for reached: the amount in US dollars, the share through 3-D Secure.',
    );
    // 150 about fraud are the least that all chargebacks can be: 1.5 % of 10,000.
    expect(texts).toContain('reading "chargebacks": at least 150 (150 are enough)');
  });

  it('are judged by the rules of their month', async () => {
    // 1,600 of 100,000: 1.6 %. The line was 2.2 % until March 2026, and is 1.5 % since April.
    const months = ['2026-03', '2026-04'].flatMap((month) => [
      [month, 'SCHEME_A', 'payments', 100_000] as const,
      [month, 'SCHEME_A', 'fraud', 1_600] as const,
    ]);
    await report(months);
    const { programmes, past } = await look(VAMPS, '2026-05-10T00:00:00Z');
    const crossed = [...past, ...programmes].flatMap((view) =>
      view.reported.map(({ month, readings }) => [
        view.programme.id,
        month,
        readings[0]?.crossed?.name,
      ]),
    );
    expect(crossed).toEqual([
      ['vamp-2025-06', '2026-03', 'non-compliant'],
      ['vamp-2026-04', '2026-04', 'excessive'],
    ]);
  });
});
