/** Snapshots: everything the sandbox knows as JSON, to be kept in a file and gone on from later. */
import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { isRecord } from '../../base/kernel/is-record.ts';
import { readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import { TIMER_KINDS } from '../timers.ts';
import type { SeededAccounts } from './accounts.ts';
import type { EventRecord } from './deliveries.ts';
import type { State } from './state.ts';

/** Raised when the form of a snapshot changes; older ones are refused then. */
const SNAPSHOT_VERSION = 1;

/** A record is trusted to be what the sandbox wrote; only its place is checked. */
function record<Value>(): z.ZodCustom<Value, Value> {
  return z.custom<Value>(isRecord);
}

/** What a map or list of the state holds. */
type Member<Name extends keyof State> = State[Name] extends Map<string, infer One> | (infer One)[]
  ? One
  : never;

function mapOf<Value>(value: z.ZodType<Value>): z.ZodType<Map<string, Value>> {
  return z.array(z.tuple([z.string(), value])).transform((entries) => new Map(entries));
}

const eventRecord = record<Omit<EventRecord, 'body'> & { body: string | { base64: string } }>();

const stateSchema: z.ZodType<State> = z.object({
  accounts: record<SeededAccounts>().nullable(),
  partners: mapOf(record<Member<'partners'>>()),
  groups: mapOf(record<Member<'groups'>>()),
  organisations: mapOf(record<Member<'organisations'>>()),
  keys: mapOf(record<Member<'keys'>>()),
  subscriptions: mapOf(record<Member<'subscriptions'>>()),
  notices: z.array(record<Member<'notices'>>()),
  merchants: mapOf(record<Member<'merchants'>>()),
  dataProviders: mapOf(z.array(z.string())),
  integrations: mapOf(record<Member<'integrations'>>()),
  enrolments: mapOf(record<Member<'enrolments'>>()),
  rulesets: mapOf(record<Member<'rulesets'>>()),
  orders: mapOf(record<Member<'orders'>>()),
  orderByReference: mapOf(z.string()),
  nestedReferences: mapOf(z.string()),
  ingested: z.array(record<Member<'ingested'>>()),
  alerts: mapOf(record<Member<'alerts'>>()),
  patchLog: z.array(record<Member<'patchLog'>>()),
  lookups: mapOf(record<Member<'lookups'>>()),
  representments: mapOf(record<Member<'representments'>>()),
  schemeNotices: mapOf(record<Member<'schemeNotices'>>()),
  announced: z.array(z.string()).transform((ids) => new Set(ids)),
  events: mapOf(eventRecord.transform(reviveEvent)),
  deliveries: mapOf(record<Member<'deliveries'>>()),
  charges: mapOf(record<Member<'charges'>>()),
  keyUses: mapOf(record<Member<'keyUses'>>()),
  // A snapshot of a version before has none.
  toldEvents: mapOf(record<Member<'toldEvents'>>()).prefault([]),
  disputes: mapOf(record<Member<'disputes'>>()).prefault([]),
  cancelledSubscriptions: z.array(z.string()).transform((ids) => new Set(ids)),
});

const snapshotSchema = z.object({
  version: z.literal(SNAPSHOT_VERSION),
  now: z.iso.datetime(),
  ids: z.int(),
  processor: record<SandboxContext['processor']>(),
  timers: z.array(z.object({ kind: z.enum(TIMER_KINDS), subject: z.string(), dueMs: z.number() })),
  state: stateSchema,
});

export type Snapshot = z.input<typeof snapshotSchema>;

/** Bytes that are no text are kept as base64. */
function reviveEvent(event: z.infer<typeof eventRecord>): EventRecord {
  const { body } = event;
  return { ...event, body: typeof body === 'string' ? body : Buffer.from(body.base64, 'base64') };
}

/** Writes everything down. Planted faults and calls held back by one are left out. */
export function takeSnapshot(context: SandboxContext): unknown {
  return {
    version: SNAPSHOT_VERSION,
    now: nowIso(context),
    ids: context.ids.count(),
    processor: context.processor,
    timers: context.timers
      .pending()
      .filter(({ kind }) => kind !== 'late_call')
      .map(({ kind, subject, dueMs }) => ({ kind, subject, dueMs })),
    state: Object.fromEntries(
      Object.entries(context.state).map(([name, value]) => [name, plain(value)]),
    ),
  };
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, member]) => [key, plain(member)]);
  if (value instanceof Set) return [...value];
  if (!isEvent(value)) return value;
  return Buffer.isBuffer(value.body)
    ? { ...value, body: { base64: value.body.toString('base64') } }
    : value;
}

function isEvent(value: unknown): value is { readonly body: unknown } {
  return typeof value === 'object' && value !== null && 'body' in value;
}

/**
 * Takes a snapshot up again: state, ids, timers and, when the clock is behind it, its time.
 *
 * @throws Refusal 422 when it is no snapshot of this version
 */
export function restoreSnapshot(context: SandboxContext, snapshot: unknown): void {
  const { now, ids, processor, timers, state } = readInput(snapshotSchema, snapshot);
  context.timers.clear();
  context.state = state;
  context.ids.goOnFrom(ids);
  context.processor = processor;
  const takenAtMs = Date.parse(now);
  if (takenAtMs > context.clock.nowMs()) context.clock.moveTo(takenAtMs);
  for (const { kind, subject, dueMs } of timers) context.timers.schedule(kind, subject, dueMs);
}
