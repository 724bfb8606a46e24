/**
 * Guarantee: each channel carries the message, its link and its proof of origin; when one is down another
 * takes over; and a flood reaches people as a digest.
 */
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/alerts/receive/signature.ts';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { Channel, OutgoingMessage } from '../../../src/base/notify/channel.ts';
import { ChannelError } from '../../../src/base/notify/channel.ts';
import { createEmailChannel } from '../../../src/base/notify/email-channel.ts';
import { linkTo } from '../../../src/base/notify/message.ts';
import { notify } from '../../../src/base/notify/notification.store.ts';
import type { Severity } from '../../../src/base/notify/notification.table.ts';
import { openChannels } from '../../../src/base/notify/notify-settings.ts';
import { createNotificationSender, RATE_MAX } from '../../../src/base/notify/sender.ts';
import { createWebhookChannel } from '../../../src/base/notify/webhook-channel.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const SECRET = 'a-secret-for-the-test';
const AT = '2026-03-01T12:00:00.000Z';
const MESSAGE: OutgoingMessage = {
  id: 'ntf_7',
  kind: 'case_held',
  severity: 'warning',
  text: 'Alert netalrt_1 needs a decision.',
  organisation: null,
  alertId: 'netalrt_1',
  link: 'https://console.example/alerts/netalrt_1',
  createdAt: new Date(AT),
};

let http: Server;
let httpUrl: string;
const posts: { headers: IncomingMessage['headers']; body: string }[] = [];
let smtp: TcpServer;
let smtpUrl: string;
const mails: string[] = [];
let refusal: string | undefined;

/** A mail server of a few lines: enough of RFC 5321 to take a message. */
function createMailServer(): TcpServer {
  return createTcpServer((socket) => {
    let mail: string[] | undefined;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const takeBody = (line: string, lines: string[]) => {
      if (line !== '.') return void lines.push(line);
      mails.push(lines.join('\n'));
      mail = undefined;
      say('250 taken');
    };
    const takeCommand = (line: string) => {
      if (line === 'QUIT') return socket.end('221 bye\r\n');
      if (line === 'DATA') mail = [];
      if (line.startsWith('RCPT') && refusal !== undefined) return say(refusal);
      return say(line === 'DATA' ? '354 continue' : '250 ok');
    };
    say('220 mail.test ready');
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      if (mail === undefined) takeCommand(line);
      else takeBody(line, mail);
    });
  });
}

const listenOn = async (server: Server | TcpServer): Promise<number> => {
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    posts.push({ headers: request.headers, body });
    response.end();
  });
  httpUrl = `http://127.0.0.1:${await listenOn(http)}/hook`;
  smtp = createMailServer();
  smtpUrl = `smtp://127.0.0.1:${await listenOn(smtp)}`;
});
afterAll(() => {
  http.close();
  smtp.close();
});
beforeEach(() => {
  posts.length = 0;
  mails.length = 0;
  refusal = undefined;
});

describe('the signed webhook', () => {
  it('carries the message, and the verifier of our own webhooks takes it', async () => {
    const clock = createFixedClock(AT);
    const channel = createWebhookChannel({
      url: httpUrl,
      secret: SECRET,
      clock,
      allowLoopback: true,
    });
    await channel.send(MESSAGE);
    const [post] = posts;
    expect(JSON.parse(post?.body ?? '')).toEqual({
      id: 'ntf_7',
      kind: 'case_held',
      severity: 'warning',
      text: 'Alert netalrt_1 needs a decision.',
      alert_id: 'netalrt_1',
      link: 'https://console.example/alerts/netalrt_1',
      created_at: AT,
      sent_at: AT,
    });
    const verifier = createVerifier({ secrets: [SECRET], clock });
    const header = String(post?.headers['x-signature']);
    expect(verifier.verify(header, Buffer.from(post?.body ?? ''))).toMatchObject({ ok: true });
    expect(verifier.verify(header, Buffer.from(`${post?.body} `))).toMatchObject({ ok: false });
  });

  it('does not start without a secret', () => {
    const options = { url: httpUrl, secret: '', clock: createFixedClock(AT), allowLoopback: true };
    expect(() => createWebhookChannel(options)).toThrow(ConfigError);
  });
});

