/** The state of an estate: what others changed, what waits, and what the files want. */
import type { Applied } from './applied-file.ts';
import type { Drift, WiderSince } from './drift.ts';
import { driftSince, widerSince } from './drift.ts';
import type { EstatePlan } from './plan.ts';
import { planEstate } from './plan.ts';
import type { ReadEstate } from './read-estate.ts';
import type { RemoteEstate } from './remote-estate.ts';
import type { PlannedStep } from './step.ts';
import type { WaitingEnrolment } from './waiting.ts';
import { waitingOf } from './waiting.ts';

/** Everything that a look at an estate shows. */
export interface EstateState {
  /** False: no apply was noted beside the file, so it is unknown who changed what. */
  readonly isNoted: boolean;
  readonly drift: readonly Drift[];
  readonly wider: readonly WiderSince[];
  readonly waiting: readonly WaitingEnrolment[];
  /** As `plan` shows it. */
  readonly plan: EstatePlan;
  /** What the file wants besides, conflicts left out. */
  readonly notApplied: readonly PlannedStep[];
}

/** Judges. Pure. */
export function judgeEstate(
  { estate }: ReadEstate,
  remote: RemoteEstate,
  applied: Applied | undefined,
): EstateState {
  const plan = planEstate(estate, remote, { applied });
  const { matched } = plan;
  const world = { estate, remote, matched };
  const drift = applied === undefined ? [] : driftSince(applied, world);
  const allowed = { allowMany: true, allowRefundEverything: true, overwrite: true };
  const all = plan.problems.length === 0 ? plan : planEstate(estate, remote, allowed);
  const conflicts = new Set(
    drift.filter(({ isConflict }) => isConflict).flatMap(({ id, key }) => [id, key]),
  );
  return {
    isNoted: applied !== undefined,
    drift,
    wider: applied === undefined ? [] : widerSince(applied, world),
    waiting: waitingOf(matched),
    plan,
    notApplied: all.steps.filter(
      ({ step }) => !conflicts.has(step.key) && !('id' in step && conflicts.has(step.id)),
    ),
  };
}
