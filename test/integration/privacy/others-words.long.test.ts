/**
 * Guarantee: what a processor, the service, a channel of messages or the merchant's own endpoint says in its own words
 * (a reason, a code, the body of a fault, an error that is thrown) leaves no full card number, no e-mail address and no
 * secret in a table, in the log or in the console.
 */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReceiveCounters } from '../../../src/alerts/receive/counters.ts';
import { createActionsCall } from '../../../src/alerts/side-action/actions-endpoint.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createEmailChannel } from '../../../src/base/notify/email-channel.ts';
import { createNotificationSender } from '../../../src/base/notify/sender.ts';
import { createWebhookChannel } from '../../../src/base/notify/webhook-channel.ts';
import { NO_PROGRAMMES } from '../../../src/orders/programme.ts';
import { createConsoleRole } from '../../../src/people/console/console-role.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import type { Processor } from '../../../src/service/wire/processor.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { storedValues } from '../../support/stored-values.ts';

const CARD = '4242\u00a04242\u00a04242\u00a04242';
const EMAIL = 'planted.person@others.example';
const KEY = 'sk_live_51Planted0123456789abc';
const PLANTED = `said ${CARD} of ${EMAIL} under Bearer ${KEY}`;
/** Whatever is left of one of the three, however it was cut. */
const LEFT = /4242\D{0,3}4242\D{0,3}4242|planted\.person|others\.example|51Planted/i;

const CONSOLE_TOKEN = 'console-token-of-others-words';

let database: TestDatabase;
const open: (() => Promise<unknown> | unknown)[] = [];

// Each has a database of its own: a processor that failed before is asked less.
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await database.drop();
});

interface Stage {
  readonly world: OpenTestWorld;
  readonly lines: string[];
  readonly consoleUrl: string;
}

