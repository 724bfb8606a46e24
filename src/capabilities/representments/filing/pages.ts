/** Disputes at the processor: what is handed in for each and when, what is missing, and the words of people about it. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { reasonWords } from '../../../service/wire/code-words.ts';
import type {
  ProcessorDispute,
  ProcessorDisputeStatus,
} from '../../../service/wire/processor-dispute.ts';
import { proven } from '../../../surface/access/needs.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { currentFormats } from '../../../surface/view/locale.ts';
import { amount } from '../../../surface/view/money.ts';
import { pageLink } from '../../../surface/view/page-link.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { nextPage, numeric, tabLinks, table } from '../../../surface/view/table.ts';
import { deadline, moment, timeLeft } from '../../../surface/view/time.ts';
import {
  cursorOf,
  LIMIT_DEFAULT,
  nextCursor,
  plainText,
  read,
} from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  goTo,
  noteExport,
  page,
  readListQuery,
  send,
  sendError,
} from '../../../surface/web/visit.ts';
import { contentHash } from '../files/content-hash.ts';
import { pagePictures, sendPicture } from '../files/send-picture.ts';
import type { PackElement } from '../pack.ts';
import { evidencePacks, filing } from '../settings.ts';
import type { ComposedFile, Composition } from './compose.ts';
import { problemWords } from './compose.ts';
import type { DisputeList, FiledDispute, Word } from './filing.store.ts';
import {
  countFiled,
  DISPUTE_LISTS,
  findDispute,
  findSubmission,
  listFiled,
  noteWord,
} from './filing.store.ts';
import type { DisputeRow, SubmissionRow } from './filing.table.ts';
import type { FilingFacts } from './filing-facts.store.ts';
import { readFilingFacts } from './filing-facts.store.ts';
import { HELD_REASONS } from './plan.ts';
import { prepareFiling } from './prepare.ts';

const LIST = '/representments/disputes';

export function registerDisputes(router: Router, context: PageContext, form: RequestHandler): void {
  const withFound =
    (act: (visit: Visit, found: Found) => Promise<void>) =>
    async (visit: Visit): Promise<void> => {
      const found = await findFiled(visit);
      if (found !== undefined) await act(visit, found);
    };
  route(router, LIST, { get: page(context, 'viewer', list) });
  route(router, `${LIST}/:reference`, { get: page(context, 'viewer', withFound(show)) });
  route(router, `${LIST}/:reference/files/:slot`, {
    get: page(context, 'reviewer', withFound(sendFile)),
  });
  route(router, `${LIST}/:reference/files/:slot/pages/:page`, {
    get: page(context, 'viewer', withFound(sendPage)),
  });
  route(router, `${LIST}/:reference/word`, {
    post: [form, page(context, proven('reviewer', LIST), withFound(say))],
  });
}

function pathOf(reference: string): string {
  return `${LIST}/${encodeURIComponent(reference)}`;
}

const listQuery = z.strictObject({
  state: z.enum(DISPUTE_LISTS).default('open'),
  cursor: cursorOf(z.tuple([z.string().max(60), plainText])).optional(),
});

/** Words of the tabs, in their order. */
const TABS: Readonly<Record<DisputeList, string>> = {
  open: 'To be handed in',
  under_review: 'Under review',
  won: 'Won',
  lost: 'Lost',
  all: 'All',
};

async function list(visit: Visit): Promise<void> {
  const query = readListQuery(visit, listQuery);
  if (query === undefined) return;
  const { state, cursor: after } = query;
  const { options, now } = visit;
  const { db, organisationId } = options;
  const [filed, counts] = await Promise.all([
    listFiled(db, organisationId, { list: state, limit: LIMIT_DEFAULT, after }),
    countFiled(db, organisationId),
  ]);
  const next = nextCursor(filed, LIMIT_DEFAULT, ({ key, dispute }) => [key, dispute.reference]);
  const body = html`<div class="list-page"><p class="crumbs"><a href="/representments">All representments</a></p>
<h1>Disputes at the processor</h1>
<p class="quiet">Evidence is handed in once for each, complete and before it is due, or it is held and people are told.</p>
${tabLinks(
  'State',
  state,
  DISPUTE_LISTS.map((each) => [
    each,
    `${TABS[each]} ${currentFormats().count(counts[each])}`,
    `${LIST}?state=${each}`,
  ]),
)}
${filed.length === 0 ? nothing(visit, { state, known: counts.all }) : disputeTable(filed, now)}
${nextPage(LIST, { state, cursor: next })}</div>`;
  send(visit, { title: 'Disputes at the processor', active: '/representments', body });
}

