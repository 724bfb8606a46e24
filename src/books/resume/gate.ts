/**
 * Lets what acts rest: whole loops while Forestall has to look before it acts, and afterwards the cases of
 * charges that could not be looked at. A withheld case stays as it is: nothing is refunded, declared or
 * decided for it, and no fallback follows; alarms before its deadline go on.
 */
import type { Kysely } from 'kysely';
import { postponeCase } from '../../alerts/cases/case.store.ts';
import type { CaseStep, CaseSteps } from '../../alerts/cases/case-runner.ts';
import { CASE_STATES } from '../../alerts/cases/case-state.ts';
import type { IdentityKind } from '../../alerts/guard/database-identity.store.ts';
import type { Withheld } from '../../alerts/guard/resume.store.ts';
import { readGate } from '../../alerts/guard/resume.store.ts';
import type { Database } from '../../base/db/database.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';

/** The gate of one worker. */
export interface Gate {
  /** The loop, doing nothing while a look is under way or due. */
  rest(spec: LoopSpec): LoopSpec;
  /** The steps, doing nothing for cases whose charge is held back as of the loop's round. */
  withhold(steps: CaseSteps): CaseSteps;
}

/** A withheld case is taken up again after this long, in milliseconds; its release wakes it at once. */
const WITHHELD_REST_MS = 60_000;

/** Makes it. The refund's last check is in the transaction that sends (`mustLookFirst`). */
export function createGate(deps: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly organisationId: string;
}): Gate {
  const { db, clock, organisationId } = deps;
  let withheld: Withheld = new Map();
  let kind: IdentityKind | undefined;
  const withholding =
    (step: CaseStep): CaseStep =>
    async (claim, signal): Promise<void> => {
      const reason = withheld.get(claim.charge_reference ?? '');
      if (reason === undefined) return await step(claim, signal);
      const now = nowDate(clock);
      const retryAt = new Date(now.getTime() + WITHHELD_REST_MS);
      const error = `Held back: the processor cannot be asked about the charge (${reason}).`;
      await postponeCase(db, claim, { now, retryAt, error });
    };
  return {
    rest: (spec) => ({
      ...spec,
      runOnce: async (onFree): Promise<number> => {
        const gate = await readGate(db, organisationId, kind).catch((error: unknown) => {
          kind = undefined;
          throw error;
        });
        withheld = gate.withheld;
        kind = gate.kind;
        return gate.mustLook ? 0 : await spec.runOnce(onFree);
      },
    }),
    withhold(steps): CaseSteps {
      const guarded: CaseSteps = {};
      for (const state of CASE_STATES) {
        const step = steps[state];
        if (step !== undefined) guarded[state] = withholding(step);
      }
      return guarded;
    },
  };
}
