/**
 * Hands evidence in: one submission for a dispute, its key stored before the call, a missing answer looked up.
 *
 * Before anything else each step reads the dispute at the processor. What is there already, by us or by somebody else,
 * ends the submission; only where nothing is there, and nothing of ours can still arrive, is something sent.
 */
import type { Installation, Trx } from '../../../base/db/database.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import { backoffMs } from '../../../base/kernel/backoff.ts';
import { nowDate } from '../../../base/kernel/clock.ts';
import { crashPoint } from '../../../base/kernel/crash-point.ts';
import { utcWords } from '../../../base/kernel/instant.ts';
import { notify } from '../../../base/notify/notification.store.ts';
import type {
  DisputeAbilities,
  EvidenceOutcome,
  ProcessorDispute,
  ProcessorDisputes,
  StagedFile,
} from '../../../service/wire/processor-dispute.ts';
import { contentHash } from '../files/content-hash.ts';
import type { PackRules } from '../pack-rules.ts';
import { noteSending } from '../representment-pack.store.ts';
import type { ComposedFile, Composition, FilingProblem } from './compose.ts';
import { problemWords } from './compose.ts';
import type { ComposedBefore } from './composed-before.ts';
import type { SubmissionChange } from './filing.store.ts';
import {
  claimSubmissions,
  findDispute,
  isAsNoted,
  moveSubmission,
  noteDisputes,
  noteRepresentment,
} from './filing.store.ts';
import type { StagedPart, SubmissionRow } from './filing.table.ts';
import type { FilingFacts } from './filing-facts.store.ts';
import { readFilingFacts } from './filing-facts.store.ts';
import { alarmOf, nextLook } from './next-look.ts';
import type { FilingSettings, HeldReason, Plan } from './plan.ts';
import { goesAt, HELD_REASONS, planFiling } from './plan.ts';
import { prepareFiling } from './prepare.ts';

export interface FilingDeps extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly disputes: ProcessorDisputes;
  readonly processorName: string;
  readonly rules: PackRules;
  readonly settings: FilingSettings;
  /** What this process composed before. @default nothing */
  readonly composed?: ComposedBefore;
}

/** Submissions of one round. */
export const FILING_BATCH = 4;

/** A claim outlasts every call of one step: some uploads of a minute each. */
const CLAIM_MS = 15 * 60_000;

/** How long one that was refused, or is unclear, goes unlooked at first, in milliseconds. */
const LOOK_AGAIN_MS = 60 * 60_000;

/** How soon a submission without an answer is looked up, in milliseconds. */
const LOOK_UP_MS = 60_000;

const RETRY = { baseMs: 30_000, maxMs: 30 * 60_000 };

/** Creates the round. Returns how many submissions it looked at. */
export function createFiling(deps: FilingDeps): { runOnce(): Promise<number> } {
  const { db, clock, log, organisationId } = deps;
  return {
    async runOnce(): Promise<number> {
      const now = nowDate(clock);
      const claimedUntil = new Date(now.getTime() + CLAIM_MS);
      const rows = await claimSubmissions(db, {
        organisationId,
        now,
        limit: FILING_BATCH,
        claimedUntil,
      });
      for (const row of rows) {
        try {
          await step(deps, row);
        } catch (error) {
          // The claim ends by itself; the others of the round are not kept waiting.
          log.error({ err: error, dispute: row.dispute_reference }, 'evidence not filed');
        }
      }
      return rows.length;
    },
  };
}

async function step(deps: FilingDeps, row: SubmissionRow): Promise<void> {
  const { db, clock, organisationId, disputes } = deps;
  const answer = await disputes.read(row.dispute_reference);
  if (answer.kind !== 'found') {
    const why =
      answer.kind === 'unavailable' ? answer.reason : `the processor knows no such dispute`;
    await postpone(deps, row, why);
    return;
  }
  const shown = answer.value;
  const known = await findDispute(db, organisationId, shown.reference);
  if (known === undefined || !isAsNoted(known, shown)) {
    await noteDisputes(db, { organisationId, now: nowDate(clock) }, [shown]);
  }
  const end = endOf(shown, row, nowDate(clock));
  if (end !== undefined) {
    await finish(deps, row, { shown, end });
    return;
  }
  if (row.state === 'ACCEPTING') await giveUp(deps, row);
  else if (row.state === 'SENT') await settleSent(deps, row, shown);
  else await fileOrHold(deps, row, shown);
}

