/**
 * Disputes by the thousand, filed by three workers that are killed at every named point, against the sandbox's processor
 * behind a line that loses answers, delays requests and refuses: what is handed in, how often and when, is judged by the
 * processor's own book.
 */
import { sql } from 'kysely';
import type { Db } from '../../src/base/db/database.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { createComposedBefore } from '../../src/capabilities/representments/filing/composed-before.ts';
import { createFiling } from '../../src/capabilities/representments/filing/file-evidence.job.ts';
import {
  findDispute,
  findSubmission,
  noteWord,
} from '../../src/capabilities/representments/filing/filing.store.ts';
import { createDisputeLook } from '../../src/capabilities/representments/filing/look.job.ts';
import { openPackRules } from '../../src/capabilities/representments/pack-rules.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { DisputeRecord } from '../../src/sandbox/state/disputes.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { FULL, insertOrder } from '../capabilities/representments/rows.ts';
import { ORG } from '../integration/reconcile/rows.ts';
import { openDraws } from './draws.ts';

export interface FilingWorld {
  readonly db: Db;
  readonly clock: FixedClock;
  readonly sandbox: Sandbox;
  readonly secret: string;
}

export interface FilingRun {
  readonly disputes: number;
  readonly seed: number;
  /** @default 3 */
  readonly workers?: number;
}

/** What became of them, by the processor's book and our rows. */
export interface FilingFigures {
  readonly disputes: number;
  readonly filed: number;
  readonly filedInTime: number;
  readonly elsewhere: number;
  readonly accepted: number;
  readonly heldAndTold: number;
  readonly calls: number;
  readonly faults: number;
  readonly kills: number;
  /** Each promise that was broken, with its dispute. */
  readonly broken: readonly string[];
}

const HOUR_MS = 3_600_000;
const MARGIN_MS = 24 * HOUR_MS;
const TICK_MS = 10 * 60_000;

/** How a dispute is made, and what else happens to it. */
const FATES = [
  ...Array.from({ length: 60 }, () => 'complete' as const),
  ...(['bare', 'bare', 'bare', 'no_charge', 'other_currency', 'above_charge'] as const),
  ...(['too_large', 'wrong_format', 'no_due_date'] as const),
  ...(['by_hand_there', 'by_hand_there', 'given_up', 'given_up', 'accepted_there'] as const),
] as const;
type Fate = (typeof FATES)[number];
export const EVERY_FATE: readonly Fate[] = [...new Set(FATES)];

/** What the line does to a call of ours. `late`: it arrives up to nine minutes after we gave up. */
const FAULTS = [
  'lost_before',
  'lost_after',
  '500_before',
  '500_after',
  '429',
  '503',
  'late',
] as const;

/** One call in so many meets a fault; one named point in so many is the end of a worker's step. */
const FAULTY = 12;
const KILLED = 25;

export async function simulateFiling(
  { db, clock, sandbox, secret }: FilingWorld,
  { disputes: count, seed, workers = 3 }: FilingRun,
): Promise<FilingFigures> {
  const draws = openDraws(seed);
  const startMs = clock.nowMs();
  const fates = new Map<string, { readonly fate: Fate; readonly dueMs: number | null }>();
  for (let index = 0; index < count; index += 1) {
    const charge = `ch_${index}`;
    // Each fate is there from the first, then as often as it is drawn.
    const fate = EVERY_FATE[index] ?? draws.one(FATES);
    const dueMs = startMs + (32 + draws.below(12)) * HOUR_MS;
    await makeDispute({ db, sandbox }, { charge, fate, dueMs });
    fates.set(`dp_${charge}`, { fate, dueMs: fate === 'no_due_date' ? null : dueMs });
  }
  // As autovacuum would: without it, PostgreSQL reads all orders for each pack.
  await sql`analyze`.execute(db);

  const seen = { calls: 0, faults: 0, kills: 0 };
  const line = openLine(clock, draws, seen);
  setCrashHook((point) => {
    if (!point.startsWith('evidence.') || draws.below(KILLED) > 0) return;
    seen.kills += 1;
    throw new Error(`killed at ${point}`);
  });
  const processor = createHttpProcessor({
    baseUrl: sandbox.processorUrl,
    secret,
    clock,
    fetch: line.fetch,
  });
  if (processor.disputes === undefined) throw new Error('no disputes');
  const shared = {
    ...{ db, clock, organisationId: ORG, disputes: processor.disputes, processorName: 'sandbox' },
    ...{ log: createLog({ level: 'silent' }), rules: openPackRules() },
    settings: { mode: 'complete', marginMs: MARGIN_MS, secondPersonAbove: null } as const,
  };
  const look = createDisputeLook(shared);
  const crew = Array.from({ length: workers }, () =>
    createFiling({ ...shared, composed: createComposedBefore() }),
  );

  const endMs = startMs + 46 * HOUR_MS;
  const words = [...fates].filter(([, { fate }]) => fate === 'given_up').map(([name]) => name);
  const outside = [...fates].filter(([, { fate }]) => /_there$/.test(fate));
  const actsAtOnce = Math.ceil(count / 300);
  try {
    while (clock.nowMs() < endMs) {
      await look.runOnce();
      await workAll(crew);
      for (let each = 0; each < actsAtOnce; each += 1) {
        await sayWords({ db, clock }, words, draws);
        actOutside(sandbox, outside, draws);
      }
      clock.advanceMs(TICK_MS);
      await sandbox.advance(0);
      await line.arrive();
    }
  } finally {
    setCrashHook(undefined);
  }
  return await judge({ db, sandbox }, fates, seen);
}

