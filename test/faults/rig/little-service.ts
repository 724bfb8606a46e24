/**
 * A service in the runner's own process, with alerts that a case writes by hand: values that the sandbox
 * never shows. It knows the list, one alert, and its answer; everything else it has none of.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Patch } from './remote.ts';

/** A running one. */
export interface LittleService {
  readonly url: string;
  /**
   * Shows an alert of these fields from now on. Returns its id. A text value `raw:1e400` stands in the
   * answers as `1e400`.
   */
  show(fields: Readonly<Record<string, unknown>>): string;
  /** Answers the next so many PATCH with 200 and the alert as it is, still open. */
  swallow(count: number): void;
  /** PATCH calls that arrived. `http_status` 202: swallowed. */
  readonly patches: readonly Patch[];
  /** Reads of one alert since the start. */
  reads(alertId: string): number;
  close(): void;
}

const PATH = /^\/v1\/alerts\/(netalrt_\w+)?$/;

/** Opens it on a free port of this machine. */
export async function openLittleService(): Promise<LittleService> {
  const alerts = new Map<string, Record<string, unknown>>();
  const patches: Patch[] = [];
  const reads: string[] = [];
  let toSwallow = 0;
  const patch = (alert: Record<string, unknown>, body: string): void => {
    const { action, note = null }: { action: string; note?: string | null } = JSON.parse(body);
    const isSwallowed = toSwallow > 0;
    if (isSwallowed) toSwallow -= 1;
    else close(alert, action);
    patches.push({
      at: new Date().toISOString(),
      alert_id: String(alert['id']),
      action,
      note,
      http_status: isSwallowed ? 202 : 200,
    });
  };
  const list = (url: URL): string =>
    `[${listed([...alerts.values()], url)
      .map(written)
      .join(',')}]`;
  const one = (alert: Record<string, unknown>, method: string, body: string): string => {
    if (method === 'PATCH') patch(alert, body);
    else reads.push(String(alert['id']));
    return written(alert);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '' } = request;
    const url = new URL(request.url ?? '/', 'http://service');
    const body = await text(request);
    const [path, id] = PATH.exec(url.pathname) ?? [];
    const alert = alerts.get(id ?? '');
    response.setHeader('content-type', 'application/json');
    if (path === undefined) response.end('[]');
    else if (id === undefined) response.end(list(url));
    else if (alert !== undefined) response.end(one(alert, method, body));
    else response.writeHead(404).end('{"errors":[{"code":"NOT_FOUND","message":"none"}]}');
  };
  const server: Server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(fields): string {
      const id = String(fields['id'] ?? `netalrt_${randomBytes(12).toString('hex')}`);
      alerts.set(id, { ...fields, id });
      return id;
    },
    swallow(count): void {
      toSwallow = count;
    },
    patches,
    reads: (alertId) => reads.filter((id) => id === alertId).length,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The alert as the service shows it once it took the answer. */
function close(alert: Record<string, unknown>, action: string): void {
  alert['status'] = 'RESOLVED';
  alert['transaction_refund_outcome'] = action === 'REFUND' ? 'REFUNDED' : 'NOT_REFUNDED';
  alert['updated_at'] = alert['created_at'];
}

function listed(all: readonly Record<string, unknown>[], url: URL): Record<string, unknown>[] {
  const status = url.searchParams.get('status');
  if (Number(url.searchParams.get('offset') ?? 0) > 0) return [];
  return all.filter((alert) => status === null || alert['status'] === status);
}

function written(alert: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(alert).replaceAll(/"raw:((?:[^"\\]|\\.)*)"/g, (_, raw: string) =>
    raw.replaceAll('\\"', '"'),
  );
}
