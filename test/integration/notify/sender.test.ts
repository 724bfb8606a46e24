/** Guarantee: every message reaches its receiver at least once, or is given up loudly after a day. */

import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Channel } from '../../../src/base/notify/channel.ts';
import { renderText } from '../../../src/base/notify/message.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import type { Severity } from '../../../src/base/notify/notification.table.ts';
import type { PostJson } from '../../../src/base/notify/post.ts';
import { createPost } from '../../../src/base/notify/post.ts';
import type { NotificationSenderOptions } from '../../../src/base/notify/sender.ts';
import { ATTEMPTS_MAX, createNotificationSender } from '../../../src/base/notify/sender.ts';
import { createSlackChannel } from '../../../src/base/notify/webhook-channel.ts';
import { useTestDatabase } from '../../support/database.ts';

const ORG = 'org_demo';
const test = useTestDatabase();
let clock: FixedClock;
let server: Server;
let url: string;
let answer: { status: number; headers: Record<string, string> };
const received: { path: string | undefined; type: string | undefined; body: unknown }[] = [];
const lines: string[] = [];

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await readBody(request));
    received.push({ path: request.url, type: request.headers['content-type'], body });
    response.writeHead(answer.status, answer.headers).end('ok');
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  server.close();
});
beforeEach(async () => {
  await test.db.deleteFrom('notification').execute();
  clock = createFixedClock('2026-03-01T12:00:00Z');
  answer = { status: 200, headers: {} };
  received.length = 0;
  lines.length = 0;
});

const slack = (post?: PostJson): Channel =>
  createSlackChannel({ url, allowLoopback: true, ...(post === undefined ? {} : { post }) });

function createSender(options: Partial<NotificationSenderOptions> = {}) {
  return createNotificationSender({
    db: test.db,
    clock,
    log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    organisationId: ORG,
    channels: [slack()],
    ...options,
  });
}

async function write(key: string, severity: Severity = 'warning', text = 'Look.'): Promise<void> {
  await notify(test.db, {
    organisationId: ORG,
    dedupeKey: key,
    kind: 'test',
    severity,
    text,
    at: new Date(clock.nowMs()),
  });
}

async function rows() {
  return await test.db.selectFrom('notification').selectAll().orderBy('id').execute();
}

describe('the outbox', () => {
  it('holds a message once per key', async () => {
    await write('a');
    await write('a', 'error', 'Other.');
    expect((await rows()).map((row) => row.text)).toEqual(['Look.']);
  });
});

