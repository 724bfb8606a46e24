/**
 * Applies a saved plan: exactly its steps, in their order, each once.
 *
 * Right before a step the object is read: what is done already is passed over, and what somebody else
 * changed meanwhile stops the run. A creation whose answer was lost is looked for and never sent again
 * in the same run. The journal remembers which creation was under way, so that a run that was killed is
 * continued by running the command again.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import { KitError } from '../../../base/kernel/errors.ts';
import type { Wait } from '../../../service/client/budget-queue.ts';
import type { ServiceError } from '../../../service/client/index.ts';
import { isServiceError } from '../../../service/client/index.ts';
import type { Applied, AppliedObject } from './applied-file.ts';
import { appliedBy } from './applied-file.ts';
import type { CallContext } from './calls.ts';
import { findCreated, lookAt, sendStep } from './calls.ts';
import { digestOf } from './content.ts';
import { remoteContents } from './plan.ts';
import type { RefKind } from './references.ts';
import { createReferences } from './references.ts';
import type { EstateClient } from './remote-estate.ts';
import { readRemoteEstate } from './remote-estate.ts';
import type { SavedPlan } from './saved-plan.ts';
import type { PlannedStep, Step } from './step.ts';

/** The run ended before the plan was done. What was done stays; running it again continues. */
export class EstateApplyError extends KitError {
  readonly code = 'ESTATE_APPLY';
  readonly retryable = true;
}

/** One line of the journal. */
export interface JournalEntry {
  readonly step: number;
  readonly state: 'sent' | 'done';
  readonly atMs: number;
}

/** Notes what a run does, so that the next one can continue. Each write is durable when it returns. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  write(entry: JournalEntry): Promise<void>;
}

/** What the run needs. */
export interface ApplyOptions {
  readonly client: EstateClient;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** What the last apply left, by id. */
  readonly applied?: Applied | undefined;
  /** Notes what a step left, before the next one is taken. */
  readonly remember?: ((object: AppliedObject) => Promise<void>) | undefined;
  /** Called after each step. */
  readonly onStep?: ((done: number, planned: PlannedStep) => void) | undefined;
}

/** How long a lost request may still arrive at the service, in milliseconds. */
const LOST_REQUEST_MS = 60_000;
/** A creation whose answer was lost is looked for after these waits, in milliseconds. */
const LOOKS_MS = [0, 5_000, 15_000, 60_000] as const;
/** Attempts of a call that is known to have changed nothing, or that may be repeated. */
const ATTEMPTS_MAX = 5;
const BACKOFF_MS = 2_000;

/**
 * Runs the plan to its end.
 *
 * @throws {EstateApplyError} when the plan is stale, the service refuses, or an outcome stays unknown
 */
export async function applyPlan(plan: SavedPlan, options: ApplyOptions): Promise<void> {
  const { journal, clock } = options;
  if (journal.entries.length === 0) await refuseStale(plan, options);
  const last = journal.entries.at(-1);
  if (last?.state === 'sent') {
    const leftMs = last.atMs + LOST_REQUEST_MS - clock.nowMs();
    if (leftMs > 0) await options.wait(leftMs, options.signal);
  }
  const sent = new Set(journal.entries.map(({ step }) => step));
  const context = { client: options.client, references: createReferences(plan.ids) };
  for (const [index, planned] of plan.steps.entries()) {
    options.signal?.throwIfAborted();
    await takeStep({ step: planned.step, index, wasSent: sent.has(index) }, context, options);
    options.onStep?.(index + 1, planned);
  }
}

async function refuseStale(plan: SavedPlan, { client }: ApplyOptions): Promise<void> {
  const remote = await readRemoteEstate(client, plan.organisations);
  if (digestOf(remoteContents(remote)) === plan.remoteDigest) return;
  throw new EstateApplyError(
    'The plan is stale: the service holds something else than when it was made. Nothing was changed. Plan again.',
  );
}

interface StepRun {
  readonly step: Step;
  readonly index: number;
  /** By an earlier run of the same plan. */
  readonly wasSent: boolean;
}

