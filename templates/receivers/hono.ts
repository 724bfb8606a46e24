/**
 * Forestall inside a Hono application on Node: the receiver, the worker and a clean stop.
 *
 * Run it with Node 22.20 or later: `node forestall/receivers/hono.ts`.
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openForestall } from './forestall.ts';

/** refused: nothing was stored. differs: what the service can change is sent, and `fields` names the rest. */
const STATUS = {
  accepted: 201,
  corrected: 201,
  changed: 200,
  unchanged: 200,
  differs: 409,
  refused: 422,
} as const;

async function main(): Promise<void> {
  const forestall = await openForestall();
  await forestall.migrate();
  await forestall.start();

  const app = new Hono();

  // `raw` is the request with its body unread: the signature is over the bytes as they arrive.
  app.all('/webhooks', (context) => forestall.receive(context.req.raw));
  // Your processor's own webhooks: early fraud warnings, disputes, refunds that fail later.
  app.all('/processor-events/:name', (context) => forestall.receiveEvent(context.req.raw));

  // Hand every order over when it is paid. `orders/` has mappers to copy.
  app.post('/orders', async (context) => {
    const [result] = await forestall.orders.accept([await context.req.json()]);
    return context.json(result, STATUS[result?.kind ?? 'refused']);
  });

  app.get('/readyz', async (context) => {
    // Anybody may ask: the details stay inside.
    const { ok } = await forestall.readiness();
    return context.json({ ok }, ok ? 200 : 503);
  });

  const port = Number(process.env['PORT'] ?? 8080);
  const server = serve({ fetch: app.fetch, port }, () => console.info(`listening on ${port}`));

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close(() => void forestall.stop());
    });
  }
}

void main();
