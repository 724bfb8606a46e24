/**
 * Guarantee: people are told of a token 14 days before it ends and again 3 days before, each time once however often it is looked;
 * of those who are entered for the installation once in all; and a flood at the sign-in to all organisations is told too.
 */
import { afterEach, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { tellOfTokenEnds } from '../../../src/surface/access/token-ends.ts';
import { useTestDatabase } from '../../support/database.ts';
import { startInstallation } from './installation-support.ts';

const test = useTestDatabase();
afterEach(() =>
  test.pool.query('truncate console_operator, notification, console_refusal cascade'),
);

async function enter(
  name: string,
  ends: string,
  more: { home?: string; may?: readonly ['orders:write'] } = {},
): Promise<void> {
  const { home = 'org_a', may } = more;
  const act = { organisationId: home, name, by: 'test', now: new Date('2026-10-01T00:00:00Z') };
  const token = { as: 'shown', endsAt: new Date(ends) } as const;
  const added = await addOperator(test.db, { ...act, role: 'viewer', may, token });
  expect(added).toMatchObject({ ok: true });
}

const look = (organisationId: string, at: string): Promise<number> =>
  tellOfTokenEnds(test.db, { organisationId, now: new Date(at) });

async function messages(): Promise<{ organisation: string; text: string }[]> {
  const { rows } = await test.pool.query(
    'select organisation_id as organisation, text from notification where next_attempt_at is not null order by id',
  );
  return rows;
}

it('tells 14 and 3 days before, once each, and neither before nor after', async () => {
  await enter('shop system', '2026-12-04T23:59:59Z', { may: ['orders:write'] });
  await enter('Ada', '2027-05-01T00:00:00Z');
  expect(await look('org_a', '2026-11-20T23:59:58Z')).toBe(0);
  expect(await look('org_a', '2026-11-20T23:59:59Z')).toBe(1);
  expect(await look('org_a', '2026-11-21T23:00:00Z')).toBe(0);
  expect(await look('org_a', '2026-12-01T23:59:58Z')).toBe(0);
  expect(await look('org_a', '2026-12-01T23:59:59Z')).toBe(1);
  expect(await look('org_a', '2026-12-03T00:00:00Z')).toBe(0);
  expect(await look('org_a', '2026-12-05T00:00:00Z')).toBe(0);
  const text =
    'The token of the program shop system ends on 2026-12-04. After it the program is refused, and sends no orders. Renew it on the page Operators, or with: forestall operators token "shop system". Its owner opens the link.';
  expect(await messages()).toEqual([
    { organisation: 'org_a', text },
    { organisation: 'org_a', text },
  ]);
});

it('first seen within three days is told once', async () => {
  await enter('Ada', '2026-11-22T00:00:00Z');
  expect(await look('org_a', '2026-11-20T00:00:00Z')).toBe(1);
  expect(await look('org_a', '2026-11-21T00:00:00Z')).toBe(0);
  expect((await messages())[0]?.text).toMatch(
    /^The token of Ada ends on 2026-11-22\. After it they cannot/,
  );
});

it('of another organisation nobody is told, of the installation one organisation', async () => {
  await enter('Bea', '2026-11-22T00:00:00Z', { home: 'org_b' });
  await enter('Noor', '2026-11-23T00:00:00Z', { home: INSTALLATION });
  expect(await look('org_a', '2026-11-20T00:00:00Z')).toBe(1);
  expect(await look('org_b', '2026-11-20T00:00:00Z')).toBe(1);
  expect(await look('org_c', '2026-11-20T00:00:00Z')).toBe(0);
  expect(
    (await messages()).map(({ organisation, text }) => `${organisation}: ${text.slice(0, 20)}`),
  ).toEqual(['org_a: The token of Noor en', 'org_b: The token of Bea end']);
});

it('a flood and a closed door at the sign-in to all organisations are told through the first of them', async () => {
  const site = await startInstallation(test, createFixedClock('2026-11-20T12:00:00.000Z'), {
    trustedProxies: 1,
  });
  try {
    for (let knocks = 0; knocks < 300; knocks += 1) {
      await site.send('GET', '/organisations', {
        authorization: 'Bearer wrong',
        'x-forwarded-for': `203.0.113.${knocks % 5}`,
      });
    }
    const texts = (await messages()).map(({ organisation, text }) => `${organisation}: ${text}`);
    expect(texts).toEqual([
      expect.stringMatching(/^org_a: 1\d\d sign-ins and tokens were refused within 10 minutes/),
    ]);
    for (let tries = 0; tries < 12; tries += 1) {
      await site.send(
        'POST',
        '/login',
        { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '203.0.113.9' },
        'token=wrong',
      );
    }
    expect((await messages()).map(({ organisation }) => organisation)).toEqual(['org_a', 'org_a']);
    const { rows } = await test.pool.query(
      'select distinct organisation_id as home from console_refusal',
    );
    expect(rows).toEqual([{ home: INSTALLATION }]);
  } finally {
    await site.close();
  }
});