function nothing(
  { settings }: Visit,
  { state, known }: { readonly state: DisputeList; readonly known: number },
): Html {
  if (known > 0) {
    return emptyState(
      state === 'open' ? 'No evidence is to be handed in.' : 'No dispute is here.',
      html`<a href="${LIST}?state=all">All disputes</a>`,
    );
  }
  const isOn = (settings.of(filing)?.mode ?? null) !== null;
  return emptyState(
    'No dispute is known.',
    isOn
      ? 'When your processor shows a dispute that asks for evidence, it appears here within five minutes.'
      : 'They are read where the policy says evidence: {file: complete} or {file: by_hand}, or FORESTALL_FILING does, with a processor that takes evidence.',
  );
}

function disputeTable(filed: readonly FiledDispute[], now: Date): Html {
  return table({
    label: 'Disputes at the processor',
    columns: [
      'Dispute',
      numeric('Amount'),
      'Reason',
      'At the processor',
      'Due',
      'Left',
      'Evidence',
    ],
    rows: filed.map(({ dispute, submission }) => [
      html`<a href="${pathOf(dispute.reference)}"><code>${dispute.reference}</code></a>`,
      amount(dispute.amount_minor, dispute.currency),
      dispute.reason_code === null ? '–' : reasonWords(dispute.reason_code),
      statusBadge(dispute),
      dispute.due_by === null ? 'not told' : deadline(dispute.due_by),
      isOpen(submission) && dispute.due_by !== null ? timeLeft(dispute.due_by, now) : '–',
      stateWords(submission),
    ]),
  });
}

const STATUS_TONES: Readonly<Partial<Record<ProcessorDisputeStatus, string>>> = {
  won: 'good',
  lost: 'bad',
  expired: 'bad',
  needs_response: 'warn',
};

function statusBadge({ status }: Pick<DisputeRow, 'status'>): Html {
  return html`<span class="state ${STATUS_TONES[status] ?? ''}">${status.replaceAll('_', ' ')}</span>`;
}

function isOpen(submission: SubmissionRow | undefined): boolean {
  return submission !== undefined && submission.next_at !== null;
}

const STATE_WORDS: Readonly<Record<SubmissionRow['state'], readonly [string, string]>> = {
  WAITING: ['', 'goes by itself before it is due'],
  HELD: ['warn', 'held'],
  SENT: ['warn', 'sent; the answer is looked up'],
  ACCEPTING: ['warn', 'is being given up'],
  SUBMITTED: ['good', 'handed in'],
  ELSEWHERE: ['', 'handed in by somebody else'],
  ACCEPTED: ['', 'given up'],
  EXPIRED: ['bad', 'due, and nothing was handed in'],
  CLOSED: ['', 'decided without evidence of ours'],
};

/** Before the first look, or after a person's word, it is not known whether it is sent without a person. */
function waitingWords({
  state,
  asked_by: askedBy,
  attempts,
}: SubmissionRow): readonly [string, string] | undefined {
  if (state !== 'WAITING') return undefined;
  if (askedBy !== null) return ['', 'asked for, and looked at next'];
  return attempts === 0 ? ['', 'not looked at yet'] : undefined;
}

function stateWords(submission: SubmissionRow | undefined): Html {
  if (submission === undefined) return html`<span class="quiet">none is asked for</span>`;
  const [tone, words] = waitingWords(submission) ?? STATE_WORDS[submission.state];
  const { held_reason: reason } = submission;
  return html`<span class="state ${tone}">${words}</span>${reason !== null && html` <span class="quiet">${HELD_REASONS[reason]}</span>`}`;
}

