/**
 * Guarantee: wherever a text can enter (each form and call of the console, orders, webhooks and their headers, the library,
 * the processor), a full card number ends at the door: 500 of them, in 12 places, and no column of any table and no line
 * of a log holds one.
 */
import type { Router } from 'express';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Applier } from '../../../src/alerts/apply/apply.job.ts';
import { createApplier } from '../../../src/alerts/apply/apply.job.ts';
import { rematchWaiting } from '../../../src/alerts/match/waiting.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createOrderRoutes } from '../../../src/orders/order-routes.ts';
import { createApiRouter } from '../../../src/people/console/api.ts';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { createGuards } from '../../../src/running/embed/guards.ts';
import { refusingCards } from '../../../src/running/embed/refuse-cards.ts';
import { registerSignIn } from '../../../src/surface/access/sign-in.ts';
import { cardWritings, isCardLeft } from '../../support/card-writings.ts';
import { useTestDatabase } from '../../support/database.ts';
import { storedValues } from '../../support/stored-values.ts';
import { alertObject, event } from '../apply/harness.ts';
import type { TestConsole } from '../console/support.ts';
import { BEARER, formOf, jsonOf, startConsole } from '../console/support.ts';
import { makeOrder } from '../feed/support.ts';
import type { Receiver } from '../receive/harness.ts';
import { startReceiver } from '../receive/harness.ts';
import { ORG } from '../reconcile/rows.ts';

const database = useTestDatabase();
const clock = createFixedClock('2026-11-20T12:00:00.000Z');
let site: TestConsole;
let receiver: Receiver;
let applier: Applier;
let cookie: string;
let csrf: string;

const WRITINGS = cardWritings(500);

beforeAll(async () => {
  const { db, connectionString } = database;
  const orders = {
    db,
    organisationId: ORG,
    integrationId: 'int_shop',
    clock,
    onCharges: rematchWaiting,
  };
  site = await startConsole(db, clock, { orderRoutes: createOrderRoutes(orders) });
  ({ cookie, csrf } = await site.signIn());
  receiver = await startReceiver({ connectionString, organisationId: ORG });
  const log = createLog({
    level: 'debug',
    destination: { write: (line) => site.lines.push(line) },
  });
  const brandTokens = { fromWire: (json: unknown): unknown => json };
  applier = createApplier({ db, clock, log, organisationId: ORG, brandTokens });
});
afterAll(async () => {
  await receiver.close();
  await site.close();
});

/** As long as the platform's parser asks for. */
const BOUNDARY = 'x'.repeat(40);

/** Sends fields as a browser does that has a file beside them. */
function partsOf(
  fields: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly text: string },
): { body: string; headers: Record<string, string> } {
  const part = (head: string, value: string): string =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value));
  if (file !== undefined) parts.push(part(`name="file"; filename="${file.name}"`, file.text));
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, cookie };
  return { body: `${parts.join('')}--${BOUNDARY}--\r\n`, headers };
}

type Sent = Promise<{ readonly status: number; readonly said: string }>;

async function postOrder(order: unknown): Sent {
  const init = json([order]);
  const answer = await fetch(`${site.url}/api/orders`, { method: 'POST', ...init });
  return { status: answer.status, said: await answer.text() };
}

async function post(path: string, init: Parameters<TestConsole['post']>[1]): Sent {
  const answer = await site.post(path, init);
  return { status: answer.status, said: await answer.text() };
}

async function deliver(body: unknown, headers: Record<string, string> = {}): Sent {
  const { status } = await receiver.post(JSON.stringify(body), headers);
  return { status, said: '' };
}

async function outcomeOf(act: () => unknown): Sent {
  try {
    return { status: 200, said: String(await act()) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 400, said: error.message };
  }
}

const form = (fields: Record<string, string>): ReturnType<typeof formOf> =>
  formOf({ csrf_token: csrf, ...fields }, { cookie });
const json = (body: unknown): ReturnType<typeof jsonOf> => jsonOf(body, BEARER);

const CLAIM = {
  source: 'WITHDRAWAL',
  charge_reference: 'ch_1',
  amount_in_cents: 100,
  currency: 'EUR',
};
const DECISION = '/api/alerts/netalrt_1/decision';

