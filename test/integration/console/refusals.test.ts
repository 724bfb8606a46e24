/**
 * Guarantee: every sign-in and token that is refused is counted, and logged by address and minute; a flood is told once, costs few
 * lines, and keeps nobody out; the audit log says from where somebody signed in.
 */
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, formOf, startConsole } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole | undefined;

async function start(): Promise<TestConsole> {
  await site?.close();
  clock = createFixedClock(NOW);
  site = await startConsole(test.db, clock, { trustedProxies: 1 });
  return site;
}
beforeEach(async () => {
  await test.pool.query('truncate console_refusal, console_attempt, notification, audit cascade');
});
afterAll(() => site?.close());

const from = (address: string) => ({ 'x-forwarded-for': address });
const counted = async (): Promise<unknown[]> =>
  (
    await test.pool.query(
      'select minute, address, way, count from console_refusal order by minute, address, way',
    )
  ).rows;
const logged = (lines: readonly string[]): readonly Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in refused');
const messages = async (): Promise<string[]> =>
  (await test.pool.query('select text from notification order by id')).rows.map(({ text }) => text);

it('a wrong token in the form, in a request, and as the proof are each counted with their address', async () => {
  const { post, get, signIn, lines } = await start();
  const { cookie, csrf } = await signIn();
  await post('/login', formOf({ token: 'wrong' }, from('203.0.113.9')));
  await get('/api/alerts', { authorization: 'Bearer wrong', ...from('203.0.113.9') });
  await get('/metrics', { authorization: 'Bearer wrong', ...from('198.51.100.1') });
  await post(
    '/confirm',
    formOf({ token: 'wrong', csrf_token: csrf }, { cookie, ...from('198.51.100.1') }),
  );
  await post(`/token/${'x'.repeat(43)}`, formOf({}, from('198.51.100.1')));
  const minute = new Date(NOW);
  expect(await counted()).toEqual([
    { minute, address: '198.51.100.1', way: 'bearer', count: 1 },
    { minute, address: '198.51.100.1', way: 'confirm', count: 1 },
    { minute, address: '198.51.100.1', way: 'link', count: 1 },
    { minute, address: '203.0.113.9', way: 'bearer', count: 1 },
    { minute, address: '203.0.113.9', way: 'token', count: 1 },
  ]);
  expect(logged(lines)).toMatchObject([
    { address: '203.0.113.9', way: 'token', minute: minute.toISOString(), level: 'warn' },
    { address: '203.0.113.9', way: 'bearer' },
    { address: '198.51.100.1', way: 'bearer' },
    { address: '198.51.100.1', way: 'confirm' },
    { address: '198.51.100.1', way: 'link' },
  ]);
  const page = await (await get('/operators', { cookie })).text();
  expect(page).toMatch(
    /Refused sign-ins of the last 24 hours[\s\S]*198\.51\.100\.1[\s\S]*203\.0\.113\.9/,
  );
});

it('a minute of many costs few lines and is counted whole, and the next minute is one of its own', async () => {
  const { get, lines } = await start();
  const knock = () => get('/api/alerts', { authorization: 'Bearer wrong', ...from('203.0.113.9') });
  for (let knocks = 0; knocks < 37; knocks++) await knock();
  clock.advanceMs(60_000);
  await knock();
  expect(await counted()).toMatchObject([{ count: 37 }, { count: 1 }]);
  // 1, 2, 4, 8, 16, 32, the rest of the minute, and the first of the next.
  expect(logged(lines).map(({ count }) => count)).toEqual([1, 2, 4, 8, 16, 32, 37, 1]);
});

it('a flood is told once an hour, by numbers, and keeps nobody out', async () => {
  const { get, signIn } = await start();
  const knock = (host: number) =>
    get('/api/alerts', { authorization: 'Bearer wrong', ...from(`203.0.113.${host}`) });
  for (let knocks = 0; knocks < 63; knocks++) await knock(knocks % 5);
  expect(await messages()).toEqual([]);
  for (let knocks = 63; knocks < 300; knocks++) await knock(knocks % 5);
  expect(await messages()).toEqual([
    expect.stringMatching(
      /^1\d\d sign-ins and tokens were refused within 10 minutes, from 5 address/,
    ),
  ]);
  expect((await get('/api/alerts', { ...BEARER, ...from('203.0.113.1') })).status).toBe(200);
  expect((await signIn()).cookie).not.toBe('');
});

it('a closed door is counted, noted in the audit log, and told with the address', async () => {
  const { post } = await start();
  for (let tries = 0; tries < 12; tries++) {
    await post('/login', formOf({ token: 'wrong' }, from('203.0.113.9')));
  }
  expect(await counted()).toMatchObject([
    { way: 'closed', count: 2 },
    { way: 'token', count: 8 },
  ]);
  const { rows } = await test.pool.query(
    "select detail from audit where what = 'sign-ins refused'",
  );
  expect(rows).toEqual([{ detail: { address: '203.0.113.9', attempts: 10 } }]);
  expect(await messages()).toEqual([expect.stringContaining('from 203.0.113.9')]);
});

it('the audit log says from where somebody signed in', async () => {
  const { post } = await start();
  await post('/login', formOf({ token: 'console-token-for-tests' }, from('203.0.113.7')));
  const { rows } = await test.pool.query("select detail from audit where what = 'signed in'");
  expect(rows).toEqual([{ detail: { address: '203.0.113.7' } }]);
});

it('what is older than 30 days is forgotten', async () => {
  await test.pool.query(
    `insert into console_refusal values ($1, $2, 'old', 'bearer', 3), ($1, $3, 'kept', 'bearer', 3)`,
    [
      ORG,
      new Date(Date.parse(NOW) - 30 * 86_400_000 - 60_000),
      new Date(Date.parse(NOW) - 29 * 86_400_000),
    ],
  );
  const { get } = await start();
  await get('/api/alerts', { authorization: 'Bearer wrong', ...from('203.0.113.9') });
  expect(await counted()).toMatchObject([{ address: 'kept' }, { address: '203.0.113.9' }]);
});
