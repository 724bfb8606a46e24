/**
 * Examplepay, the provider that the guide's adapter is written for: its books, and the test mode that the guide's
 * fixture uses. It knows nothing of Forestall.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Refund {
  readonly id: string;
  readonly key: string;
  readonly charge: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: string;
  state: 'waiting' | 'done' | 'failed';
}

interface Charge {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  state: 'paid' | 'reserved' | 'released';
  disputed: boolean;
  readonly refunds: Refund[];
}

interface Asked {
  readonly method: string;
  readonly parts: readonly string[];
  readonly key: string;
  readonly body: { state?: Charge['state']; amount?: number; currency?: string };
}

interface Answered {
  readonly status: number;
  readonly body: object;
}

export interface Examplepay {
  readonly url: string;
  close(): Promise<void>;
}

const CREATED = '2026-11-20T00:00:00.000Z';
const ok = (body: object): Answered => ({ status: 200, body });
const refused = (error: string, status = 422): Answered => ({ status, body: { error } });

export async function startExamplepay(): Promise<Examplepay> {
  const handle = createBooks();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { status, body } = handle({
        method: request.method ?? '',
        parts: (request.url ?? '').split('/').slice(1),
        key: String(request.headers['idempotency-key'] ?? ''),
        body: text === '' ? {} : JSON.parse(text),
      });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createBooks(): (asked: Asked) => Answered {
  const charges = new Map<string, Charge>();
  const subscriptions = new Map<string, 'running' | 'ended'>();
  const answers = new Map<string, { readonly asked: string; readonly answered: Answered }>();
  let count = 0;
  const next = (prefix: string): string => {
    count += 1;
    return `${prefix}_${String(count).padStart(6, '0')}`;
  };
  const movedOf = ({ refunds }: Charge): number =>
    refunds.filter(({ state }) => state !== 'failed').reduce((sum, { amount }) => sum + amount, 0);
  const shown = (charge: Charge): Answered =>
    ok({ ...charge, left: charge.amount - movedOf(charge), created_at: CREATED });

  function refund(charge: Charge, { key, body }: Asked): Answered {
    if (charge.disputed) return refused('disputed');
    if (charge.state !== 'paid') return refused('not_paid');
    const { amount = 0, currency = '' } = body;
    if (currency !== charge.currency || amount < 1) return refused('wrong_amount');
    if (movedOf(charge) + amount > charge.amount) return refused('too_much');
    const facts = { id: next('rf'), key, charge: charge.id, amount, currency, created_at: CREATED };
    const made: Refund = { ...facts, state: 'waiting' };
    charge.refunds.push(made);
    return ok({ ...made });
  }

  /** What was answered to a key once is answered again; for anything else the key is taken. */
  function once(asked: Asked, run: () => Answered): Answered {
    const text = JSON.stringify([asked.parts, asked.body]);
    const earlier = answers.get(asked.key);
    if (earlier !== undefined)
      return earlier.asked === text ? earlier.answered : refused('key_taken', 409);
    const answered = run();
    answers.set(asked.key, { asked: text, answered });
    return answered;
  }

  function open({ state = 'paid' }: Asked['body']): Answered {
    const facts = { id: next('ch'), amount: 1_000, currency: 'USD', disputed: false };
    const opened: Charge = { ...facts, state, refunds: [] };
    charges.set(opened.id, opened);
    return shown(opened);
  }

  function ofCharge(charge: Charge, act: string | undefined): Answered {
    if (act === 'dispute') charge.disputed = true;
    return ok({ refunded: movedOf(charge) });
  }

  function ofTestMode([, what, id = '', act]: readonly string[], body: Asked['body']): Answered {
    const charge = charges.get(id);
    if (charge !== undefined) return ofCharge(charge, act);
    if (what === 'charges') return open(body);
    if (what === 'subscriptions') {
      const subscription = next('sub');
      subscriptions.set(subscription, 'running');
      return ok({ id: subscription });
    }
    for (const made of [...charges.values()].flatMap((each) => each.refunds)) turn(made, what, id);
    return ok({});
  }

  function turn(made: Refund, what: string | undefined, id: string): void {
    if (what === 'settle' && made.state === 'waiting') made.state = 'done';
    if (what === 'refunds' && made.id === id) made.state = 'failed';
  }

  return (asked) => {
    const { method, parts, body } = asked;
    const [what, id = '', act] = parts;
    if (what === 'test') return ofTestMode(parts, body);
    if (what === 'subscriptions') {
      if (!subscriptions.has(id)) return refused('unknown_subscription', 404);
      subscriptions.set(id, 'ended');
      return ok({ id, state: 'ended' });
    }
    const charge = charges.get(id);
    if (charge === undefined) return refused('unknown_charge', 404);
    if (method === 'GET') return shown(charge);
    if (act === 'refunds') return once(asked, () => refund(charge, asked));
    if (charge.state === 'paid') return refused('not_reserved');
    charge.state = 'released';
    return shown(charge);
  };
}
