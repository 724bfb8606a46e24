/** The library of documents: what is in force when, the form that adds one, and each as the bank sees it. */
import type { RequestHandler, Router } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { currentFormats } from '../../../surface/view/locale.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import { fileOf } from '../../../surface/web/attached-file.ts';
import { createFileForm } from '../../../surface/web/file-form.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { fieldOf, filledField, goTo, page, send, sendError } from '../../../surface/web/visit.ts';
import { pagePictures, sendPicture } from '../files/send-picture.ts';
import { evidencePacks } from '../settings.ts';
import type { Act, ListedDocument } from './document.store.ts';
import { addDocument, endDocument, listDocuments, readDocument } from './document.store.ts';
import { daysWords, documentDay, documentWords, notAddedWords } from './document-words.ts';
import { DOCUMENT_BYTES_MAX, DOCUMENT_PAGES_MAX, readFile } from './read-file.ts';

const LIST = '/representments/documents';

const TYPE_WORDS = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
} as const satisfies Record<ListedDocument['type'], string>;

export function registerDocuments(
  router: Router,
  context: PageContext,
  form: RequestHandler,
): void {
  const withFile = createFileForm(context.auth, form, DOCUMENT_BYTES_MAX);
  route(router, LIST, {
    get: page(context, 'viewer', list),
    post: [withFile, page(context, plainly('administrator'), add)],
  });
  route(router, `${LIST}/:id`, { get: page(context, 'viewer', show) });
  route(router, `${LIST}/:id/pages/:page`, { get: page(context, 'viewer', picture) });
  route(router, `${LIST}/:id/end`, {
    post: [form, page(context, plainly('administrator'), end)],
  });
}

function pathOf(id: string): string {
  return `${LIST}/${encodeURIComponent(id)}`;
}

async function list(visit: Visit): Promise<void> {
  const { options, who } = visit;
  const documents = await listDocuments(options.db, options.organisationId);
  const body = html`<p class="crumbs"><a href="/representments">All representments</a></p>
<h1>Documents</h1>
<p class="quiet">What the orders do not hold: refund policy, terms, descriptions, screenshots. A pack takes the version that was in force on the day of the purchase.</p>
${
  documents.length === 0
    ? emptyState(
        'There is no document.',
        'Add the refund policy first: most packs for cancelled purchases ask for it.',
      )
    : documentTable(visit, documents)
}
${isAtLeast(who.role, 'administrator') ? addForm(visit) : html`<p class="card quiet">An administrator adds documents here.</p>`}`;
  send(visit, { title: 'Documents', active: '/representments', body });
}

function documentTable(visit: Visit, documents: readonly ListedDocument[]): Html {
  return table({
    label: 'Documents',
    columns: ['Document', 'Shows', 'For', 'In force', numeric('Pages')],
    rows: documents.map((each) => [
      html`<a href="${pathOf(each.id)}">${each.name}</a>`,
      labelOf(visit, each.element),
      aboutWords(each),
      dayRange(each),
      each.pages,
    ]),
  });
}

/** On which days it is in force, as the reader writes days. */
function dayRange(document: ListedDocument): string {
  const { day } = currentFormats();
  return daysWords(document, (each) => day(new Date(each)));
}

function labelOf({ settings }: Visit, element: ListedDocument['element']): string {
  return settings.of(evidencePacks).elements[element]?.label ?? element;
}

function aboutWords({ language, product, orderReference }: ListedDocument): Html {
  const about = [
    orderReference !== null &&
      html`order <a href="/orders/${encodeURIComponent(orderReference)}">${orderReference}</a>`,
    product !== null && html`product ${product}`,
    language !== null && html`language ${language}`,
  ].filter((each) => each !== false);
  if (about.length === 0) return html`all orders`;
  return html`${about.map((each, index) => html`${index > 0 && ', '}${each}`)}`;
}

function addForm(visit: Visit): Html {
  const elements = Object.entries(visit.settings.of(evidencePacks).elements);
  const today = visit.now.toISOString().slice(0, 10);
  return html`<h2>Add a document</h2>
<form method="post" enctype="multipart/form-data" action="${LIST}" class="card">${csrfField(visit.csrfToken)}
<p class="quiet" id="document-hint">A PDF, PNG, JPEG or text of at most ${DOCUMENT_BYTES_MAX / 1_048_576} MB and ${DOCUMENT_PAGES_MAX} pages, without card numbers. With the name of one that is here it is its new version, and ends the one before. What names a customer is added with its order: it is erased with them.</p>
<div class="filters"><div><label for="document-file">File</label><input id="document-file" name="file" type="file" accept=".pdf,.png,.jpg,.jpeg,.txt" required aria-describedby="document-hint"></div>
<div class="wide-field"><label for="document-element">Shows</label><select id="document-element" name="element">${elements.map(
    ([name, { label }]) =>
      html`<option value="${name}"${name === 'refund_policy' && html` selected`}>${label}</option>`,
  )}</select></div>
<div><label for="document-name">Name</label><input id="document-name" name="name" maxlength="120" required autocomplete="off" placeholder="Refund policy"></div>
<div><label for="document-from">In force from</label><input id="document-from" name="validFrom" type="date" value="${today}" required></div>
<div><label for="document-until">Last day</label><input id="document-until" name="validUntil" type="date"></div>
<div><label for="document-language">Language</label><input id="document-language" name="language" maxlength="3" autocomplete="off" placeholder="any, or de"></div>
<div><label for="document-product">Product</label><input id="document-product" name="product" maxlength="200" autocomplete="off" placeholder="any, or its number"></div>
<div><label for="document-order">Order</label><input id="document-order" name="orderReference" maxlength="255" autocomplete="off" placeholder="any, or its reference"></div></div>
<p class="actions"><button class="small">Add the document</button></p></form>`;
}

