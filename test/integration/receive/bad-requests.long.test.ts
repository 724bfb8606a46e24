/**
 * Guarantee: of six hundred requests that somebody makes who does not know the secret (signatures that are nearly right, another
 * secret or moment, changed bodies, other paths, methods and headers, bytes that are no HTTP) none is accepted, stored or an error
 * of ours, and all the while deliveries that are signed are taken.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { useTestDatabase } from '../../support/database.ts';
import { SECRET, SIGNED_AT_SECONDS } from '../../vectors/signature-vectors.ts';
import type { Receiver } from './harness.ts';
import { eventBody, sign, startReceiver } from './harness.ts';

const T = SIGNED_AT_SECONDS;
const database = useTestDatabase();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({
    connectionString: database.connectionString,
    secrets: { '': [SECRET], shop: ['whsec_of-the-shop'] },
    limits: {
      headersTimeoutMs: 1_000,
      requestTimeoutMs: 1_500,
      checkIntervalMs: 100,
      headerBytesMax: 16_384,
      connectionsMax: 5_000,
    },
  });
});
afterAll(() => receiver.close());

/** Numbers that come out the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const next = numbers(20_261_120);
const pick = <Some>(of: readonly Some[]): Some => of[next(of.length)] as Some;

interface Try {
  readonly what: string;
  readonly bytes: Buffer;
}

function request(
  what: string,
  body: string | Buffer,
  {
    line = 'POST /webhooks HTTP/1.1',
    headers = [],
    length = Buffer.byteLength(body),
  }: { line?: string; headers?: readonly string[]; length?: number | string } = {},
): Try {
  const head = [line, 'Host: localhost', `Content-Length: ${length}`, ...headers, '', ''];
  return { what, bytes: Buffer.concat([Buffer.from(head.join('\r\n')), Buffer.from(body)]) };
}

/** The signature with one thing about it changed. */
function nearly(header: string): string {
  const digits = header.slice(header.indexOf('v1=') + 3);
  const at = next(digits.length);
  const other = pick([...'0123456789abcdef'].filter((digit) => digit !== digits[at]));
  return pick([
    () => header.replace(digits, digits.slice(0, at) + other + digits.slice(at + 1)),
    () => header.replace(digits, digits.slice(0, -1 - next(64))),
    () => header.replace(digits, `${digits}${other}`),
    () => header.replace(digits, digits.split('').reverse().join('')),
    () => header.replace(digits, Buffer.from(digits, 'hex').toString('base64')),
    () => header.replace('v1=', pick(['v0=', 'v2=', 'v1:', 'v1 = ', '=', ''])),
    () => header.replace(/t=\d+/, `t=${T + pick([-86_400, -301, 301, 86_400, 2 ** 31, -T])}`),
    () => header.replace(/t=\d+/, pick(['t=', 't=NaN', 't=1e9', `t=0x${T.toString(16)}`, 't=-1'])),
    () => header.replace(/t=\d+,?/, ''),
    () => `${header},t=${T - 3_600}`,
    () => header.replaceAll(',', pick([';', ' ', '&', '\t'])),
    () => pick(['', ',', '=', 'v1=', 't=,v1=', `t=${T}`, 'undefined', '[object Object]', '*']),
  ])();
}