/** Rounds of all workers at once, until none finds anything. */
async function workAll(crew: readonly { runOnce(): Promise<number> }[]): Promise<void> {
  let steps = 1;
  while (steps > 0) {
    const done = await Promise.all(crew.map((each) => each.runOnce()));
    steps = done.reduce((sum, each) => sum + each, 0);
  }
}

/** The line to the processor; `arrive` lets through what is late. */
function openLine(
  clock: FixedClock,
  draws: Draws,
  seen: { calls: number; faults: number },
): { readonly fetch: typeof fetch; arrive(): Promise<void> } {
  const late: { readonly atMs: number; readonly run: () => Promise<unknown> }[] = [];
  const lose = (): never => {
    throw new TypeError('fetch failed');
  };
  const strike = async (send: () => Promise<Response>): Promise<Response> => {
    switch (draws.one(FAULTS)) {
      case 'lost_before':
        return lose();
      case 'lost_after':
        await send();
        return lose();
      case '500_before':
        return new Response('{}', { status: 500 });
      case '500_after':
        await send();
        return new Response('{}', { status: 500 });
      case '429':
        return new Response('{}', { status: 429 });
      case '503':
        return new Response('<html>', { status: 503 });
      default:
        late.push({ atMs: clock.nowMs() + draws.below(9 * 60_000), run: send });
        return lose();
    }
  };
  return {
    fetch: async (input, init) => {
      seen.calls += 1;
      if (draws.below(FAULTY) > 0) return await fetch(input, init);
      seen.faults += 1;
      return await strike(() => fetch(input, { ...init, signal: null }));
    },
    async arrive() {
      for (const call of late.splice(0)) {
        if (call.atMs > clock.nowMs()) late.push(call);
        else await call.run().catch(() => undefined);
      }
    },
  };
}

type Fates = ReadonlyMap<string, { readonly fate: Fate; readonly dueMs: number | null }>;
type Draws = ReturnType<typeof openDraws>;

async function makeDispute(
  { db, sandbox }: Pick<FilingWorld, 'db' | 'sandbox'>,
  { charge, fate, dueMs }: { readonly charge: string; readonly fate: Fate; readonly dueMs: number },
): Promise<void> {
  if (fate !== 'no_charge') {
    const own = { customer_email: `${charge}@customer.example`, customer_account_id: charge };
    const body = fate === 'bare' ? {} : { ...FULL, ...own };
    await insertOrder(db, `order-${charge}`, { at: '2026-02-20T10:00:00Z', charge, body });
  }
  sandbox.createCharge({ reference: charge, amount_in_cents: 2_900, currency: 'USD' });
  sandbox.openDispute(charge, {
    reason_code: '13.1',
    due_by: fate === 'no_due_date' ? null : new Date(dueMs).toISOString(),
    ...(fate === 'other_currency' ? { currency: 'EUR' } : {}),
    ...(fate === 'above_charge' ? { amount_in_cents: 2_901 } : {}),
  });
  if (fate !== 'too_large' && fate !== 'wrong_format') return;
  const known = sandbox.disputes().find(({ reference }) => reference === `dp_${charge}`);
  const wants = JSON.parse(JSON.stringify(known?.wants));
  const changed = fate === 'too_large' ? { file_bytes_max: 100 } : { file_types: ['image/png'] };
  sandbox.changeDispute(`dp_${charge}`, { wants: { ...wants, ...changed } });
}

