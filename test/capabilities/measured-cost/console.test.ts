/** Guarantee: the page of refund or accept, the figures of a month and the command say the same verdict. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openCostModel } from '../../../src/books/costs/cost-model.ts';
import { readEconomics } from '../../../src/capabilities/measured-cost/read-economics.ts';
import { verdictText } from '../../../src/capabilities/measured-cost/words.ts';
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
