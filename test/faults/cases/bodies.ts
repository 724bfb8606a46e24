/** S18–S34: what a signed request may carry, and what the wire may do to it. */
import { equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { talk } from '../rig/sign.ts';
import { accepted, harmless, isStored, refused } from './signatures.ts';

/** Signed and unusable: 2xx, kept whole, a person is notified. */
export async function quarantined(scene: Scene, body: Buffer, reason?: string): Promise<void> {
  const answer = await scene.post(body);
  equal(answer.status, 200);
  const rows = await scene.rig.sql(
    `select q.reason from quarantine q left join inbox_event e on e.event_id = q.event_id
      where q.body = $1 or e.body = $1`,
    [body],
  );
  equal(rows.length, 1, 'one quarantine row holds the bytes');
  if (reason !== undefined) equal(rows[0]?.['reason'], reason);
}

/** Resident memory of the first serve process, in megabytes. Linux tells it; elsewhere 0. */
export function residentMb(scene: Scene): number {
  try {
    const status = readFileSync(`/proc/${scene.rig.running('serve')[0]?.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function head(lines: readonly string[]): string {
  return `${['POST /webhooks HTTP/1.1', 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`;
}

function signedHead(scene: Scene, body: string, lines: readonly string[]): string {
  return head([`X-Signature: ${scene.signature(body)}`, ...lines]);
}

async function framing(scene: Scene): Promise<void> {
  const port = scene.rig.port('serve');
  const body = harmless();
  const length = `Content-Length: ${body.length}`;
  for (const lines of [
    [length, 'Transfer-Encoding: chunked'],
    [length, `Content-Length: ${body.length + 1}`],
  ]) {
    const heard = await talk(port, [signedHead(scene, body, lines), body]);
    match(heard.text, /^HTTP\/1\.1 400 /);
  }
  const short = signedHead(scene, body, [`Content-Length: ${body.length + 50}`]);
  const heard = await talk(port, [short, body], { halfClose: true });
  ok(!heard.text.startsWith('HTTP/1.1 2'), 'a cut body is not accepted');
  ok(!(await isStored(scene, body)), 'nothing is stored');
}

const MB = 1024 * 1024;

async function oversize(scene: Scene): Promise<string> {
  const port = scene.rig.port('serve');
  const before = residentMb(scene);
  const block = 'x'.repeat(64 * 1024);
  const forged = `X-Signature: t=1,v1=${'0'.repeat(128)}`;
  const known = head([forged, `Content-Length: ${10 * MB}`]);
  const refusedAtOnce = await talk(port, [known, block]);
  match(refusedAtOnce.text, /^HTTP\/1\.1 413 /);
  const chunked = head([forged, 'Transfer-Encoding: chunked']);
  const chunk = `${block.length.toString(16)}\r\n${block}\r\n`;
  const refusedAtLimit = await talk(port, [chunked, ...Array.from({ length: 5 }, () => chunk)], {
    gapMs: 20,
  });
  match(refusedAtLimit.text, /^HTTP\/1\.1 413 /);
  // A sender that does not listen while it sends is cut off and may never read its answer.
  const all = Array.from({ length: (10 * MB) / block.length }, () => chunk);
  for (let round = 0; round < 5; round++) await talk(port, [chunked, ...all]);
  const grown = residentMb(scene) - before;
  ok(grown < 40, `memory grew by ${grown.toFixed(0)} MB`);
  return `memory of the listener grew by ${Math.max(0, grown).toFixed(0)} MB over 50 MB of bodies`;
}

async function bomb(scene: Scene): Promise<string> {
  const body = gzipSync(Buffer.alloc(50 * MB, 'a'));
  const before = residentMb(scene);
  const answer = await scene.post(body, { headers: { 'content-encoding': 'gzip' } });
  equal(answer.status, 415);
  const grown = residentMb(scene) - before;
  ok(grown < 10, `memory grew by ${grown.toFixed(0)} MB`);
  return `${body.length} bytes for 50 MB; memory grew by ${Math.max(0, grown).toFixed(1)} MB`;
}

/** More than any limit, so that only the listener ends the exchange. */
const DRIP_LIMIT_MS = 30_000;
/** The catalogue's 10 s, and a second in which a busy machine may be late. */
const DRIP_MS_MAX = 11_000;

async function dribble(scene: Scene): Promise<string> {
  const port = scene.rig.port('serve');
  const body = harmless();
  const drip = (text: string): Promise<{ text: string; tookMs: number }> =>
    talk(port, text, { gapMs: 1_000, limitMs: DRIP_LIMIT_MS });
  const start = signedHead(scene, body, [`Content-Length: ${body.length}`]);
  const [headers, slow] = await Promise.all([
    drip(start),
    talk(port, [start, ...body], { gapMs: 1_000, limitMs: DRIP_LIMIT_MS }),
  ]);
  for (const heard of [headers, slow]) {
    match(heard.text, /^HTTP\/1\.1 408 /);
    ok(heard.tookMs <= DRIP_MS_MAX, `cut off after ${heard.tookMs} ms`);
  }
  ok(!(await isStored(scene, body)), 'nothing is stored');
  return `headers cut off after ${(headers.tookMs / 1000).toFixed(1)} s, body after ${(slow.tookMs / 1000).toFixed(1)} s`;
}

async function sameText(scene: Scene): Promise<void> {
  const make = (byte: number): Buffer =>
    Buffer.concat([
      Buffer.from(`{"id":"evt_${digits(9)}","x":"`),
      Buffer.from([byte]),
      Buffer.from('"}'),
    ]);
  const signedBody = make(0xfe);
  const other = Buffer.from(signedBody);
  other[other.indexOf(0xfe)] = 0xff;
  const signature = scene.signature(signedBody);
  await quarantined(scene, signedBody);
  equal((await scene.post(other, { headers: { 'x-signature': signature } })).status, 401);
}

const bytes = (text: string): Buffer => Buffer.from(text);

export const BODY_CASES: readonly FaultCase[] = [
  {
    id: 'S18',
    place: 'alone',
    run: async (scene) => {
      equal((await scene.post(Buffer.alloc(0))).status, 200);
      equal((await scene.post(Buffer.alloc(0))).status, 200);
      const rows =
        await scene.rig.sql(`select 1 from quarantine where event_id like 'sha256:cf83e1%'
        or event_id like 'sha256:e3b0c4%'`);
      equal(rows.length, 1, 'the empty body is in quarantine once, by its hash');
    },
  },
  {
    id: 'S19',
    place: 'alone',
    run: async (scene) => {
      const heard = await talk(scene.rig.port('serve'), [
        head([`X-Signature: ${scene.signature('')}`, 'Content-Length: 0', 'Connection: close']),
      ]);
      match(heard.text, /^HTTP\/1\.1 200 /);
      const unsigned = await talk(scene.rig.port('serve'), [head(['Connection: close'])]);
      match(unsigned.text, /^HTTP\/1\.1 401 /);
    },
  },
  { id: 'S20', place: 'shared', run: (scene) => quarantined(scene, bytes(`\ufeff${harmless()}`)) },
  {
    id: 'S21',
    place: 'shared',
    run: (scene) => quarantined(scene, Buffer.concat([bytes(harmless()), Buffer.from([0xff])])),
  },
  { id: 'S22', place: 'shared', quick: true, run: sameText },
  {
    id: 'S23',
    place: 'shared',
    run: async (scene) => {
      const body = harmless();
      const packed = gzipSync(body);
      for (const signed of [body, packed]) {
        const answer = await scene.post(packed, {
          headers: { 'content-encoding': 'gzip', 'x-signature': scene.signature(signed) },
        });
        equal(answer.status, 415);
      }
      ok(!(await isStored(scene, body)), 'nothing is stored');
    },
  },
  { id: 'S24', place: 'alone', run: bomb },
  {
    id: 'S25',
    place: 'shared',
    run: async (scene) => {
      for (const type of ['application/json; charset=utf-16', 'text/plain', '']) {
        await accepted(scene, harmless(), { headers: { 'content-type': type } });
      }
    },
  },
  {
    id: 'S26',
    place: 'shared',
    run: async (scene) => {
      const body = harmless();
      const half = Math.floor(body.length / 2);
      const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
      const heard = await talk(scene.rig.port('serve'), [
        signedHead(scene, body, ['Transfer-Encoding: chunked', 'Connection: close']),
        chunk(body.slice(0, half)),
        chunk(body.slice(half)),
        '0\r\n\r\n',
      ]);
      match(heard.text, /^HTTP\/1\.1 200 /);
      ok(await isStored(scene, body), 'the event is stored');
    },
  },
  { id: 'S27', place: 'shared', quick: true, run: framing },
  { id: 'S28', place: 'alone', run: oversize },
  {
    id: 'S29',
    place: 'shared',
    run: (scene) =>
      refused(scene, harmless(), { headers: { 'x-filler': 'f'.repeat(17 * 1024) }, status: 431 }),
  },
  { id: 'S30', place: 'shared', run: dribble },
  {
    id: 'S31',
    place: 'shared',
    run: async (scene) => {
      const body = harmless();
      const heard = await talk(scene.rig.port('serve'), [
        signedHead(scene, body, [
          '__proto__: polluted',
          `Content-Length: ${body.length}`,
          'Connection: close',
        ]),
        body,
      ]);
      match(heard.text, /^HTTP\/1\.1 200 /);
      ok(await isStored(scene, body), 'the event is stored');
    },
  },
  {
    id: 'S32',
    place: 'shared',
    quick: true,
    run: async (scene) => {
      for (const method of ['GET', 'PUT', 'OPTIONS', 'TRACE', 'DELETE', 'PATCH']) {
        equal((await scene.post('', { method })).status, 405, method);
      }
    },
  },
  {
    id: 'S33',
    place: 'shared',
    run: async (scene) => {
      for (const text of [`["${digits(9)}"]`, `"${digits(9)}"`, digits(12).replace(/^0/, '1')]) {
        await quarantined(scene, bytes(text));
      }
      equal((await scene.post(bytes('null'))).status, 200);
    },
  },
  {
    id: 'S34',
    place: 'shared',
    run: async (scene) => {
      const [first, second] = [`evt_first_${digits(8)}`, `evt_second_${digits(8)}`];
      await quarantined(scene, bytes(`{"id":"${first}","id":"${second}","type":"fault.test"}`));
      const rows = await scene.rig.sql('select 1 from inbox_id where event_id = any($1)', [
        [first, second],
      ]);
      equal(rows.length, 0, 'neither id is taken');
    },
  },
];
