/** The control surfaces of the sandbox and of the fake processor, as the cases use them. */
import type { FaultRule } from '../../../src/sandbox/fault-rule.ts';
import type { ChargeFields, LedgerEntry, RefundFault } from './processor-types.ts';

/** A PATCH of an alert that reached the sandbox. Only 200 changed the alert. */
export interface Patch {
  readonly at: string;
  readonly alert_id: string;
  readonly action: string;
  readonly note: string | null;
  readonly http_status: number;
}

/** A request that reached the sandbox. */
export interface Seen {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly status: number | null;
  readonly fault: string | null;
}

/** Any object of the interface. */
export type Thing = Readonly<Record<string, unknown>> & { readonly id: string };

/** @throws {Error} with the answer's text unless it is a success */
export async function call<Answer>(url: string, method: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** The sandbox, past every proxy. */
export interface RemoteSandbox {
  readonly url: string;
  post(path: string, body: unknown): Promise<Thing>;
  patch(path: string, body: unknown): Promise<Thing>;
  /** Plants a fault and returns the function that takes it away. */
  fault(rule: FaultRule): Promise<() => Promise<void>>;
  patches(alertId: string): Promise<Patch[]>;
  /** Requests since the start whose path holds `part`. */
  requests(part: string): Promise<Seen[]>;
  advance(byMs: number): Promise<void>;
}

export function remoteSandbox(url: string): RemoteSandbox {
  return {
    url,
    post: (path, body) => call(`${url}/sandbox${path}`, 'POST', body),
    patch: (path, body) => call(`${url}/sandbox${path}`, 'PATCH', body),
    async fault(rule): Promise<() => Promise<void>> {
      const { id } = await call<Thing>(`${url}/sandbox/faults`, 'POST', rule);
      return () => call(`${url}/sandbox/faults/${id}`, 'DELETE');
    },
    async patches(alertId): Promise<Patch[]> {
      const { items } = await call<{ items: Patch[] }>(`${url}/sandbox/patches`, 'GET');
      return items.filter((patch) => patch.alert_id === alertId);
    },
    async requests(part): Promise<Seen[]> {
      const { items } = await call<{ items: Seen[] }>(`${url}/sandbox/requests`, 'GET');
      return items.filter(({ path }) => path.includes(part));
    },
    advance: (byMs) =>
      call(`${url}/sandbox/clock`, 'POST', { advance_seconds: Math.ceil(byMs / 1000) }),
  };
}

/** What a case may set about a charge besides its fields. */
export interface ChargeTraits {
  readonly faults?: readonly RefundFault[];
  readonly readsDown?: boolean;
  readonly lagMs?: number;
  readonly lateMs?: number;
}

interface Books {
  readonly ledger: LedgerEntry[];
  readonly calls: { readonly charge: string; readonly key: string; readonly atMs: number }[];
  /** What each charge captured, in minor units. */
  readonly captured: readonly (readonly [charge: string, minor: number])[];
}

/** The fake processor, past every proxy. */
export interface RemoteProcessor {
  readonly url: string;
  setCharge(
    fields: Partial<ChargeFields> & { reference: string },
    traits?: ChargeTraits,
  ): Promise<void>;
  /** The support team refunds by hand. */
  support(charge: string, amountMinor: number): Promise<void>;
  /** What becomes of our pending refund. */
  settle(charge: string, status: LedgerEntry['status']): Promise<void>;
  moveClock(offsetMs: number): Promise<void>;
  books(): Promise<Books>;
  /** Our refunds of a charge that moved money or will. */
  ours(charge: string): Promise<LedgerEntry[]>;
  /** Refund calls that arrived, executed or not. */
  callsFor(charge: string): Promise<number>;
}

export function remoteProcessor(url: string): RemoteProcessor {
  const control = (what: string, body: unknown): Promise<Books> =>
    call(`${url}/control/${what}`, 'POST', body);
  const books = (): Promise<Books> => control('books', {});
  return {
    url,
    books,
    async setCharge(fields, traits = {}): Promise<void> {
      await control('charges', { fields, ...traits });
    },
    async support(charge, amountMinor): Promise<void> {
      await control('support', { charge, amountMinor });
    },
    async settle(charge, status): Promise<void> {
      await control('settle', { charge, status });
    },
    async moveClock(offsetMs): Promise<void> {
      await control('clock', { offsetMs });
    },
    async ours(charge): Promise<LedgerEntry[]> {
      const { ledger } = await books();
      return ledger.filter(
        (entry) => entry.charge === charge && entry.key !== null && entry.status !== 'failed',
      );
    },
    async callsFor(charge): Promise<number> {
      const { calls } = await books();
      return calls.filter((each) => each.charge === charge).length;
    },
  };
}
