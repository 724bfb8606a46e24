/** A stream of one organisation, an endpoint that answers as a test wants, and rounds that it asks for. */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { sql } from 'kysely';
import type { Db } from '../../../src/base/db/database.ts';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import type { DeliverDeps, Deliverer } from '../../../src/capabilities/events/deliver.ts';
import { createDeliverer } from '../../../src/capabilities/events/deliver.ts';
import type { EndpointWish } from '../../../src/capabilities/events/endpoint.store.ts';
import { addEndpoint } from '../../../src/capabilities/events/endpoint.store.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';

export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
  readonly body: {
    readonly position: number;
    readonly type: string;
    readonly data: Record<string, unknown>;
  };
  readonly status: number;
}

type Said =
  | number
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string }
  | undefined;

export type Answer = (received: Omit<Received, 'status'>) => Said | Promise<Said>;

export interface Receiver {
  readonly url: string;
  /** In the order of their arrival, with what was answered; those without an answer too, as 0. */
  readonly got: Received[];
  /** What it answers; undefined: nothing, ever. */
  answer: Answer;
  readonly sockets: () => number;
  /** Breaks off every connection and takes none for a while, as a process that was killed and starts again. */
  goAway(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function openReceiver(answer: Answer = () => 204): Promise<Receiver> {
  const got: Received[] = [];
  let sockets = 0;
  const receiver: Pick<Receiver, 'answer'> = { answer };
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const raw = Buffer.concat(parts).toString('utf8');
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const delivery = { id: headers['webhook-id'] ?? '', headers, raw, body: JSON.parse(raw) };
      const reply = (said: Said): void => {
        const whole = typeof said === 'object' ? said : { status: said ?? 0 };
        got.push({ ...delivery, status: whole.status });
        if (said !== undefined)
          response.writeHead(whole.status, whole.headers).end(whole.text ?? '');
      };
      const said = receiver.answer(delivery);
      if (said instanceof Promise) void said.then(reply);
      else reply(said);
    });
  });
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    sockets: () => sockets,
    goAway: async (ms: number) => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
      await new Promise((done) => setTimeout(done, ms));
      await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
}

export interface Stream {
  readonly organisationId: string;
  /** Puts events of these subjects into the stream, in this order, and gives them their positions. */
  note(...subjects: readonly string[]): Promise<void>;
  add(
    url: string,
    wish?: Partial<EndpointWish>,
  ): Promise<{ readonly id: string; readonly secret: string }>;
  deliverer(options?: Partial<DeliverDeps>): Deliverer;
  states(id: string): Promise<string[]>;
}

let organisations = 0;

export function openStream(db: Db, clock: FixedClock): Stream {
  organisations += 1;
  const organisationId = `org_${organisations}`;
  const now = (): Date => new Date(clock.nowMs());
  const sequence = createSequence({ db, organisationId, kinds: EVENT_KINDS });
  return {
    organisationId,
    note: async (...subjects) => {
      for (const subject of subjects)
        await sql`select note_event(${organisationId}, 'alert.missed', ${now()}, null, ${subject}, null, '{}')`.execute(
          db,
        );
      while ((await sequence()) > 0);
    },
    add: async (url, wish = {}) => {
      const added = await addEndpoint(
        db,
        { name: url, url, types: [], merchants: [], withEmail: false, ...wish },
        { organisationId, by: 'operator:ann', now: now() },
      );
      if (typeof added === 'string') throw new Error(added);
      return added;
    },
    deliverer: (options = {}) =>
      createDeliverer({
        db,
        clock,
        log: createLog({ level: 'silent' }),
        organisationId,
        allowLoopback: true,
        secretsOf: () => undefined,
        ...options,
      }),
    states: async (id) => {
      const { rows } = await sql<{ shown: string }>`
        select seq || ' ' || state || ' ' || tries as shown from event_delivery
        where organisation_id = ${organisationId} and endpoint_id = ${id} order by seq`.execute(db);
      return rows.map(({ shown }) => shown);
    },
  };
}