interface End {
  readonly state: 'SUBMITTED' | 'ELSEWHERE' | 'ACCEPTED' | 'EXPIRED' | 'CLOSED';
  readonly what: string;
  readonly submittedAt?: Date;
}

/** How the submission ended, by what the processor shows; undefined: something can still be done. */
export function endOf(
  { submission, status, dueBy }: ProcessorDispute,
  row: Pick<SubmissionRow, 'idempotency_key' | 'sent_at' | 'state'>,
  now: Date,
): End | undefined {
  if (submission !== null) {
    const { idempotencyKey, at } = submission;
    // A processor that keeps no keys shows what was handed in; where we sent something, it is that.
    const isOurs =
      idempotencyKey === row.idempotency_key || (idempotencyKey === null && row.sent_at !== null);
    const submittedAt = at === null ? now : new Date(at);
    return isOurs
      ? { state: 'SUBMITTED', what: 'evidence is with the processor', submittedAt }
      : { state: 'ELSEWHERE', what: 'somebody else handed evidence in' };
  }
  switch (status) {
    case 'accepted':
      return { state: 'ACCEPTED', what: 'the dispute was given up' };
    case 'expired':
      return { state: 'EXPIRED', what: 'the dispute was due, and nothing was handed in' };
    case 'won':
    case 'lost':
    case 'under_review':
      // Some processors show a dispute that was given up as lost.
      if (status === 'lost' && row.state === 'ACCEPTING') {
        return { state: 'ACCEPTED', what: 'the dispute was given up' };
      }
      return { state: 'CLOSED', what: `the dispute is ${status} without evidence of ours` };
    case 'needs_response':
      return dueBy !== null && Date.parse(dueBy) <= now.getTime()
        ? { state: 'EXPIRED', what: 'the dispute was due, and nothing was handed in' }
        : undefined;
    default:
      return status satisfies never;
  }
}

async function finish(
  deps: FilingDeps,
  row: SubmissionRow,
  { shown, end }: { readonly shown: ProcessorDispute; readonly end: End },
): Promise<void> {
  const { db, clock, organisationId } = deps;
  if (end.state === 'SUBMITTED') {
    // First: noting it twice is noting it once, and what is finished is not looked at again.
    await noteForRepresentment(deps, row, shown);
    await crashPoint('evidence.noted');
  }
  const now = nowDate(clock);
  await inTransaction(db, async (trx) => {
    const { state, what, submittedAt } = end;
    const moved = await moveSubmission(trx, row, now, {
      state,
      what,
      nextAt: null,
      ...(state === 'SUBMITTED' && row.sent_at === null ? { sentAt: now } : {}),
      ...(submittedAt === undefined ? {} : { submittedAt }),
    });
    if (moved === undefined) return;
    if (state === 'SUBMITTED') await tellIfLate(trx, deps, { row, shown, at: submittedAt ?? now });
    if (state !== 'EXPIRED') return;
    await notify(trx, {
      organisationId,
      dedupeKey: `evidence_expired:${row.dispute_reference}`,
      kind: 'evidence_due',
      severity: 'error',
      text: `Dispute ${row.dispute_reference} was due${shown.dueBy === null ? '' : ` on ${utcWords(new Date(shown.dueBy))}`}, and no evidence was handed in. Ask ${deps.processorName} whether it still takes it.`,
      at: now,
    });
  });
}

/** What went by itself, and later than the settings say, is no success to be silent about: something held it up. */
async function tellIfLate(
  trx: Trx,
  { settings, clock, organisationId, processorName }: FilingDeps,
  {
    row,
    shown: { reference, dueBy },
    at,
  }: { readonly row: SubmissionRow; readonly shown: ProcessorDispute; readonly at: Date },
): Promise<void> {
  if (dueBy === null || row.asked_by !== null) return;
  const lastMs = Date.parse(dueBy) - settings.marginMs;
  if (at.getTime() <= lastMs) return;
  await notify(trx, {
    organisationId,
    dedupeKey: `evidence_late:${reference}`,
    kind: 'evidence_due',
    severity: 'warning',
    text: `The evidence for dispute ${reference} is with ${processorName} since ${utcWords(at)}, later than it was to go: by ${utcWords(new Date(lastMs))}. It is due on ${utcWords(new Date(dueBy))}. Look whether disputes are read in time: ${processorName} may not answer, or a worker was away.`,
    at: nowDate(clock),
  });
}

