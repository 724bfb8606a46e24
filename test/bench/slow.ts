/** How much memory a receiver takes beside thousands of senders that crawl, against as many that send nothing. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { WEBHOOK_BODY_BYTES_MAX } from '../../src/base/kernel/limits.ts';
import { median } from './targets.ts';

/** Connections at once, as many as the promise names. */
export const SLOW_CONNECTIONS = 4_000;

/** The most that memory may be of what idle connections take. */
export const SLOW_MEMORY_MAX = 2;

/** What the rounds came to, in megabytes and as the middle of their ratios. */
export interface SlowReport {
  readonly idleMb: number;
  readonly slowMb: number;
  readonly ratio: number;
}

/** How long connections are watched once all are open: shorter than a request may live. */
const WATCH_MS = 3_000;

/** Connections opened at a time: a listener takes only so many that wait. */
const OPENED_AT_ONCE = 100;

/** One byte short of the largest body, under a header that a signature could stand in. */
const SLOW_REQUEST = Buffer.from(
  `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nX-Signature: t=1700000000,v1=${'0'.repeat(128)}\r\nContent-Length: ${WEBHOOK_BODY_BYTES_MAX}\r\n\r\n${'x'.repeat(WEBHOOK_BODY_BYTES_MAX - 1)}`,
);

/** Measures it, in a process of its own for each round. */
export async function benchSlowSenders(rounds: number): Promise<SlowReport> {
  const measured: SlowReport[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measureRound());
  const middle = (pick: (report: SlowReport) => number): number => median(measured.map(pick));
  return {
    idleMb: middle(({ idleMb }) => idleMb),
    slowMb: middle(({ slowMb }) => slowMb),
    ratio: middle(({ ratio }) => ratio),
  };
}

async function measureRound(): Promise<SlowReport> {
  const child = fork(new URL('slow-receiver.ts', import.meta.url));
  try {
    const [port] = (await once(child, 'message')) as [number];
    const idleMb = await mostMemory(child, port, Buffer.alloc(0));
    const slowMb = await mostMemory(child, port, SLOW_REQUEST);
    return { idleMb, slowMb, ratio: slowMb / idleMb };
  } finally {
    child.kill();
  }
}

/** The most resident memory of the receiver while all connections have sent this much. */
async function mostMemory(child: ChildProcess, port: number, request: Buffer): Promise<number> {
  const sockets: Socket[] = [];
  let most = 0;
  const look = async (): Promise<void> => {
    child.send('memory');
    const [residentBytes] = (await once(child, 'message')) as [number];
    most = Math.max(most, residentBytes);
  };
  while (sockets.length < SLOW_CONNECTIONS) {
    const some = Array.from({ length: OPENED_AT_ONCE }, () => connect(port, '127.0.0.1'));
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    for (const socket of some) {
      // The receiver may turn it away.
      socket.on('error', () => undefined);
      if (request.length > 0) socket.write(request);
    }
    sockets.push(...some);
    await look();
  }
  const endMs = performance.now() + WATCH_MS;
  while (performance.now() < endMs) {
    await look();
    await new Promise((done) => setTimeout(done, 50));
  }
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  return most / 1e6;
}
