/**
 * Guarantee: of hundreds of disputes, with lost answers, late requests, refusals, people who act meanwhile, workers killed at
 * every named point and three of them at once, each is handed in once at most, none after it is due, none that was given up, and
 * each is with the processor a day before or held with people told.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { useTestDatabase } from '../support/database.ts';
import { EVERY_FATE, simulateFiling } from './simulate.ts';

const SECRET = 's'.repeat(32);
const test = useTestDatabase();
const clock = createFixedClock('2026-03-10T12:00:00Z');
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ clock, processorSecret: SECRET });
});
afterAll(() => sandbox.close());

/** Another size: `FILING_DISPUTES=10000 FILING_SEED=7`. */
const count = Math.max(EVERY_FATE.length, Number(process.env['FILING_DISPUTES'] ?? 300));
const seed = Number(process.env['FILING_SEED'] ?? 1);

it(`${count} disputes, seed ${seed}`, { timeout: 4 * 3_600_000 }, async () => {
  const world = { db: test.db, clock, sandbox, secret: SECRET };
  const startedMs = performance.now();
  const { broken, ...figures } = await simulateFiling(world, { disputes: count, seed });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${JSON.stringify({ ...figures, seconds })}\n`);
  expect(broken).toEqual([]);
  expect(figures.disputes).toBe(count);
  const { filed, elsewhere, accepted, heldAndTold } = figures;
  expect(filed + elsewhere + accepted + heldAndTold).toBe(count);
  // It was no walk in the sun.
  expect(Math.min(figures.faults, figures.kills, filed, heldAndTold)).toBeGreaterThan(0);
});