/** A world and its console, and the log of both. */
async function stage(
  options: Omit<Parameters<typeof createTestWorld>[0], 'database' | 'log'>,
): Promise<Stage> {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const world = await createTestWorld({ ...options, database: database.connectionString, log });
  open.push(() => world.close());
  const site = createConsoleRole(world.parts, {
    token: CONSOLE_TOKEN,
    programmes: NO_PROGRAMMES,
    counters: createReceiveCounters(),
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', () => done()));
  open.push(() => site.close());
  return {
    world,
    lines,
    consoleUrl: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
  };
}

/** An alert about a charge of the sandbox's shop, worked on for an hour. */
async function anAlert({ world }: Stage): Promise<string> {
  const { charge } = await world.sell(PRODUCTS.font);
  await world.drain();
  const { id } = world.sandbox.createAlertFor(charge.reference);
  await world.drain();
  await world.advance(60 * 60_000, 20 * 60_000);
  return id;
}

/** Where one of the three is left. */
async function left({ lines, consoleUrl }: Stage, paths: readonly string[]): Promise<string[]> {
  const stored = (await storedValues(database.db)).filter(({ value }) => LEFT.test(value));
  const logged = lines.filter((line) => LEFT.test(line));
  const headers = { authorization: `Bearer ${CONSOLE_TOKEN}` };
  const shown: string[] = [];
  for (const path of paths) {
    const answer = await fetch(consoleUrl + path, { headers });
    const text = await answer.text();
    expect([200, 302, 303], `${path} ${answer.status}`).toContain(answer.status);
    if (LEFT.test(text)) shown.push(path);
  }
  return [
    ...stored.map(({ place, value }) => `${place}: ${value.slice(0, 200)}`),
    ...logged.map((line) => `log: ${line.slice(0, 300)}`),
    ...shown.map((path) => `console: ${path}`),
  ];
}

const pagesOf = (id: string): string[] => [
  `/api/alerts/${id}`,
  '/api/alerts',
  '/api/reviews',
  '/api/findings',
];

/** Where the words are told without the three: they came as far as that. */
async function told({ lines }: Stage): Promise<string[]> {
  const stored = await storedValues(database.db);
  const logged = lines.map((value) => ({ place: 'log', value }));
  const places = [...stored, ...logged]
    .filter(({ value }) => /\[secret\]|424242\*{6}4242/.test(value))
    .map(({ place }) => place);
  return [...new Set(places)];
}

/** The sandbox's processor, with some of its calls answered otherwise. */
function processorThat(
  world: () => OpenTestWorld,
  answers: (real: Processor) => Partial<Processor>,
): Processor {
  const real = new Proxy({} as Processor, {
    get: (_target, name) => {
      const made = createHttpProcessor({
        baseUrl: world().sandbox.processorUrl,
        secret: 'processor-secret-for-tests',
        clock: world().clock,
      });
      return Reflect.get(made, name);
    },
  });
  const rest: Processor = {
    name: 'planted',
    capabilities: (signal) => real.capabilities(signal),
    searchCharges: (...given) => real.searchCharges(...given),
    readCharge: (...given) => real.readCharge(...given),
    findRefund: (...given) => real.findRefund(...given),
    refund: (...given) => real.refund(...given),
    voidCharge: (...given) => real.voidCharge(...given),
    cancelSubscription: (...given) => real.cancelSubscription(...given),
  };
  return { ...rest, ...answers(real) };
}

const MODULES: readonly (readonly [string, (real: Processor) => Partial<Processor>])[] = [
  [
    'gives no answer, and says why',
    () => ({ readCharge: async () => ({ kind: 'unavailable', reason: PLANTED }) }),
  ],
  [
    'throws, with the request attached',
    () => ({
      readCharge: async () => {
        throw Object.assign(new Error(PLANTED), { request: PLANTED, code: PLANTED });
      },
    }),
  ],
  [
    'refuses a refund under a code that is a sentence',
    () => ({
      refund: async () => ({ kind: 'rejected', failureCode: PLANTED, failureClass: 'ours' }),
    }),
  ],
  [
    'does not know what became of a refund',
    () => ({
      refund: async () => ({ kind: 'unknown', reason: PLANTED }),
      findRefund: async () => ({ kind: 'unavailable', reason: PLANTED }),
    }),
  ],
  [
    'throws at a refund, before it has sent one',
    () => ({
      refund: () => {
        throw new Error(PLANTED);
      },
    }),
  ],
  [
    'shows a failed refund under such a code',
    (real) => ({
      readCharge: async (reference, signal) => {
        const answer = await real.readCharge(reference, signal);
        if (answer.kind !== 'found') return answer;
        const failed = {
          reference: 're_failed',
          idempotencyKey: null,
          chargeReference: reference,
          status: 'failed',
          failureCode: PLANTED,
          amountMinor: 100,
          currency: answer.value.currency,
          createdAt: '2026-11-19T00:00:00Z',
        } as const;
        return { kind: 'found', value: { ...answer.value, refunds: [failed] } };
      },
    }),
  ],
];

it.each(MODULES)('a processor that %s', async (name, answers) => {
  const here: { stage?: Stage } = {};
  const processor = processorThat(() => {
    if (here.stage === undefined) throw new Error('asked before the world stands');
    return here.stage.world;
  }, answers);
  const opened = await stage({ processor });
  here.stage = opened;
  const id = await anAlert(opened);
  expect((await told(opened)).length > 0).toBe(!name.includes('a failed refund'));
  expect(await left(opened, pagesOf(id))).toEqual([]);
});

it.each([
  ['refusal', 402, JSON.stringify({ code: PLANTED, message: PLANTED, failure_class: 'ours' })],
  ['refusal in the form of a refund', 402, ''],
  ['failure of its own', 500, PLANTED],
])('an HTTP processor whose body is a %s', async (name, status, body) => {
  const here: { stage?: Stage } = {};
  const lazily = (): Processor => {
    if (here.stage === undefined) throw new Error('asked before the world stands');
    const { sandbox, clock } = here.stage.world;
    return createHttpProcessor({
      baseUrl: sandbox.processorUrl,
      secret: 'processor-secret-for-tests',
      clock,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (request.method !== 'POST') return await fetch(request);
        const sent = (await request.json()) as Record<string, unknown>;
        const refund = {
          reference: 're_1',
          idempotency_key: request.headers.get('idempotency-key'),
          charge_reference: sent['charge_reference'],
          status: 'failed',
          failure_code: PLANTED,
          failure_class: 'ours',
          amount_in_cents: sent['amount_in_cents'],
          currency: sent['currency'],
        };
        return new Response(name.includes('form of') ? JSON.stringify(refund) : body, {
          status,
          headers: { 'content-type': 'application/json' },
        });
      },
    });
  };
  const processor = new Proxy({ name: 'http' } as Processor, {
    get: (target, key) => Reflect.get(here.stage === undefined ? target : lazily(), key),
  });
  const opened = await stage({ processor });
  here.stage = opened;
  const id = await anAlert(opened);
  // Of a failure of its own the status alone is told.
  expect((await told(opened)).length > 0).toBe(status !== 500);
  expect(await left(opened, pagesOf(id))).toEqual([]);
});

const ENVELOPE = { errors: [{ code: 'INVALID_ACTION', message: PLANTED, field: 'action' }] };

it.each([
  ['PATCH', /\/v1\/alerts\//, 422, ENVELOPE],
  [
    'PATCH',
    /\/v1\/alerts\//,
    400,
    { errors: [{ code: PLANTED, message: PLANTED, field: PLANTED }] },
  ],
  ['GET', /\/v1\/alerts\/\w/, 500, ENVELOPE],
  ['GET', /\/v1\/alerts\/\w/, 404, { detail: PLANTED }],
])('the service answers %s %s with %i', async (method, path, status, body) => {
  const opened = await stage({
    serviceFetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== method || !path.test(new URL(request.url).pathname)) {
        return await fetch(request);
      }
      return new Response(JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json' },
      });
    },
  });
  const id = await anAlert(opened);
  // Of the others our own words for the code are told.
  expect((await told(opened)).length > 0).toBe(status === 400);
  expect(await left(opened, pagesOf(id))).toEqual([]);
});