describe('e-mail', () => {
  const open = () =>
    createEmailChannel({
      url: smtpUrl,
      from: 'forestall@shop.example',
      to: 'a@shop.example, b@shop.example',
    });

  it('arrives with subject, text, link and an id that a repeat shares', async () => {
    await open().send(MESSAGE);
    await open().send(MESSAGE);
    expect(mails).toHaveLength(2);
    const [first, second] = mails;
    expect(first).toContain('Subject: Forestall Warning: Alert netalrt_1 needs a decision.');
    expect(first).toContain('To: a@shop.example, b@shop.example');
    expect(first).toContain('https://console.example/alerts/netalrt_1');
    const idOf = (mail = '') => /Message-ID: (<.+>)/i.exec(mail)?.[1];
    expect(idOf(first)).toContain('ntf_7.');
    expect(idOf(second)).toBe(idOf(first));
  });

  it('says in a word why it did not arrive', async () => {
    refusal = '550 no such box';
    await expect(open().send(MESSAGE)).rejects.toThrow(new ChannelError('EENVELOPE'));
  });

  it('names what the system said of a server that is not there', async () => {
    const port = await freePort();
    const nobody = createEmailChannel({
      url: `smtp://127.0.0.1:${port}`,
      from: 'forestall@shop.example',
      to: 'a@shop.example',
    });
    await expect(nobody.send(MESSAGE)).rejects.toThrow(new ChannelError('ESOCKET (ECONNREFUSED)'));
  });

  it('ends a long subject with a whole word: half an amount is another amount', async () => {
    const before =
      'Alert netalrt_b9c67bf9e79eb3bb7212a55085, due 2026-11-25 13:24 UTC. A person decides now about';
    await open().send({ ...MESSAGE, text: `${before} 1299.00 EUR: no charge was found.` });
    const [head = ''] = (mails[0] ?? '').split('\n\n');
    const subject = head
      .replaceAll(/\n[ \t]/g, ' ')
      .split('\n')
      .find((line) => line.startsWith('Subject:'));
    expect(decodedWords(subject ?? '')).toBe(`Subject: Forestall Warning: ${before}…`);
  });

  it('keeps no second header that a text could bring', async () => {
    await open().send({ ...MESSAGE, text: 'Line one\r\nBcc: thief@example.com' });
    expect(/^Bcc:/m.test((mails[0] ?? '').split('\n\n')[0] ?? '')).toBe(false);
  });

  it('takes no other kind of address', () => {
    const options = { url: 'https://mail.example', from: 'a@b.example', to: 'c@d.example' };
    expect(() => createEmailChannel(options)).toThrow('FORESTALL_NOTIFY_SMTP_URL');
  });
});

/** The text of a header in the form of RFC 2047, as nodemailer writes it. */
function decodedWords(header: string): string {
  return header
    .replaceAll('?= =?UTF-8?Q?', '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_all, text: string) =>
      Buffer.from(
        text
          .replaceAll('_', ' ')
          .replaceAll(/=([0-9A-F]{2})/g, (_hex, code: string) =>
            String.fromCharCode(Number.parseInt(code, 16)),
          ),
        'latin1',
      ).toString('utf8'),
    );
}

describe('linkTo', () => {
  it.each([
    ['https://c.example', 'netalrt_1', 'https://c.example/alerts/netalrt_1'],
    ['https://c.example/forestall/', 'netalrt_1', 'https://c.example/forestall/alerts/netalrt_1'],
    ['https://c.example', null, 'https://c.example/'],
    [undefined, 'netalrt_1', null],
  ])('%s and %s', (url, alertId, link) => {
    expect(linkTo({ consoleUrl: url }, alertId)).toBe(link);
  });

  it('leads to the organisation that a message is about, where there are several', () => {
    const place = {
      consoleUrl: 'https://c.example',
      organisation: { name: 'Brand A', path: 'brand-a' },
    };
    expect(linkTo(place, 'netalrt_1')).toBe(
      'https://c.example/organisations/brand-a/alerts/netalrt_1',
    );
    expect(linkTo(place, null)).toBe('https://c.example/organisations/brand-a/');
  });
});