/** Each place, and whether what comes in there is refused; else it is stored, and the number in it masked. */
const PLACES: readonly (readonly [
  name: string,
  refuses: boolean,
  send: (card: string, index: number) => Sent,
])[] = [
  ['reason of a pause', true, (card) => post('/system/pause', form({ reason: `stop ${card}` }))],
  [
    'search of a saved view',
    true,
    (card) =>
      post(
        '/views',
        form({ name: 'mine', page: '/alerts', query: new URLSearchParams({ q: card }).toString() }),
      ),
  ],
  ['name of an operator', true, (card) => post('/operators', form({ name: card, role: 'viewer' }))],
  [
    'text beside a comment',
    true,
    (card) =>
      post(
        '/alerts/netalrt_1/comment',
        partsOf(
          { csrf_token: csrf, text: 'see' },
          { name: 'a.txt', text: `he paid\nwith ${card}\n` },
        ),
      ),
  ],
  [
    'reference of a decision',
    true,
    (card) => post(DECISION, json({ action: 'REFUNDED_OUTSIDE', reference: card })),
  ],
  [
    'charge of a decision',
    true,
    (card) => post(DECISION, json({ action: 'REFUND', charge_reference: `ch_${card}` })),
  ],
  [
    'reference of a claim',
    true,
    (card) => post('/api/refund-claims', json({ ...CLAIM, reference: card })),
  ],
  [
    'field of an order',
    true,
    (card, index) => postOrder(makeOrder(`o-${index}`, { customer_account_id: card })),
  ],
  [
    'word of the library',
    true,
    (card) =>
      outcomeOf(() => {
        const parts = { clock, organisationId: ORG, database } as never;
        return refusingCards(createGuards(parts)).pause({ operator: 'ada', reason: card });
      }),
  ],
  [
    'note of an alert',
    false,
    (card, index) =>
      deliver(
        event(
          'alert.created',
          alertObject(`netalrt_n${index}`, { organisation_id: ORG, note: `he says ${card}` }),
        ),
      ),
  ],
  [
    'id of an event',
    false,
    (card, index) =>
      deliver({
        ...event('alert.created', alertObject(`netalrt_i${index}`, { organisation_id: ORG })),
        id: card,
      }),
  ],
  [
    'id of a delivery',
    false,
    (card, index) =>
      deliver(event('alert.created', alertObject(`netalrt_d${index}`, { organisation_id: ORG })), {
        'x-idempotency-key': Buffer.from(card).toString('latin1'),
      }),
  ],
];

