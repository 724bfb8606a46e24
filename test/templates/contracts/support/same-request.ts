/** Compares a call of an adapter with the same call of the provider's own SDK, both against one fake. */
import type { FakeAnswer, FakeRequest } from '../../processors/fakes/fake-provider.ts';
import { serveAnswers } from '../../processors/fakes/fake-provider.ts';

/** A call as the provider receives it. Lists in forms are numbered by some SDKs and not by others. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What `call` sends; its outcome does not matter here, its answers come from `handle`. */
export async function callsOf(
  base: string,
  handle: (request: FakeRequest) => FakeAnswer,
  call: () => Promise<unknown>,
): Promise<{ readonly seen: SeenCall[]; readonly requests: readonly FakeRequest[] }> {
  const provider = serveAnswers(base, handle);
  try {
    await call();
  } finally {
    provider.stop();
  }
  return { seen: provider.requests.map(seenOf), requests: provider.requests };
}

function seenOf({ method, path, query, headers, body }: FakeRequest): SeenCall {
  return { method, path, query: fieldsOf(query), body: bodyOf(headers['content-type'], body) };
}

function bodyOf(type: string | undefined, body: string): unknown {
  if (body === '') return null;
  return type?.startsWith('application/json') === true
    ? JSON.parse(body)
    : fieldsOf(new URLSearchParams(body));
}

function fieldsOf(fields: URLSearchParams): Record<string, string> {
  const list = [...fields].map(([name, value]) => [name.replaceAll(/\[\d+\]/g, '[]'), value]);
  // More than one entry of a list: numbered in their order.
  const counts = new Map<string, number>();
  return Object.fromEntries(
    list.map(([name = '', value = '']) => {
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return [count === 0 ? name : `${name}#${count}`, value];
    }),
  );
}