interface Found {
  readonly dispute: DisputeRow;
  readonly submission: SubmissionRow | undefined;
}

async function findFiled(visit: Visit): Promise<Found | undefined> {
  const { db, organisationId } = visit.options;
  const { reference } = visit.request.params;
  const dispute =
    typeof reference === 'string' ? await findDispute(db, organisationId, reference) : undefined;
  if (dispute !== undefined) {
    const submission = await findSubmission(db, organisationId, dispute.reference);
    return { dispute, submission };
  }
  sendError(visit, 404, { title: 'No such dispute', message: 'Check its reference.' });
  return undefined;
}

interface Prepared extends Composition {
  readonly facts: FilingFacts;
}

/** What would be handed in now. */
async function prepare(visit: Visit, { dispute, submission }: Found): Promise<Prepared> {
  const { db, organisationId } = visit.options;
  const shown = asShown(dispute);
  const wanted = {
    dispute: shown,
    chosen: dispute.representment_id,
    rules: visit.settings.of(evidencePacks),
    recorded: submission?.pack_rule ?? null,
  };
  const found = await readFilingFacts(db, organisationId, wanted);
  const composition = await prepareFiling(db, organisationId, { pack: found.pack, dispute: shown });
  return { ...composition, facts: found };
}

function asShown(dispute: DisputeRow): ProcessorDispute {
  return {
    reference: dispute.reference,
    chargeReference: dispute.charge_reference,
    reasonCode: dispute.reason_code,
    amountMinor: dispute.amount_minor,
    currency: dispute.currency,
    status: dispute.status,
    dueBy: dispute.due_by?.toISOString() ?? null,
    openedAt: dispute.opened_at.toISOString(),
    acquirerReferenceNumber: dispute.acquirer_reference_number,
    wants: dispute.wants,
    staged: [],
    submission: null,
  };
}

async function show(visit: Visit, found: Found): Promise<void> {
  const { dispute, submission } = found;
  const prepared = await prepare(visit, found);
  const isReviewer = isAtLeast(visit.who.role, 'reviewer');
  const missing = prepared.facts.pack.elements.filter(({ sentences }) => sentences.length === 0);
  const body = html`<p class="crumbs"><a href="${LIST}">All disputes at the processor</a></p>
<h1>Dispute of ${amount(dispute.amount_minor, dispute.currency)}</h1>
<div class="columns"><section class="card"><h2>The dispute</h2>${disputeFacts(found, prepared.facts.pack.reasonCode, visit.now)}</section>
<section class="card"><h2>The evidence</h2>${submissionFacts(submission)}${isReviewer && submission !== undefined && wordForms(visit, submission, prepared.facts.candidates)}</section></div>
${missingList(missing, prepared)}
<h2>What ${submission?.submitted_at == null ? 'is handed in' : 'would be handed in now'}</h2>
${await fileList(found, prepared, isReviewer)}${fieldList(prepared)}`;
  send(visit, { title: `Dispute ${dispute.reference}`, active: '/representments', body });
}

/** The reason is the representment's where the processor tells none. */
function disputeFacts({ dispute, submission }: Found, reasonCode: string | null, now: Date): Html {
  const { due_by: dueBy, charge_reference: charge, representment_id: representment } = dispute;
  return descriptionList([
    ['Dispute', html`<code>${dispute.reference}</code>`],
    ['At the processor', statusBadge(dispute)],
    ['Reason', reasonCode !== null && reasonWords(reasonCode)],
    ['Evidence due', dueBy === null ? 'not told: ask your processor' : deadline(dueBy)],
    ['Left', isOpen(submission) && dueBy !== null && timeLeft(dueBy, now)],
    [
      'Charge',
      pageLink('/charges/:reference', html`<code>${charge}</code>`, { reference: charge }),
    ],
    ['Acquirer reference', dispute.acquirer_reference_number],
    [
      'Representment',
      representment === ''
        ? 'none, as a person said'
        : representment !== null &&
          html`<a href="/representments/${encodeURIComponent(representment)}"><code>${representment}</code></a>`,
    ],
    ['Seen', moment(dispute.seen_at)],
  ]);
}