/** What nobody may get in with, each time another one. */
const KINDS: readonly ((place: number) => Try)[] = [
  () => {
    const body = eventBody();
    return request('a signature that is nearly right', body, {
      headers: [`X-Signature: ${nearly(sign(body))}`],
    });
  },
  () => {
    const body = eventBody();
    const secret = pick([
      '',
      'whsec_',
      'secret',
      SECRET.slice(0, -1),
      SECRET.toUpperCase(),
      ` ${SECRET}`,
    ]);
    return request('another secret', body, {
      headers: [`X-Signature: ${signDelivery(secret, Buffer.from(body), T)}`],
    });
  },
  () => {
    const body = eventBody();
    return request('the signature of another body', eventBody(), {
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    const at = next(body.length - 1);
    const changed = `${body.slice(0, at)}${body[at] === 'x' ? 'y' : 'x'}${body.slice(at + 1)}`;
    return request('one byte of the body changed', changed, {
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    return request('bytes added to the body', `${body}${pick([' ', '\n', '\0', '{}', ','])}`, {
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    const name = pick([
      'X-Signatur',
      'Signature',
      'X-Hub-Signature',
      'X-Signature-Old',
      'Authorization',
    ]);
    return request('another header', body, { headers: [`${name}: ${sign(body)}`] });
  },
  () => {
    const body = eventBody();
    return request('two signatures, the right one and another', body, {
      headers: [`X-Signature: ${sign(body)}`, `X-Signature: t=${T},v1=${'0'.repeat(128)}`],
    });
  },
  () => {
    const body = eventBody();
    // The secret of one subscription is no other's.
    const path = pick([
      '/webhooks/shop',
      '/webhooks/none',
      '/webhooks/constructor',
      '/webhooks/__proto__',
    ]);
    return request('the path of another subscription', body, {
      line: `POST ${path} HTTP/1.1`,
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    const path = pick([
      ...[
        '/',
        '/webhook',
        '/webhooks/../webhooks/x',
        '/webhooks/%zz',
        '/webhooks/%00',
        '//webhooks',
      ],
      ...['/webhooks/shop/x', '/webhooks;x', '/%77ebhooks/x', '/api/orders', '/login', '/readyz'],
      ...[`/webhooks/${'a'.repeat(3_000)}`, '/webhooks/..%2f..%2fetc%2fpasswd', '*'],
    ]);
    return request('another path', body, {
      line: `POST ${path} HTTP/1.1`,
      headers: [`X-Signature: ${sign(body, 'whsec_none')}`],
    });
  },
  () => {
    const body = eventBody();
    const method = pick([
      'GET',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'HEAD',
      'TRACE',
      'PROPFIND',
      'BREW',
    ]);
    return request('another method', body, {
      line: `${method} /webhooks HTTP/1.1`,
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    const coding = pick(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'chunked', 'x-y']);
    return request('an encoding', body, {
      headers: [`Content-Encoding: ${coding}`, `X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    const length = pick([
      '-1',
      'x',
      '1e3',
      '99999999999',
      '0x10',
      `${body.length}, ${body.length}`,
    ]);
    return request('a length that is none', body, {
      length,
      headers: [`X-Signature: ${sign(body)}`],
    });
  },
  () => {
    const body = eventBody();
    return request('two ways to say how long it is', `5\r\n${body}\r\n0\r\n\r\n`, {
      headers: ['Transfer-Encoding: chunked', `X-Signature: ${sign(body)}`],
    });
  },
  () => ({
    what: 'bytes that are no HTTP',
    bytes: pick([
      Buffer.from(Array.from({ length: 200 }, () => next(256))),
      Buffer.from('\r\n\r\n\r\n\r\n'),
      Buffer.from('POST /webhooks\r\n\r\n'),
      Buffer.from('POST /webhooks HTTP/9.9\r\n\r\n'),
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]),
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      Buffer.from(`POST /webhooks HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`),
      Buffer.from('POST /webhooks HTTP/1.1\r\nHost: a\r\n X-Signature: folded\r\n\r\n'),
    ]),
  }),
];

const TRIES = 600;
const AT_ONCE = 12;

it('nothing comes in, nothing is an error of ours, and what is signed is taken meanwhile', async () => {
  const tries = Array.from({ length: TRIES }, (_, place) => {
    const make = KINDS[place % KINDS.length];
    return make?.(place) ?? request('none', '');
  });
  const faults: string[] = [];
  const answered = new Map<string, number>();
  let taken = 0;
  const line = [...tries.entries()];
  const bad = async (place: number, { what, bytes }: Try): Promise<void> => {
    const answer = await receiver.raw(bytes, { end: true });
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';
    answered.set(status, (answered.get(status) ?? 0) + 1);
    if (/^[25]/.test(status)) faults.push(`${place} ${what}: ${status}`);
  };
  const good = async (place: number): Promise<void> => {
    const { status } = await receiver.post(eventBody());
    if (status === 200) taken += 1;
    else faults.push(`${place} a delivery that is signed: ${status}`);
  };
  const work = async (): Promise<void> => {
    for (let each = line.shift(); each !== undefined; each = line.shift()) {
      await bad(...each);
      if (each[0] % 40 === 0) await good(each[0]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(faults).toEqual([]);
  const stored = await database.db
    .selectFrom('inbox_event')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  expect([taken, Number(stored.count)]).toEqual([TRIES / 40, TRIES / 40]);
  // Refused one way or another, and not all of them the same way.
  expect(answered.size).toBeGreaterThan(4);
  expect(receiver.logLines.filter((text) => /"level":"(?:error|fatal)"/.test(text))).toEqual([]);
}, 120_000);