/** What was sent is not to be seen. It is sent again only where that proves that it is not there. */
async function settleSent(
  deps: FilingDeps,
  row: SubmissionRow,
  shown: ProcessorDispute,
): Promise<void> {
  const abilities = await deps.disputes.abilities();
  if (abilities === undefined || mayStillArrive(deps, row, abilities)) await lookUpLater(deps, row);
  else if (abilities.showsSubmissions === false) await holdUnclear(deps, row);
  else await fileOrHold(deps, row, shown);
}

/** Whether what was sent may not be seen yet, or may still take effect. */
function mayStillArrive(
  { clock }: FilingDeps,
  { sent_at: sentAt }: SubmissionRow,
  { lookupLagSeconds, requestLifetimeSeconds }: DisputeAbilities,
): boolean {
  if (sentAt === null) return true;
  const seconds = Math.max(lookupLagSeconds, requestLifetimeSeconds);
  return clock.nowMs() <= sentAt.getTime() + seconds * 1000;
}

/** Only a person can look whether it arrived, and says so by asking for it again, or by giving it up. */
async function holdUnclear(deps: FilingDeps, row: SubmissionRow): Promise<void> {
  const { db, clock, organisationId, processorName } = deps;
  const now = nowDate(clock);
  await inTransaction(db, async (trx) => {
    const moved = await moveSubmission(trx, row, now, {
      state: 'HELD',
      heldReason: 'unclear',
      nextAt: new Date(now.getTime() + LOOK_AGAIN_MS),
      error: row.last_error,
      what: `evidence is held: ${HELD_REASONS.unclear}`,
    });
    if (moved === undefined) return;
    await notify(trx, {
      organisationId,
      dedupeKey: `evidence_unclear:${row.dispute_reference}:${row.sent_at?.toISOString() ?? ''}`,
      kind: 'evidence_due',
      severity: 'error',
      text: `Evidence for dispute ${row.dispute_reference} was sent to ${processorName}, and no answer came. Look there: hand it in again on the page of the dispute only where it did not arrive.`,
      at: now,
    });
  });
}

async function lookUpLater(deps: FilingDeps, row: SubmissionRow): Promise<void> {
  const nextAt = new Date(deps.clock.nowMs() + LOOK_UP_MS);
  await moveAndWarn(deps, row, { state: 'SENT', nextAt, error: row.last_error });
}

/** Later again, in the state that it is in. */
async function postpone(deps: FilingDeps, row: SubmissionRow, why: string): Promise<void> {
  const nextAt = new Date(deps.clock.nowMs() + backoffMs(row.attempts, RETRY));
  const { state, held_reason: heldReason, problems } = row;
  await moveAndWarn(deps, row, { state, heldReason, problems, nextAt, error: why });
}

/** Nothing was handed in yet, and no person is asked: people are told as its end comes near. */
async function moveAndWarn(
  deps: FilingDeps,
  row: SubmissionRow,
  change: SubmissionChange,
): Promise<void> {
  const { db, clock, organisationId } = deps;
  const now = nowDate(clock);
  const dispute = await findDispute(db, organisationId, row.dispute_reference);
  await inTransaction(db, async (trx) => {
    const moved = await moveSubmission(trx, row, now, change);
    if (moved === undefined || dispute === undefined) return;
    const { reference, due_by: dueBy } = dispute;
    await warn(trx, deps, {
      reference,
      dueBy,
      text: `The evidence for dispute ${reference} is not with ${deps.processorName} yet: ${change.error ?? 'no answer'}. It is tried again. Look there, and hand it in yourself if time runs out.`,
    });
  });
}

/** Notifies once for each alarm that has come. */
async function warn(
  trx: Trx,
  { clock, organisationId }: FilingDeps,
  about: { readonly reference: string; readonly dueBy: Date | null; readonly text: string },
): Promise<void> {
  const { reference, dueBy, text } = about;
  const now = nowDate(clock);
  const alarm = alarmOf(dueBy, now);
  if (alarm === undefined) return;
  const due = dueBy?.toISOString() ?? 'undated';
  const dedupeKey = `evidence_held:${reference}:${due}:${alarm.name}`;
  const { severity } = alarm;
  await notify(trx, { organisationId, dedupeKey, kind: 'evidence_due', severity, text, at: now });
}

async function move(
  { db, clock }: FilingDeps,
  row: SubmissionRow,
  change: SubmissionChange,
): Promise<SubmissionRow | undefined> {
  return await inTransaction(db, (trx) => moveSubmission(trx, row, nowDate(clock), change));
}

