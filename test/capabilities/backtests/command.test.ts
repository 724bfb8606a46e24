/** Guarantee: `forestall policy backtest` says what another policy would have done with the decisions of the database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { backtestCommand } from '../../../src/capabilities/backtests/commands.ts';
import { readAnyPolicy } from '../../../src/people/cli/read-policy.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { print } from '../../../src/surface/terminal/print.ts';
import {
  flat,
  NEW,
  OLD,
  ORG,
  storePastDecisions,
} from '../../integration/policy/past-decisions.ts';
import { useTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';

const database = useTestDatabase();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
  writeFileSync(join(folder, 'new.yaml'), NEW);
  writeFileSync(
    join(folder, 'code.mjs'),
    `export default { name: 'Code', version: 'v1', source: '', held: null,
      propose: () => ({ outcome: { action: 'ACCEPT_DISPUTE' }, rule: null, because: 'x', trace: [], sideActions: [] }) };`,
  );
  await storePastDecisions(database.db);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `forestall policy backtest …`; gives what was printed. */
async function run(...args: readonly string[]): Promise<string> {
  const context = {
    db: database.db,
    clock: createFixedClock('2026-05-01T00:00:00Z'),
    organisationId: ORG,
    settings: openSettings({}),
    brands: IDENTITY_BRAND_TOKENS,
    eventKinds: [],
    readPolicy: readAnyPolicy,
    readers: async () => [],
  };
  const words = args.map((word) =>
    word.endsWith('.yaml') || word.endsWith('.mjs') ? join(folder, word) : word,
  );
  const onRows = () => Promise.reject(new Error('it works on rows'));
  const { printed } = await runCommand(
    (program) =>
      backtestCommand.register(program, {
        onDatabase: async (flags, work) => {
          const found = await work(context);
          if ('data' in found) print(flags, found.data, found.text);
        },
        onSettings: onRows,
        onPartner: onRows,
        onInstallation: onRows,
      }),
    ['policy', ...words],
  );
  return printed;
}

const lineWith = (text: string, word: string): string =>
  text.split('\n').find((line) => line.trimStart().startsWith(word)) ?? '';

describe('policy backtest', () => {
  test('against what was decided: figures, money, and each decision that changed', async () => {
    const printed = await run('backtest', 'new.yaml');
    expect(flat(printed)).toMatch(/against what was decided then: 5 alerts replayed in \d/);
    expect(printed).toContain('1 of them were decided by an earlier version of Forestall');
    // 9.00, 29.00, 49.00 and 9.00 dollars were refunded; 9.00 twice would be.
    expect(lineWith(printed, 'Refunds')).toMatch(/^Refunds +4 +2$/);
    expect(printed).toMatch(/money +96\.00 USD +18\.00 USD/);
    expect(lineWith(printed, 'Disputes accepted')).toMatch(/0 +3$/);
    expect(lineWith(printed, 'Reviews')).toMatch(/1 +0$/);
    // Five alerts at 29 dollars, and 20 for each dispute accepted at once or in the end.
    expect(lineWith(printed, 'Fees')).toMatch(/165\.00 USD +205\.00 USD$/);
    expect(printed).toContain('3 decisions changed.');
    expect(flat(printed)).toMatch(
      /a3 2026-03-11 90\.00 USD REVIEW, then ACCEPT_DISPUTE 03-12 22:00 ACCEPT_DISPUTE/,
    );
    expect(lineWith(printed, 'late')).toBe('');
  });

  test('of a period, with fees of the merchant’s own, as JSON', async () => {
    const printed = await run(
      'backtest',
      'new.yaml',
      '--from',
      '2026-03-01T00:00:00Z',
      '--to',
      '2026-04-01T00:00:00Z',
      '--alert-fee',
      '10.00 EUR',
      '--chargeback-fee',
      '1.00 EUR',
      '--json',
    );
    expect(JSON.parse(printed)).toMatchObject({
      policy: { name: 'New' },
      against: null,
      alerts: 4,
      is: { refunds: 1, accepted: 3, fees: { EUR: 4_300 } },
      changed: [{ alertId: 'a1' }, { alertId: 'a2' }, { alertId: 'a3' }],
    });
  });

  test('against a stored version, a file, or with a policy in code', async () => {
    const version = await run('backtest', 'new.yaml', '--against', OLD.version.slice(0, 8));
    expect(version).toContain(`against Old (version ${OLD.version})`);
    expect(version).toContain('3 decisions changed.');
    expect(await run('backtest', 'new.yaml', '--against', 'new.yaml')).toContain(
      'No decision changed.',
    );
    expect(lineWith(await run('backtest', 'code.mjs'), 'Disputes accepted')).toMatch(/0 +5$/);
  });
});
