/**
 * Guarantee, on random estates against the sandbox: after `apply` the plan is empty; what `import`
 * writes means the same; at no moment between two calls RDR may refund what it may refund neither
 * before nor after.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Estate } from '../../../src/capabilities/estate/plan/estate.ts';
import { importEstate } from '../../../src/capabilities/estate/plan/import-estate.ts';
import { readSources } from '../../../src/capabilities/estate/plan/read-estate.ts';
import { holds } from '../../../src/sandbox/resources/ruleset-evaluation.ts';
import type { AlertRecord, RulesetRecord } from '../../../src/sandbox/state/resources.ts';
import { rulesetSchema } from '../../../src/service/wire/ruleset.ts';
import type { EstateWorld } from './estate-world.ts';
import { createEstateWorld } from './estate-world.ts';
import { changedEstate, createRandom, DOLLARS, randomEstate, TEXTS } from './random-estate.ts';

/** `FORESTALL_TEST_ESTATES` runs more of them. */
const ESTATES = Number(process.env['FORESTALL_TEST_ESTATES'] ?? 20);
const FIRST_SEED = Number(process.env['FORESTALL_TEST_SEED'] ?? 1);

let world: EstateWorld;
beforeAll(async () => {
  world = await createEstateWorld();
});
afterAll(() => world.close());

it.each(Array.from({ length: ESTATES }, (_, index) => FIRST_SEED + index))(
  'estate %i',
  async (seed) => {
    const random = createRandom(seed);
    world.useNewOrganisation();
    const first = randomEstate(random, world.organisationId);
    await world.apply(first);
    await expectSettled(first);

    const second = changedEstate(random, first);
    const before = await widths();
    const moments: Set<string>[] = [];
    world.onWrite = async () => {
      moments.push(await widths());
    };
    await world.apply(second, { allowMany: true, allowRefundEverything: true });
    world.onWrite = async () => undefined;
    await expectSettled(second);
    const after = await widths();
    for (const moment of moments) {
      expect([...moment].filter((dispute) => !before.has(dispute) && !after.has(dispute))).toEqual(
        [],
      );
    }
  },
);

async function expectSettled(estate: Estate): Promise<void> {
  const plan = await world.plan(estate);
  expect(plan.problems).toEqual([]);
  expect(plan.steps.map(({ sentence }) => sentence)).toEqual([]);
  const { text, leftOut } = importEstate(await world.read(), [world.organisationId]);
  expect(leftOut).toEqual([]);
  const imported = readSources({ path: 'imported.yaml', text }, [], {}).estate;
  expect(imported.merchants.length).toBe(estate.merchants.length);
  expect(imported.enrolments.length).toBe(estate.enrolments.length);
  expect(imported.rulesets.length).toBe(estate.rulesets.length);
  const again = await world.plan({ ...imported, unlisted: 'remove' });
  expect(again.problems).toEqual([]);
  expect(again.steps).toEqual([]);
}

/** Every dispute of a grid that RDR may refund by the sandbox's own rules, whichever ruleset goes first. */
async function widths(): Promise<Set<string>> {
  const { enrolments, rulesets } = await world.read();
  const refunded = new Set<string>();
  for (const enrolment of enrolments.filter(({ type }) => type === 'NETB_RDR')) {
    const own = rulesets.filter((ruleset) => ruleset.enrolment_ids.includes(enrolment.id));
    for (const [cents, descriptor] of GRID) {
      const holding = own.filter((ruleset) => isHeld(ruleset, cents, descriptor));
      const refunds = holding.some(({ outcome }) => outcome.startsWith('REFUND'));
      if (holding.length === 0 || refunds) {
        refunded.add(`${enrolment.netb_rdr?.bin} ${cents} ${descriptor}`);
      }
    }
  }
  return refunded;
}

const GRID = DOLLARS.flatMap((dollars) => [dollars * 100 - 1, dollars * 100, dollars * 100 + 1])
  .filter((cents) => cents >= 0)
  .flatMap((cents) =>
    [...TEXTS, 'SHOP*EU 123', 'SHOPS', 'OTHER', 'STORES'].map((text) => [cents, text] as const),
  );

function isHeld(ruleset: unknown, cents: number, descriptor: string): boolean {
  const record = rulesetSchema.parse(ruleset);
  // The sandbox's evaluation reads of both only what is given here.
  return holds(
    record as unknown as RulesetRecord,
    {
      transaction_amount_in_cents: cents,
      transaction_currency_code: 'USD',
      transaction_statement_descriptor: descriptor,
    } as AlertRecord,
  );
}
