/**
 * Makes the disputes of a processor of an adapter's calls, with the discipline of a refund: looked at before anything is
 * sent, nothing is sent that the dispute does not take, a refusal is believed only in the provider's own words, and what
 * shows no submission of ours is `unknown`.
 */

import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { Answer, FailureClass } from '../wire/processor-answer.ts';
import type {
  DisputeAbilities,
  DisputePage,
  DisputeQuery,
  EvidenceOutcome,
  FileRequest,
  ProcessorDispute,
  ProcessorDisputes,
  StagedFile,
  SubmissionRequest,
} from '../wire/processor-dispute.ts';
import { DISPUTE_STATUSES } from '../wire/processor-dispute.ts';
import { CallFailure } from './call-failure.ts';
import { utcAt } from './json.ts';
import { UPLOAD_TIMEOUT_MS } from './provider-call.ts';

/** What an adapter writes about disputes. Each may throw; a text is the reason why a dispute cannot be read. */
export interface DisputeCalls<Client> {
  /** Null: the provider does not list disputes. One that asks for no response may be left out. */
  list(
    client: Client,
    query: DisputeQuery,
  ): Promise<{
    readonly disputes: readonly (ProcessorDispute | string)[];
    readonly cursor: string | null;
  } | null>;
  /** Null: the provider says that there is none. */
  read(client: Client, reference: string): Promise<ProcessorDispute | string | null>;
  /** The staged file; null where the answer shows none. */
  stage(client: Client, request: FileRequest): Promise<StagedFile | null>;
  /**
   * Hands evidence in, for a dispute that was just read. Gives the dispute as it is then where the answer shows it;
   * null: it is read again, and must show the submission.
   */
  submit(
    client: Client,
    request: SubmissionRequest,
    shown: ProcessorDispute,
  ): Promise<ProcessorDispute | string | null>;
  /** Gives a dispute up that was just read. The rest as for `submit`. */
  accept(
    client: Client,
    idempotencyKey: string,
    shown: ProcessorDispute,
  ): Promise<ProcessorDispute | string | null>;
}

export interface DisputeParts<Client> extends DisputeCalls<Client> {
  readonly abilities: DisputeAbilities;
  /** What each word of a refusal means for what comes next. @default final: a person looks at once */
  readonly classes: ReadonlyMap<string, FailureClass>;
}

/** Runs a call, until its signal or the time ends. */
type Within<Client> = <Value>(
  signal: AbortSignal | undefined,
  call: (client: Client) => Promise<Value>,
  timeoutMs?: number,
) => Promise<Value | CallFailure>;

/** None of its calls throws. */
export function disputesOf<Client>(
  parts: DisputeParts<Client>,
  within: Within<Client>,
): ProcessorDisputes {
  const endedAs = <Value>(ended: EvidenceOutcome<Value> | CallFailure): EvidenceOutcome<Value> =>
    ended instanceof CallFailure ? outcomeOfFailure(ended, parts.classes) : ended;
  const disputes: ProcessorDisputes = {
    abilities: () => Promise.resolve(parts.abilities),
    list: async (query, signal) => {
      const page = await within(signal, (client) => parts.list(client, query));
      if (page instanceof CallFailure) return { kind: 'unavailable', reason: page.message };
      return page === null ? { kind: 'not_offered' } : pageOf(page);
    },
    read: async (reference, signal) => {
      const shown = await within(signal, (client) => readWith(parts, client, reference));
      if (!(shown instanceof CallFailure)) return { kind: 'found', value: shown };
      return shown.isMissing ? { kind: 'absent' } : { kind: 'unavailable', reason: shown.message };
    },
    stage: async (request, signal) =>
      endedAs(
        await within(signal, (client) => stageWith(parts, client, request), UPLOAD_TIMEOUT_MS),
      ),
    submit: async (request, signal) =>
      endedAs(
        await within(signal, (client) => submitWith(parts, client, request), UPLOAD_TIMEOUT_MS),
      ),
    accept: async (reference, key, signal) =>
      endedAs(await within(signal, (client) => acceptWith(parts, client, { reference, key }))),
  };
  return disputes;
}

async function readWith<Client>(
  { read }: DisputeCalls<Client>,
  client: Client,
  reference: string,
): Promise<ProcessorDispute> {
  const dispute = await read(client, reference);
  if (dispute === null) throw missing();
  return sameAs(dispute, reference);
}

