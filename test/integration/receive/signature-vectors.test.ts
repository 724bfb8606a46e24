/**
 * Guarantee: every delivery of the fault catalogue, S01 to S34, is answered over a real socket as the
 * catalogue says; a refused one leaves no row, no work and no body in the log.
 */
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import {
  NEXT_SECRET,
  SECRET,
  SIGNATURE_VECTORS,
  SIGNED_AT_SECONDS,
} from '../../vectors/signature-vectors.ts';
import type { Receiver } from './harness.ts';
import { eventBody, ORGANISATION, rawRequest, sign, startReceiver } from './harness.ts';

const LIMITS = {
  headersTimeoutMs: 300,
  requestTimeoutMs: 400,
  checkIntervalMs: 50,
  headerBytesMax: 16_384,
  connectionsMax: 5_000,
};
const T = SIGNED_AT_SECONDS;

const database = useTestDatabase();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({ connectionString: database.connectionString, limits: LIMITS });
});
afterAll(async () => {
  await receiver.close();
});
beforeEach(() => receiver.clock.setMs(T * 1_000));

interface Rows {
  readonly events: number;
  readonly work: number;
  readonly quarantined: number;
}

async function countRows(): Promise<Rows> {
  const count = async (table: 'inbox_event' | 'inbox_work' | 'quarantine'): Promise<number> => {
    const row = await database.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };
  return {
    events: await count('inbox_event'),
    work: await count('inbox_work'),
    quarantined: await count('quarantine'),
  };
}

/** What the exchange added to the tables. */
async function added(exchange: () => Promise<unknown>): Promise<Rows> {
  const before = await countRows();
  await exchange();
  const after = await countRows();
  return {
    events: after.events - before.events,
    work: after.work - before.work,
    quarantined: after.quarantined - before.quarantined,
  };
}

const NOTHING: Rows = { events: 0, work: 0, quarantined: 0 };
const STORED: Rows = { events: 1, work: 1, quarantined: 0 };
const KEPT: Rows = { events: 1, work: 0, quarantined: 1 };
const REFUSED = { status: 401, json: { error: 'signature_refused' } };

/** The digests of a header made by {@link sign}. */
const digestOf = (header: string): string => header.slice(header.indexOf('v1=') + 3);