async function fileOrHold(
  deps: FilingDeps,
  row: SubmissionRow,
  shown: ProcessorDispute,
): Promise<void> {
  const { db, clock, organisationId, rules, settings } = deps;
  const known = await findDispute(db, organisationId, shown.reference);
  const chosen = known?.representment_id ?? null;
  const facts = await readFilingFacts(db, organisationId, {
    dispute: shown,
    chosen,
    rules,
    recorded: row.pack_rule,
  });
  const representmentId = facts.representment?.id;
  if (representmentId !== undefined && representmentId !== chosen) {
    const about = { reference: shown.reference, representmentId };
    const isNoted = await inTransaction(db, (trx) => noteRepresentment(trx, organisationId, about));
    if (!isNoted) {
      await postpone(deps, row, 'another dispute has its representment');
      return;
    }
  }
  const planWith = (problems: readonly FilingProblem[]): Plan =>
    planFiling({
      dispute: shown,
      charge: facts.charge,
      pack: facts.pack,
      problems,
      candidates: facts.candidates.length,
      isSentByHand: facts.isSentByHand && row.sent_at === null,
      said: { askedBy: row.asked_by, agreedBy: row.agreed_by },
      stays:
        row.held_reason === 'refused' || row.held_reason === 'unclear' ? row.held_reason : null,
      settings,
      now: nowDate(clock),
    });
  const before = deps.composed?.problemsOf(facts.pack, shown);
  if (before !== undefined) {
    const plan = planWith(before);
    if (plan.kind !== 'file') return await waitOrHold(deps, row, { shown, plan, problems: before });
  }
  const composition = await prepareFiling(db, organisationId, { pack: facts.pack, dispute: shown });
  const { problems } = composition;
  deps.composed?.note(facts.pack, shown, problems);
  const plan = planWith(problems);
  if (plan.kind === 'file') await send(deps, row, { shown, facts, composition });
  else await waitOrHold(deps, row, { shown, plan, problems });
}

async function waitOrHold(
  deps: FilingDeps,
  row: SubmissionRow,
  look: {
    readonly shown: ProcessorDispute;
    readonly plan: Exclude<Plan, { kind: 'file' }>;
    readonly problems: readonly FilingProblem[];
  },
): Promise<void> {
  const { db, clock, settings } = deps;
  const { shown, plan, problems } = look;
  const now = nowDate(clock);
  const dueBy = shown.dueBy === null ? null : new Date(shown.dueBy);
  const nextAt = nextLook({
    dueBy,
    goesAt: shown.dueBy === null ? null : goesAt(shown.dueBy, settings),
    now,
  });
  if (plan.kind === 'wait') {
    await move(deps, row, { state: 'WAITING', nextAt });
    return;
  }
  const { reason } = plan;
  const isNews = row.held_reason !== reason;
  await inTransaction(db, async (trx) => {
    const moved = await moveSubmission(trx, row, now, {
      state: 'HELD',
      heldReason: reason,
      problems,
      nextAt,
      ...(isNews ? { what: `evidence is held: ${HELD_REASONS[reason]}` } : {}),
    });
    if (moved === undefined) return;
    await warn(trx, deps, {
      reference: row.dispute_reference,
      dueBy,
      text: heldWords(shown, reason, problems),
    });
  });
}

function heldWords(
  { reference, dueBy }: ProcessorDispute,
  reason: HeldReason,
  problems: readonly FilingProblem[],
): string {
  const due = dueBy === null ? '' : `, due by ${utcWords(new Date(dueBy))}`;
  const detail = problems.map((problem) => ` ${problemWords(problem)}`).join('');
  return `The evidence for dispute ${reference}${due} is held: ${HELD_REASONS[reason]}.${detail} Decide on the page of the dispute.`;
}

interface Sending {
  readonly shown: ProcessorDispute;
  readonly facts: FilingFacts;
  readonly composition: Composition;
}

