/**
 * Sends alerts for the flood bench, in a process of its own: what it measures waits for nothing but the answers. Sends
 * the parent what became of them.
 */
import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import type { AlertNumber } from './flood-alert.ts';
import { alertOf, OTHERS, secretOf } from './flood-alert.ts';

/** What a sender is told. */
export interface SendOrder {
  readonly port: number;
  /** The first number of its own that it uses. */
  readonly from: number;
  readonly alerts: number;
  /** To the others, evenly over the time; otherwise all to organisation 0, each connection one after the other. */
  readonly perSecond?: number;
  readonly connections?: number;
}

/** One alert that was sent, by the machine's clock. */
export interface Sent {
  readonly id: string;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** What a sender did. */
export interface SendReport {
  readonly sent: readonly Sent[];
  /** Deliveries that were told to come again, or not answered. */
  readonly refused: number;
  /** The longest that this process itself was late, in milliseconds. */
  readonly lateMs: number;
}

process.once('disconnect', () => process.exit());
const order = JSON.parse(process.argv[2] ?? '{}') as SendOrder;
const { port, from, alerts, perSecond, connections = 1 } = order;
const agent = new Agent({ keepAlive: true });
let refused = 0;

async function send(of: Omit<AlertNumber, 'createdMs'>): Promise<Sent> {
  const alert = alertOf({ ...of, createdMs: Date.now() });
  const { id } = alert;
  const event = { id: `evt_${id}`, type: 'alert.created', data: { object: alert } };
  const body = Buffer.from(
    JSON.stringify({ ...event, created_at: alert['created_at'], api_version: 'v1' }),
  );
  const sentMs = Date.now();
  while (!(await isTaken(of.organisation, body))) {
    refused += 1;
    // Told to come again, as the service would.
    await sleep(200);
  }
  return { id, sentMs, answeredMs: Date.now() };
}

function isTaken(organisation: number, body: Buffer): Promise<boolean> {
  const signature = signDelivery(secretOf(organisation), body, Math.floor(Date.now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-signature': signature,
  };
  const path = `/webhooks/brand-${organisation}`;
  return new Promise((resolve) => {
    request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode === 200))
        .once('error', () => resolve(false));
    })
      .once('error', () => resolve(false))
      .end(body);
  });
}

async function sendEvenly(rate: number): Promise<readonly Sent[]> {
  const sent: Promise<Sent>[] = [];
  const beganMs = performance.now();
  for (let place = 0; place < alerts; place++) {
    await sleep(Math.max(0, beganMs + (place * 1_000) / rate - performance.now()));
    sent.push(send({ organisation: 1 + (place % OTHERS), own: from + place }));
  }
  return await Promise.all(sent);
}

async function sendAtOnce(): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < alerts) sent.push(await send({ organisation: 0, own: from + next++ }));
  };
  await Promise.all(Array.from({ length: connections }, one));
  return sent;
}

const late = monitorEventLoopDelay({ resolution: 1 });
late.enable();
const sent = perSecond === undefined ? await sendAtOnce() : await sendEvenly(perSecond);
const report: SendReport = { sent, refused, lateMs: Math.round(late.max / 1e6) };
// Not before it is written: the end of the process would cut it off.
process.send?.(report, undefined, undefined, () => process.exit());