describe('the sender', () => {
  const ORG = 'org_demo';
  let test: TestDatabase;
  let clock: FixedClock;
  const sent: { channel: string; message: OutgoingMessage }[] = [];
  const down = new Set<string>();

  const fake = (name: string): Channel => ({
    name,
    async send(message): Promise<void> {
      if (down.has(name)) throw new ChannelError('HTTP 503');
      sent.push({ channel: name, message });
      await Promise.resolve();
    },
  });
  const createSender = (...names: string[]) =>
    createNotificationSender({
      db: test.db,
      clock,
      log: createLog({ level: 'silent' }),
      organisationId: ORG,
      channels: names.map(fake),
      place: () => ({ consoleUrl: 'https://console.example' }),
    });
  const write = async (key: string, severity: Severity = 'warning') =>
    await notify(test.db, {
      organisationId: ORG,
      dedupeKey: key,
      kind: 'case_held',
      severity,
      alertId: `netalrt_${key}`,
      text: `About ${key}.`,
      at: new Date(clock.nowMs()),
    });
  const channelOf = async (key: string) =>
    (
      await test.db
        .selectFrom('notification')
        .select('channel')
        .where('dedupe_key', '=', key)
        .executeTakeFirstOrThrow()
    ).channel;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(async () => {
    await test.drop();
  });
  beforeEach(async () => {
    await test.db.deleteFrom('notification').execute();
    clock = createFixedClock(AT);
    sent.length = 0;
    down.clear();
  });

  it('uses the first channel, with a link to the alert', async () => {
    await write('1');
    await createSender('slack', 'email').runOnce();
    expect(sent.map(({ channel }) => channel)).toEqual(['slack']);
    expect(sent[0]?.message.link).toBe('https://console.example/alerts/netalrt_1');
    expect(await channelOf('1')).toBe('slack');
  });

  it('uses the second when the first is down, says so once, and comes back', async () => {
    down.add('slack');
    const sender = createSender('slack', 'email');
    await write('1');
    await write('2');
    await sender.runOnce();
    expect(sent.map(({ channel }) => channel)).toEqual(['email', 'email']);
    await sender.runOnce();
    await sender.runOnce();
    expect(sent.map(({ message }) => message.kind)).toEqual([
      'case_held',
      'case_held',
      'channel_down',
    ]);
    expect(sent[2]?.message.text).toContain('slack: HTTP 503');
    down.clear();
    clock.advanceMs(60_000);
    await write('3');
    await sender.runOnce();
    expect(await channelOf('3')).toBe('slack');
  });

  it('keeps the message when all are down', async () => {
    down.add('slack').add('email');
    await write('1');
    await createSender('slack', 'email').runOnce();
    expect(sent).toEqual([]);
    const row = await test.db.selectFrom('notification').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ sent_at: null, last_error: 'slack: HTTP 503; email: HTTP 503' });
    expect(row.next_attempt_at).not.toBeNull();
  });

  it('sends a flood as single messages up to the rate, then as one digest per window', async () => {
    for (let n = 0; n < RATE_MAX + 30; n++)
      await write(String(n), n === RATE_MAX + 5 ? 'error' : 'info');
    const sender = createSender('slack');
    for (let round = 0; round < 6; round++) await sender.runOnce();
    // The error is taken first, so it is among the single ones.
    expect(sent).toHaveLength(RATE_MAX + 1);
    expect(sent[0]?.message.severity).toBe('error');
    const digest = sent.at(-1)?.message;
    expect(digest?.text.split('\n')[0]).toBe('30 messages came at once.');
    expect(digest?.text).toContain('And 25 × case held.');
    expect(digest?.link).toBe('https://console.example/');

    await write('later', 'error');
    expect(await sender.runOnce()).toBe(0);
    clock.advanceMs(10 * 60_000);
    expect(await sender.runOnce()).toBe(1);
    expect(await channelOf('later')).toBe('slack');
  });

  it('leaves another organisation’s messages alone', async () => {
    await notify(test.db, {
      organisationId: 'org_other',
      dedupeKey: 'x',
      kind: 'case_held',
      severity: 'info',
      text: 'Not ours.',
      at: new Date(clock.nowMs()),
    });
    expect(await createSender('slack').runOnce()).toBe(0);
  });
});

describe('openChannels', () => {
  it('opens what is set, in the order slack, webhook, e-mail', () => {
    const clock = createFixedClock(AT);
    const settings = {
      url: 'https://hooks.example/x',
      webhook: { url: 'https://shop.example/y', secret: SECRET },
      email: { url: 'smtps://mail.example', from: 'a@b.example', to: 'c@d.example' },
    };
    expect(openChannels(settings, clock).map(({ name }) => name)).toEqual([
      'slack',
      'webhook',
      'email',
    ]);
    expect(openChannels({}, clock)).toEqual([]);
    const inside = { webhook: { url: 'https://10.0.0.1/x', secret: SECRET } };
    expect(() => openChannels(inside, clock)).toThrow('FORESTALL_NOTIFY_WEBHOOK_URL leads to');
  });
});
