/** Guarantee: the page of refund or accept, the figures of a month and the command say the same verdict. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openCostModel } from '../../../src/books/costs/cost-model.ts';
import { readEconomics } from '../../../src/capabilities/measured-cost/read-economics.ts';
import { recentEconomics } from '../../../src/capabilities/measured-cost/recent-economics.ts';
import { verdictText } from '../../../src/capabilities/measured-cost/words.ts';
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
  expect(said).toMatch(/^not known above 0\.00 USD: /);
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
  const seen = async (afterMs: number): Promise<number> => {
    const now = new Date(beginMs + afterMs);
    return (await recentEconomics({ options, settings, now })).to.getTime() - beginMs;
  };
  expect(await Promise.all([seen(0), seen(1_000)])).toEqual([0, 0]);
  expect(await seen(10 * 60_000 - 1)).toBe(0);
  expect(await seen(10 * 60_000)).toBe(10 * 60_000);
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