function submissionFacts(submission: SubmissionRow | undefined): Html {
  if (submission === undefined) return html`<p class="quiet">The processor asks for none.</p>`;
  const { submitted_at: at, asked_by: askedBy, agreed_by: agreedBy } = submission;
  return descriptionList([
    ['State', stateWords(submission)],
    ['Asked by', askedBy],
    ['Agreed by', agreedBy],
    ['Given up by', submission.given_up_by],
    ['Handed in', at !== null && moment(at)],
    ['By the pack', submission.pack_rule],
    ['Files', submission.staged.length > 0 && submission.staged.map(({ name }) => name).join(', ')],
    ['Last answer', submission.last_error],
  ]);
}

function wordForms(
  { csrfToken, who }: Visit,
  row: SubmissionRow,
  candidates: readonly string[],
): Html | false {
  if (row.state !== 'HELD' && row.state !== 'WAITING') return false;
  const button = (word: Word, words: string, more: { tone?: string; about?: string } = {}): Html =>
    html`<form method="post" action="${pathOf(row.dispute_reference)}/word">${csrfField(csrfToken)}<input type="hidden" name="version" value="${row.version}"><input type="hidden" name="word" value="${word}">${more.about !== undefined && html`<input type="hidden" name="representment" value="${more.about}">`}<button class="small ${more.tone ?? ''}">${words}</button></form>`;
  const giveUp = button('give_up', 'Give the dispute up', { tone: 'plain' });
  if (candidates.length > 1) {
    return html`<p>More than one representment may be about it. Which one is?</p><div class="actions">${candidates.map((id) => button('about', id, { about: id }))}${button('about', 'None of them', { tone: 'plain', about: '' })}${giveUp}</div>`;
  }
  const isSecond = row.held_reason === 'second_person';
  return html`<div class="actions">${
    isSecond
      ? row.asked_by !== who.name && button('agree', 'Agree to hand it in')
      : button('file', 'Hand it in now')
  }${giveUp}</div>`;
}

/** What a person can add, what decides first; and what does not fit. */
function missingList(
  missing: readonly PackElement[],
  { problems, leftOut, facts: { pack } }: Prepared,
): Html | false {
  if (missing.length === 0 && problems.length === 0 && leftOut.length === 0) return false;
  const required = missing.filter(({ isRequired }) => isRequired);
  const adds = (isRequired: boolean): Html => {
    if (!isRequired) return html`<span class="state">helps</span>`;
    const left = required.length - 1;
    return html`<span class="state warn">needed</span> ${left === 0 ? 'With it the pack is complete.' : `Then ${left} more ${left === 1 ? 'is' : 'are'} needed.`}`;
  };
  return html`<h2>What is missing</h2><div class="card">${problems.map(
    (problem) => html`<p><span class="state bad">does not fit</span> ${problemWords(problem)}</p>`,
  )}${leftOut.map(
    (name) =>
      html`<p><span class="state">not taken</span> The processor has no kind of file for “${name}”.</p>`,
  )}${
    missing.length > 0 &&
    descriptionList(
      missing.map(({ label, get, isRequired }) => [
        label,
        html`${adds(isRequired)} <span class="quiet">${get}</span>`,
      ]),
    )
  }<p class="quiet">By the pack ${pack.ruleName}. What is not in the orders can be added as <a href="/representments/documents">a document</a>.</p></div>`;
}

