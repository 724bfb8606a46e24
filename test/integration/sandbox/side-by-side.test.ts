/** Guarantee: advancing delivers to all endpoints side by side, within a limit, and in order to a prompt one. */
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';

/** An endpoint that answers when the test says so. */
interface Endpoint {
  readonly url: string;
  readonly server: Server;
  /** Ids of the events received, in order. */
  readonly events: string[];
  readonly open: Set<ServerResponse>;
  openMax: number;
  /** Called with every request; answers what it wants. */
  answer(response: ServerResponse): void;
}

const ok = (response: ServerResponse): void => {
  response.end();
};

async function createEndpoint(): Promise<Endpoint> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      endpoint.events.push(JSON.parse(Buffer.concat(chunks).toString()).id);
      endpoint.open.add(res);
      endpoint.openMax = Math.max(endpoint.openMax, endpoint.open.size);
      res.on('close', () => endpoint.open.delete(res));
      endpoint.answer(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const endpoint: Endpoint = { url, server, events: [], open: new Set(), openMax: 0, answer: ok };
  return endpoint;
}

let first: Endpoint;
let second: Endpoint;
let sandbox: Sandbox;
beforeEach(async () => {
  [first, second] = [await createEndpoint(), await createEndpoint()];
});
afterEach(async () => {
  await sandbox.close();
  for (const { server } of [first, second]) {
    server.closeAllConnections();
    server.close();
  }
});

async function start(options: SandboxOptions = {}): Promise<void> {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  sandbox = await createSandbox({ clock, webhookUrl: first.url, ...options });
}

function raise(count: number): void {
  for (let index = 0; index < count; index += 1) sandbox.createAlert();
}

const statuses = (): string[] => sandbox.deliveries().map(({ status }) => status);

test('an endpoint that hangs holds no other up', async () => {
  await start();
  sandbox.subscribe({ url: second.url });
  let held: ServerResponse | undefined;
  // It answers once the other endpoint has had everything: one by one that could never be.
  first.answer = (response): void => {
    if (held === undefined) held = response;
    else response.end();
  };
  second.answer = (response): void => {
    response.end();
    if (second.events.length === 3) held?.end();
  };
  raise(3);
  await sandbox.settle();
  expect(statuses()).toEqual(Array.from({ length: 6 }, () => 'SUCCEEDED'));
});

test('a slow endpoint gets up to the limit at once, and no more', async () => {
  await start({ deliveriesAtOnce: 3 });
  first.answer = (): void => {
    if (first.open.size === 3) for (const response of first.open) response.end();
  };
  raise(6);
  await sandbox.settle();
  expect(statuses()).toEqual(Array.from({ length: 6 }, () => 'SUCCEEDED'));
  expect(first.openMax).toBe(3);
});

test('a prompt endpoint gets its events one by one, in order', async () => {
  await start();
  raise(12);
  await sandbox.settle();
  expect(first.events).toEqual(sandbox.events().map(({ id }) => id));
  expect(first.openMax).toBe(1);
});

test('on a running clock what is due in the same second goes side by side as well', async () => {
  sandbox = await createSandbox({ webhookUrl: first.url, deliveriesAtOnce: 4 });
  first.answer = (response): void => {
    response.statusCode = 500;
    response.end();
  };
  for (let index = 0; index < 4; index += 1) {
    raise(1);
    await expect.poll(() => first.events.length).toBe(index + 1);
  }
  await expect
    .poll(() => sandbox.deliveries().every((delivery) => delivery.attempts.length === 1))
    .toBe(true);
  const dueMoments = new Set(sandbox.deliveries().map((delivery) => delivery.next_attempt_at));
  expect(dueMoments.size).toBeGreaterThan(1);
  first.answer = (): void => {
    if (first.open.size === 4) for (const open of first.open) open.end();
  };
  await sandbox.advance(2 * 60_000);
  expect(statuses()).toEqual(Array.from({ length: 4 }, () => 'SUCCEEDED'));
});