async function send(deps: FilingDeps, claimed: SubmissionRow, sending: Sending): Promise<void> {
  const { clock, disputes } = deps;
  const { shown, facts, composition } = sending;
  const begun = await stageAll(deps, claimed, sending);
  if (begun === undefined) return;
  const { row, staged } = begun;
  if (shown.dueBy !== null && Date.parse(shown.dueBy) <= clock.nowMs()) {
    return await postpone(deps, row, 'it was due before its files were there');
  }
  // It begins before the mark: who was held up in between sends nothing after another one has looked.
  const signal = untilDue(deps, shown);
  const marked = await move(deps, row, {
    state: 'SENT',
    what: 'evidence is being handed in',
    detail: { rule: facts.pack.ruleName, hash: facts.pack.contentHash, files: staged.length },
    contentHash: facts.pack.contentHash,
    packRule: facts.pack.ruleName,
    staged: staged.map(({ part }) => part),
    sentAt: nowDate(clock),
    nextAt: new Date(clock.nowMs() + CLAIM_MS),
  });
  if (marked === undefined) return;
  await crashPoint('evidence.marked_sent');
  const outcome = await disputes.submit(
    {
      idempotencyKey: row.idempotency_key,
      disputeReference: row.dispute_reference,
      fields: composition.fields,
      files: staged.map(({ file: { slot, name, type, content }, part: { reference } }) => ({
        ...{ slot, reference, name, type, content },
      })),
    },
    signal,
  );
  await crashPoint('evidence.answered');
  await settle(deps, marked, outcome);
}

/** Nothing may arrive after it is due: the call ends then at the latest. */
function untilDue({ clock }: FilingDeps, { dueBy }: ProcessorDispute): AbortSignal {
  const leftMs = dueBy === null ? CALL_MS : Date.parse(dueBy) - clock.nowMs();
  return AbortSignal.timeout(Math.max(1, Math.min(CALL_MS, leftMs)));
}

/** One call, in milliseconds. */
const CALL_MS = 60_000;

/** A file with what the processor has of it. */
interface Staged {
  readonly file: ComposedFile;
  readonly part: StagedPart;
}

/**
 * Stages each file under a key made of its content, and notes it at once, so that a repeat stages nothing twice. Gives
 * the row as it is then; undefined: one is not there, or somebody else has moved the row.
 */
async function stageAll(
  deps: FilingDeps,
  claimed: SubmissionRow,
  { shown, composition }: Sending,
): Promise<{ readonly row: SubmissionRow; readonly staged: readonly Staged[] } | undefined> {
  const abilities = await deps.disputes.abilities();
  if (abilities === undefined) {
    await postpone(deps, claimed, 'the processor does not say what it can do');
    return undefined;
  }
  const isShown = abilities.showsStaged !== false;
  let row = claimed;
  const staged: Staged[] = [];
  for (const file of composition.files) {
    const key = fileKey(row, file);
    const known = isShown
      ? shown.staged.find((each) => each.idempotencyKey === key)?.reference
      : row.staged.find((each) => each.key === key)?.reference;
    const part =
      known === undefined
        ? await stageOne(deps, row, { shown, file, key })
        : partOf(file, key, known);
    if (part === undefined) return undefined;
    staged.push({ file, part });
    if (known !== undefined) continue;
    const noted = await noteStaged(deps, row, [...row.staged, part]);
    if (noted === undefined) return undefined;
    row = noted;
    await crashPoint('evidence.file_staged');
  }
  await crashPoint('evidence.staged');
  return { row, staged };
}

/** Still ours: the claim goes on as it was. */
async function noteStaged(
  deps: FilingDeps,
  row: SubmissionRow,
  staged: readonly StagedPart[],
): Promise<SubmissionRow | undefined> {
  const { state, held_reason: heldReason, problems, next_at: nextAt, last_error: error } = row;
  return await move(deps, row, { state, heldReason, problems, nextAt, error, staged });
}

function fileKey({ idempotency_key: key }: SubmissionRow, { slot, content }: ComposedFile): string {
  return `${key}_${slot}_${contentHash(content).slice(0, 16)}`;
}

function partOf({ slot, name, content }: ComposedFile, key: string, reference: string): StagedPart {
  return { slot, name, sha256: contentHash(content), key, reference };
}

async function stageOne(
  deps: FilingDeps,
  row: SubmissionRow,
  part: { readonly shown: ProcessorDispute; readonly file: ComposedFile; readonly key: string },
): Promise<StagedPart | undefined> {
  const { shown, file, key } = part;
  const { slot, name, type, content } = file;
  const request = {
    idempotencyKey: key,
    disputeReference: row.dispute_reference,
    slot,
    name,
    type,
    content,
  };
  const outcome = await deps.disputes.stage(request, untilDue(deps, shown));
  if (outcome.kind === 'done') return partOf(file, key, outcome.value.reference);
  await notStaged(deps, row, outcome);
  return undefined;
}

