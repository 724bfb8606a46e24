/** Guarantee: whoever signs in without end, or begins to, ends nobody else's session or sign-in. */
import { expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { FLOWS_MAX, storeFlow, takeFlow } from '../../../src/surface/access/oidc-flow.store.ts';
import { addOperator, findOperator } from '../../../src/surface/access/operator.store.ts';
import {
  findSession,
  SESSIONS_MAX,
  startSession,
} from '../../../src/surface/access/session.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NOW, ORG } from '../reconcile/rows.ts';
import { startConsole, TOKEN } from './support.ts';

const test = useTestDatabase();
const now = new Date(NOW);

it('a viewer who signs in 600 times ends sessions of their own alone', async () => {
  const ids: string[] = [];
  for (const name of ['Vic', 'Ada']) {
    const by = { organisationId: ORG, name, by: 'test', now, token: { as: 'shown' } } as const;
    await addOperator(test.db, { ...by, role: name === 'Ada' ? 'administrator' : 'viewer' });
    ids.push((await findOperator(test.db, ORG, name))?.id ?? '');
  }
  const [vic = '', ada = ''] = ids;
  const start = async (operatorId: string | null, second: number): Promise<string> => {
    const at = new Date(now.getTime() + second * 1_000);
    const holder = operatorId === null ? { operatorId, consoleToken: TOKEN } : { operatorId };
    return await startSession(test.db, ORG, { holder, now: at });
  };
  const lives = async (id: string): Promise<boolean> => {
    const at = new Date(now.getTime() + 601_000);
    return (
      (await findSession(test.db, { homes: [ORG], id, consoleToken: TOKEN, now: at })) !== undefined
    );
  };
  const others = [await start(ada, 0), await start(null, 0)];
  const first = await start(vic, 0);
  for (let second = 1; second <= 600; second++) await start(vic, second);
  for (const id of others) expect(await lives(id)).toBe(true);
  expect(await lives(first)).toBe(false);
  const { length } = await test.db
    .selectFrom('console_session')
    .where('operator_id', '=', vic)
    .selectAll()
    .execute();
  expect(length).toBe(SESSIONS_MAX);
}, 60_000);

it('1,010 sign-ins begun from one address leave those of another alone', async () => {
  const flow = {
    organisationId: ORG,
    codeVerifier: 'v',
    nonce: 'n',
    nextPath: '/',
    confirms: null,
  };
  await storeFlow(test.db, { ...flow, state: 'honest', address: 'address:203.0.113.9', now });
  for (let count = 0; count < 1_010; count++) {
    const at = new Date(now.getTime() + count);
    await storeFlow(test.db, { ...flow, state: `flood ${count}`, address: 'address:x', now: at });
  }
  const { length } = await test.db.selectFrom('console_oidc_flow').selectAll().execute();
  expect(length).toBe(FLOWS_MAX + 1);
  const later = new Date(now.getTime() + 2_000);
  expect(await takeFlow(test.db, ORG, { state: 'flood 0', now: later })).toBeUndefined();
  expect(await takeFlow(test.db, ORG, { state: 'honest', now: later })).toBeDefined();
}, 60_000);

it('the address is that of who asks', async () => {
  await test.db.deleteFrom('console_oidc_flow').execute();
  const begun = { url: 'http://idp.example/', nonce: 'n', codeVerifier: 'v' };
  let count = 0;
  const site = await startConsole(test.db, createFixedClock(NOW), {
    trustedProxies: 1,
    oidc: {
      begin: async () => ({ ...begun, state: `state ${count++}` }),
      finish: async () => ({ subject: '', verifiedEmail: undefined }),
    },
  });
  for (const address of ['203.0.113.9', '203.0.113.9', '198.51.100.1']) {
    await site.get('/login/oidc', { 'x-forwarded-for': address });
  }
  await site.close();
  const rows = await test.db.selectFrom('console_oidc_flow').select('address_hash').execute();
  expect(new Set(rows.map(({ address_hash: hash }) => hash?.toString('hex'))).size).toBe(2);
});