describe('accepted and stored', () => {
  it('S01 valid', async () => {
    const rows = await added(async () => {
      expect(await receiver.post(eventBody())).toMatchObject({
        status: 200,
        json: { received: true, duplicate: false },
      });
    });
    expect(rows).toEqual(STORED);
  });

  it('S05 v1 twice, second valid', async () => {
    const body = eventBody();
    const header = `t=${T},v1=${'0'.repeat(128)},v1=${digestOf(sign(body))}`;
    const rows = await added(async () => {
      expect(await receiver.post(body, { 'x-signature': header })).toMatchObject({ status: 200 });
    });
    expect(rows).toEqual(STORED);
  });

  it.each(['application/json; charset=utf-16', 'text/plain', 'application/x-www-form-urlencoded'])(
    'S25 content type %s',
    async (type) => {
      const rows = await added(async () => {
        expect(await receiver.post(eventBody(), { 'content-type': type })).toMatchObject({
          status: 200,
        });
      });
      expect(rows).toEqual(STORED);
    },
  );

  it('S25 no content type', async () => {
    const body = eventBody();
    const rows = await added(async () => {
      const answer = await receiver.raw(rawRequest(body, [`Content-Length: ${body.length}`]));
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    });
    expect(rows).toEqual(STORED);
  });

  it('S26 chunked', async () => {
    const body = eventBody();
    const head = rawRequest(body, ['Transfer-Encoding: chunked']).subarray(0, -body.length);
    const [a, b] = [body.slice(0, 40), body.slice(40)];
    const chunks = `28\r\n${a}\r\n${b.length.toString(16)}\r\n${b}\r\n0\r\n\r\n`;
    const rows = await added(async () => {
      const answer = await receiver.raw(Buffer.concat([head, Buffer.from(chunks)]));
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    });
    expect(rows).toEqual(STORED);
  });

  it('S31 a header named __proto__', async () => {
    const body = eventBody();
    const headers = [`Content-Length: ${body.length}`, '__proto__: x', 'constructor: y'];
    const rows = await added(async () => {
      expect(await receiver.raw(rawRequest(body, headers))).toMatch(/^HTTP\/1\.1 200 /);
    });
    expect(rows).toEqual(STORED);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('S16 the same signed request again: no second effect', async () => {
    const body = eventBody();
    await receiver.post(body);
    const rows = await added(async () => {
      expect(await receiver.post(body)).toMatchObject({
        status: 200,
        json: { received: true, duplicate: true },
      });
    });
    expect(rows).toEqual(NOTHING);
  });
});

describe('signed but unusable: kept, without effect, 200', () => {
  const vector = (name: string): Buffer =>
    SIGNATURE_VECTORS.find((each) => each.name === name)!.body;
  it.each<[string, Buffer, string]>([
    ['S18 empty body', Buffer.alloc(0), 'empty'],
    ['S20 byte order mark', vector('a byte order mark'), 'bom'],
    ['S21 invalid UTF-8', vector('bytes that are not UTF-8'), 'not_utf8'],
    ['S22 byte FE, signed', vector('byte FE, signed'), 'not_utf8'],
    ['S33 array', Buffer.from('[{"id":"evt_1"}]'), 'not_an_object'],
    ['S33 string', Buffer.from('"evt_1"'), 'not_an_object'],
    ['S33 null', Buffer.from('null'), 'not_an_object'],
    ['S33 number', Buffer.from('17'), 'not_an_object'],
    ['S34 duplicate key id', Buffer.from('{"id":"evt_a","id":"evt_b"}'), 'duplicate_key'],
    [
      'S34 duplicate key, escaped',
      Buffer.from('{"id":"evt_a","\\u0069d":"evt_b"}'),
      'duplicate_key',
    ],
    ['F29 nesting of 100,000', Buffer.from('['.repeat(100_000)), 'too_deep'],
    [
      'F34 event id of 12,000 characters',
      Buffer.from(`{"id":"${'e'.repeat(12_000)}"}`),
      'id_too_long',
    ],
    ['event id of 201 characters', Buffer.from(`{"id":"${'e'.repeat(201)}"}`), 'id_too_long'],
    ['no id', Buffer.from('{"type":"alert.created"}'), 'id_missing'],
    ['numeric id', Buffer.from('{"id":17}'), 'id_missing'],
    ['id with NUL', Buffer.from('{"id":"evt_\\u0000"}'), 'id_unusable'],
    ['id with half a surrogate pair', Buffer.from('{"id":"evt_\\ud800"}'), 'id_unusable'],
    ['id that looks synthetic', Buffer.from(`{"id":"sha256:${'0'.repeat(64)}"}`), 'id_unusable'],
  ])('%s', async (_name, body, reason) => {
    const rows = await added(async () => {
      expect(await receiver.post(body)).toMatchObject({
        status: 200,
        json: { received: true, duplicate: false },
      });
    });
    expect(rows).toEqual(KEPT);
    const row = await database.db
      .selectFrom('quarantine')
      .innerJoin('inbox_event', 'inbox_event.seq', 'quarantine.seq')
      .select(['quarantine.reason', 'inbox_event.body', 'quarantine.event_id'])
      .orderBy('quarantine.id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row.reason).toBe(reason);
    expect(row.body.equals(body)).toBe(true);
    expect(row.event_id).toMatch(/^sha256:[0-9a-f]{64}$/);
    // The same bytes again are a repeat, not a second case for a person.
    expect(await added(() => receiver.post(body))).toEqual(NOTHING);
  });

  it('an event id of 200 characters is an id', async () => {
    const body = JSON.stringify({ id: 'e'.repeat(200) });
    expect(await added(() => receiver.post(body))).toEqual(STORED);
  });

  it('S19 no body at all, correct signature', async () => {
    const rows = await added(async () => {
      const answer = await receiver.raw(rawRequest('', []));
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    });
    expect(rows).toEqual(NOTHING); // the empty body of S18, again
  });

  it('warns a person once per reason and day', async () => {
    await receiver.post('[1]');
    await receiver.post('[2]');
    const rows = await database.db
      .selectFrom('notification')
      .select(['severity', 'dedupe_key'])
      .where('dedupe_key', 'like', 'quarantine:not_an_object:%')
      .execute();
    expect(rows).toEqual([
      { severity: 'warning', dedupe_key: 'quarantine:not_an_object:2026-11-20' },
    ]);
  });
});

describe('refused by the signature', () => {
  const body = eventBody();
  const valid = digestOf(sign(body));
  const hmac = (algorithm: string, key: string): string =>
    createHmac(algorithm, key).update(`${T}.${body}`).digest('hex');
  it.each<[string, string]>([
    ['S02 empty header', ''],
    ['S03 only t', `t=${T}`],
    ['S03 only v1', `v1=${valid}`],
    ['S04 t twice', `t=${T},t=${T},v1=${valid}`],
    ['S06 v0 only', `t=${T},v0=${valid}`],
    ['S06 v2 only', `t=${T},v2=${valid}`],
    ['S07 upper-case hex', `t=${T},v1=${valid.toUpperCase()}`],
    ['S08 127 digits', `t=${T},v1=${valid.slice(1)}`],
    ['S08 129 digits', `t=${T},v1=${valid}0`],
    ['S08 128 digits and zz', `t=${T},v1=${valid}zz`],
    ['S09 t with letters', `t=${T}abc,v1=${valid}`],
    ['S09 t with a plus', `t=+${T},v1=${valid}`],
    ['S09 t as a float', `t=1.795e9,v1=${valid}`],
    ['S09 t in hex', `t=0x6aff1d80,v1=${valid}`],
    ['S09 t after a space', `t= ${T},v1=${valid}`],
    ['S10 t negative', `t=-${T},v1=${valid}`],
    ['S10 t empty', `t=,v1=${valid}`],
    ['S10 t NaN', `t=NaN,v1=${valid}`],
    ['S10 t of 20 digits', `t=${'1'.repeat(20)},v1=${valid}`],
    [
      'S10 t with a leading zero, signed so',
      `t=0${T},v1=${createHmac('sha512', SECRET).update(`0${T}.${body}`).digest('hex')}`,
    ],
    ['S13 signature over re-serialised JSON', sign(JSON.stringify(JSON.parse(body), null, 1))],
    ['S14 a secret that is not configured', sign(body, NEXT_SECRET)],
    ['S15 the empty key', `t=${T},v1=${hmac('sha512', '')}`],
    ['S15 SHA-256', `t=${T},v1=${hmac('sha256', SECRET)}`],
    ['S15 the key "undefined"', `t=${T},v1=${hmac('sha512', 'undefined')}`],
    ['CVE-2024-21491: empty v1', `t=${T},v1=`],
    ['CVE-2024-21491: truncated v1', `t=${T},v1=${valid.slice(0, 64)}`],
  ])('%s', async (_name, header) => {
    const rows = await added(async () => {
      expect(await receiver.post(body, { 'x-signature': header })).toMatchObject(REFUSED);
    });
    expect(rows).toEqual(NOTHING);
  });

  it('S02 no header, S19 no body either', async () => {
    const rows = await added(async () => {
      const response = await fetch(`${receiver.url}/webhooks`, { method: 'POST', body });
      expect(response.status).toBe(401);
      expect(await receiver.raw('POST /webhooks HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
        /^HTTP\/1\.1 401 /,
      );
    });
    expect(rows).toEqual(NOTHING);
  });

  it('S04 the header twice', async () => {
    const headers = [`Content-Length: ${body.length}`, `X-Signature: ${sign(body)}`];
    const rows = await added(async () => {
      expect(await receiver.raw(rawRequest(body, headers))).toMatch(/^HTTP\/1\.1 401 /);
    });
    expect(rows).toEqual(NOTHING);
  });

  it('S09 t in full-width digits', async () => {
    const header = Buffer.from(`t=１７９５１３２８００,v1=${valid}`).toString('latin1');
    expect(await receiver.post(body, { 'x-signature': header })).toMatchObject(REFUSED);
  });

  it.each([
    ['a byte flipped', body.replace('ACTION', 'BCTION')],
    ['a newline added', `${body}\n`],
    ['a space added', ` ${body}`],
  ])('S12 %s', async (_name, changed) => {
    const rows = await added(async () => {
      expect(await receiver.post(changed, { 'x-signature': sign(body) })).toMatchObject(REFUSED);
    });
    expect(rows).toEqual(NOTHING);
  });

  it('S22 byte FF under the signature of byte FE', async () => {
    const [fe, ff] = SIGNATURE_VECTORS.filter(({ name }) => name.startsWith('byte F'));
    const header = `t=${T},v1=${fe!.digest}`;
    expect(await receiver.post(fe!.body, { 'x-signature': header })).toMatchObject({ status: 200 });
    expect(await receiver.post(ff!.body, { 'x-signature': header })).toMatchObject(REFUSED);
  });

  it.each([
    [-301, 401],
    [-300, 200],
    [-299, 200],
    [299, 200],
    [300, 200],
    [301, 401],
  ])('S11 received %i s after signing: %i', async (ageSeconds, status) => {
    const fresh = eventBody();
    receiver.clock.advanceMs(ageSeconds * 1_000);
    expect((await receiver.post(fresh, { 'x-signature': sign(fresh) })).status).toBe(status);
  });

  it.each([
    ['Host', 'localhost'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Host', 'localhost'],
    ['User-Agent', 'test'],
  ])('CVE-2026-33661: no way past the check by %s', async (name, value) => {
    const request = `POST /webhooks HTTP/1.1\r\n${name === 'Host' ? '' : 'Host: x\r\n'}${name}: ${value}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await receiver.raw(request)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('tells the sender nothing and logs no body', async () => {
    const marked = eventBody({ note: 'canary-7391' });
    receiver.logLines.length = 0;
    const answer = await receiver.post(marked, { 'x-signature': `t=${T},v1=${valid}` });
    expect(answer.json).toEqual({ error: 'signature_refused' });
    const [line = '{}'] = receiver.logLines;
    expect(JSON.parse(line)).toMatchObject({ reason: 'no_match', bodyBytes: marked.length });
    expect(receiver.logLines.join('')).not.toContain('canary-7391');
  });
});

describe('S17 stale, but authentic', () => {
  it.each([
    ['too_old', 400],
    ['too_new', -400],
  ])('%s: 401, one poll of the alert, and a word about the clocks', async (reason, ageSeconds) => {
    const alertId = `netalrt_${reason}`;
    const body = eventBody({ data: { object: { id: alertId } } });
    const before = receiver.counters.snapshot().refused[reason]!;
    receiver.clock.advanceMs(ageSeconds * 1_000);
    const rows = await added(async () => {
      for (let repeat = 0; repeat < 3; repeat++) {
        expect(await receiver.post(body, { 'x-signature': sign(body) })).toMatchObject(REFUSED);
      }
    });
    expect(rows).toEqual(NOTHING);
    expect(receiver.counters.snapshot().refused[reason]).toBe(before + 3);
    const requests = await database.db
      .selectFrom('poll_request')
      .select(['organisation_id', 'reason'])
      .where('alert_id', '=', alertId)
      .execute();
    expect(requests).toEqual([{ organisation_id: ORGANISATION, reason: 'stale_signature' }]);
    const warnings = await database.db
      .selectFrom('notification')
      .select('severity')
      .where('kind', '=', 'clock_skew')
      .where(
        'dedupe_key',
        '=',
        `clock_skew:${new Date(receiver.clock.nowMs()).toISOString().slice(0, 10)}`,
      )
      .execute();
    expect(warnings).toEqual([{ severity: 'warning' }]);
  });

  it.each([
    ['forged', eventBody({ data: { object: { id: 'netalrt_forged' } } }), 'no_match'],
    [
      'not about an alert',
      eventBody({ type: 'lookup.created', data: { object: { id: 'netalrt_x' } } }),
      'too_old',
    ],
    ['an id that is a path', eventBody({ data: { object: { id: 'netalrt_../x' } } }), 'too_old'],
    ['not JSON', 'oops', 'too_old'],
  ])('%s: no poll', async (name, body, reason) => {
    receiver.clock.advanceMs(4_000_000);
    const before = receiver.counters.snapshot().refused[reason]!;
    const signature = name === 'forged' ? sign(`${body} `) : sign(body);
    const polls = database.db.selectFrom('poll_request').select('alert_id');
    const existing = (await polls.execute()).length;
    expect(await receiver.post(body, { 'x-signature': signature })).toMatchObject(REFUSED);
    expect(receiver.counters.snapshot().refused[reason]).toBe(before + 1);
    expect(await polls.execute()).toHaveLength(existing);
  });
});

describe('S14 rotation', () => {
  it('both secrets work while both are configured', async () => {
    const both = await startReceiver({
      connectionString: database.connectionString,
      secrets: { '': [NEXT_SECRET, SECRET] },
    });
    const [a, b] = [eventBody(), eventBody()];
    expect(await both.post(a, { 'x-signature': sign(a, SECRET) })).toMatchObject({ status: 200 });
    expect(await both.post(b, { 'x-signature': sign(b, NEXT_SECRET) })).toMatchObject({
      status: 200,
    });
    const rows = await database.db
      .selectFrom('inbox_event')
      .select('secret_id')
      .where('event_id', 'in', [JSON.parse(a).id, JSON.parse(b).id])
      .orderBy('seq')
      .execute();
    expect(rows).toEqual([{ secret_id: '0b4791ca' }, { secret_id: '96f7c1fb' }]);
    await both.close();
  });
});

describe('refused before the signature', () => {
  const body = eventBody();

  it.each(['gzip', 'deflate', 'br', 'gzip, identity', 'x'])(
    'S23 Content-Encoding %s: 415',
    async (encoding) => {
      expect(await receiver.post(body, { 'content-encoding': encoding })).toMatchObject({
        status: 415,
      });
    },
  );

  it('Content-Encoding identity is no encoding', async () => {
    expect(await receiver.post(eventBody(), { 'content-encoding': 'identity' })).toMatchObject({
      status: 200,
    });
  });

  it('S24 gzip bomb: 415, and the memory stays', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const before = process.memoryUsage().rss;
    expect(await receiver.post(bomb, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(10 * 1024 * 1024);
  });

  it.each([
    ['CL and TE', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['two CL', ['Content-Length: 5', 'Content-Length: 6']],
    ['CL that is no number', ['Content-Length: 5x']],
  ])('S27 %s: 400', async (_name, headers) => {
    expect(await receiver.raw(rawRequest('hello', headers))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('S27 CL above the body, sender gone: 400', async () => {
    const answer = await receiver.raw(rawRequest('hello', ['Content-Length: 50']), { end: true });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('S28 a declared 10 MB: 413 before any of it has arrived', async () => {
    const request = rawRequest('', ['Content-Length: 10485760']);
    expect(await receiver.raw(request)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it('S28 10 MB without a length: 413 soon after 256 KiB', async () => {
    const head = rawRequest('', ['Transfer-Encoding: chunked']);
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    const answer = await receiver.raw(Buffer.concat([head, Buffer.from(chunk.repeat(5))]));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('exactly 256 KiB is taken, one byte more is not', async () => {
    const fill = (length: number): string => {
      const start = eventBody().slice(0, -1);
      return `${start},"x":"${'x'.repeat(length - start.length - 8)}"}`;
    };
    expect(fill(262_144)).toHaveLength(262_144);
    expect(await receiver.post(fill(262_144))).toMatchObject({ status: 200 });
    expect(await receiver.post(fill(262_145))).toMatchObject({ status: 413 });
  });

  it('S29 17 KB of headers: 431', async () => {
    const request = rawRequest(body, [
      `Content-Length: ${body.length}`,
      `X-Fill: ${'x'.repeat(17_000)}`,
    ]);
    expect(await receiver.raw(request)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('S30 headers that never end: 408', async () => {
    expect(await receiver.raw('POST /webhooks HTTP/1.1\r\nHost: x\r\nX-')).toMatch(
      /^HTTP\/1\.1 408 /,
    );
  });

  it('S30 a body that never ends: 408', async () => {
    const request = rawRequest('a', ['Content-Length: 1000']);
    expect(await receiver.raw(request)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it.each(['GET', 'PUT', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'HEAD'])(
    'S32 %s: 405',
    async (method) => {
      const answer = await receiver.raw(rawRequest('', [], `${method} /webhooks HTTP/1.1`));
      expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*allow: POST/i);
    },
  );

  it('none of this reached the tables or grew a stack trace', async () => {
    expect(receiver.logLines.join('')).not.toMatch(/\bat .*\.ts:\d+/);
    const stored = await database.db
      .selectFrom('inbox_event')
      .select('seq')
      .where('event_id', '=', JSON.parse(body).id)
      .execute();
    expect(stored).toEqual([]);
  });
});
