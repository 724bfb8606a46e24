/**
 * `POST /sandbox/page/do`: a form of the page makes one call of the control surface, then the browser
 * returns to where it was. So the page can do nothing that programs cannot do, and a recording of the
 * session holds the call itself.
 */
import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { control } from '../control/control-endpoint.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import type { Recorder } from '../recording/recorder.ts';
import { notFound, Refusal } from '../refusal.ts';
import type { RequestEntry } from '../request-log.ts';
import type { FormCall } from './forms.ts';
import { readForm } from './forms.ts';
import type { Messages } from './messages.ts';

export interface DoParts {
  /** The control surface. */
  readonly endpoints: readonly Endpoint[];
  readonly recorder: Recorder;
  readonly messages: Messages;
}

export function doEndpoint(parts: DoParts): Endpoint {
  return control('POST', '/sandbox/page/do', async (incoming) => {
    const wanted = readForm(incoming.rawBody.toString());
    const answer = await call(wanted, incoming, parts);
    const isDone = answer.status < 400;
    const number = parts.messages.add({
      tone: isDone ? 'good' : 'bad',
      text: isDone ? `${wanted.done}${nameOf(answer)}` : reasonOf(answer),
    });
    return { status: 303, headers: { Location: `${wanted.back}?said=${number}` } };
  });
}

async function call(
  wanted: FormCall,
  incoming: Incoming,
  { endpoints, recorder }: DoParts,
): Promise<Answer> {
  const { method, path } = wanted;
  const found = find(endpoints, wanted);
  if (found === undefined) return refusalOf(notFound(`${method} ${path}`));
  const { endpoint, params } = found;
  const text = method === 'DELETE' ? '' : JSON.stringify(wanted.body);
  const name = `${endpoint.method} ${endpoint.path}`;
  const entry: RequestEntry = { ...incoming.entry, method, path, endpoint: name };
  const sent = { method, url: path, authorization: undefined, idempotencyKey: undefined };
  recorder.add(endpoint, { ...sent, text, entry });
  const answer = await handle(endpoint, {
    method,
    url: path,
    params,
    query: Object.fromEntries(new URL(path, ANY_ORIGIN).searchParams),
    rawBody: Buffer.from(text),
    concurrent: false,
    entry,
    header: () => undefined,
    readBody: () => (text === '' ? undefined : wanted.body),
  });
  entry.status = answer.status;
  entry.answer = answer.body === undefined ? null : JSON.stringify(answer.body);
  return answer;
}

/** Only to read the query of a path. */
const ANY_ORIGIN = 'http://sandbox.invalid';

async function handle(endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
  try {
    return await endpoint.handle(incoming);
  } catch (error) {
    if (error instanceof Refusal) return refusalOf(error);
    throw error;
  }
}

function refusalOf({ httpStatus, body }: Refusal): Answer {
  return { status: httpStatus, body };
}

function find(
  endpoints: readonly Endpoint[],
  { method, path }: FormCall,
): { readonly endpoint: Endpoint; readonly params: Record<string, string> } | undefined {
  for (const endpoint of endpoints) {
    if (endpoint.method !== method) continue;
    const pattern = endpoint.path.replaceAll(/\{([a-z_]+)\}/g, '(?<$1>[^/?]+)');
    const found = new RegExp(`^${pattern}(?:\\?.*)?$`).exec(path);
    if (found === null) continue;
    const params = Object.entries(found.groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value),
    ]);
    return { endpoint, params: Object.fromEntries(params) };
  }
  return undefined;
}

const made = z.looseObject({ id: z.string().optional(), reference: z.string().optional() });

/** The id of what was made. */
function nameOf({ status, body }: Answer): string {
  if (status !== 201) return '';
  const { id, reference } = made.safeParse(body).data ?? {};
  const name = id ?? reference;
  return name === undefined ? '' : ` ${name}`;
}

const refused = z.looseObject({
  errors: z.array(z.looseObject({ message: z.string(), field: z.string().optional() })),
});

/** What was wrong, field by field. */
function reasonOf({ body, status }: Answer): string {
  const errors = refused.safeParse(body).data?.errors ?? [];
  const sentences = errors.map(({ message, field }) =>
    field === undefined ? message : `${field}: ${message}`,
  );
  return sentences.length === 0 ? `It was refused with ${status}.` : sentences.join(' ');
}
