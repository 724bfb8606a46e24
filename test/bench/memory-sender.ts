/**
 * Sends events for the memory bench, in a process of its own: alerts that were resolved already, so that the worker stores each and
 * has nothing to decide. Told how many, it sends them over its connections and answers with how many were taken.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import { alertOf, secretOf } from './flood-alert.ts';

/** Numbers of an alert are seven digits: beyond, they begin anew under another moment. */
const NUMBERS = 1e7;

const port = Number(process.argv[2]);
const connections = Number(process.argv[3]);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const beganMs = Date.now();
let made = 0;

function nextBody(): Buffer {
  made += 1;
  const createdMs = beganMs - Math.floor(made / NUMBERS) * 1_000;
  const open = alertOf({ createdMs, organisation: 0, own: made % NUMBERS });
  const resolved = { ...open, status: 'RESOLVED', transaction_refund_outcome: 'NOT_REFUNDED' };
  const event = {
    id: `evt_${process.pid}_${made}`,
    type: 'alert.updated',
    data: { object: resolved },
  };
  const createdAt = new Date().toISOString();
  return Buffer.from(JSON.stringify({ ...event, created_at: createdAt, api_version: 'v1' }));
}

function isTaken(body: Buffer): Promise<boolean> {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-signature': signDelivery(secretOf(0), body, Math.floor(Date.now() / 1_000)),
  };
  return new Promise((resolve) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port,
      path: '/webhooks/brand-0',
      method: 'POST',
      headers,
    };
    request(options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    })
      .once('error', () => resolve(false))
      .end(body);
  });
}

async function send(count: number): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const body = nextBody();
      while (!(await isTaken(body))) await sleep(200);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

process.on('message', (count) => {
  void send(Number(count)).then(() => process.send?.(count));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
