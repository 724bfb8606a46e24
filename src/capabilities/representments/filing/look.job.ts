/** Asks the processor which disputes changed, and notes them. */
import type { Installation } from '../../../base/db/database.ts';
import type { Answer } from '../../../service/wire/processor-answer.ts';
import type { DisputePage, ProcessorDisputes } from '../../../service/wire/processor-dispute.ts';
import { lookedUntil, noteDisputes, noteLook } from './filing.store.ts';

export interface LookDeps extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly disputes: ProcessorDisputes;
}

/** What changed shortly before the last look is asked for again: a list may lag behind, in milliseconds. */
const OVERLAP_MS = 60 * 60_000;

/** The first look reaches this far back, in milliseconds: no scheme gives longer to answer. */
const FIRST_LOOK_MS = 60 * 86_400_000;

/** Creates the round. Returns how many disputes are new. */
export function createDisputeLook(deps: LookDeps): { runOnce(): Promise<number> } {
  const { db, clock, organisationId } = deps;
  return {
    async runOnce(): Promise<number> {
      const nowMs = clock.nowMs();
      const last = await lookedUntil(db, organisationId);
      const sinceMs = last === undefined ? nowMs - FIRST_LOOK_MS : last.getTime() - OVERLAP_MS;
      const changedSince = new Date(sinceMs).toISOString();
      let added = 0;
      for await (const page of pagesSince(deps, changedSince)) {
        if (page === undefined) return added;
        added += await noteDisputes(db, { organisationId, now: new Date(nowMs) }, page.disputes);
      }
      await noteLook(db, organisationId, new Date(nowMs));
      return added;
    },
  };
}

/** The pages of the list; undefined: one could not be read, and nothing follows. */
async function* pagesSince(
  { disputes, log }: LookDeps,
  changedSince: string,
): AsyncGenerator<DisputePage | undefined> {
  let cursor: string | null = null;
  do {
    const answer: Answer<DisputePage> = await disputes.list({
      changedSince,
      ...(cursor === null ? {} : { cursor }),
    });
    if (answer.kind !== 'found') {
      // Not noted as looked: the next round asks for the same time again.
      if (answer.kind === 'unavailable') log.warn({ reason: answer.reason }, 'disputes not read');
      yield undefined;
      return;
    }
    yield answer.value;
    const { cursor: next } = answer.value;
    cursor = next === cursor ? null : next;
  } while (cursor !== null);
}