function actOf({ options, who, now }: Visit): Act {
  return { organisationId: options.organisationId, actor: `operator:${who.name}`, now };
}

async function add(visit: Visit): Promise<void> {
  const { request, options, now } = visit;
  const refuse = (message: string, status: 400 | 409 = 400): void =>
    sendError(visit, status, { title: 'Nothing was added', message });
  const given = fileOf(request);
  const fields = read(documentWords, {
    element: fieldOf(request, 'element'),
    name: fieldOf(request, 'name'),
    language: filledField(request, 'language') ?? null,
    product: filledField(request, 'product') ?? null,
    orderReference: filledField(request, 'orderReference') ?? null,
    validFrom: fieldOf(request, 'validFrom'),
    validUntil: filledField(request, 'validUntil') ?? null,
  });
  if (!fields.ok) return refuse(fields.faults.map((fault) => fault.message).join(' '));
  if (given === undefined) return refuse('No file came with the form. Choose one.');
  const words = fields.value;
  const reading = await readFile(given.body, { title: words.name, now });
  if (!reading.ok) return refuse(reading.message);
  const added = await addDocument(options.db, actOf(visit), { words, file: reading.file });
  if (added.kind !== 'added') return refuse(notAddedWords(added), 409);
  goTo(visit, pathOf(added.id));
}

type Found = ListedDocument & { readonly body: Buffer };

async function find(visit: Visit): Promise<Found | undefined> {
  const { db, organisationId } = visit.options;
  const document = await readDocument(db, organisationId, String(visit.request.params['id']));
  if (document === undefined) {
    sendError(visit, 404, { title: 'No such document', message: 'It may have been removed.' });
  }
  return document;
}

async function show(visit: Visit): Promise<void> {
  const document = await find(visit);
  if (document === undefined) return;
  const { id, name, type, body: content } = document;
  const pictures = await pagePictures({ type, content }, `${pathOf(id)}/pages`, name);
  const body = html`<p class="crumbs"><a href="${LIST}">All documents</a></p>
<h1>${name}</h1>
<div class="columns"><section class="card"><h2>The document</h2>${descriptionList([
    ['Document', html`<code>${id}</code>`],
    ['Shows', labelOf(visit, document.element)],
    ['For', aboutWords(document)],
    ['In force', dayRange(document)],
    ['File', `${TYPE_WORDS[type]}, ${Math.ceil(document.byteCount / 1024)} KB`],
    ['Added', html`${moment(document.addedAt)} by ${document.addedBy}`],
  ])}</section>${isAtLeast(visit.who.role, 'administrator') && endForm(visit, document)}</div>
<h2>As the bank sees it</h2>${pictures}`;
  send(visit, { title: name, active: '/representments', body });
}

function endForm({ csrfToken, now }: Visit, { id, validFrom, validUntil }: Found): Html | false {
  if (validUntil !== null && validUntil < validFrom) return false;
  const last = validUntil ?? now.toISOString().slice(0, 10);
  return html`<section class="card"><h2>End it</h2><form method="post" action="${pathOf(id)}/end">${csrfField(csrfToken)}
<p class="quiet" id="end-hint">Orders after its last day are no longer answered with it. A new version ends it by itself.</p>
<label for="last-day">Last day</label><input id="last-day" name="lastDay" type="date" value="${last}" required aria-describedby="end-hint">
<p class="actions"><button class="small plain">End it on this day</button></p></form></section>`;
}

async function end(visit: Visit): Promise<void> {
  const document = await find(visit);
  if (document === undefined) return;
  const { id } = document;
  const lastDay = read(documentDay, fieldOf(visit.request, 'lastDay'));
  if (!lastDay.ok) {
    const message = 'The last day must be a day, for example 2026-03-31.';
    return sendError(visit, 400, { title: 'Nothing was done', message });
  }
  const act = actOf(visit);
  if (await endDocument(visit.options.db, act, { id, lastDay: lastDay.value })) {
    return goTo(visit, pathOf(id));
  }
  const message = 'It is not in force after that day. A later day needs a new version.';
  sendError(visit, 409, { title: 'Nothing was done', message });
}

async function picture(visit: Visit): Promise<void> {
  const document = await find(visit);
  if (document !== undefined) await sendPicture(visit, { ...document, content: document.body });
}
