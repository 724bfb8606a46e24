/** Guarantee: `forestall health` asks where the role listens, and says where nobody answered. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childEnv } from '../../support/child-env.ts';
import { spawn } from '../../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/people/cli/main.ts', import.meta.url));
/** An address of this machine that is not the usual one. */
const HOST = '127.0.0.2';

const server = createServer((_request, response) => response.end());
let port = 0;
beforeAll(async () => {
  server.listen(0, HOST);
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

async function health(host: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN, 'health', '--private'], {
    env: { ...childEnv(), FORESTALL_METRICS_HOST: host, FORESTALL_METRICS_PORT: String(port) },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  await once(child, 'close');
  return text;
}

it('of a private port on an address of its own', async () => {
  expect(await health(HOST)).toBe('alive\n');
  expect(await health('0.0.0.0')).toBe(
    `not alive: no 200 from /healthz at 127.0.0.1, port ${port}\n`,
  );
});
