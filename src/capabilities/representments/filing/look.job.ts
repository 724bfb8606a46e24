/**
 * Asks the processor which disputes changed, and notes them. A list that cannot be read to its end is gone on with in the next
 * round, where it ended: however long it is, and however often an answer does not come, its last page is read.
 */
import type { Installation } from '../../../base/db/database.ts';
import { nowDate } from '../../../base/kernel/clock.ts';
import type { DisputePage, ProcessorDisputes } from '../../../service/wire/processor-dispute.ts';
import type { DisputeWalk } from './filing.store.ts';
import { noteDisputes, noteLooks, readLooks } from './filing.store.ts';

export interface LookDeps extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly disputes: ProcessorDisputes;
}

/** What changed shortly before the last look is asked for again: a list may lag behind, in milliseconds. */
const OVERLAP_MS = 60 * 60_000;

/** The first look reaches this far back, in milliseconds: no scheme gives longer to answer. */
const FIRST_LOOK_MS = 60 * 86_400_000;

/** So many rounds in a row without an answer at one place: the processor may not know the place any more, and it begins again. */
const FAILURES_MAX = 3;

/** Creates the round. Returns how many disputes are new. */
export function createDisputeLook(deps: LookDeps): { runOnce(): Promise<number> } {
  const { db, clock, organisationId } = deps;
  return {
    async runOnce(): Promise<number> {
      const { lookedUntil, walk: begun } = await readLooks(db, organisationId);
      let walk: DisputeWalk | undefined = begun ?? beginning(lookedUntil, nowDate(clock));
      let added = 0;
      while (walk !== undefined) {
        const page: DisputePage | undefined = await readPage(deps, walk);
        if (page === undefined) return added;
        added += await noteDisputes(db, { organisationId, now: nowDate(clock) }, page.disputes);
        walk = await goOn(deps, walk, page.cursor);
      }
      return added;
    },
  };
}

/** The page at which the walk is; undefined: it was not answered, which is noted. */
async function readPage(
  { db, log, organisationId, disputes }: LookDeps,
  walk: DisputeWalk,
): Promise<DisputePage | undefined> {
  const { since, cursor } = walk;
  const asked = { changedSince: since.toISOString(), ...(cursor === null ? {} : { cursor }) };
  const answer = await disputes.list(asked);
  if (answer.kind === 'found') return answer.value;
  if (answer.kind === 'unavailable') log.warn({ reason: answer.reason }, 'disputes not read');
  const failures = walk.failures + 1;
  // At the first page there is no place that could be lost.
  const isLost = cursor !== null && failures >= FAILURES_MAX;
  await noteLooks(db, organisationId, isLost ? {} : { walk: { ...walk, failures } });
  return undefined;
}

/** Notes that a page was taken. The walk at its next page; undefined: that was the last one. */
async function goOn(
  { db, organisationId }: LookDeps,
  walk: DisputeWalk,
  next: string | null,
): Promise<DisputeWalk | undefined> {
  const isOver = next === null || next === walk.cursor;
  const further = isOver ? undefined : { ...walk, cursor: next, failures: 0 };
  const { beganAt: lookedUntil } = walk;
  await noteLooks(db, organisationId, isOver ? { lookedUntil } : { walk: further });
  return further;
}

function beginning(lookedUntil: Date | null, now: Date): DisputeWalk {
  const sinceMs =
    lookedUntil === null ? now.getTime() - FIRST_LOOK_MS : lookedUntil.getTime() - OVERLAP_MS;
  return { since: new Date(sinceMs), beganAt: now, cursor: null, failures: 0 };
}