async function fileList(
  { dispute }: Found,
  { files }: Composition,
  isReviewer: boolean,
): Promise<Html> {
  const shown = await Promise.all(
    files.map(async (file) => {
      const path = filePath(dispute.reference, file.slot);
      const title = file.slot.replaceAll('_', ' ');
      const size = `${Math.ceil(file.content.length / 1024)} KB`;
      const pieces =
        file.pieces.length > 1 && ` of ${file.pieces.map(({ name }) => name).join(', ')}`;
      return html`<section aria-label="${title}"><p><strong>${title}</strong> <span class="quiet">${file.name}, ${size}${pieces}</span>${isReviewer && html` <a href="${path}">Download</a>`}</p>${await pagePictures(file, `${path}/pages`, title)}</section>`;
    }),
  );
  return html`${shown}`;
}

function filePath(reference: string, slot: string): string {
  return `${pathOf(reference)}/files/${encodeURIComponent(slot)}`;
}

function fieldList({ fields }: Composition): Html | false {
  const entries = Object.entries(fields);
  if (entries.length === 0) return false;
  return html`<div class="card">${descriptionList(
    entries.map(([name, text]) => [name.replaceAll('_', ' '), lines(text)] as const),
  )}</div>`;
}

function lines(text: string): Html {
  return html`${text.split('\n').map((line, index) => html`${index > 0 && html`<br>`}${line}`)}`;
}

const wordFields = z.strictObject({
  word: z.enum(['file', 'agree', 'give_up', 'about']),
  version: z.coerce.number().int().min(1),
  representment: z.string().max(200).optional(),
});

async function say(visit: Visit, found: Found): Promise<void> {
  const { dispute } = found;
  const { request, options, who, now } = visit;
  const given = fieldOf(request, 'word');
  const fields = read(wordFields, {
    word: given,
    version: fieldOf(request, 'version'),
    representment: given === 'about' ? fieldOf(request, 'representment') : undefined,
  });
  if (!fields.ok) {
    const message = fields.faults.map((fault) => fault.message).join(' ');
    return sendError(visit, 400, { title: 'Nothing was done', message });
  }
  const { word, version, representment: representmentId } = fields.value;
  if (word === 'about' && !(await mayBeAbout(visit, found, representmentId))) {
    return sendError(visit, 400, {
      title: 'Nothing was done',
      message:
        'It is none of the representments that may be about this dispute. Choose one of them.',
    });
  }
  const { organisationId } = options;
  const { reference: disputeReference } = dispute;
  const on = {
    ...{ organisationId, disputeReference, version, operator: who.name, now },
    ...(word === 'about' && representmentId !== undefined ? { representmentId } : {}),
  };
  if (await noteWord(options.db, word, on)) return goTo(visit, pathOf(disputeReference));
  sendError(visit, 409, {
    title: 'Nothing was done',
    message:
      'The evidence has moved since you saw it, or a second person is needed who is not the first. Load the page, and look at it again.',
  });
}

async function mayBeAbout(
  visit: Visit,
  found: Found,
  representmentId: string | undefined,
): Promise<boolean> {
  const { facts: filingFacts } = await prepare(visit, found);
  if (representmentId === '') return filingFacts.candidates.length > 1;
  return representmentId !== undefined && filingFacts.candidates.includes(representmentId);
}

async function fileOf(visit: Visit, found: Found): Promise<ComposedFile | undefined> {
  const { files } = await prepare(visit, found);
  const file = files.find(({ slot }) => slot === visit.request.params['slot']);
  if (file === undefined) {
    sendError(visit, 404, { title: 'No such file', message: 'What is handed in has changed.' });
  }
  return file;
}

async function sendFile(visit: Visit, found: Found): Promise<void> {
  const file = await fileOf(visit, found);
  if (file === undefined) return;
  const { reference: dispute } = found.dispute;
  const hash = contentHash(file.content);
  await noteExport(visit, 'exported evidence for a dispute', { dispute, slot: file.slot, hash });
  visit.response.attachment(file.name);
  visit.response
    .type(file.type)
    .set('content-security-policy', 'sandbox')
    .send(Buffer.from(file.content));
}

async function sendPage(visit: Visit, found: Found): Promise<void> {
  const file = await fileOf(visit, found);
  if (file !== undefined) await sendPicture(visit, file);
}
