/** Guarantee: the router leads each organisation's webhooks to its cell, unchanged, and says so while one moves. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import { SYNC_LIMIT_MS, spawn, spawnSync } from '../support/child-process.ts';

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../templates/deployment/cells/${name}`, import.meta.url), 'utf8');

/** Names and cells, as either file lists them. */
function linesOf(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').replace(';', '').trim().split(/\s+/))
    .filter((words) => words.length === 2);
}

describe('the two routers', () => {
  it('know the same organisations in the same cells, and the same cells', async () => {
    const nginx = await read('nginx.conf');
    const [, listed = ''] =
      /map \$organisation \$cell \{\n\s+default\s+'';\n(.*?)\n\}/s.exec(nginx) ?? [];
    expect(linesOf(listed)).toEqual(linesOf(await read('cells.txt')));
    const cellsOf = (text: string, word: string) =>
      [...text.matchAll(new RegExp(`^${word} (cell_\\d)`, 'gm'))].map(([, name]) => name);
    const cells = cellsOf(nginx, 'upstream');
    expect(cells.length).toBeGreaterThan(1);
    expect(cellsOf(await read('haproxy.cfg'), 'backend')).toEqual(cells);
  });

  it('of nginx takes the organisation out of both kinds of paths', async () => {
    const [, pattern = ''] =
      /~(\^\/\(\?:webhooks\S+)\s+\$name;/.exec(await read('nginx.conf')) ?? [];
    const nameIn = (path: string) => new RegExp(pattern).exec(path)?.groups?.['name'];
    expect(nameIn('/webhooks/brand-one')).toBe('brand-one');
    expect(nameIn('/processor-events/brand-two/stripe')).toBe('brand-two');
    expect(nameIn('/webhooks')).toBeUndefined();
    expect(nameIn('/metrics/brand-one')).toBeUndefined();
  });
});

const hasHaproxy = spawnSync('haproxy', ['-v'], { timeout: SYNC_LIMIT_MS }).error === undefined;

// Where HAProxy is not installed the file has been read, and not run.
describe.skipIf(!hasHaproxy)('HAProxy with its file', () => {
  let folder: string;
  let url: string;
  let cells: readonly Server[];
  let haproxy: ReturnType<typeof spawn>;

  const startCell = async (name: string): Promise<Server> => {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () =>
        response.end(
          JSON.stringify({
            name,
            path: request.url,
            body: Buffer.concat(pieces).toString('hex'),
            signature: request.headers['x-signature'],
          }),
        ),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const addressOf = (server: Server): string =>
    `127.0.0.1:${(server.address() as AddressInfo).port}`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forestall-router-'));
    cells = [await startCell('cell_1'), await startCell('cell_2')];
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const written = (await read('haproxy.cfg'))
      .replaceAll('/run/haproxy/admin.sock', join(folder, 'admin.sock'))
      .replace(/bind :8443 ssl crt \S+/, `bind 127.0.0.1:${port}`)
      .replaceAll(/cell-(\d)\.internal:8080/g, (_, cell) => cells.map(addressOf)[cell - 1] ?? '');
    await writeFile(join(folder, 'haproxy.cfg'), written);
    const more = 'brand-three cell_2\nbrand-four moving\n';
    await writeFile(join(folder, 'cells.txt'), (await read('cells.txt')) + more);
    const checked = spawnSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')], {
      timeout: SYNC_LIMIT_MS,
    });
    expect(checked.status, String(checked.stderr)).toBe(0);
    haproxy = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
    await untilItListens(port);
  });
  afterAll(async () => {
    const ended = once(haproxy, 'exit');
    haproxy.kill();
    await ended;
    for (const cell of cells) cell.closeAllConnections();
    for (const cell of cells) cell.close();
    await rm(folder, { recursive: true });
  });

  const untilItListens = async (port: number): Promise<void> => {
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const isThere = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (isThere) return;
      await new Promise((done) => setImmediate(done));
    }
  };

  const post = (path: string, body = '{ "id":1 }\n'): Promise<Response> =>
    fetch(url + path, { method: 'POST', body, headers: { 'x-signature': 't=1,v1=00' } });
  const cellOf = async (path: string): Promise<unknown> => {
    const answer = await post(path);
    return answer.ok ? ((await answer.json()) as { name: string }).name : answer.status;
  };

  it('leads each organisation to its cell, by name and by id, and others nowhere', async () => {
    expect(await cellOf('/webhooks/brand-one')).toBe('cell_1');
    expect(await cellOf('/webhooks/org_01h8brandtwo')).toBe('cell_1');
    expect(await cellOf('/webhooks/brand-three')).toBe('cell_2');
    expect(await cellOf('/processor-events/brand-three/stripe')).toBe('cell_2');
    expect(await cellOf('/webhooks/brand-five')).toBe(404);
    expect(await cellOf('/webhooks')).toBe(404);
    expect(await cellOf('/metrics')).toBe(404);
  });

  it('changes neither the path, nor the body, nor the signature', async () => {
    const body = '{ "id":\t"\u00e9" }\r\n';
    const answer = await post('/webhooks/brand-one', body);
    expect(await answer.json()).toEqual({
      name: 'cell_1',
      path: '/webhooks/brand-one',
      body: Buffer.from(body).toString('hex'),
      signature: 't=1,v1=00',
    });
  });

  it('tells senders to come again while one moves, and takes a new place without a reload', async () => {
    const answer = await post('/webhooks/brand-four');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    const socket = connect(join(folder, 'admin.sock'));
    socket.end('set map cells.txt brand-four cell_2\n');
    await once(socket.resume(), 'close');
    expect(await cellOf('/webhooks/brand-four')).toBe('cell_2');
  });

  it('answers 503 for a cell that is away, and goes on with the other one', async () => {
    const [first] = cells;
    first?.closeAllConnections();
    first?.close();
    expect(await cellOf('/webhooks/brand-one')).toBe(503);
    expect(await cellOf('/webhooks/brand-three')).toBe('cell_2');
  });
});
