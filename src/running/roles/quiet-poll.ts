/**
 * How the poll of a quiet organisation goes where many share a process: one question to the service, and the whole
 * round only where it shows an alert that needs an answer, or where the last one was long ago.
 */

import { RECONCILE_FACTS } from '../../alerts/reconcile/reconcile-facts.ts';
import type { LoopSpec, Pace } from '../../base/jobs/loop.ts';
import { writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { OrganisationParts } from './parts.ts';

/** How much each organisation adds to the time between two glances, in milliseconds. */
export const QUIET_POLL_SPREAD_MS = 1_000;

/** The same for whole rounds. */
const WHOLE_SPREAD_MS = 30_000;

export interface QuietPollOptions {
  readonly parts: OrganisationParts;
  readonly pace: Pace;
  /** How many organisations share the process. */
  readonly count: () => number;
}

/** The loop of the poll, with glances in between. */
export function withQuietPoll(spec: LoopSpec, { parts, pace, count }: QuietPollOptions): LoopSpec {
  const { clock, client, database, organisationId } = parts;
  const wholeMs = (): number => Math.max(spec.idleMs, count() * WHOLE_SPREAD_MS);
  let nextWholeMs = clock.nowMs() + wholeMs() * Math.random();
  /** Whether the service shows nothing that needs an answer. */
  const isNothingThere = async (): Promise<boolean> => {
    const at = nowDate(clock);
    const { items } = await client.alerts.page({ status: 'ACTION_REQUIRED' }, { attemptsMax: 1 });
    if (items.length > 0) return false;
    const value = at.toISOString();
    await writeNamedValue(database.db, {
      organisationId,
      at,
      name: RECONCILE_FACTS.lastPollAt,
      value,
    });
    return true;
  };
  return {
    ...spec,
    spreadMs: QUIET_POLL_SPREAD_MS,
    runOnce: async (onFree): Promise<number> => {
      const isTime = clock.nowMs() >= nextWholeMs || !pace.isQuiet();
      // A service that does not answer is for the whole round to note.
      if (!isTime && (await isNothingThere().catch(() => false))) return 0;
      nextWholeMs = clock.nowMs() + wholeMs();
      return await spec.runOnce(onFree);
    },
  };
}