async function stageWith<Client>(
  parts: DisputeCalls<Client>,
  client: Client,
  request: FileRequest,
): Promise<EvidenceOutcome<StagedFile>> {
  const shown = await readWith(parts, client, request.disputeReference);
  const unfit = unfitFile(shown, request);
  if (unfit !== undefined) return unfit;
  const file = await parts.stage(client, request);
  return file?.slot === request.slot
    ? { kind: 'done', value: file }
    : { kind: 'unknown', reason: 'the answer shows no staged file' };
}

async function submitWith<Client>(
  parts: DisputeCalls<Client>,
  client: Client,
  request: SubmissionRequest,
): Promise<EvidenceOutcome<ProcessorDispute>> {
  const { disputeReference: reference, idempotencyKey: key } = request;
  const shown = await readWith(parts, client, reference);
  const end = endBefore(shown, key) ?? unfitSubmission(shown, request);
  if (end !== undefined) return end;
  const answered = await parts.submit(client, request, shown);
  const after = await afterwards(parts, client, { answered, reference });
  return typeof after === 'string' ? { kind: 'unknown', reason: after } : submittedAs(after, key);
}

async function acceptWith<Client>(
  parts: DisputeCalls<Client>,
  client: Client,
  { reference, key }: { readonly reference: string; readonly key: string },
): Promise<EvidenceOutcome<ProcessorDispute>> {
  const shown = await readWith(parts, client, reference);
  if (shown.status === 'accepted') return { kind: 'done', value: shown };
  if (shown.submission !== null) return ALREADY;
  if (shown.status !== 'needs_response') return closed(shown);
  const answered = await parts.accept(client, key, shown);
  const after = await afterwards(parts, client, { answered, reference });
  if (typeof after === 'string') return { kind: 'unknown', reason: after };
  return after.status === 'accepted'
    ? { kind: 'done', value: after }
    : { kind: 'unknown', reason: `the dispute is shown as ${after.status}` };
}

/** The dispute once something was sent; a text: why it cannot be told. Whatever the read says, it refuses nothing. */
async function afterwards<Client>(
  parts: DisputeCalls<Client>,
  client: Client,
  wanted: { readonly answered: ProcessorDispute | string | null; readonly reference: string },
): Promise<ProcessorDispute | string> {
  const { answered, reference } = wanted;
  try {
    return answered === null
      ? await readWith(parts, client, reference)
      : sameAs(answered, reference);
  } catch (error) {
    return error instanceof CallFailure ? error.message : 'the answer cannot be read';
  }
}

type Ended = Exclude<EvidenceOutcome<never>, { readonly kind: 'done' }>;

const ANOTHER = 'the provider answered another dispute';

const ALREADY = {
  kind: 'rejected',
  failureCode: 'already_submitted',
  failureClass: 'done',
} as const;

function missing(): CallFailure {
  const refusal = { code: 'dispute_not_found', failureClass: 'final' } as const;
  return new CallFailure('the provider knows no such dispute', { refusal, isMissing: true });
}

function closed({ status }: ProcessorDispute): Ended {
  return { kind: 'rejected', failureCode: `dispute_${status}`, failureClass: 'final' };
}

function sameAs(dispute: ProcessorDispute | string, reference: string): ProcessorDispute {
  if (typeof dispute === 'string') throw new CallFailure(dispute);
  if (dispute.reference !== reference) throw new CallFailure(ANOTHER);
  return dispute;
}

function endBefore(
  shown: ProcessorDispute,
  key: string,
): EvidenceOutcome<ProcessorDispute> | undefined {
  const { submission, status } = shown;
  if (submission?.idempotencyKey === key) return { kind: 'done', value: shown };
  if (submission !== null) return ALREADY;
  return status === 'needs_response' ? undefined : closed(shown);
}

/** Another key's submission is no answer to this one. */
function submittedAs(after: ProcessorDispute, key: string): EvidenceOutcome<ProcessorDispute> {
  const { submission } = after;
  if (submission === null) return { kind: 'unknown', reason: 'no submission is shown yet' };
  return submission.idempotencyKey === null || submission.idempotencyKey === key
    ? { kind: 'done', value: after }
    : { kind: 'unknown', reason: 'the submission of somebody else is shown' };
}

function outcomeOfFailure(
  { refusal, message }: CallFailure,
  classes: ReadonlyMap<string, FailureClass>,
): Ended {
  if (refusal === null) return { kind: 'unknown', reason: message };
  const { code, failureClass } = refusal;
  const otherwise = failureClass === 'ours' ? 'ours' : 'final';
  return {
    kind: 'rejected',
    failureCode: code,
    failureClass: classes.get(code) ?? otherwise,
  };
}

/** How files of each type begin, in hexadecimal. */
const SIGNATURES = {
  'application/pdf': '255044462d',
  'image/png': '89504e470d0a1a0a',
  'image/jpeg': 'ffd8ff',
} as const;

