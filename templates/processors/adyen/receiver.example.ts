/**
 * Receives Adyen's webhooks on a port of its own and keeps them. Rename it and make it yours, or mount
 * `receive` in your own server: it takes a Request and gives a Response.
 *
 * @example ADYEN_RECEIVER_PORT=8090 node forestall/processors/adyen/receiver.example.ts
 */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import pg from 'pg';
import { setting } from '../../shared/setting.ts';
import { createAdyenReceiver } from './receiver.ts';
import { ADYEN_TABLE, createAdyenStore } from './store.ts';

const pool = new pg.Pool({ connectionString: setting('ADYEN_DATABASE_URL') });
const table = pool.query(ADYEN_TABLE);
const { store } = createAdyenStore(pool);

export const receive = createAdyenReceiver({
  hmacKeys: setting('ADYEN_HMAC_KEYS').split(','),
  basic: { user: setting('ADYEN_WEBHOOK_USER'), password: setting('ADYEN_WEBHOOK_PASSWORD') },
  mode: setting('ADYEN_MODE') === 'live' ? 'live' : 'test',
  merchantAccount: setting('ADYEN_MERCHANT_ACCOUNT'),
  store: async (items) => {
    await table;
    await store(items);
  },
});

const server = createServer(async (incoming, outgoing) => {
  const { method = 'GET', headers } = incoming;
  const body = method === 'POST' ? streamOf(incoming) : null;
  const init = {
    method,
    headers: { authorization: headers.authorization ?? '' },
    body,
    duplex: 'half' as const,
  };
  const request = new Request('http://receiver.internal/', init);
  const response = await receive(request).catch(() => new Response(null, { status: 503 }));
  outgoing.writeHead(response.status).end(await response.text());
});
server.headersTimeout = 8_000;
server.requestTimeout = 10_000;
server.listen(Number(setting('ADYEN_RECEIVER_PORT')));

/** The body, read only as far as somebody asks for it. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Buffer<ArrayBuffer>> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void incoming.destroy(),
  });
}