/** As an address in a browser says it; what is none stays. */
function decoded(value: string): string {
  return value.replaceAll(/(?:%[0-9a-f]{2})+/gi, (hex) =>
    Buffer.from(hex.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

describe('500 card numbers in 12 places', () => {
  const answers: { place: string; refuses: boolean; card: string; status: number; said: string }[] =
    [];

  beforeAll(async () => {
    expect(PLACES).toHaveLength(12);
    for (const [index, card] of WRITINGS.entries()) {
      const [place, refuses, send] = PLACES[index % PLACES.length] ?? [];
      if (place === undefined || refuses === undefined || send === undefined) continue;
      answers.push({ place, refuses, card, ...(await send(card, index)) });
    }
    while ((await applier.drainOnce()) > 0);
  }, 300_000);

  it('are refused where somebody wrote them, who is told what to do', () => {
    const refused = answers.filter(({ refuses }) => refuses);
    expect(refused.length).toBeGreaterThan(350);
    expect(refused.filter(({ status }) => status !== 400 && status !== 422)).toEqual([]);
    expect(refused.filter(({ said }) => !said.includes('holds a full card number'))).toEqual([]);
    expect(refused.filter(({ said }) => isCardLeft(said.replaceAll(/<[^>]*>/g, 'x')))).toEqual([]);
  });

  it('are masked where the service sent them, and every event is applied', async () => {
    const taken = answers.filter(({ refuses }) => !refuses);
    expect(taken.length).toBeGreaterThan(120);
    expect(taken.filter(({ status }) => status !== 200)).toEqual([]);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from alert where organisation_id = ${ORG}`.execute(database.db);
    expect(rows[0]?.count).toBe(taken.length);
    // Each event is still known as itself.
    const { rows: ids } = await sql<{ count: number }>`
      select count(distinct event_id) as count from inbox_id where organisation_id = ${ORG}`.execute(
      database.db,
    );
    expect(ids[0]?.count).toBe(taken.length);
  });

  it('are left in clear 0 times: in no column of any table, in no line of a log', async () => {
    const values = await storedValues(database.db);
    expect(values.length).toBeGreaterThan(500);
    expect(values.filter(({ value }) => isCardLeft(decoded(value)))).toEqual([]);
    const lines = [...site.lines, ...receiver.logLines];
    expect(lines.filter((line) => isCardLeft(line))).toEqual([]);
  });
});

/** Methods and paths of a router and of those in it. */
function routesOf(router: Router, prefix: string): string[] {
  return router.stack.flatMap((layer) => {
    if (layer.route === undefined) {
      const inner = layer.handle as Partial<Router>;
      return inner.stack === undefined ? [] : routesOf(inner as Router, prefix);
    }
    const path = prefix + layer.route.path;
    return layer.route.stack.some(({ method }) => method === 'post') ? [path] : [];
  });
}

describe('every route that changes something', () => {
  const CARD = '4111\u00a01111\u00a01111\u00a01111';
  const fill = (path: string): string => path.replaceAll(/:\w+/g, 'netalrt_1');

  it('refuses one in a form, whatever its field is called', async () => {
    const nothing = { options: {}, auth: {} } as never;
    const pages = createPages(nothing, [registerSignIn, ...ORGANISATION_PAGES]);
    const paths = [...new Set(routesOf(pages, ''))];
    expect(paths.length).toBeGreaterThan(30);
    const passed: string[] = [];
    for (const path of paths) {
      const fields = { csrf_token: csrf, any_field: CARD };
      const isRefused = ({ said }: Awaited<Sent>): boolean =>
        said.includes('any_field holds a full card number');
      if (isRefused(await post(fill(path), form({ any_field: CARD })))) continue;
      // Forms with a file are read as such only.
      if (!isRefused(await post(fill(path), partsOf(fields)))) {
        passed.push(path);
      }
    }
    expect(passed).toEqual([]);
  });

  it('refuses one in a call of the API that has a body', async () => {
    const none = {} as never;
    const paths = [...new Set(routesOf(createApiRouter(none, none), '/api'))];
    expect(paths.length).toBeGreaterThan(8);
    const passed: string[] = [];
    for (const path of paths) {
      const { status, said } = await post(fill(path), json({ any: [{ field: CARD }] }));
      if (status !== 400 || !said.includes('any.field holds a full card number')) passed.push(path);
    }
    // They read no body at all.
    expect(passed).toEqual(WITHOUT_BODY);
  });
});

const WITHOUT_BODY = ['/api/events/:id/replay'];

describe('a policy', () => {
  const TEXT = (note: string): string =>
    `name: house\n# ${note}\nrules:\n  - name: all\n    when: {}\n    then: { action: REFUND }\notherwise: { action: HUMAN }\n`;

  it('is refused with the line, and so is a list of its', () => {
    expect(() => loadPolicy(TEXT('4111 1111 1111 1111'), { file: 'house.yaml' })).toThrow(
      /house\.yaml:2:1: this holds a full card number/,
    );
    const using = `lists: {mine: list.txt}
rules:
  - {name: r, when: {customer_account: {in_list: mine}}, then: REFUND}
otherwise: REVIEW
`;
    const load = (list: string): unknown =>
      loadPolicy(using, { file: 'house.yaml', files: { 'list.txt': list } });
    // Without the number it loads: nothing else is wrong with it.
    expect(() => load('ch_1\nch_2\n')).not.toThrow();
    expect(() => load('ch_1\n4111\u20131111\u20131111\u20131111\n')).toThrow(
      /list\.txt:2:1: this holds a full card number/,
    );
  });
});

describe('the library', () => {
  it('goes on where there is none, with what its functions answer', async () => {
    const parts = { clock, organisationId: ORG, database } as never;
    const guards = refusingCards(createGuards(parts));
    await expect(
      guards.pause({ operator: 'ada', reason: 'ARN 74208326154000000012345' }),
    ).resolves.toBe(true);
    await expect(guards.resume({ operator: 'ada' })).resolves.toBe(true);
    await expect(guards.pause({ operator: '4111-1111-1111-1111', reason: 'x' })).rejects.toThrow(
      ConfigError,
    );
  });
});