function refuse(failureCode: string): Ended {
  return { kind: 'rejected', failureCode, failureClass: 'final' };
}

/** Only what the dispute takes is sent: anything else would be refused, or worse, cut. */
function unfitFile(
  { wants }: ProcessorDispute,
  file: Pick<FileRequest, 'slot' | 'type' | 'content'>,
): Ended | undefined {
  const { slot, type, content } = file;
  if (!wants.slots.some(({ name }) => name === slot)) return refuse('unknown_slot');
  const begins = Buffer.from(content.subarray(0, 8)).toString('hex');
  if (!wants.fileTypes.includes(type) || !begins.startsWith(SIGNATURES[type])) {
    return refuse('file_format');
  }
  return content.length > wants.fileBytesMax ? refuse('file_too_large') : undefined;
}

function unfitSubmission(
  shown: ProcessorDispute,
  { fields, files }: SubmissionRequest,
): Ended | undefined {
  const { wants } = shown;
  for (const [name, text] of Object.entries(fields)) {
    const field = wants.fields.find((each) => each.name === name);
    if (field === undefined) return refuse('unknown_field');
    if ([...text].length > field.charsMax) return refuse('text_too_long');
  }
  for (const file of files) {
    const unfit = unfitFile(shown, file);
    if (unfit !== undefined) return unfit;
  }
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (files.length > wants.filesMax || bytes > wants.allBytesMax) return refuse('files_too_large');
  const isGiven = (name: string): boolean => files.some(({ slot }) => slot === name);
  const lacks =
    wants.fields.some(({ name, isRequired }) => isRequired && fields[name] === undefined) ||
    wants.slots.some(({ name, isRequired }) => isRequired && !isGiven(name));
  return lacks ? refuse('evidence_missing') : undefined;
}

/** A page of which one dispute cannot be read is none: that one may be due. */
function pageOf(page: {
  readonly disputes: readonly (ProcessorDispute | string)[];
  readonly cursor: string | null;
}): Answer<DisputePage> {
  const reason = page.disputes.find((each) => typeof each === 'string');
  if (reason !== undefined) return { kind: 'unavailable', reason: `of those listed, ${reason}` };
  const disputes = page.disputes.filter((each) => typeof each !== 'string');
  return { kind: 'found', value: { disputes, cursor: page.cursor } };
}

/** A dispute as a provider shows it, before anybody has looked whether it is all there. */
export type ShownDispute = {
  readonly [Name in Exclude<keyof ProcessorDispute, 'wants' | 'staged' | 'submission'>]:
    | ProcessorDispute[Name]
    | null
    | undefined;
} & Pick<ProcessorDispute, 'wants' | 'staged' | 'submission'>;

/** The dispute, or the reason why it cannot be read. What it is about and when it is due must be readable. */
export function readableDispute(shown: ShownDispute): ProcessorDispute | string {
  const { reference, chargeReference, amountMinor, currency } = shown;
  const status = DISPUTE_STATUSES.find((each) => each === shown.status);
  if (!isText(reference) || !isText(chargeReference)) return 'the dispute names no payment';
  if (status === undefined) return 'the dispute is of no known status';
  if (!isCurrencyCode(currency)) return 'the dispute has no currency';
  const isSum = typeof amountMinor === 'number' && Number.isSafeInteger(amountMinor);
  if (!isSum || amountMinor < 0) return 'the dispute has no readable amount';
  if (shown.dueBy === UNREADABLE) return 'when the dispute is due cannot be read';
  return {
    ...{ reference, chargeReference, amountMinor, currency, status },
    reasonCode: isText(shown.reasonCode) ? shown.reasonCode : null,
    dueBy: shown.dueBy ?? null,
    openedAt: shown.openedAt ?? null,
    acquirerReferenceNumber: isText(shown.acquirerReferenceNumber)
      ? shown.acquirerReferenceNumber
      : null,
    ...{ wants: shown.wants, staged: shown.staged, submission: shown.submission },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** What {@link dueOf} gives for a word that is no moment: a dispute of it is not readable. */
const UNREADABLE = 'unreadable';

/** A provider's word for when a dispute is due, as ISO 8601 UTC; null where it says none. A day is due when it begins. */
export function dueOf(word: unknown): string | null {
  if (word === null || word === undefined || word === '') return null;
  return utcAt({ word }, 'word') ?? UNREADABLE;
}

/** A file for a form. */
export function fileBlob({ content, type }: Pick<FileRequest, 'content' | 'type'>): Blob {
  return new Blob([new Uint8Array(content)], { type });
}