it('the key that the service repeats is none of its words', async () => {
  const seen: string[] = [];
  const opened = await stage({
    serviceFetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'PATCH') return await fetch(request);
      const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      seen.push(key);
      const errors = [{ code: 'UNAUTHORISED', message: `${key} is no key`, field: key }];
      return new Response(JSON.stringify({ errors }), { status: 401 });
    },
  });
  await anAlert(opened);
  expect(seen.length).toBeGreaterThan(0);
  const [key = ''] = seen;
  const stored = (await storedValues(database.db)).filter(({ value }) => value.includes(key));
  expect(stored).toEqual([]);
  expect(opened.lines.filter((line) => line.includes(key))).toEqual([]);
});

/** Answers every request with what is planted, in its status line and its body. */
async function plantedServer(): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(400, PLANTED.replaceAll('\u00a0', ' '), { 'x-said': EMAIL });
      response.end(JSON.stringify({ code: PLANTED, error: PLANTED }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A mail server that refuses every recipient by name. */
async function plantedMail(): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('220 mail\r\n');
    socket.on('data', (data) => {
      const line = data.toString();
      if (/^(EHLO|HELO|MAIL|RSET)/i.test(line)) socket.write('250 ok\r\n');
      else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else socket.write(`550 5.1.1 <${EMAIL}> ${PLANTED.replaceAll('\u00a0', ' ')}\r\n`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  open.push(() => server.close());
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('channels of messages that do not take one, and the endpoint of the merchant', async () => {
  const opened = await stage({});
  const { world, lines } = opened;
  const { parts, clock } = world;
  const url = await plantedServer();
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const secret = 'webhook-secret-of-others-words';
  const mailUrl = await plantedMail();
  const channels = [
    createWebhookChannel({ url, secret, clock, allowLoopback: true }),
    createEmailChannel({ url: mailUrl, from: 'a@b.example', to: EMAIL }),
    {
      name: 'own',
      send: () => Promise.reject(Object.assign(new Error(PLANTED), { code: PLANTED })),
    },
  ];
  const { db } = parts.database;
  const { organisationId } = parts;
  await database.db
    .insertInto('notification')
    .values({
      organisation_id: organisationId,
      dedupe_key: 'others-words',
      kind: 'test',
      severity: 'error',
      text: 'Something must be done.',
      created_at: new Date(clock.nowMs()),
      next_attempt_at: new Date(clock.nowMs()),
    })
    .execute();
  const sender = createNotificationSender({ db, clock, log, organisationId, channels });
  expect(await sender.runOnce()).toBeGreaterThan(0);
  const call = createActionsCall({ url, secret: 'actions-secret-of-others-words' }, clock);
  const answer = await call({ idempotencyKey: 'key', body: {} }, AbortSignal.timeout(5_000));
  expect(answer).toEqual({ kind: 'refused', reason: 'HTTP 400' });
  expect(lines.some((line) => line.includes('notification not delivered'))).toBe(true);
  expect(await left(opened, ['/api/findings'])).toEqual([]);
});
