/**
 * Guarantee: a worker and a receiver that have nothing to do leave the database alone, by its own log: at most
 * three statements a second; and what comes in, or falls due, is worked on all the same.
 *
 * The window is real time, because what is counted is what real timers ask.
 */
import { setTimeout as passes } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmbeddedPostgres } from '../../../src/base/db/embedded/embedded.ts';
import { startEmbeddedPostgres } from '../../../src/base/db/embedded/embedded.ts';
import { openStatementLog } from '../../bench/statement-log.ts';
import type { Running } from '../../bench/statements.ts';
import { IDLE_PER_SECOND_MAX, startRunning } from '../../bench/statements.ts';

/** What a start begins with is over then: migrations, the first poll, the first round of each loop. */
const SETTLE_MS = 4_000;
const WINDOW_SECONDS = 10;
const STATEMENTS_MAX = IDLE_PER_SECOND_MAX * WINDOW_SECONDS;
/** A busy machine still starts in the first one or two. What is asked at rest is asked in each of them. */
const WINDOWS_MAX = 3;

let server: EmbeddedPostgres;
let running: Running;

beforeAll(async () => {
  server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  running = await startRunning(server.connectionString, 1);
});
afterAll(async () => {
  await running.stop();
  await server.stop();
});

test('an idle installation asks at most three statements a second', async () => {
  await passes(SETTLE_MS);
  const count = await openStatementLog(server);
  const window = () => count(() => passes(WINDOW_SECONDS * 1_000));
  let { statements, byText } = await window();
  for (let more = 1; statements > STATEMENTS_MAX && more < WINDOWS_MAX; more++) {
    ({ statements, byText } = await window());
  }
  // A control: the log counts, and the one look for all loops is in it.
  const looks = [...byText].filter(([text]) => text.startsWith('select asking.'));
  expect(looks.reduce((sum, [, times]) => sum + times, 0)).toBeGreaterThan(WINDOW_SECONDS / 4);
  expect(statements, JSON.stringify(Object.fromEntries(byText), null, 1)).toBeLessThanOrEqual(
    STATEMENTS_MAX,
  );
});

test('and an alert is refunded and declared meanwhile', async () => {
  const { sandbox, charges } = running;
  const [charge] = charges;
  sandbox.createAlertFor(charge!);
  await expect
    .poll(() => sandbox.patchLog.map(({ action, http_status }) => [action, http_status]), {
      timeout: 60_000,
    })
    .toEqual([['REFUND', 200]]);
  expect(sandbox.moneyOut(charge!).count).toBe(1);
});
