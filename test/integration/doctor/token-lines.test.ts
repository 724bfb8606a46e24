/** Guarantee: whoever runs the doctor hears of a token two weeks before it ends, and after it ended, with the command that renews it. */
import { afterEach, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { CheckContext } from '../../../src/people/doctor/context.ts';
import { installationTokenLines, tokenLines } from '../../../src/people/doctor/token-lines.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { useTestDatabase } from '../../support/database.ts';

const ORG = 'org_tokens';
const NOW = '2026-11-20T12:00:00.000Z';
const test = useTestDatabase();
afterEach(() => test.pool.query('truncate console_operator cascade'));

async function enter(name: string, ends: string, home = ORG): Promise<void> {
  const act = { organisationId: home, name, by: 'test', now: new Date('2026-10-01T00:00:00Z') };
  const token = { as: 'shown', endsAt: new Date(ends) } as const;
  expect(await addOperator(test.db, { ...act, role: 'viewer', token })).toMatchObject({ ok: true });
}

async function lines(check = tokenLines): Promise<unknown> {
  const given = {
    rows: { value: test.db },
    clock: createFixedClock(NOW),
    service: { organisationId: ORG },
  };
  return await check(given as unknown as CheckContext);
}

it('says nothing where nobody has a token', async () => {
  const act = { organisationId: ORG, name: 'Ada', by: 'test', now: new Date(NOW) };
  await addOperator(test.db, {
    ...act,
    role: 'viewer',
    email: 'ada@example.com',
    token: undefined,
  });
  await addOperator(test.db, { ...act, name: 'Bea', role: 'viewer', token: { as: 'link' } });
  expect(await lines()).toEqual([]);
});

it('is well until 14 days before the first end', async () => {
  await enter('Ada', '2026-12-04T12:00:00.001Z');
  await enter('Bea', '2027-05-01T00:00:00Z');
  expect(await lines()).toMatchObject([
    { status: 'ok', name: 'tokens of operators', detail: '2, none ends within 14 days' },
  ]);
});

it('names those that end within them, and those that ended, the earliest first', async () => {
  await enter('Ada', '2026-12-04T12:00:00.000Z');
  await enter('shop system', '2026-11-19T12:00:00Z');
  await enter('Bea', '2027-05-01T00:00:00Z');
  expect(await lines()).toMatchObject([
    {
      status: 'warning',
      detail: 'shop system ended on 2026-11-19, Ada ends on 2026-12-04',
      nextStep: expect.stringContaining('forestall operators token "shop system"'),
    },
  ]);
  await enter('Kim', '2026-12-01T00:00:00Z');
  await enter('Lee', '2026-12-02T00:00:00Z');
  expect(await lines()).toMatchObject([
    { detail: expect.stringMatching(/2026-12-02, and 1 more$/) },
  ]);
});

it('tells those of the organisation from those of the installation', async () => {
  await enter('Ada', '2026-11-21T00:00:00Z', INSTALLATION);
  expect(await lines()).toEqual([]);
  expect(await lines(installationTokenLines)).toMatchObject([
    { status: 'warning', detail: 'Ada ends on 2026-11-21' },
  ]);
});