async function takeStep(
  { step, index, wasSent }: StepRun,
  context: CallContext,
  options: ApplyOptions,
): Promise<void> {
  const { journal, clock } = options;
  const found = await explained(step, () => lookAt(step, context, wasSent));
  if (found.state === 'changed') {
    throw new EstateApplyError(
      `"${step.key}" was changed elsewhere while the plan was applied: ${found.detail}. What was done so far stays. Plan again.`,
    );
  }
  if (found.state === 'done') {
    await remember(step, found.id, { context, options });
    return;
  }
  await journal.write({ step: index, state: 'sent', atMs: clock.nowMs() });
  await remember(step, await send(step, context, options), { context, options });
  await journal.write({ step: index, state: 'done', atMs: clock.nowMs() });
}

/** Later steps refer to what this one created; the next plan compares with what it left. */
async function remember(
  step: Step,
  createdId: string | undefined,
  { context, options }: { readonly context: CallContext; readonly options: ApplyOptions },
): Promise<void> {
  const { references } = context;
  const { kind, key } = step;
  const created = CREATES[kind];
  if (createdId !== undefined && created !== undefined) {
    references.add({ kind: created, key, id: createdId });
  }
  const id = 'id' in step ? step.id : createdId;
  if (id === undefined || options.applied === undefined) return;
  const left = appliedBy(step, id, { references, applied: options.applied });
  if (left !== undefined) await options.remember?.(left);
}

const CREATES: Readonly<Partial<Record<Step['kind'], RefKind>>> = {
  create_merchant: 'merchant',
  create_enrolment: 'enrolment',
  create_ruleset: 'ruleset',
};

/** Sends the step until its outcome is known. Returns the id of what was created. */
async function send(
  step: Step,
  context: CallContext,
  options: ApplyOptions,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendStep(step, context);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const settled = await settleFailure(step, error, { context, options });
      if (settled.isDone) return settled.id;
      if (attempt >= ATTEMPTS_MAX) throw refused(step, error);
      await options.wait(BACKOFF_MS * 2 ** attempt, options.signal);
    }
  }
}

/** Done anyway, or to be sent again. @throws {EstateApplyError} when neither is certain */
async function settleFailure(
  step: Step,
  error: ServiceError,
  { context, options }: { readonly context: CallContext; readonly options: ApplyOptions },
): Promise<{ readonly isDone: boolean; readonly id?: string | undefined }> {
  if (error.outcome !== 'unknown') {
    if (error.retryable) return { isDone: false };
    throw refused(step, error);
  }
  const found = await lookForOutcome(step, context, options);
  if (!found.isDone && isCreation(step)) throw unknownOutcome(step, error);
  return found;
}

/** A rule's creation is compared with its ruleset, so that it may be sent again. */
function isCreation({ kind }: Step): boolean {
  return CREATES[kind] !== undefined;
}

async function lookForOutcome(
  step: Step,
  context: CallContext,
  options: ApplyOptions,
): Promise<{ readonly isDone: boolean; readonly id?: string | undefined }> {
  for (const waitMs of LOOKS_MS) {
    if (waitMs > 0) await options.wait(waitMs, options.signal);
    if (isCreation(step)) {
      const id = await explained(step, () => findCreated(step, context));
      if (id !== undefined) return { isDone: true, id };
    } else if ((await explained(step, () => lookAt(step, context, true))).state === 'done') {
      return { isDone: true };
    }
  }
  return { isDone: false };
}

async function explained<Value>(step: Step, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw isServiceError(error) ? refused(step, error) : error;
  }
}

function refused(step: Step, error: ServiceError): EstateApplyError {
  const words = error.errors.map(({ message }) => message).join(' ');
  return new EstateApplyError(
    `The service did not do this step of "${step.key}": ${error.message}${words === '' ? '' : ` It says: ${words}`} What was done so far stays; run the command again to continue.`,
    { cause: error },
  );
}

function unknownOutcome(step: Step, error: unknown): EstateApplyError {
  return new EstateApplyError(
    `Whether "${step.key}" was created is unknown: the answer was lost (${error instanceof Error ? error.message : String(error)}), and it does not show yet. It was not sent again. Run the command again in a few minutes: it looks first.`,
    { cause: error },
  );
}
