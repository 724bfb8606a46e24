/**
 * The sweep: reads the alerts of every status, newest first, back to a horizon.
 *
 * The list of alerts that need an action never shows those that were resolved from the start (the
 * network's own refunds) or that changed after their end, so a lost webhook about them is made up
 * for here. It begins about once an hour and reaches back over everything since the last sweep
 * began, however long that was. A long one continues in the next round where it stopped.
 *
 * The specification names no order of the list. Where it is seen to run from new to old, the horizon
 * ends the sweep; otherwise only the list's own end does.
 */
import { z } from 'zod';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { Enrolment } from '../../service/wire/enrolment.ts';
import type { Lookup } from '../../service/wire/lookup.ts';
import { OBJECT_UNUSABLE, readFailureOf } from './poll-failure.ts';
import type { PolledSnapshot } from './poll-port.ts';
import type { RoundContext } from './poll-round.ts';
import { APPLY_BATCH, applyAll, applyFound, isForeign, noteFailure } from './poll-round.ts';
import { RECONCILE_FACTS } from './reconcile-facts.ts';

/** Pages of one round: a tenth of what the endpoint allows in a minute. */
const PAGES_MAX = 10;

/** Pages of a sweep that was asked for; a longer list is taken for endless. */
const ASKED_PAGES_MAX = 1_000;

/** How far back a sweep always looks, in milliseconds: alerts change for days after their end. */
const SWEEP_BACK_MS = 14 * 24 * 60 * 60_000;

/** Time between the beginnings of two sweeps, in milliseconds. */
const SWEEP_EVERY_MS = 60 * 60_000;

/** Overlap with the last sweep, in milliseconds: the service's clock may differ from ours. */
const OVERLAP_MS = 60 * 60_000;

const sweepSchema = z.object({
  startedMs: z.number(),
  horizonMs: z.number(),
  /** Items read so far; null when the sweep is over. */
  offset: z.number().nullable(),
});

/** How far a sweep is. Kept as a fact between rounds. */
export type SweepRecord = Readonly<z.infer<typeof sweepSchema>>;

/** Goes on with the sweep, or begins one when it is time or `since` asks for it. */
export async function pollSweep(round: RoundContext, since?: Date): Promise<void> {
  const { db, clock, organisationId, tally } = round;
  const before = readSweepRecord(await readNamedValue(db, organisationId, RECONCILE_FACTS.sweep));
  let record = nextSweep(before, { nowMs: clock.nowMs(), sinceMs: since?.getTime() });
  if (record === undefined) return;
  tally.swept = 0;
  // One that was asked for is read in full: somebody waits for it.
  const pages = since === undefined ? PAGES_MAX : ASKED_PAGES_MAX;
  const readIds = new Set<string>();
  for (let page = 0; page < pages && record.offset !== null; page++) {
    const next = await readPage(round, { ...record, offset: record.offset }, readIds);
    if (next === undefined) break;
    record = next;
    await round.keepLease();
  }
  tally.sweepDone = record.offset === null;
  const fact = { organisationId, name: RECONCILE_FACTS.sweep, at: new Date(clock.nowMs()) };
  await writeNamedValue(db, { ...fact, value: record });
}

/** The sweep to continue with; undefined when none is due. Pure. */
export function nextSweep(
  before: SweepRecord | undefined,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs?: number | undefined },
): SweepRecord | undefined {
  const isDue = before === undefined || nowMs - before.startedMs >= SWEEP_EVERY_MS;
  if (sinceMs === undefined && before !== undefined && before.offset !== null) return before;
  if (sinceMs === undefined && !isDue) return undefined;
  // One that never came to its end vouches for nothing after its own horizon.
  const coveredMs = before === undefined ? nowMs : coveredSinceMs(before);
  const horizonMs = Math.min(nowMs - SWEEP_BACK_MS, coveredMs - OVERLAP_MS, sinceMs ?? nowMs);
  return { startedMs: nowMs, horizonMs, offset: 0 };
}

function coveredSinceMs({ startedMs, horizonMs, offset }: SweepRecord): number {
  return offset === null ? startedMs : horizonMs;
}

