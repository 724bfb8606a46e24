/**
 * A copied receiver as a process of its own, with a sandbox for its service: told of a sale, sent an
 * alert about it, and stopped while a delivery is under way.
 */
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { createFactories } from '../../../src/running/testing/factories.ts';
import { signedDelivery } from '../../../src/running/testing/signed-delivery.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { watchArrivals } from '../../support/arrivals.ts';
import { childEnv } from '../../support/child-env.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { spawn } from '../../support/child-process.ts';

/** What is started. */
export interface ReceiverWishes {
  /** The project, and what Node is given to run there: it listens on `PORT`. */
  readonly root: string;
  readonly args: readonly string[];
  /** What it says once it listens. @default 'listening on' */
  readonly says?: string;
  /** An empty, migrated database. */
  readonly connectionString: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A receiver that listens. */
export interface Receiver {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** What it was started with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Tells it of a sale, raises an alert about that, and waits until its answer arrives. */
  answersAlert(): Promise<void>;
  /** Told to stop with a delivery half arrived, on a connection that its client would keep. */
  stopsUnderWay(): Promise<StoppedUnderWay>;
  /** Ends whatever is left. */
  close(): Promise<void>;
}

export interface StoppedUnderWay {
  /** How the delivery was answered. */
  readonly status: number | undefined;
  /** How long the server continues waiting on that connection, as it says itself. */
  readonly keptSeconds: number;
  /** Exit status. It ends no sooner than the connection. */
  readonly ended: Promise<number | null>;
}

/** Starts the process and waits until it listens. */
export async function startReceiver(wishes: ReceiverWishes): Promise<Receiver> {
  const { root, args, says = 'listening on', connectionString, env: own = {} } = wishes;
  const sandbox = await createSandbox();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    DATABASE_URL: connectionString,
    ...(await serviceSettings(sandbox, root)),
  };
  const env = { ...childEnv(), PORT: String(port), ...settings, ...own };
  const child = spawn(process.execPath, [...args], { cwd: root, env });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await sandbox.close();
  };
  try {
    await hears(child, says);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    sandbox,
    settings,
    answersAlert: () => answersAlert(sandbox, url),
    stopsUnderWay: () => stopsUnderWay({ port, child, ended, sandbox }),
    close,
  };
}

/** What a receiver is told about its service, and a policy that answers every alert. */
async function serviceSettings(
  { url, accounts }: Sandbox,
  root: string,
): Promise<Record<string, string>> {
  const policy = join(root, 'accept.yaml');
  await writeFile(policy, 'name: accept\nrules: []\notherwise: ACCEPT_DISPUTE\n');
  return {
    FORESTALL_SERVICE_URL: url,
    FORESTALL_API_KEY: accounts.organisationKey,
    FORESTALL_ORGANISATION_ID: accounts.organisationId,
    FORESTALL_INTEGRATION_ID: accounts.integrationId,
    FORESTALL_WEBHOOK_SECRETS: accounts.webhookSecret,
    FORESTALL_POLICY: policy,
  };
}

async function answersAlert(sandbox: Sandbox, base: string): Promise<void> {
  const arrivals = watchArrivals(sandbox);
  const patched = new Promise<void>((done) => arrivals.onNext('PATCH /v1/alerts/{alert_id}', done));
  sandbox.pointWebhooksAt(`${base}/webhooks`);
  const sale = makeSale({ product: PRODUCTS.font }, Date.now());
  sandbox.createCharge(sale.charge);
  const handedOver = await fetch(`${base}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sale.order),
  });
  if (handedOver.status !== 201) throw new Error(`The order was answered ${handedOver.status}.`);
  sandbox.createAlertFor(sale.charge.reference);
  await patched;
}

interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly sandbox: Sandbox;
}

async function stopsUnderWay({ port, child, ended, sandbox }: Running): Promise<StoppedUnderWay> {
  const idle = await idleConnection(port);
  const delivery = await beginDelivery(port, sandbox.accounts.webhookSecret);
  child.kill('SIGTERM');
  // A server that stops lets go of idle connections at once: it has begun to stop.
  await idle.closed;
  const answer = await delivery.finish();
  const { statusCode: status, headers } = answer;
  const keeps = headers.connection === 'keep-alive';
  const stated = /timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1];
  const keptSeconds = keeps ? Number(stated) : 0;
  return { status, keptSeconds, ended };
}

/** A connection that was used once, and that its client would keep. */
async function idleConnection(port: number): Promise<{ readonly closed: Promise<void> }> {
  const agent = new Agent({ keepAlive: true });
  const sent = request({ port, host: '127.0.0.1', path: '/readyz', agent }).end();
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    sent.once('response', done);
    sent.once('error', fail);
  });
  const { socket } = answer;
  const closed = new Promise<void>((done) => socket.once('close', () => done()));
  await new Promise((done) => answer.resume().once('end', done));
  return { closed };
}

/** A signed delivery of which the server has the head and half of the body. */
async function beginDelivery(
  port: number,
  secret: string,
): Promise<{ finish(): Promise<IncomingMessage> }> {
  const { alert, event } = createFactories(systemClock);
  const object = { ...alert({ id: 'netalrt_underway' }) };
  const delivery = signedDelivery({
    event: event({ type: 'alert.created', object, id: 'evt_underway' }),
    secret,
    clock: systemClock,
  });
  const bytes = Buffer.from(delivery.body);
  const sent = request({
    ...{ port, host: '127.0.0.1', path: '/webhooks', method: 'POST' },
    agent: new Agent({ keepAlive: true }),
    // It says so when it has read the head: the delivery has begun, for the server too.
    headers: { ...delivery.headers, 'content-length': bytes.length, expect: '100-continue' },
  });
  const answered = new Promise<IncomingMessage>((done, fail) => {
    sent.once('response', (answer) => answer.resume().once('end', () => done(answer)));
    sent.once('error', fail);
  });
  const begun = new Promise<void>((done) => sent.once('continue', () => done()));
  sent.flushHeaders();
  await Promise.race([begun, answered]);
  sent.write(bytes.subarray(0, 100));
  return {
    finish(): Promise<IncomingMessage> {
      sent.end(bytes.subarray(100));
      return answered;
    },
  };
}

/** Waits until the process has said the words. @throws what it said, when it ends before */
export async function hears(child: ChildProcess, words: string): Promise<void> {
  let said = '';
  await new Promise<void>((done, fail) => {
    const hear = (text: Buffer): void => {
      said += text.toString();
      if (said.includes(words)) done();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('close', () => fail(new Error(said)));
  });
}