async function notStaged(
  deps: FilingDeps,
  row: SubmissionRow,
  outcome: Exclude<EvidenceOutcome<StagedFile>, { kind: 'done' }>,
): Promise<void> {
  // Nothing is handed in by a file: it is staged again, or a person looks.
  if (outcome.kind === 'unknown') await postpone(deps, row, outcome.reason);
  else if (outcome.failureClass === 'retry') await postpone(deps, row, outcome.failureCode);
  else await refused(deps, row, outcome.failureCode);
}

async function settle(
  deps: FilingDeps,
  row: SubmissionRow,
  outcome: EvidenceOutcome<ProcessorDispute>,
): Promise<void> {
  switch (outcome.kind) {
    case 'done':
      await finish(deps, row, {
        shown: outcome.value,
        end: {
          state: 'SUBMITTED',
          what: 'evidence is with the processor',
          submittedAt: nowDate(deps.clock),
        },
      });
      return;
    case 'unknown':
      await move(deps, row, {
        state: 'SENT',
        nextAt: new Date(deps.clock.nowMs() + LOOK_UP_MS),
        error: outcome.reason,
      });
      return;
    case 'rejected':
      // `done`: evidence is there, by us or by somebody else; the next look tells.
      if (outcome.failureClass === 'done' || outcome.failureClass === 'retry') {
        const nextAt = new Date(deps.clock.nowMs() + backoffMs(row.attempts, RETRY));
        await move(deps, row, { state: 'SENT', nextAt, error: outcome.failureCode });
      } else await refused(deps, row, outcome.failureCode);
      return;
    default:
      outcome satisfies never;
  }
}

async function refused(deps: FilingDeps, row: SubmissionRow, code: string): Promise<void> {
  const { db, clock, organisationId, processorName } = deps;
  const now = nowDate(clock);
  await inTransaction(db, async (trx) => {
    const moved = await moveSubmission(trx, row, now, {
      state: 'HELD',
      heldReason: 'refused',
      nextAt: new Date(now.getTime() + LOOK_AGAIN_MS),
      error: code,
      what: 'the processor refused the evidence',
      detail: { code },
    });
    if (moved === undefined) return;
    await notify(trx, {
      organisationId,
      dedupeKey: `evidence_refused:${row.dispute_reference}:${code}`,
      kind: 'evidence_due',
      severity: 'error',
      text: `${processorName} refused the evidence for dispute ${row.dispute_reference} (${code}). Nothing was handed in. Look at it on the page of the dispute, or hand it in yourself.`,
      at: now,
    });
  });
}

/** The representment of the service that is about it has its evidence, too. */
async function noteForRepresentment(
  deps: FilingDeps,
  row: SubmissionRow,
  shown: ProcessorDispute,
): Promise<void> {
  const { db, clock, organisationId, processorName, rules } = deps;
  const known = await findDispute(db, organisationId, row.dispute_reference);
  const chosen = known?.representment_id ?? null;
  if (chosen === null || chosen === '') return;
  const { representment, pack } = await readFilingFacts(db, organisationId, {
    dispute: shown,
    chosen,
    rules,
    recorded: row.pack_rule,
  });
  if (representment === undefined) return;
  await noteSending(db, {
    organisationId,
    // What was sent, though the rows have changed since.
    pack: { ...pack, contentHash: row.content_hash ?? pack.contentHash },
    representment,
    through: processorName,
    note: undefined,
    operator: row.asked_by ?? 'forestall',
    now: nowDate(clock),
  });
}

async function giveUp(deps: FilingDeps, row: SubmissionRow): Promise<void> {
  const { disputes, clock } = deps;
  const key = `${row.idempotency_key}_accept`;
  const outcome = await disputes.accept(row.dispute_reference, key, AbortSignal.timeout(CALL_MS));
  if (outcome.kind === 'done') {
    const end = { state: 'ACCEPTED', what: 'the dispute was given up' } as const;
    await finish(deps, row, { shown: outcome.value, end });
  } else if (outcome.kind === 'rejected' && outcome.failureClass !== 'retry') {
    await refused(deps, row, outcome.failureCode);
  } else {
    const error = outcome.kind === 'unknown' ? outcome.reason : outcome.failureCode;
    await move(deps, row, {
      state: 'ACCEPTING',
      nextAt: new Date(clock.nowMs() + LOOK_UP_MS),
      error,
    });
  }
}
