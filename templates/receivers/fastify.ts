/**
 * Forestall inside a Fastify application: the receiver as a plugin, the worker and a clean stop.
 *
 * Run it with Node 22.20 or later: `node forestall/receivers/fastify.ts`.
 */
import type { FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { uncheckedOrder } from 'forestall';
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

  // Fastify keeps a quiet connection for 72 s: a stop would wait that long for one that was just in use.
  const app = Fastify({ keepAliveTimeout: 5_000 });

  app.register((webhooks, _options, done) => {
    // Only in here: the body stays unread bytes, because that is what the signature is over.
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    webhooks.post('/webhooks', async (request, reply) => {
      return await reply.send(await forestall.receive(unread(request)));
    });
    // Your processor's own webhooks: early fraud warnings, disputes, refunds that fail later.
    webhooks.post('/processor-events/:name', async (request, reply) => {
      return await reply.send(await forestall.receiveEvent(unread(request)));
    });
    done();
  });

  // Hand every order over when it is paid. `orders/` has mappers to copy.
  app.post('/orders', async (request, reply) => {
    const [result] = await forestall.orders.accept([uncheckedOrder(request.body)]);
    return await reply.code(STATUS[result?.kind ?? 'refused']).send(result);
  });

  app.get('/readyz', async (_request, reply) => {
    // Anybody may ask: the details stay inside.
    const { ok } = await forestall.readiness();
    return await reply.code(ok ? 200 : 503).send({ ok });
  });

  app.addHook('onClose', async () => await forestall.stop());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void app.close());
  }
  const port = Number(process.env['PORT'] ?? 8080);
  app.listen({ port, host: '0.0.0.0' }, (error) => {
    if (error !== null) throw error;
    console.info(`listening on ${port}`);
  });
}

/** The request as the Fetch API has it, its body still to be read. */
function unread({ url, raw }: FastifyRequest): Request {
  const headers = plainHeaders(raw.rawHeaders);
  // Node takes any stream as a body; types of browsers, where a project has them, do not say so.
  const unchecked: object = { method: 'POST', headers, body: raw, duplex: 'half' };
  return new Request(new URL(url, 'http://localhost'), unchecked);
}

/** The headers as they came; two of one name stay two. */
function plainHeaders(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    pairs.push([raw[index] ?? '', raw[index + 1] ?? '']);
  }
  return pairs;
}

void main();
