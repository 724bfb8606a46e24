/** Guarantee: `forestall operators` gives and takes rights by organisation, and a name is one person's in all of them. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { registerOperators } from '../../../src/people/cli/operators.ts';
import {
  addOperator,
  listColleagues,
  listPeople,
} from '../../../src/surface/access/operator.store.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { openAsConsole } from '../../support/console-role.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';
import { NOW } from '../reconcile/rows.ts';
import { BRANDS } from './installation-support.ts';

const clock = createFixedClock(NOW);
const yearLater = new Date(Date.parse(NOW) + 365 * 86_400_000).toISOString().slice(0, 10);
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  const by = { by: 'test', now: new Date(NOW), token: { as: 'shown' } } as const;
  await addOperator(test.db, { ...by, organisationId: 'org_b', name: 'Bea', role: 'viewer' });
});
afterAll(() => test.drop());
afterEach(() => {
  process.exitCode = undefined;
});

async function run(...words: readonly string[]): Promise<{ printed: string; status: number }> {
  const close = async (): Promise<void> => undefined;
  const context = { db: test.db, clock, home: INSTALLATION, organisations: BRANDS, close };
  const { printed, status } = await runCommand(
    (program) => registerOperators(program, async () => context),
    ['operators', ...words],
  );
  return { printed, status };
}

it('enters people for all, or for some with rights that are given and taken away', async () => {
  expect((await run('add', 'Noor', '--role', 'administrator', '--all')).status).toBe(0);
  const kim = ['add', 'Kim', '--role', 'reviewer', '--organisation', 'brand-a', 'brand-b'];
  expect((await run(...kim)).printed).toMatch(/^http:\/\/127\.0\.0\.1:8081\/token\/[\w-]{43}$/);
  expect((await run('revoke', 'Kim', '--organisation', 'org_b')).printed).toBe(
    'Kim has no right for org_b any more.',
  );
  expect((await run('grant', 'Bea', 'reviewer', '--organisation', 'brand-a')).printed).toBe(
    'Bea is reviewer of brand-a.',
  );
  const { operators } = JSON.parse((await run('list', '--json')).printed);
  expect(operators).toMatchObject([
    { name: 'Kim', role: null, entered_for: null, rights: { 'brand-a': 'reviewer' } },
    { name: 'Noor', role: 'administrator', entered_for: null, rights: {} },
    { name: 'Bea', role: 'viewer', entered_for: 'brand-b', rights: { 'brand-a': 'reviewer' } },
  ]);
  expect(
    (await run('list')).printed.split('\n').map((line) => line.replaceAll(/ +/g, ' ')),
  ).toEqual([
    'Kim brand-a: reviewer ',
    'Noor administrator of all ',
    'Bea viewer of brand-b brand-a: reviewer token to',
    ` ${yearLater}, not used yet`,
  ]);
});

it.each([
  [['add', 'Lee', '--role', 'viewer'], 2, 'Say for which organisations'],
  [['add', 'Lee', '--role', 'viewer', '--all', '--organisation', 'brand-a'], 2, 'Say for which'],
  [['add', 'Lee', '--role', 'viewer', '--organisation', 'brand-c'], 2, 'no organisation brand-c'],
  [['add', 'bea', '--role', 'viewer', '--all'], 1, 'There is an operator of this name already'],
  [['revoke', 'Noor', '--organisation', 'brand-a'], 1, 'Noor has no such right for org_a'],
  [['grant', 'Nobody', 'viewer', '--organisation', 'brand-a'], 1, 'There is no operator'],
])('%j ends with %i and says why', async (words, status, why) => {
  expect(await run(...words)).toEqual({ printed: expect.stringContaining(why), status });
});

it('a review is handed over to whoever may decide there, wherever they are entered', async () => {
  const console = openAsConsole(test.name, 'org_a');
  // Kim and Bea have a right there, Noor a role for all.
  await expect(listColleagues(console.db, 'org_a', 'Kim')).resolves.toEqual(['Bea', 'Noor']);
  await run('add', 'Vic', '--role', 'viewer', '--all');
  await expect(listColleagues(console.db, 'org_a', 'Noor')).resolves.toEqual(['Bea', 'Kim']);
  // Elsewhere nobody may but Noor, and a comment may call everybody who sees it.
  await console.close();
  const other = openAsConsole(test.name, 'org_b');
  await expect(listColleagues(other.db, 'org_b', 'x')).resolves.toEqual(['Noor']);
  const people = await listPeople(other.db, 'org_b');
  expect(people.map(({ name }) => name)).toEqual(['Bea', 'Noor', 'Vic']);
  await other.close();
});
