/** Guarantee: every version put in force is on record with its author, and a file that cannot be used never replaces one that could. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { PolicySource } from '../../../src/policy/policy-watcher.ts';
import { createPolicyWatcher } from '../../../src/policy/policy-watcher.ts';
import { findVersion, listVersions } from '../../../src/policy/version.store.ts';
import type { OrganisationParts } from '../../../src/running/roles/parts.ts';
import { openPolicies } from '../../../src/running/roles/policies.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { useTestDatabase } from '../../support/database.ts';

const ORG = 'org_1';
const GOOD = 'name: Shop\nauthor: jane\nrules: []\notherwise: REVIEW\n';
const BETTER = 'name: Shop\nrules: []\notherwise: ACCEPT_DISPUTE\n';
const BAD = 'name: Shop\nrules: []\notherwise: REFUNDS\n';

const database = useTestDatabase();
let folder: string;
let path: string;
const clock = createFixedClock('2026-03-11T12:00:00.000Z');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
  path = join(folder, 'policy.yaml');
  clock.setMs(Date.parse('2026-03-11T12:00:00.000Z'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  const { db } = database;
  await db.deleteFrom('notification').execute();
  // The activations are append-only, as is the audit log: emptied, not deleted from.
  await sql`truncate policy_activation, policy_version, audit`.execute(db);
});

const write = (text: string, name = 'policy.yaml') => writeFileSync(join(folder, name), text);

/** The policies as a worker opens them when it starts. */
async function start(besideName?: string) {
  const log = createLog({ level: 'silent' });
  const parts = {
    database,
    organisationId: ORG,
    clock,
    log,
    endpoints: { brandTokens: IDENTITY_BRAND_TOKENS },
  };
  return await openPolicies(
    parts as unknown as OrganisationParts,
    {
      policyPath: path,
      shadowPolicyPath: besideName === undefined ? undefined : join(folder, besideName),
    },
    false,
  );
}

const keep = (policy: PolicySource, shadow?: PolicySource) =>
  createPolicyWatcher({
    db: database.db,
    clock,
    organisationId: ORG,
    policy,
    shadow,
    author: 'user:ops',
  });

const audits = () =>
  database.db
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', 'policy')
    .orderBy('id')
    .execute();
const messages = () => database.db.selectFrom('notification').selectAll().orderBy('id').execute();
const versionOf = (text: string) => loadPolicy(text, { file: 'x' }).version;

