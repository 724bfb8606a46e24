/** One representment: its pack with what is held and missing, the draft as files, and what was sent. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { isRemoteId } from '../../base/kernel/ids.ts';
import { plainly } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { amount } from '../../surface/view/money.ts';
import { pageLink } from '../../surface/view/page-link.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { deadline, moment, timeLeft } from '../../surface/view/time.ts';
import { note, plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import {
  fieldOf,
  filledField,
  goTo,
  noteExport,
  page,
  send,
  sendError,
} from '../../surface/web/visit.ts';
import type { RowRef, Sentence } from './claim.ts';
import { draftHtml } from './draft-html.ts';
import { draftPdf } from './draft-pdf.ts';
import { heldWords, plainWord, representmentPath } from './list-page.ts';
import type { Pack, PackElement } from './pack.ts';
import { rowWords } from './pack.ts';
import { readPack } from './read-pack.ts';
import type { RepresentmentRow } from './representment-list.store.ts';
import {
  findRepresentment,
  isOpenDispute,
  noteSending,
  sentPacks,
} from './representment-pack.store.ts';
import type { SentPack } from './representment-pack.table.ts';
import { evidencePacks } from './settings.ts';

export function registerRepresentment(
  router: Router,
  context: PageContext,
  form: RequestHandler,
): void {
  const withPack =
    (act: (visit: Visit, found: Found) => Promise<void>) =>
    async (visit: Visit): Promise<void> => {
      const found = await findPack(visit);
      if (found !== undefined) await act(visit, found);
    };
  route(router, '/representments/:id', { get: page(context, 'viewer', withPack(show)) });
  route(router, '/representments/:id/pack.html', {
    get: page(context, 'reviewer', withPack(sendHtmlFile)),
  });
  route(router, '/representments/:id/pack.pdf', {
    get: page(context, 'reviewer', withPack(sendPdfFile)),
  });
  route(router, '/representments/:id/sent', {
    post: [form, page(context, plainly('reviewer'), withPack(noteSent))],
  });
}

interface Found {
  readonly row: RepresentmentRow;
  readonly pack: Pack;
}

async function findPack(visit: Visit): Promise<Found | undefined> {
  const { db, organisationId } = visit.options;
  const id = visit.request.params['id'];
  const row =
    typeof id === 'string' && isRemoteId(id)
      ? await findRepresentment(db, organisationId, id)
      : undefined;
  if (row === undefined) {
    sendError(visit, 404, { title: 'No such representment', message: 'Check its id.' });
    return undefined;
  }
  const rules = visit.settings.of(evidencePacks);
  return { row, pack: await readPack(db, { organisationId, representment: row, rules }) };
}

async function show(visit: Visit, { row, pack }: Found): Promise<void> {
  const { options, now, who } = visit;
  const sent = await sentPacks(options.db, options.organisationId, [row.id]);
  const isReviewer = isAtLeast(who.role, 'reviewer');
  const path = representmentPath(row.id);
  const body = html`<p class="crumbs"><a href="/representments">All representments</a></p>
<div class="bar"><h1>Dispute of ${amount(row.amount_minor, row.currency)}</h1>${isReviewer && html`<span class="actions"><a class="button small" href="${path}/pack.pdf" download>Draft as PDF</a><a class="button plain small" href="${path}/pack.html" download>As HTML</a></span>`}</div>
<div class="columns whole"><section class="card"><h2>The dispute</h2>${disputeFacts({ row, pack }, now)}</section>
<section class="card"><h2>What was sent</h2>${sentList(sent, pack)}${isReviewer && sentForm(visit, { row, pack })}</section></div>
<h2>Required</h2>${elementList(pack.elements.filter(({ isRequired }) => isRequired))}
<h2>Helpful</h2>${elementList(pack.elements.filter(({ isRequired }) => !isRequired))}
<p class="quiet">By the pack ${pack.ruleName}, “${pack.rule.title}”; source: ${pack.rule.source}; confidence: ${pack.rule.confidence}. Read what your bank asks for beside it.</p>`;
  send(visit, { title: `Representment ${row.id}`, active: '/representments', body });
}

function disputeFacts({ row, pack }: Found, now: Date): Html {
  const { dispute_due_by: dueBy } = row;
  return descriptionList([
    ['Representment', html`<code>${row.id}</code>`],
    ['Status', plainWord(row.dispute_status)],
    ['Reason code', pack.reasonCode],
    ['Evidence due', dueBy === null ? 'not told: ask your processor' : deadline(dueBy)],
    ['Left', isOpenDispute(row) && dueBy !== null && timeLeft(dueBy, now)],
    [
      'Charge',
      row.transaction_reference_id !== null &&
        pageLink('/charges/:reference', html`<code>${row.transaction_reference_id}</code>`, {
          reference: row.transaction_reference_id,
        }),
    ],
    ['Acquirer reference', row.acquirer_reference_number],
    ['Required', heldWords(pack)],
    ['Draft', html`<code>${pack.contentHash}</code>`],
  ]);
}

function elementList(elements: readonly PackElement[]): Html {
  return html`<div class="card">${descriptionList(elements.map((each) => [each.label, elementWords(each)]))}</div>`;
}

function elementWords({ sentences, isRequired, get }: PackElement): Html {
  if (sentences.length > 0) return html`${sentences.map(said)}`;
  return html`<span class="state ${isRequired ? 'bad' : ''}">missing</span> <span class="quiet">${get}</span>`;
}

function said({ text, cites }: Sentence, index: number): Html {
  return html`${index > 0 && html`<br>`}${text} <span class="quiet">${cites.map((row, place) => html`${place > 0 && ', '}${rowLink(row)}`)}</span>`;
}

function rowLink(row: RowRef): Html {
  const { table: name, id } = row;
  const words = rowWords(row);
  if (name === 'order_record')
    return html`<a href="/orders/${encodeURIComponent(id)}">${words}</a>`;
  if (name === 'charge') return pageLink('/charges/:reference', words, { reference: id });
  return html`${words}`;
}

function sentList(sent: readonly SentPack[], pack: Pack): Html {
  if (sent.length === 0) return html`<p class="quiet">Nothing is noted as sent.</p>`;
  return html`${table({
    label: 'Versions that were sent',
    columns: [numeric('Version'), 'Sent', 'By', 'Through', 'Draft', 'What came of it'],
    rows: sent.map((each) => [
      each.version,
      moment(each.sent_at),
      each.sent_by,
      each.sent_through ?? '–',
      html`<code>${each.content_hash}</code>${each.content_hash === pack.contentHash && ' (as it stands)'}`,
      each.outcome === null ? 'open' : each.outcome,
    ]),
  })}`;
}

function sentForm({ csrfToken }: Visit, { row, pack }: Found): Html {
  return html`<form method="post" action="${representmentPath(row.id)}/sent">${csrfField(csrfToken)}<input type="hidden" name="hash" value="${pack.contentHash}">
<label for="through">Handed in through</label><input id="through" name="through" maxlength="100" autocomplete="off" placeholder="the processor’s portal">
<label for="note">Note, files that were added</label><textarea id="note" name="note" rows="2" maxlength="500"></textarea>
<p class="actions"><button class="small">I handed in this draft</button></p></form>`;
}

const sentFields = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  through: plainText.max(100).optional(),
  note: note.optional(),
});

async function noteSent(visit: Visit, { row, pack }: Found): Promise<void> {
  const { request, options, who, now } = visit;
  const fields = read(sentFields, {
    hash: fieldOf(request, 'hash'),
    through: filledField(request, 'through'),
    note: filledField(request, 'note'),
  });
  if (!fields.ok) {
    const message = fields.faults.map((fault) => fault.message).join(' ');
    return sendError(visit, 400, { title: 'Not noted', message });
  }
  if (fields.value.hash !== pack.contentHash) {
    const message =
      'Our rows say something else by now than the draft you saw. Load the page, and look at the new draft.';
    return sendError(visit, 409, { title: 'Not noted', message });
  }
  const { organisationId } = options;
  const { through, note: text } = fields.value;
  const sending = {
    organisationId,
    pack,
    representment: row,
    through,
    note: text,
    operator: who.name,
    now,
  };
  const version = await noteSending(options.db, sending);
  if (version === undefined) {
    sendError(visit, 409, {
      title: 'Not noted',
      message: 'This very draft is noted as sent already.',
    });
  } else goTo(visit, representmentPath(row.id));
}

async function sendHtmlFile(visit: Visit, { pack }: Found): Promise<void> {
  const content = draftHtml(pack);
  await sendFile(visit, pack, { ending: 'html', type: 'text/html; charset=utf-8', content });
}

async function sendPdfFile(visit: Visit, { pack }: Found): Promise<void> {
  const content = await draftPdf(pack, visit.now);
  await sendFile(visit, pack, { ending: 'pdf', type: 'application/pdf', content });
}

/** The draft names the customer: who took it out is written down. */
async function sendFile(
  visit: Visit,
  pack: Pack,
  file: { readonly ending: string; readonly type: string; readonly content: string | Buffer },
): Promise<void> {
  const { representmentId: representment, contentHash: hash } = pack;
  await noteExport(visit, 'exported a pack of evidence', { representment, hash });
  const name = `${representment}-${hash}.${file.ending}`;
  visit.response
    .status(200)
    .set({ 'content-type': file.type, 'content-disposition': `attachment; filename="${name}"` })
    .send(file.content);
}
