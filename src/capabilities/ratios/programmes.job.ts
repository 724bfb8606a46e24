/**
 * Keeps the ratios: judges what changed, adds the counts up, writes their state for the policy, and raises each alarm once.
 *
 * Schemes judge merchants: where there are several, each is looked at for itself, and the organisation as well.
 */
import { writeStandings } from '../../alerts/decide/ratio-standing.store.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { raiseAlarms } from './alarm.store.ts';
import type { CockpitDeps } from './cockpit.ts';
import { readCockpit } from './cockpit.ts';
import { monthsUntil } from './months.ts';
import { addUpCounts, judgeCounts, readOccurrences } from './roll-up.store.ts';
import type { Scope, ScopeSource } from './scope.ts';
import { ORGANISATION_SCOPE, readEnrolmentRules, scopeIds, scopeOf } from './scope.ts';
import { nearnessOf, standingsOf } from './standing.ts';

/** How often changes are judged and added up, in milliseconds. */
export const COUNTING_EVERY_MS = 60_000;

/** How often the state of ratios is looked at: while counts change, and without a change, in milliseconds. */
const STANDING_EVERY_MS = { changing: 10 * 60_000, quiet: 6 * 3_600_000 };

/** Merchants and submerchants looked at, the most counted first; a round of them takes seconds. */
const SCOPES_MAX = 100;

export function createProgrammeWatch(
  deps: CockpitDeps & { readonly clock: Clock },
): () => Promise<number> {
  const { db, clock, organisationId } = deps;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let isChanging = true;
  return async () => {
    const now = nowDate(clock);
    const judged = await judgeCounts(db, organisationId);
    const added = await addUpCounts(db, organisationId);
    isChanging ||= added > 0;
    const everyMs = isChanging ? STANDING_EVERY_MS.changing : STANDING_EVERY_MS.quiet;
    if (now.getTime() - lookedMs >= everyMs) {
      await lookAtRatios(deps, now);
      lookedMs = now.getTime();
      isChanging = false;
    }
    return Math.max(judged, added);
  };
}

export async function lookAtRatios(deps: CockpitDeps, now: Date): Promise<void> {
  const { db, organisationId } = deps;
  for (const scope of await readWatchedScopes(deps, now)) {
    const cockpit = await readCockpit(deps, scope, now);
    if (scope.kind !== 'submerchant') {
      await writeStandings(db, organisationId, { standings: standingsOf(cockpit), now });
    }
    const judged = nearnessOf(cockpit).filter(({ programme }) => isJudged(programme.per, scope));
    await raiseAlarms(db, { organisationId, scope, judged, now });
  }
}

/** Scopes that are looked at: `alone` where one merchant is the whole organisation. */
async function readWatchedScopes(
  { db, organisationId }: CockpitDeps,
  now: Date,
): Promise<readonly Scope[]> {
  const [from] = monthsUntil(now, 2);
  const [rules, occurrences] = await Promise.all([
    readEnrolmentRules(db, organisationId),
    readOccurrences(db, organisationId, `${from}-01`),
  ]);
  const source: ScopeSource = { rules, occurrences };
  const scopes = (['merchant', 'submerchant'] as const).flatMap((kind) => {
    const ids = scopeIds(kind, source);
    return ids.length < 2
      ? []
      : ids.slice(0, SCOPES_MAX).flatMap((id) => scopeOf(kind, id, source) ?? []);
  });
  return [ORGANISATION_SCOPE, ...scopes];
}

/** The organisation counts for its merchants too: where there is one alone, and where payments belong to none. */
function isJudged(per: string, { kind }: Scope): boolean {
  if (kind === 'organisation') return true;
  return per === kind || (per === 'submerchant' && kind === 'merchant');
}
