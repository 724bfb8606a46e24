/** Guarantee: the identity provider says who somebody is, the operators' table what they may, and neither a stolen nor a replayed answer lets anybody in. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createOidc } from '../../../src/surface/access/oidc.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole, TOKEN } from './support.ts';

const CLIENT = { id: 'forestall', secret: 'secret-of-the-client-0123' };
const CONSOLE_URL = 'http://console.example';

/** What the provider answers next. */
interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  nonce?: string;
  aud?: string;
  auth_time?: number;
}

/** A provider of a few lines: discovery, keys, the code flow with PKCE. It signs with RS256. */
async function startProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const state = { person: { sub: 'u1' } as Person, forge: false };
  const codes = new Map<string, { nonce: string; challenge: string }>();
  let issuer = '';
  const authorise = (asked: URLSearchParams): string => {
    const code = randomBytes(8).toString('hex');
    const challenge = asked.get('code_challenge') ?? '';
    codes.set(code, { nonce: asked.get('nonce') ?? '', challenge });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    return back.href;
  };
  const idToken = (nonce: string): string => {
    const seconds = Math.floor(Date.now() / 1_000);
    const times = { iat: seconds, exp: seconds + 300 };
    const claims = { iss: issuer, aud: CLIENT.id, ...times, nonce, ...state.person };
    const part = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}`;
    const key = state.forge ? stranger : privateKey;
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  };
  const exchange = (form: URLSearchParams): unknown => {
    const known = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256').update(form.get('code_verifier') ?? '');
    if (known === undefined || verifier.digest('base64url') !== known.challenge) return undefined;
    const token = { access_token: 'opaque', token_type: 'Bearer', expires_in: 300 };
    return { ...token, id_token: idToken(known.nonce) };
  };
  const documents: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    }),
    '/keys': () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256' }],
    }),
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: authorise(url.searchParams) }).end();
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = documents[url.pathname]?.() ?? exchange(new URLSearchParams(text));
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'invalid_grant' }));
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, state, close: () => server.close() };
}

const test = useTestDatabase();
let clock: FixedClock;
let site: TestConsole;
let provider: Awaited<ReturnType<typeof startProvider>>;

beforeAll(async () => {
  provider = await startProvider();
  clock = createFixedClock('2026-03-01T12:00:00Z');
  const { id: clientId, secret: clientSecret } = CLIENT;
  const { issuer } = provider;
  site = await startConsole(test.db, clock, {
    oidc: createOidc({ issuer, clientId, clientSecret, consoleUrl: CONSOLE_URL }),
  });
});
afterAll(async () => {
  await site.close();
  provider.close();
});
beforeEach(async () => {
  provider.state.forge = false;
  // Failures are counted per address: every test begins without any.
  clock.advanceMs(60 * 60_000);
  await test.db.deleteFrom('console_operator').execute();
  await addOperator(test.db, {
    organisationId: ORG,
    name: 'Ines',
    by: 'test',
    now: new Date(clock.nowMs()),
    role: 'reviewer',
    email: 'Ines@shop.example',
    token: undefined,
  });
});

/** Goes to the provider and comes back with what it says; `cookie` is the browser's. */
async function throughProvider(cookie = '', query = ''): Promise<{ back: string; state: string }> {
  const away = await site.get(`/login/oidc${query}`, { cookie });
  expect(away.status).toBe(303);
  const state = (away.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  expect(away.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  const answer = await fetch(away.headers.get('location') ?? '', { redirect: 'manual' });
  const location = new URL(answer.headers.get('location') ?? '');
  expect(location.origin).toBe(CONSOLE_URL);
  return { back: location.pathname + location.search, state };
}

function sessionOf(answer: Response): string {
  const cookies = answer.headers.getSetCookie().map((text) => text.split(';')[0] ?? '');
  return cookies.find((text) => text.startsWith('forestall_session=')) ?? '';
}

const INES: Person = { sub: 'u1', email: 'ines@shop.example', email_verified: true };

describe('a sign-in at the provider', () => {
  it('lets in the operator of the verified address, and from then on the account', async () => {
    provider.state.person = INES;
    const { back, state } = await throughProvider('', '?next=/reviews');
    const answer = await site.get(back, { cookie: state });
    expect(answer.status).toBe(200);
    // A page of our own, so that the strict cookie is sent with the next request.
    expect(await answer.text()).toContain('content="0;url=/reviews"');
    const cookie = sessionOf(answer);
    const page = await (await site.get('/', { cookie })).text();
    expect(page).toContain('Ines</summary>');
    expect(page).toContain('reviewer');
    provider.state.person = { sub: 'u1', email: 'moved@shop.example', email_verified: true };
    const again = await throughProvider();
    expect(sessionOf(await site.get(again.back, { cookie: again.state }))).not.toBe('');
    provider.state.person = { ...INES, sub: 'u2' };
    const taken = await throughProvider();
    expect((await site.get(taken.back, { cookie: taken.state })).status).toBe(403);
  });

  it.each([
    ['an address that is not verified', { sub: 'u9', email: 'ines@shop.example' }, 403],
    ['an address nobody has', { sub: 'u9', email: 'x@shop.example', email_verified: true }, 403],
    ['another nonce', { ...INES, nonce: 'stolen' }, 401],
    ['another audience', { ...INES, aud: 'another-client' }, 401],
  ] as const)('with %s lets nobody in', async (_what, person, status) => {
    provider.state.person = person;
    const { back, state } = await throughProvider();
    const answer = await site.get(back, { cookie: state });
    expect([answer.status, sessionOf(answer)]).toEqual([status, '']);
  });

  it('with a forged signature, from another browser, twice or too late lets nobody in', async () => {
    provider.state.person = INES;
    const forged = await throughProvider();
    provider.state.forge = true;
    expect((await site.get(forged.back, { cookie: forged.state })).status).toBe(401);
    provider.state.forge = false;
    const stolen = await throughProvider();
    expect((await site.get(stolen.back)).status).toBe(401);
    expect((await site.get(stolen.back, { cookie: 'forestall_oidc=x' })).status).toBe(401);
    const once = await throughProvider();
    expect((await site.get(once.back, { cookie: once.state })).status).toBe(200);
    expect((await site.get(once.back, { cookie: once.state })).status).toBe(401);
    const late = await throughProvider();
    clock.advanceMs(10 * 60_000);
    expect((await site.get(late.back, { cookie: late.state })).status).toBe(401);
  });

  it('again proves who somebody is, for that person only', async () => {
    provider.state.person = INES;
    const first = await throughProvider();
    const cookie = sessionOf(await site.get(first.back, { cookie: first.state }));
    clock.advanceMs(20 * 60_000);
    const decide = (): Promise<Response> =>
      site.get('/alerts/netalrt_1/decide?action=REFUND', { cookie });
    expect((await decide()).status).toBe(303);
    provider.state.person = { ...INES, auth_time: Math.floor(Date.now() / 1_000) };
    const proof = await throughProvider(cookie, '?again=1&next=/reviews');
    const done = await site.get(proof.back, { cookie: `${cookie}; ${proof.state}` });
    expect(done.status).toBe(200);
    expect(sessionOf(done)).toBe('');
    expect((await decide()).status).toBe(404);
    // Somebody who signed in at the provider an hour ago proves nothing.
    clock.advanceMs(20 * 60_000);
    provider.state.person = { ...INES, auth_time: Math.floor(Date.now() / 1_000) - 3_600 };
    const stale = await throughProvider(cookie, '?again=1');
    expect((await site.get(stale.back, { cookie: `${cookie}; ${stale.state}` })).status).toBe(401);
    expect((await decide()).status).toBe(303);
  });

  it('is offered beside the token, and says so when the provider is away', async () => {
    expect(await (await site.get('/login')).text()).toContain('Sign in with your organisation');
    const issuer = 'http://127.0.0.1:9';
    const { id: clientId, secret: clientSecret } = CLIENT;
    const alone = await startConsole(test.db, clock, {
      oidc: createOidc({ issuer, clientId, clientSecret, consoleUrl: CONSOLE_URL }),
    });
    const answer = await alone.get('/login/oidc');
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('The identity provider does not answer.');
    expect((await alone.post('/login', formOf({ token: TOKEN }))).status).toBe(303);
    await alone.close();
  });
});
