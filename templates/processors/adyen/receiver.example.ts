/**
 * Receives Adyen's webhooks on a port of its own and keeps them. Rename it and make it yours, or mount
 * `receive` in your own server: it takes a Request and gives a Response.
 *
 * @example ADYEN_RECEIVER_PORT=8090 node forestall/processors/adyen/receiver.example.ts
 */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import pg from 'pg';
import { setting } from '../../shared/setting.ts';
import { createAdyenReceiver } from './receiver.ts';
import { ADYEN_TABLE, createAdyenStore } from './store.ts';

const pool = new pg.Pool({ connectionString: setting('ADYEN_DATABASE_URL') });
await pool.query(ADYEN_TABLE);
const { store } = createAdyenStore(pool);

export const receive = createAdyenReceiver({
  hmacKeys: setting('ADYEN_HMAC_KEYS').split(','),
  basic: { user: setting('ADYEN_WEBHOOK_USER'), password: setting('ADYEN_WEBHOOK_PASSWORD') },
  mode: setting('ADYEN_MODE') === 'live' ? 'live' : 'test',
  merchantAccount: setting('ADYEN_MERCHANT_ACCOUNT'),
  store,
});

const server = createServer(async (incoming, outgoing) => {
  const { method = 'GET', headers } = incoming;
  const body = method === 'POST' ? Readable.toWeb(incoming) : null;
  const request = new Request('http://receiver.internal/', {
    method,
    headers: { authorization: headers.authorization ?? '' },
    body,
    duplex: 'half',
  });
  const response = await receive(request).catch(() => new Response(null, { status: 503 }));
  outgoing.writeHead(response.status).end(await response.text());
});
server.headersTimeout = 8_000;
server.requestTimeout = 10_000;
server.listen(Number(setting('ADYEN_RECEIVER_PORT')));