describe('a version put in force', () => {
  test('is kept with its text and author, and audited once, by however many workers', async () => {
    write(GOOD);
    const [one, two] = [keep((await start()).policy), keep((await start()).policy)];
    const counts = await Promise.all([one.runOnce(), two.runOnce(), one.runOnce(), two.runOnce()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await audits()).toMatchObject([
      {
        subject_id: versionOf(GOOD),
        actor: 'user:ops',
        what: 'policy activated',
        detail: { name: 'Shop', author: 'jane', previous_version: null, origin: path },
      },
    ]);
    expect(await findVersion(database.db, ORG, versionOf(GOOD).slice(0, 6))).toMatchObject({
      version: versionOf(GOOD),
      source: GOOD,
      author: 'jane',
      name: 'Shop',
      kind: 'yaml',
    });
  });

  test('replaces the one before without a restart, and back again', async () => {
    write(GOOD);
    const { policy } = await start();
    const keeper = keep(policy);
    await keeper.runOnce();
    write(BETTER);
    expect(policy.current().version).toBe(versionOf(GOOD));
    clock.advanceMs(60_000);
    expect(await keeper.runOnce()).toBe(1);
    expect(policy.current().version).toBe(versionOf(BETTER));
    clock.advanceMs(60_000);
    write(GOOD);
    expect(await keeper.runOnce()).toBe(1);
    expect(await keeper.runOnce()).toBe(0);
    expect((await audits()).map((row) => row.subject_id)).toEqual(
      [GOOD, BETTER, GOOD].map(versionOf),
    );
    expect(await listVersions(database.db, ORG)).toMatchObject([
      {
        version: versionOf(GOOD),
        author: 'jane',
        inForce: true,
        decisions: 0,
        activatedAt: new Date('2026-03-11T12:02:00.000Z'),
      },
      {
        version: versionOf(BETTER),
        author: 'user:ops',
        inForce: false,
        activatedAt: new Date('2026-03-11T12:01:00.000Z'),
      },
    ]);
  });

  test('is another one when a list it names has changed', async () => {
    write(
      'lists: {vips: vips.txt}\nrules: [{name: r, when: {customer_account: {in_list: vips}}, then: REFUND}]\notherwise: REVIEW\n',
    );
    write('c-1\n', 'vips.txt');
    const keeper = keep((await start()).policy);
    expect(await keeper.runOnce()).toBe(1);
    write('c-1\nc-2\n', 'vips.txt');
    expect(await keeper.runOnce()).toBe(1);
    const [latest] = await listVersions(database.db, ORG);
    expect((await findVersion(database.db, ORG, latest?.version ?? ''))?.files).toEqual({
      'vips.txt': 'c-1\nc-2\n',
    });
  });
});

describe('a file that cannot be used', () => {
  test('leaves the one before in force, and a person is notified once', async () => {
    write(GOOD);
    const { policy } = await start();
    const keeper = keep(policy);
    await keeper.runOnce();
    write(BAD);
    for (let round = 0; round < 3; round++) expect(await keeper.runOnce()).toBe(0);
    expect(policy.current().version).toBe(versionOf(GOOD));
    const texts = await messages();
    expect(texts).toMatchObject([{ kind: 'policy_invalid', severity: 'error' }]);
    expect(texts[0]?.text).toBe(
      `The policy file cannot be used; version ${versionOf(GOOD)} stays in force. Mend it and run "forestall policy check".\n${path}:3:12: unknown outcome "REFUNDS". Did you mean "REFUND"?\nFORESTALL_POLICY names this file.`,
    );
    // Mended, and broken the same way the day after: told again.
    write(BETTER);
    expect(await keeper.runOnce()).toBe(1);
    write(BAD);
    clock.advanceMs(86_400_000);
    await keeper.runOnce();
    expect(await messages()).toHaveLength(2);
    rmSync(path);
    await keeper.runOnce();
    expect((await messages()).at(-1)?.text).toContain(
      'FORESTALL_POLICY names a file that cannot be read (ENOENT)',
    );
    expect(policy.current().version).toBe(versionOf(BETTER));
  });

  test.each([
    ['a budget without a currency', 'budget: 500.00 USD', 'budget: 500.00'],
    ['a share above 10 %', 'share: 5 %', 'share: 11 %'],
    ['no stop_when', ', stop_when: {ratio_headroom: {below: 50}}', ''],
  ])('%s in explore leaves the trial before in force', async (_slip, good, bad) => {
    const trial = `${GOOD.trimEnd()}\nexplore: {share: 5 %, largest: 40.00 USD, budget: 500.00 USD, disputes: 20, stop_when: {ratio_headroom: {below: 50}}}\n`;
    write(trial);
    const { policy } = await start();
    const keeper = keep(policy);
    await keeper.runOnce();
    write(trial.replace(good, bad));
    expect(await keeper.runOnce()).toBe(0);
    expect(policy.current().version).toBe(versionOf(trial));
    expect(policy.current().explore).toMatchObject({
      share: 0.05,
      budget: { amountMinor: 500_00 },
    });
    expect((await messages()).at(-1)?.text).toContain('stays in force');
  });

  test('does not replace it across a restart either', async () => {
    write(GOOD);
    await keep((await start()).policy).runOnce();
    write(BAD);
    const { policy } = await start();
    expect(policy.current()).toMatchObject({ version: versionOf(GOOD), source: GOOD });
    const keeper = keep(policy);
    expect(await keeper.runOnce()).toBe(0);
    expect(await messages()).toHaveLength(1);
    write(BETTER);
    expect(await keeper.runOnce()).toBe(1);
    expect(policy.current().version).toBe(versionOf(BETTER));
  });

  test('refuses to start where nothing was in force from it before', async () => {
    write(GOOD);
    await keep((await start()).policy).runOnce();
    path = join(folder, 'other.yaml');
    write(BAD, 'other.yaml');
    await expect(start()).rejects.toThrow(
      `${path}:3:12: unknown outcome "REFUNDS". Did you mean "REFUND"?\nFORESTALL_POLICY names this file.`,
    );
    rmSync(path);
    await expect(start()).rejects.toThrow(
      'FORESTALL_POLICY names a file that cannot be read (ENOENT)',
    );
  });
});

describe('a policy beside the one in force', () => {
  test('is reread too, is never activated, and its faults are told', async () => {
    write(GOOD);
    write(BETTER, 'beside.yaml');
    const { policy, policyBeside } = await start('beside.yaml');
    const keeper = keep(policy, policyBeside);
    await keeper.runOnce();
    expect(policyBeside?.current().version).toBe(versionOf(BETTER));
    write(BAD, 'beside.yaml');
    await keeper.runOnce();
    expect(policyBeside?.current().version).toBe(versionOf(BETTER));
    const texts = await messages();
    expect(texts.map(({ kind }) => kind)).toEqual(['policy_invalid']);
    expect(texts[0]?.text).toContain(
      `${join(folder, 'beside.yaml')}:3:12: unknown outcome "REFUNDS". Did you mean "REFUND"?\nFORESTALL_SHADOW_POLICY names this file.`,
    );
    expect((await audits()).map((row) => row.subject_id)).toEqual([versionOf(GOOD)]);
    rmSync(join(folder, 'beside.yaml'));
    await expect(start('beside.yaml')).rejects.toThrow(
      'FORESTALL_SHADOW_POLICY names a file that cannot be read',
    );
  });
});
