/** Guarantee: only the holder of the token uses the console, and no other site acts through a browser. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createConsoleApp } from '../../../src/people/console/console-app.ts';
import { addressKey } from '../../../src/surface/access/attempt.store.ts';
import { hashSecret } from '../../../src/surface/access/secret.ts';
import type { ConsoleOptions, OperatorDecision } from '../../../src/surface/web/ports.ts';
import { useTestDatabase } from '../../support/database.ts';
import { alertObject, insertAlert, insertCase, NOW } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, formOf, jsonOf, startConsole, TOKEN } from './support.ts';

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
const decisions: OperatorDecision[] = [];

beforeAll(async () => {
  await insertAlert(test.db, alertObject('netalrt_1'));
  await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
});
beforeEach(async () => {
  clock = createFixedClock(NOW);
  decisions.length = 0;
  await test.db.deleteFrom('notification').execute();
  await test.db.deleteFrom('console_attempt').execute();
  site = await startConsole(test.db, clock, {
    decide: async (decision) => {
      decisions.push(decision);
      return { ok: true };
    },
  });
  return () => site.close();
});

describe('programs', () => {
  it.each(['/api/alerts', '/api/alerts/netalrt_1', '/api/findings', '/api/events', '/metrics'])(
    'need the token for %s',
    async (path) => {
      expect((await site.get(path)).status).toBe(401);
      for (const authorization of [
        '',
        'Bearer',
        'Bearer ',
        'Bearer wrong-token-of-the-same-kind',
        `Bearer ${TOKEN}x`,
        `Bearer ${TOKEN.slice(0, -1)}`,
        `bearer ${TOKEN}`,
        `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`,
        TOKEN,
      ]) {
        const answer = await site.get(path, { authorization });
        expect([authorization, answer.status]).toEqual([authorization, 401]);
      }
      expect((await site.get(path, BEARER)).status).toBe(200);
    },
  );

  it('learn why in JSON', async () => {
    const answer = await site.get('/api/alerts');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toEqual({
      errors: [
        {
          code: 'UNAUTHORISED',
          message:
            "Send Authorization: Bearer with the console token, or an operator's that has not ended.",
        },
      ],
    });
  });

  it('do not learn from an unknown path whether it exists before they are known', async () => {
    expect((await site.get('/api/nothing')).status).toBe(401);
    expect((await site.get('/api/nothing', BEARER)).status).toBe(404);
  });

  it('may ask for health without a token', async () => {
    const answer = await site.get('/healthz');
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
  });
});

describe('people', () => {
  it('are sent to the form', async () => {
    for (const [path, location] of [
      ['/', '/login'],
      ['/alerts/netalrt_1', '/login?next=%2Falerts%2Fnetalrt_1'],
      [
        '/alerts/netalrt_1/decide?action=REFUND',
        '/login?next=%2Falerts%2Fnetalrt_1%2Fdecide%3Faction%3DREFUND',
      ],
    ]) {
      const answer = await site.get(path ?? '');
      expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
    }
    expect(await (await site.get('/login')).text()).toContain('type="password"');
  });

  it('sign in with the token, and get a cookie no script can read', async () => {
    const answer = await site.post('/login', formOf({ token: TOKEN }));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^forestall_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const { cookie } = await site.signIn();
    expect((await site.get('/', { cookie })).status).toBe(200);
    expect((await site.get('/api/alerts', { cookie })).status).toBe(200);
  });

  it('get a cookie that never travels without TLS when the console has TLS', async () => {
    const secure = await startConsole(test.db, clock, { secureCookies: true });
    const answer = await secure.post('/login', formOf({ token: TOKEN }));
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-forestall_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=');
    await secure.close();
  });

  it.each(['', 'wrong', `${TOKEN} `, TOKEN.toUpperCase()])('are refused with %j', async (token) => {
    const answer = await site.post('/login', formOf({ token }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('cannot guess: after ten failures even the token waits, and somebody is told once', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await site.post('/login', formOf({ token: 'guess' }))).status).toBe(401);
    }
    const refused = await site.post('/login', formOf({ token: TOKEN }));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('900');
    await site.post('/login', formOf({ token: 'guess' }));
    const messages = await test.db.selectFrom('notification').select('kind').execute();
    expect(messages).toEqual([{ kind: 'console_guessing' }]);
    clock.advanceMs(15 * 60_000);
    expect((await site.post('/login', formOf({ token: TOKEN }))).status).toBe(303);
  });

  it('cannot guess by trying replicas, by trying all at once, or after a restart', async () => {
    const replica = await startConsole(test.db, clock);
    const guesses = Array.from({ length: 24 }, async (_, index) => {
      const door = index % 2 === 0 ? site : replica;
      return (await door.post('/login', formOf({ token: 'guess' }))).status;
    });
    const answers = await Promise.all(guesses);
    // Of two dozen at the same moment ten were looked at, by both together.
    expect(answers.filter((status) => status === 401)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(14);
    await replica.close();
    const restarted = await startConsole(test.db, clock);
    expect((await restarted.post('/login', formOf({ token: TOKEN }))).status).toBe(429);
    await restarted.close();
  });

  it('who sign in rightly are never counted, and what is over is forgotten', async () => {
    for (let attempt = 0; attempt < 12; attempt++) {
      expect((await site.post('/login', formOf({ token: TOKEN }))).status).toBe(303);
    }
    await site.post('/login', formOf({ token: 'guess' }));
    const counted = await test.db.selectFrom('console_attempt').selectAll().execute();
    expect(counted).toMatchObject([{ failures: 1 }]);
    // Another caller, long after: the old row goes.
    await test.db
      .updateTable('console_attempt')
      .set({ key_hash: Buffer.from('another address') })
      .execute();
    clock.advanceMs(15 * 60_000);
    await site.post('/login', formOf({ token: 'guess' }));
    expect(await test.db.selectFrom('console_attempt').selectAll().execute()).toHaveLength(1);
  });

  const signInFrom = async (door: TestConsole, forwarded: string, token = 'guess') =>
    (await door.post('/login', formOf({ token }, { 'x-forwarded-for': forwarded }))).status;

  it('cannot guess by writing another address into each request: nobody’s word is taken', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await signInFrom(site, `198.51.100.${attempt}`)).toBe(401);
    }
    expect(await signInFrom(site, '198.51.100.99', TOKEN)).toBe(429);
  });

  it.each([
    ['one proxy', 1],
    ['the proxy’s network', ['127.0.0.0/8']],
    ['the name of the proxy’s range', ['loopback']],
  ])(
    'behind %s are distinguished, and only what the proxy wrote is believed',
    async (_how, trusted) => {
      const behind = await startConsole(test.db, clock, { trustedProxies: trusted });
      // What the guesser wrote stands in front of what the proxy added.
      for (let attempt = 0; attempt < 10; attempt++) {
        expect(await signInFrom(behind, `198.51.100.${attempt}, 203.0.113.7`)).toBe(401);
      }
      expect(await signInFrom(behind, '203.0.113.7', TOKEN)).toBe(429);
      expect(await signInFrom(behind, '203.0.113.8', TOKEN)).toBe(303);
      // Words that are no address are one caller: the proxy.
      for (let attempt = 0; attempt < 10; attempt++) await signInFrom(behind, `word-${attempt}`);
      expect(await signInFrom(behind, 'another-word', TOKEN)).toBe(429);
      expect((await behind.post('/login', formOf({ token: TOKEN }))).status).toBe(429);
      await behind.close();
    },
  );

  it('whose session was stolen cannot be guessed from many addresses', async () => {
    const { cookie, csrf } = await site.signIn();
    const confirm = async (token: string): Promise<number> => {
      // As from another address each time: only the session is the same.
      const hash = hashSecret(addressKey('127.0.0.1'));
      await test.db.deleteFrom('console_attempt').where('key_hash', '=', hash).execute();
      const form = formOf({ token, csrf_token: csrf }, { cookie });
      return (await site.post('/confirm', form)).status;
    };
    for (let attempt = 0; attempt < 10; attempt++) expect(await confirm('guess')).toBe(401);
    expect(await confirm(TOKEN)).toBe(429);
    // The owner signs in elsewhere as ever.
    expect((await site.post('/login', formOf({ token: TOKEN }))).status).toBe(303);
  });

  it('are signed out by themselves, after 30 minutes and after 12 hours', async () => {
    const { cookie } = await site.signIn();
    clock.advanceMs(30 * 60_000 - 1);
    expect((await site.get('/', { cookie })).status).toBe(200);
    clock.advanceMs(30 * 60_000);
    expect((await site.get('/', { cookie })).status).toBe(303);
    expect((await site.get('/api/alerts', { cookie })).status).toBe(401);
  });

  it('sign out, and the old cookie is worthless', async () => {
    const { cookie, csrf } = await site.signIn();
    const answer = await site.post('/logout', formOf({ csrf_token: csrf }, { cookie }));
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await site.get('/', { cookie })).status).toBe(303);
    expect((await site.get('/api/alerts', { cookie })).status).toBe(401);
  });
});

describe('forms of other sites', () => {
  const path = '/alerts/netalrt_1/decision';

  it('decide nothing without the token of the session', async () => {
    const { cookie, csrf } = await site.signIn();
    const other = await site.signIn();
    for (const fields of [
      { action: 'REFUND' },
      { action: 'REFUND', csrf_token: '' },
      { action: 'REFUND', csrf_token: `${csrf}x` },
      { action: 'REFUND', csrf_token: other.csrf },
    ]) {
      expect((await site.post(path, formOf(fields, { cookie }))).status).toBe(403);
    }
    expect(decisions).toEqual([]);
    const answer = await site.post(
      path,
      formOf({ action: 'REFUND', note: 'asked', csrf_token: csrf }, { cookie }),
    );
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/alerts/netalrt_1?decided=1',
    ]);
    expect(decisions).toEqual([
      {
        organisationId: 'org_demo',
        alertId: 'netalrt_1',
        action: 'REFUND',
        note: 'asked',
        operator: 'console',
      },
    ]);
  });

  it.each([
    ['sec-fetch-site', 'cross-site', 403],
    ['sec-fetch-site', 'same-site', 403],
    ['origin', 'https://evil.example', 403],
    ['origin', 'null', 403],
    ['sec-fetch-site', 'same-origin', 303],
  ])('with %s: %s are answered %i, the token stolen or not', async (header, value, status) => {
    const { cookie, csrf } = await site.signIn();
    const form = formOf(
      { action: 'REFUND', note: 'asked', csrf_token: csrf },
      { cookie, [header]: value },
    );
    expect((await site.post(path, form)).status).toBe(status);
  });

  it('of our own origin are accepted', async () => {
    const { cookie, csrf } = await site.signIn();
    const form = formOf(
      { action: 'REFUND', note: 'asked', csrf_token: csrf },
      { cookie, origin: site.url },
    );
    expect((await site.post(path, form)).status).toBe(303);
  });

  it('cannot sign a person in', async () => {
    const form = formOf({ token: TOKEN }, { origin: 'https://evil.example' });
    const answer = await site.post('/login', form);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
  });

  it('cannot use the API with the cookie alone', async () => {
    const { cookie, csrf } = await site.signIn();
    const url = '/api/alerts/netalrt_1/decision';
    const body = { action: 'REFUND' };
    expect((await site.post(url, jsonOf(body, { cookie }))).status).toBe(403);
    expect((await site.post(url, jsonOf(body, { cookie, 'x-csrf-token': 'x' }))).status).toBe(403);
    expect(decisions).toEqual([]);
    expect((await site.post(url, jsonOf(body, { cookie, 'x-csrf-token': csrf }))).status).toBe(202);
    expect(decisions).toMatchObject([{ operator: 'console' }]);
  });

  it('change nothing by GET', async () => {
    const { cookie } = await site.signIn();
    const answer = await site.get(path, { cookie });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(decisions).toEqual([]);
  });
});

describe('every answer', () => {
  it('carries the headers that keep browsers in bounds, and no more about us', async () => {
    const { cookie } = await site.signIn();
    for (const path of ['/', '/login', '/api/alerts', '/metrics', '/nothing']) {
      const { headers } = await site.get(path, { cookie });
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none';script-src 'self';style-src 'self';connect-src 'self';img-src 'self' data:;form-action 'self';base-uri 'none';frame-ancestors 'none'",
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('the application', () => {
  it.each(['', 'short', 'x'.repeat(15)])('does not start with token %j', (token) => {
    const options = { token, clock } as unknown as ConsoleOptions;
    expect(() => createConsoleApp(options)).toThrow(ConfigError);
  });
});
