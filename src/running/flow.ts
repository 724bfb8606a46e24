/**
 * The pipeline, in order: what each stage does, what it leaves behind, and whether it moves money.
 *
 * The worker registers its loops and steps from this table, and `README.md` beside this file is
 * checked against it, so neither can lie. Rows are the truth: a stage claims rows, does its step,
 * writes its result and wakes the next stage in the same transaction.
 */
import type { CaseSteps } from '../alerts/cases/case-runner.ts';
import type { LoopSpec } from '../base/jobs/loop.ts';
import { InvariantError } from '../base/kernel/errors.ts';

interface StageRow {
  readonly stage: string;
  readonly does: string;
  /** Tables that hold its result. */
  readonly durable: readonly string[];
  readonly movesMoney: boolean;
}

export const FLOW = [
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
    stage: 'signals',
    does: 'events of the processor → looks at their charge; claims for a refund → cases',
    durable: ['processor_event', 'refund_claim'],
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

export type StageName = (typeof FLOW)[number]['stage'];

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
 * Gathers the work of all stages in the order of the flow.
 *
 * @throws {InvariantError} when two stages claim the same state: a case would have two masters
 */
export function registerFlow(stages: Readonly<Record<StageName, StageWork>>): FlowWork {
  const steps: CaseSteps = {};
  const loops: LoopSpec[] = [];
  for (const { stage } of FLOW) {
    const work: StageWork = stages[stage];
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
