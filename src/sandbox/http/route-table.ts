/**
 * Finds the endpoint of a request by one look-up. Express would try a hundred patterns one after the
 * other for each.
 */
import type { Endpoint } from './endpoint.ts';
import { endpointName } from './route.ts';

export interface Found {
  readonly endpoint: Endpoint;
  /** As faults and the request log name it. */
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
}

/** The endpoint of a method and path, or undefined. @throws URIError when the path is badly encoded */
export type FindEndpoint = (method: string, path: string) => Found | undefined;

interface Node {
  readonly children: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  readonly endpoints: Map<string, Named>;
}

type Named = Pick<Found, 'endpoint' | 'name'>;

const newNode = (): Node => ({ children: new Map(), parameter: undefined, endpoints: new Map() });

/** Creates the table. Words go before parameters; a trailing slash and upper case tell nothing apart. */
export function createRouteTable(endpoints: readonly Endpoint[]): FindEndpoint {
  const root = newNode();
  for (const endpoint of endpoints) {
    const node = partsOf(endpoint.path).reduce(childOf, root);
    if (node.endpoints.has(endpoint.method)) continue;
    node.endpoints.set(endpoint.method, { endpoint, name: endpointName(endpoint) });
  }
  return (method, path) => {
    const asked = method === 'HEAD' ? 'GET' : method;
    const params: Record<string, string> = {};
    const named = find(root, partsOf(path), { method: asked, params });
    return named === undefined ? undefined : { ...named, params };
  };
}

function partsOf(path: string): string[] {
  const parts = path.split('/');
  if (parts.at(-1) === '') parts.pop();
  return parts.slice(1);
}

function childOf(node: Node, part: string): Node {
  const name = /^\{([a-z_]+)\}$/.exec(part)?.[1];
  if (name !== undefined) {
    node.parameter ??= { name, node: newNode() };
    return node.parameter.node;
  }
  const child = node.children.get(part.toLowerCase()) ?? newNode();
  node.children.set(part.toLowerCase(), child);
  return child;
}

function find(
  node: Node,
  parts: readonly string[],
  asked: { readonly method: string; readonly params: Record<string, string> },
): Named | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return node.endpoints.get(asked.method);
  const child = node.children.get(part.toLowerCase());
  const found = child === undefined ? undefined : find(child, rest, asked);
  if (found !== undefined || node.parameter === undefined || part === '') return found;
  const { name, node: next } = node.parameter;
  const named = find(next, rest, asked);
  if (named !== undefined) asked.params[name] = decodeURIComponent(part);
  return named;
}
