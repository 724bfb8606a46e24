/**
 * The pipeline, in order: what each stage does, what it leaves behind, and whether it moves money. A capability may bring a
 * stage of its own, which moves none.
 *
 * The worker registers its loops and steps from this table, and `README.md` next to this file is
 * checked against it, so neither can lie. Rows are the truth: a stage claims rows, does its step,
 * writes its result and wakes the next stage in the same transaction.
 */
import type { CaseSteps } from '../alerts/cases/case-runner.ts';
import type { LoopSpec } from '../base/jobs/loop.ts';
import { assertInvariant, InvariantError } from '../base/kernel/errors.ts';
import { CAPABILITIES } from '../capabilities/index.ts';
import type { Capability } from '../surface/capability.ts';

interface StageRow {
  readonly stage: string;
  readonly does: string;
  /** Tables that hold its result. */
  readonly durable: readonly string[];
  readonly movesMoney: boolean;
}

/** Those that every installation has. */
const OWN = [
  {
    stage: 'receive',
    does: 'raw bytes → signature verdict → inbox row → 2xx',
    durable: ['inbox_event', 'inbox_id', 'quarantine'],
    movesMoney: false,
  },
  {
    stage: 'apply',
    does: 'each event once, in any order, onto its entity',
    durable: ['alert', 'lookup', 'enrolment', 'representment', 'scheme_notice', 'entity_change'],
    movesMoney: false,
  },
  {
    stage: 'match',
    does: 'which charge and order an alert is about, with evidence and runner-up',
    durable: ['match', 'charge', 'match_choice'],
    movesMoney: false,
  },
  {
    stage: 'decide',
    does: "guards, then the merchant's policy: pure, explained, versioned",
    durable: ['decision', 'policy_version'],
    movesMoney: false,
  },
  {
    stage: 'refund',
    does: 'reserve the sum, persist the idempotency key, call the processor, settle unknowns',
    durable: ['movement', 'cover', 'charge_account', 'dispute'],
    movesMoney: true,
  },
  {
    stage: 'declare',
    does: 'PATCH the alert; read again when the answer is unclear',
    durable: ['declaration'],
    movesMoney: false,
  },
  {
    stage: 'feed',
    does: 'orders created and updated, refunds and disputes pushed, within the rate limit',
    durable: ['order_record', 'order_push'],
    movesMoney: false,
  },
  {
    stage: 'reconcile',
    does: 'poll what webhooks may have missed; compare service, processor and us; report the rest',
    durable: ['finding', 'book_check', 'poll_request'],
    movesMoney: false,
  },
] as const satisfies readonly StageRow[];

export type StageName = (typeof OWN)[number]['stage'];

/** All of them, in order. */
export const FLOW: readonly StageRow[] = withStagesOf(CAPABILITIES, OWN);

/** @throws {InvariantError} when a capability's stage comes after none that is there */
export function withStagesOf(
  capabilities: readonly Capability[],
  rows: readonly StageRow[],
): readonly StageRow[] {
  return capabilities.reduce<readonly StageRow[]>((before, { name, stage }) => {
    if (stage === undefined) return before;
    const { behind, does, durable } = stage;
    const place = before.findIndex((row) => row.stage === behind);
    assertInvariant(place >= 0, `Stage ${name} stands behind ${behind}, which is no stage.`);
    return before.toSpliced(place + 1, 0, { stage: name, does, durable, movesMoney: false });
  }, rows);
}

/** What a stage hands to the worker. */
export interface StageWork {
  /** Steps of cases, by the state they act on. */
  readonly steps?: CaseSteps;
  /** Loops of the stage's own rows. */
  readonly loops?: readonly LoopSpec[];
}

export interface FlowWork {
  readonly steps: CaseSteps;
  readonly loops: readonly LoopSpec[];
}

/**
 * Gathers the work of all stages in the order of the flow: those of every installation, and those of capabilities by name.
 *
 * @throws {InvariantError} when two stages claim the same state: a case would have two masters
 */
export function registerFlow(
  stages: Readonly<Record<StageName, StageWork> & Record<string, StageWork>>,
): FlowWork {
  const steps: CaseSteps = {};
  const loops: LoopSpec[] = [];
  for (const { stage } of FLOW) {
    const work: StageWork = stages[stage] ?? {};
    for (const state of Object.keys(work.steps ?? {})) {
      if (Object.hasOwn(steps, state)) {
        throw new InvariantError(`Stage ${stage} claims state ${state}, which has a step already.`);
      }
    }
    Object.assign(steps, work.steps);
    loops.push(...(work.loops ?? []));
  }
  return { steps, loops };
}