type OpenSweep = SweepRecord & { readonly offset: number };

/** Reads and applies one page. Undefined when it could not be read: the next round tries again. */
async function readPage(
  round: RoundContext,
  record: OpenSweep,
  readIds: Set<string>,
): Promise<SweepRecord | undefined> {
  const { client, signal, tally } = round;
  try {
    const { items, invalid, count } = await client.alerts.page(
      { offset: record.offset },
      { signal },
    );
    if (invalid.length > 0) tally.failures.push(OBJECT_UNUSABLE);
    const fresh = items.filter(({ id }) => !readIds.has(id));
    for (const { id } of fresh) readIds.add(id);
    const ours = fresh.filter((alert) => !isForeign(round, alert));
    await applyFound(round, ours);
    tally.swept = (tally.swept ?? 0) + ours.length;
    const offset = record.offset + items.length + invalid.length;
    const isEnd = fresh.length === 0 || (count !== undefined && offset >= count);
    const isOver = isEnd || reachesBack(items, record.horizonMs);
    return { ...record, offset: isOver ? null : offset };
  } catch (error) {
    noteFailure(tally, error);
    return undefined;
  }
}

/** Whether the page runs from new to old and ends before the horizon. */
function reachesBack(items: readonly Alert[], horizonMs: number): boolean {
  const created = items.map((alert) => Date.parse(alert.created_at));
  const isDescending = created.every(
    (ms, index) => index === 0 || ms <= (created[index - 1] ?? ms),
  );
  return isDescending && created.length > 1 && (created.at(-1) ?? horizonMs) < horizonMs;
}

/** Reads a record back from its fact; undefined when it is none. */
export function readSweepRecord(value: unknown): SweepRecord | undefined {
  return sweepSchema.safeParse(value).data;
}

// The reads of a full round, about once an hour: lookups, and enrolments where a partner key
// allows it. They inform; nothing waits for them, so their failure never passes for a failure
// to read alerts.

/** Lookups read in a round. */
const LOOKUPS_MAX = 200;

/** Enrolments read in a round: a merchant has a few per programme. */
const ENROLMENTS_MAX = 1_000;

/** Reads lookups, newest pages first as the service sends them, up to {@link LOOKUPS_MAX}. */
export async function pollLookups(round: RoundContext): Promise<void> {
  const { client, signal, tally } = round;
  const lookups: Lookup[] = [];
  try {
    for await (const lookup of client.lookups.list({}, { signal })) {
      if (!isForeign(round, lookup)) lookups.push(lookup);
      if (lookups.length >= LOOKUPS_MAX) break;
    }
  } catch (error) {
    noteFailure(tally, error);
  }
  await applyInBatches(
    round,
    lookups.map((object) => ({ entity: 'lookup', object })),
  );
  tally.lookups = lookups.length;
}

/** Reads the organisation's enrolments. A partner key reaches others too: those are passed over. */
export async function pollEnrolments(round: RoundContext): Promise<void> {
  const { client, organisationId, signal, tally } = round;
  if (client.enrolments === undefined) return;
  const enrolments: Enrolment[] = [];
  try {
    const filter = { organisation_id: organisationId };
    for await (const enrolment of client.enrolments.list(filter, { signal })) {
      if (enrolment.organisation_id === organisationId) enrolments.push(enrolment);
      if (enrolments.length >= ENROLMENTS_MAX) break;
    }
  } catch (error) {
    tally.enrolmentFailure = readFailureOf(error);
    if (tally.enrolmentFailure === undefined) throw error;
  }
  await applyInBatches(
    round,
    enrolments.map((object) => ({ entity: 'enrolment', object })),
  );
  tally.enrolments = tally.enrolmentFailure === undefined ? enrolments.length : null;
}

async function applyInBatches(
  round: RoundContext,
  snapshots: readonly PolledSnapshot[],
): Promise<void> {
  for (let start = 0; start < snapshots.length; start += APPLY_BATCH) {
    await applyAll(round, snapshots.slice(start, start + APPLY_BATCH));
  }
}
