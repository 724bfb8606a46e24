/** Guarantee: the policy commands tell from the database why an alert was decided. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { registerPolicyCommands } from '../../../src/people/cli/policy.ts';
import { useTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';
import { flat, NEW, OLD, ORG, store, storePastDecisions } from './past-decisions.ts';

const database = useTestDatabase();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
  writeFileSync(join(folder, 'new.yaml'), NEW);
  writeFileSync(join(folder, 'bad.yaml'), NEW.replace('amount', 'amuont'));
  await storePastDecisions(database.db);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `forestall policy …`; gives what was printed, to either output. */
async function run(...args: readonly string[]): Promise<string> {
  const context = {
    db: database.db,
    clock: createFixedClock('2026-05-01T00:00:00Z'),
    organisationId: ORG,
    integrationId: undefined,
    programmes: { required: [] } as never,
    close: async () => undefined,
  };
  const words = args.map((word) => (word.endsWith('.yaml') ? join(folder, word) : word));
  const { printed } = await runCommand(
    (program) => registerPolicyCommands(program, async () => context),
    ['policy', ...words],
  );
  return printed;
}

const lineWith = (text: string, word: string): string =>
  text.split('\n').find((line) => line.trimStart().startsWith(word)) ?? '';

describe('policy explain', () => {
  test('tells rule, author, guards and what would change it', async () => {
    const printed = await run('explain', 'a1');
    expect(printed).toContain('Alert a1, decided by policy at 2026-03-11T12:00:00.000Z');
    expect(flat(printed)).toContain('because amount is 29.00 USD, at most 50.00 USD.');
    expect(printed).toContain(`Policy "Old", version ${OLD.version}, by jane.`);
    expect(printed).toContain('Besides: notify.');
    expect(printed).toContain(
      'yes          small (line 3): amount is 29.00 USD, at most 50.00 USD',
    );
    expect(printed).toContain('did not speak: network_refunded, ');
    expect(flat(printed)).toContain(
      'Rule "small" depends on this: amount is 29.00 USD, at most 50.00 USD. Without it, "otherwise" would answer REVIEW, then ACCEPT_DISPUTE 6h before the deadline.',
    );
  });

  test('of what a fallback decided, also tells what the policy had said', async () => {
    const explained = JSON.parse(await run('explain', 'a3', '--json'));
    expect(explained).toMatchObject({ decidedBy: 'fallback', policy: { name: 'Old' } });
    expect(explained.policySentence).toContain('A person decides about 90.00 USD');
    expect(explained.explanation.changes.at(-1)).toContain('it becomes ACCEPT_DISPUTE at ');
  });

  test('of an alert without a decision fails, and says so', async () => {
    expect(await run('explain', 'nobody')).toContain('Alert nobody has no decision yet');
    expect(process.exitCode).toBe(2);
  });
});

describe('policy versions and show', () => {
  test('list and print what was in force', async () => {
    const printed = await run('versions');
    expect(lineWith(printed, '*')).toMatch(
      new RegExp(`^\\* +${OLD.version} +Old +jane +2026-01-01T00:00:00\\.000Z +5$`),
    );
    expect(await run('show', OLD.version.slice(0, 5))).toBe(OLD.source.trimEnd());
    expect(await run('show', 'ffff')).toContain('There is no policy version ffff.');
  });
});

describe('policy check and test', () => {
  test('say what is wrong, by line and column, and fail', async () => {
    expect(await run('check', 'new.yaml')).toContain('New: 1 rule, 1 example, version ');
    expect(process.exitCode).toBeUndefined();
    expect(await run('check', 'bad.yaml')).toMatch(
      /bad\.yaml:2:29: unknown condition "amuont"\. Did you mean "amount"\?$/,
    );
    expect(process.exitCode).toBe(1);
  });

  test('check looks at the log of the last 90 days where there is a database, and says where there is none', async () => {
    expect(flat(await run('check', 'new.yaml'))).toContain(
      'Of the last 90 days 5 decided alerts are too few to look at',
    );
    for (let n = 0; n < 10; n++)
      await store(database.db, `more_${n}`, 4_500, { now: '2026-04-20T00:00:00Z' });
    const printed = await run('check', 'new.yaml');
    expect(flat(printed)).toContain('15 alerts of the last 90 days were looked at');
    expect(flat(printed)).not.toContain('came near "amount');
    writeFileSync(join(folder, 'far.yaml'), NEW.replace('10 USD}}', '9000 USD}}'));
    expect(flat(await run('check', 'far.yaml'))).toMatch(
      /Line 2: no alert of the last 90 days came near "amount: at_most 9000\.00 USD" of rule "tiny"/,
    );
    const report = JSON.parse(await run('check', 'far.yaml', '--json'));
    expect(report).toMatchObject({
      findings: [{ kind: 'far_threshold', line: 2, rule: 'tiny' }],
      log: { alerts: 15 },
    });
    const { printed: without } = await runCommand(
      (program) =>
        registerPolicyCommands(program, async () => {
          throw new ConfigError('No database is named.');
        }),
      ['policy', 'check', join(folder, 'far.yaml')],
    );
    expect(flat(without)).toContain(
      'The last 90 days were not looked at, for conditions that were never known, and for thresholds that no alert came near: No database is named.',
    );
    expect(without).not.toContain('came near "amount');
    expect(process.exitCode).toBeUndefined();
  });

  test.each([
    ['budget: 500.00', 'budget: 500.00 USD', 'is not an amount. Write it like 49.90 USD.'],
    ['share: 11 %', 'share: 5 %', 'a share of 11 % is too much for a trial: at most 10 %.'],
    ['', ', stop_when: {ratio_headroom: {below: 50}}', '"stop_when" is missing'],
  ])('a slip in explore is one clear line: %s', async (slip, good, said) => {
    const explore =
      'explore: {share: 5 %, largest: 40.00 USD, budget: 500.00 USD, disputes: 20, stop_when: {ratio_headroom: {below: 50}}}\n';
    writeFileSync(join(folder, 'explore.yaml'), NEW + explore);
    expect(await run('check', 'explore.yaml')).toContain('New: 1 rule');
    writeFileSync(join(folder, 'explore.yaml'), NEW + explore.replace(good, slip));
    const printed = await run('check', 'explore.yaml');
    expect(printed).toMatch(/explore\.yaml:5:\d+: /);
    expect(flat(printed)).toContain(said);
    expect(printed.match(/explore\.yaml:\d+/g)).toHaveLength(1);
    expect(process.exitCode).toBe(1);
  });

  test('an example that does not come out as expected fails', async () => {
    const printed = await run('test', 'new.yaml');
    expect(printed).toContain('FAIL  e (line 4)\n      expected REFUND, got ACCEPT_DISPUTE');
    expect(printed).toContain('No example reaches "tiny".');
    expect(process.exitCode).toBe(1);
  });
});
