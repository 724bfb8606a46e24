/**
 * Forestall inside an Express application: the receiver, the worker and a clean stop.
 *
 * Run it with Node 22.20 or later: `node forestall/receivers/express.ts`.
 */
import express from 'express';
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

  const app = express();
  // Before any body parser: the signature is over the bytes as they arrive.
  app.use(forestall.receiver);
  app.use(express.json());

  // Hand every order over when it is paid. `orders/` has mappers to copy.
  app.post('/orders', async (request, response) => {
    const [result] = await forestall.orders.accept([request.body]);
    response.status(STATUS[result?.kind ?? 'refused']).json(result);
  });

  app.get('/readyz', async (_request, response) => {
    // Anybody may ask: the details stay inside.
    const { ok } = await forestall.readiness();
    response.status(ok ? 200 : 503).json({ ok });
  });

  const port = Number(process.env['PORT'] ?? 8080);
  const server = app.listen(port, () => console.info(`listening on ${port}`));

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close(() => void forestall.stop());
      server.closeIdleConnections();
    });
  }
}

void main();
