/**
 * Guarantee: what an installation asks of its database at rest does not grow with the number of its organisations: they
 * share one look, one sign of life and one listening connection, and one process starts them within seconds.
 *
 * `FORESTALL_TEST_ORGANISATIONS=1000` measures what is promised; `node test/bench/organisations.ts 1000` shows it.
 */
import { expect, test } from 'vitest';
import { measureOrganisations, PROMISED } from '../../bench/organisations.ts';
import { createTestDatabase } from '../../support/database.ts';

const COUNT = Number(process.env['FORESTALL_TEST_ORGANISATIONS'] ?? 12);
const isWhole = COUNT >= 1_000;

/** What is counted is what real timers ask. In a short window one poll weighs as much as a minute's rest. */
const WINDOWS = isWhole ? { settleMs: 20_000, restMs: 60_000 } : { settleMs: 500, restMs: 3_000 };
const PER_SECOND_MAX = isWhole ? PROMISED.statementsPerSecond : 4 * PROMISED.statementsPerSecond;

test(`an installation of ${COUNT} organisations at rest`, { timeout: 300_000 }, async () => {
  const database = await createTestDatabase();
  try {
    const measured = await measureOrganisations(database.connectionString, COUNT, WINDOWS);
    const { byText, statementsPerSecond, startMs, memoryMb } = measured;
    // One look for all of them, every two seconds; a control, too, that statements are counted.
    const looks = [...byText].filter(([text]) => text.startsWith('select asking.'));
    expect(looks).toHaveLength(1);
    expect(looks[0]?.[1]).toBeLessThanOrEqual(WINDOWS.restMs / 2_000 + 1);
    const shown = JSON.stringify(Object.fromEntries(byText), null, 1);
    expect(statementsPerSecond, shown).toBeLessThanOrEqual(PER_SECOND_MAX);
    if (!isWhole) return;
    expect(startMs).toBeLessThanOrEqual(PROMISED.startMs);
    expect(memoryMb).toBeLessThanOrEqual(PROMISED.memoryMb);
  } finally {
    await database.drop();
  }
});