describe('sending', () => {
  it('posts JSON with the text and marks it sent', async () => {
    await write('a', 'error', 'Alert netalrt_1 <!channel> & more.');
    expect(await createSender().runOnce()).toBe(1);
    expect(received).toEqual([
      {
        path: '/hook',
        type: 'application/json; charset=utf-8',
        body: { text: 'Forestall ERROR: Alert netalrt_1 &lt;!channel&gt; &amp; more.' },
      },
    ]);
    const [row] = await rows();
    expect(row).toMatchObject({ attempts: 1, next_attempt_at: null, last_error: null });
    expect(row?.sent_at?.toISOString()).toBe('2026-03-01T12:00:00.000Z');
    expect(await createSender().runOnce()).toBe(0);
  });

  it('tries again after its wait when the receiver fails', async () => {
    answer.status = 503;
    await write('a');
    const sender = createSender();
    await sender.runOnce();
    const [failed] = await rows();
    expect(failed).toMatchObject({ attempts: 1, sent_at: null, last_error: 'HTTP 503' });
    expect(await sender.runOnce()).toBe(0);
    answer.status = 204;
    clock.advanceMs(10_000);
    expect(await sender.runOnce()).toBe(1);
    expect((await rows())[0]?.sent_at).not.toBeNull();
    expect(received).toHaveLength(2);
  });

  it('does not follow a redirect', async () => {
    answer = { status: 307, headers: { location: '/elsewhere' } };
    await write('a');
    await createSender().runOnce();
    expect(received.map(({ path }) => path)).toEqual(['/hook']);
    expect((await rows())[0]?.last_error).toBe('HTTP 307');
  });

  it('ends an exchange that hangs', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => {
      silent.listen(0, '127.0.0.1', done);
    });
    const { port } = silent.address() as AddressInfo;
    await write('a');
    const post = createPost({
      url: `http://127.0.0.1:${port}/`,
      allowLoopback: true,
      timeoutMs: 50,
    });
    await createSender({ channels: [slack(post)] }).runOnce();
    silent.closeAllConnections();
    silent.close();
    expect((await rows())[0]).toMatchObject({ sent_at: null, last_error: 'ABORT_ERR' });
  });

  it('sends again what a dead sender had claimed, and not before', async () => {
    await write('a');
    // A post that never ends is all that a killed process leaves behind: a claim without a mark.
    await new Promise<void>((claimed) => {
      const post = (): Promise<number> => {
        claimed();
        return new Promise(() => undefined);
      };
      createSender({ channels: [slack(post)] })
        .runOnce()
        .catch(claimed);
    });
    clock.setMs(Date.parse('2026-03-01T12:04:19Z'));
    expect(await createSender().runOnce()).toBe(0);
    clock.advanceMs(1_000);
    expect(await createSender().runOnce()).toBe(1);
    expect(received).toHaveLength(1);
  });

  it('is shared: two senders at once send each message once', async () => {
    for (let index = 0; index < 30; index++) await write(`k${index}`);
    const done = await Promise.all([createSender().runOnce(), createSender().runOnce()]);
    expect(done[0] + done[1]).toBe(30);
    expect(received).toHaveLength(30);
  });

  it('takes errors first', async () => {
    for (let index = 0; index < 25; index++) await write(`k${index}`, 'info', `info ${index}`);
    await write('urgent', 'error', 'urgent');
    await createSender().runOnce();
    const texts = received.map(({ body }) => (body as { text: string }).text);
    expect(texts).toContain('Forestall ERROR: urgent');
    expect(texts).toHaveLength(20);
  });

  it('gives up after its last attempt, loudly', async () => {
    answer.status = 500;
    await write('a');
    await test.db
      .updateTable('notification')
      .set({ attempts: ATTEMPTS_MAX - 2 })
      .execute();
    const sender = createSender();
    await sender.runOnce();
    expect((await rows())[0]?.next_attempt_at).not.toBeNull();
    clock.advanceMs(30 * 60_000);
    await sender.runOnce();
    expect((await rows())[0]).toMatchObject({
      attempts: ATTEMPTS_MAX,
      next_attempt_at: null,
      sent_at: null,
      last_error: 'HTTP 500',
    });
    expect(lines.at(-1)).toContain('notification given up');
  });
});

describe('the log', () => {
  it('is the channel without a URL', async () => {
    await write('a', 'warning', 'Only here.');
    await createSender({ channels: [] }).runOnce();
    expect(lines.join('')).toContain('Only here.');
    expect((await rows())[0]?.sent_at).not.toBeNull();
  });

  it('is a second channel for errors, once, and never names the URL', async () => {
    answer.status = 500;
    await write('a', 'error', 'Twice heard.');
    const sender = createSender();
    await sender.runOnce();
    clock.advanceMs(60_000);
    await sender.runOnce();
    expect(lines.filter((line) => line.includes('Twice heard.'))).toHaveLength(1);
    expect(lines.join('')).not.toContain('/hook');
  });
});

describe('renderText', () => {
  it.each([
    ['info', 'Forestall Info: x'],
    ['warning', 'Forestall Warning: x'],
    ['error', 'Forestall ERROR: x'],
  ] as const)('names severity %s', (severity, text) => {
    expect(renderText({ severity, text: 'x' })).toBe(text);
  });
});
