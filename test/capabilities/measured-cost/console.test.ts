/** Guarantee: the page of refund or accept, the figures of a month and the command say the same verdict; pages by the count of the night. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCostModel, readCostModel } from '../../../src/alerts/costs/cost-model.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { measuredCost } from '../../../src/capabilities/measured-cost/index.ts';
import { findKept, keptOf } from '../../../src/capabilities/measured-cost/kept-economics.store.ts';
import { readEconomics } from '../../../src/capabilities/measured-cost/read-economics.ts';
import { recentEconomics } from '../../../src/capabilities/measured-cost/recent-economics.ts';
import { verdictText } from '../../../src/capabilities/measured-cost/words.ts';
import type { CapabilityWork } from '../../../src/surface/capability.ts';
import type { Visit } from '../../../src/surface/web/visit.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS } from '../../crash/support/saga-world.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { startConsole } from '../../integration/console/support.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let test: TestDatabase;
let site: TestConsole;
let world: SagaWorld;
let cookie: string;

beforeAll(async () => {
  test = await createTestDatabase();
  world = createSagaWorld(test.db);
  for (const n of [1, 2, 3]) {
    world.processor.addCharge(`ch_${n}`);
    const decision = n === 1 ? 'REFUND' : 'ACCEPT_DISPUTE';
    await world.open({ alertId: `netalrt_${n}`, chargeReference: `ch_${n}`, decision });
  }
  await world.settle([world.worker('w1')]);
  await test.db.updateTable('alert').set({ currency: 'USD' }).execute();
  site = await startConsole(test.db, createFixedClock(world.clock.nowMs() + HOUR_MS), {
    organisationId: world.organisationId,
  });
  ({ cookie } = await site.signIn());
});
afterAll(async () => {
  await site.close();
  await test.drop();
});

it('holds', async () => {
  const now = new Date(world.clock.nowMs() + HOUR_MS);
  const { organisationId } = world;
  const { whole, currency } = await readEconomics(test.db, openCostModel(undefined), {
    organisationId,
    now,
  });
  if (whole === null) throw new Error('nothing was counted');
  const said = verdictText(whole, currency);
  expect(said).toMatch(/^not known: /);
  const text = await (await site.get('/costs', { cookie })).text();
  expect(text).toContain(`<h2>N${said.slice(1)}</h2>`);
  expect(text).toContain(
    '100 % (assumed, it may be 0 % to 100 %; 0 so far; 0 of 2 have had their time)',
  );
  expect(await (await site.get('/figures', { cookie })).text()).toContain(
    `<strong>${said}</strong>`,
  );
});

it('a page counts a year of alerts once in ten minutes, and what failed not at all', async () => {
  const beginMs = world.clock.nowMs() + HOUR_MS;
  const { organisationId } = world;
  const options = { db: test.db, organisationId } as Visit['options'];
  const settings = { of: () => openCostModel(undefined) } as unknown as Visit['settings'];
  const countedAfter = async (afterMs: number): Promise<number> => {
    const now = new Date(beginMs + afterMs);
    return (await recentEconomics({ options, settings, now })).to.getTime() - beginMs;
  };
  const [one, another] = await Promise.all([countedAfter(0), countedAfter(0)]);
  expect([one, another, await countedAfter(1_000)]).toEqual([0, 0, 0]);
  expect(await countedAfter(10 * 60_000 - 1)).toBe(0);
  expect(await countedAfter(10 * 60_000)).toBe(10 * 60_000);
  // Another console's.
  const other = { options: { ...options }, settings, now: new Date(beginMs) };
  expect((await recentEconomics(other)).to.getTime()).toBe(beginMs);

  const broken = { ...options } as { db: unknown };
  const { db } = broken;
  broken.db = undefined;
  const asked = { options: broken as Visit['options'], settings, now: new Date(beginMs) };
  await expect(recentEconomics(asked)).rejects.toThrow();
  broken.db = db;
  expect((await recentEconomics(asked)).to.getTime()).toBe(beginMs);
});

describe('the count of the night', () => {
  const model = openCostModel(undefined);
  const beginMs = (): number => world.clock.nowMs() + HOUR_MS;
  const scope = (afterMs = 0) => ({
    ...{ organisationId: world.organisationId, model },
    now: new Date(beginMs() + afterMs),
  });
  const night = async (afterMs: number, costs = model): Promise<void> => {
    const work = {
      ...{ db: test.db, organisationId: world.organisationId },
      clock: createFixedClock(beginMs() + afterMs),
      settings: { of: () => costs },
    } as unknown as CapabilityWork;
    for (const step of measuredCost.nightly?.(work) ?? []) await step.run();
  };

  it('is what pages show, with its moment, until two nights have failed', async () => {
    await night(0);
    expect(await findKept(test.db, scope())).toEqual(
      keptOf(await readEconomics(test.db, model, scope())),
    );
    const before = await (await site.get('/costs', { cookie })).text();
    expect(before).toContain(`Counted <time datetime="${new Date(beginMs()).toISOString()}"`);
    expect(before).toContain('0 of 2 have had their time');
    // What came since is for the next night.
    const open = { alertId: 'netalrt_4', chargeReference: 'ch_4' };
    world.processor.addCharge('ch_4');
    await world.open({ ...open, decision: 'ACCEPT_DISPUTE' });
    await world.settle([world.worker('w1')]);
    await test.db.updateTable('alert').set({ currency: 'USD' }).execute();
    // Each form has an id of its own, each time the page is shown.
    const withoutIds = (page: string): string =>
      page.replaceAll(/name="sent_as" value="[\w-]+"/g, '');
    const again = await (await site.get('/costs', { cookie })).text();
    expect(withoutIds(again)).toBe(withoutIds(before));
    await night(1_000);
    const after = await (await site.get('/costs', { cookie })).text();
    expect(after).toContain('0 of 3 have had their time');
    const month = await (await site.get('/figures', { cookie })).text();
    expect(month).toContain(
      `counted <time datetime="${new Date(beginMs() + 1_000).toISOString()}"`,
    );
    const twoDaysMs = 48 * HOUR_MS;
    expect(await findKept(test.db, scope(1_000 + twoDaysMs - 1))).toBeDefined();
    expect(await findKept(test.db, scope(1_000 + twoDaysMs))).toBeUndefined();
  });

  it('says nothing of another cost model, nor of another organisation', async () => {
    await night(2_000);
    const other = readCostModel('merchants: { mrch_1: { handling: 6 } }', 'costs.yaml');
    expect(await findKept(test.db, { ...scope(2_000), model: other })).toBeUndefined();
    expect(await findKept(test.db, { ...scope(2_000), organisationId: 'org_2' })).toBeUndefined();
    await night(2_000, other);
    expect(await findKept(test.db, { ...scope(2_000), model: other })).toBeDefined();
  });
});