/** A person gives some up, at some moment. */
async function sayWords(
  { db, clock }: Pick<FilingWorld, 'db' | 'clock'>,
  words: string[],
  draws: Draws,
): Promise<void> {
  const [reference] = words;
  if (reference === undefined || draws.below(2) > 0) return;
  words.shift();
  const row = await findSubmission(db, ORG, reference);
  if (row === undefined) return;
  const on = { organisationId: ORG, disputeReference: reference, version: row.version };
  await noteWord(db, 'give_up', { ...on, operator: 'ada', now: new Date(clock.nowMs()) });
}

/** Somebody acts in the processor's dashboard. */
function actOutside(
  sandbox: Sandbox,
  outside: [string, { readonly fate: Fate }][],
  draws: Draws,
): void {
  const [next] = outside;
  if (next === undefined || draws.below(2) > 0) return;
  outside.shift();
  const [reference, { fate }] = next;
  const known = sandbox.disputes().find((each) => each.reference === reference);
  if (known?.status !== 'needs_response') return;
  if (fate === 'by_hand_there') sandbox.submitEvidenceInDashboard(reference);
  else sandbox.changeDispute(reference, { status: 'accepted' });
}

async function judge(
  { db, sandbox }: Pick<FilingWorld, 'db' | 'sandbox'>,
  fates: Fates,
  seen: { readonly calls: number; readonly faults: number; readonly kills: number },
): Promise<FilingFigures> {
  const told = await db.selectFrom('notification').select(['text', 'created_at']).execute();
  const toldOf = new Map<string, number>();
  for (const { text, created_at: at } of told) {
    const [, reference = ''] = /dispute (dp_ch_\d+)/i.exec(text) ?? [];
    toldOf.set(reference, Math.min(toldOf.get(reference) ?? Number.MAX_SAFE_INTEGER, at.getTime()));
  }
  const broken: string[] = [];
  const count = { filed: 0, filedInTime: 0, elsewhere: 0, accepted: 0, heldAndTold: 0 };
  const disputes = sandbox.disputes();
  for (const dispute of disputes) {
    const { reference } = dispute;
    const { dueMs = null } = fates.get(reference) ?? {};
    const toldMs = toldOf.get(reference) ?? null;
    broken.push(...brokenBy(dispute, dueMs));
    const end = endOf(dispute, { dueMs, toldMs });
    if (end in count) count[end as keyof typeof count] += 1;
    else broken.push(`${reference}: ${end}`);
    if (
      end === 'filed' &&
      Date.parse(dispute.submissions[0]?.at ?? '') <= (dueMs ?? 0) - MARGIN_MS
    ) {
      count.filedInTime += 1;
    }
    broken.push(...(await leftOut(db, reference, end)));
  }
  return { disputes: disputes.length, ...count, ...seen, broken };
}

/** A dispute that no look came to, or that nothing was planned for. */
async function leftOut(db: FilingWorld['db'], reference: string, end: string): Promise<string[]> {
  if ((await findDispute(db, ORG, reference)) === undefined) return [`${reference}: never seen`];
  // One that was answered or given up there before the first look asks nothing of us.
  if (['elsewhere', 'accepted'].includes(end)) return [];
  const row = await findSubmission(db, ORG, reference);
  return row === undefined ? [`${reference}: seen, and nothing was to be handed in`] : [];
}

/** What must never be. */
function brokenBy(
  { reference, status, submissions }: DisputeRecord,
  dueMs: number | null,
): string[] {
  const isLate = submissions.some(({ at }) => dueMs !== null && Date.parse(at) >= dueMs);
  return [
    ...(submissions.length > 1 ? [`${reference}: handed in ${submissions.length} times`] : []),
    ...(status === 'accepted' && submissions.length > 0
      ? [`${reference}: given up, and handed in`]
      : []),
    ...(isLate ? [`${reference}: after it was due`] : []),
  ];
}

/** How it ended; a sentence where that breaks a promise. */
function endOf(
  { status, submissions }: DisputeRecord,
  { dueMs, toldMs }: { readonly dueMs: number | null; readonly toldMs: number | null },
): string {
  const [first] = submissions;
  if (first?.idempotency_key === null) return 'elsewhere';
  if (first !== undefined) {
    const isInTime = dueMs !== null && Date.parse(first.at) <= dueMs - MARGIN_MS;
    return isInTime || toldMs !== null ? 'filed' : 'late, and nobody was told';
  }
  if (status === 'accepted') return 'accepted';
  const isTold = toldMs !== null && (dueMs === null || toldMs < dueMs);
  return isTold ? 'heldAndTold' : 'not handed in, and nobody was told in time';
}
