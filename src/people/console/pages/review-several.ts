/**
 * Several reviews at once: refund them, accept them, hand them over, and what capabilities can do with them. One confirmation
 * names how many there are and how much money they are about, by currency; each is then done by itself, and what could not
 * be done is named.
 */
import type { RequestHandler, Router } from 'express';
import type { CaseRow } from '../../../alerts/cases/case.store.ts';
import { findCase } from '../../../alerts/cases/case.store.ts';
import { caseEtag } from '../../../alerts/cases/case-etag.ts';
import { CASE_STATES } from '../../../alerts/cases/case-state.ts';
import { listAlertPage } from '../../../alerts/list/alert-list.store.ts';
import { handOverReview } from '../../../alerts/review/review.ts';
import type { Review } from '../../../alerts/review/review-queue.store.ts';
import { listReviews } from '../../../alerts/review/review-queue.store.ts';
import { counted } from '../../../base/kernel/counted.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import { asAsked } from '../../../surface/access/needs.ts';
import type { SeveralAct, Ticked } from '../../../surface/on-reviews.ts';
import { shortReason } from '../../../surface/view/codes.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount, money, moneyText } from '../../../surface/view/money.ts';
import { BACKGROUND, csrfField } from '../../../surface/view/shell.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { moment, shortTimeLeft } from '../../../surface/view/time.ts';
import { nextWords, stateBadge } from '../../../surface/view/words.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import { LIMIT_DEFAULT, NOTE_LENGTH_MAX, note, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  fieldsOf,
  filledField,
  goTo,
  goToConfirm,
  page,
  send,
  sendError,
} from '../../../surface/web/visit.ts';
import { severalActs } from '../page-parts.ts';
import { missingOf, stopOfAction } from './decide-form.ts';
import { ledgerOf } from './read-detail.ts';
import { colleaguesOf, NO_COLLEAGUE, refusalOf } from './review-acts.ts';

const REFUND: SeveralAct = {
  name: 'refund',
  button: 'Refund…',
  command: 'Refund the ticked ones',
  effect:
    'Each is decided by itself: Forestall refunds what is missing of it at the processor, after its usual checks, and then tells the service. Limits, the second person and the kill switch hold for each as if it were decided alone. Money moves and the answers are final. One that changed since this page was made is left out and named.',
  title: (count, sum) => `Refund ${counted(count, 'alert')}: ${sum}?`,
  note: { label: 'Reason, kept with each', isNeeded: true },
  carryOut: async (visit, ticked) => await decideOne(visit, 'REFUND', ticked),
};

const ACCEPT: SeveralAct = {
  name: 'accept',
  button: 'Accept…',
  command: 'Accept the ticked ones',
  effect:
    'No money moves; the service is told for each of them that the dispute may continue. The answers are final. One for which money went back already is left out: decide it on its own page.',
  title: (count, sum) => `Accept ${counted(count, 'dispute')}: ${sum}?`,
  note: { label: 'Note on each (optional)', isNeeded: false },
  carryOut: async (visit, ticked) => await decideOne(visit, 'ACCEPT_DISPUTE', ticked),
};

const HAND_OVER: SeveralAct = {
  name: 'hand-over',
  button: 'Hand over…',
  command: 'Hand the ticked ones over',
  effect:
    'Each is then your colleague’s for half an hour; the deadlines stay. A review that a colleague holds stays with them.',
  title: (count, sum) => `Hand over ${counted(count, 'review')}: ${sum}?`,
  carryOut: async ({ options, who, now }, { alertId, to = '' }) => {
    const { db, organisationId } = options;
    const act = { organisationId, alertId, operator: who.name, now };
    return refusalOf(await handOverReview(db, act, to));
  },
};

const ACTS: readonly SeveralAct[] = [REFUND, ACCEPT, HAND_OVER, ...severalActs];

export function registerSeveral(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/reviews/several', {
    get: page(context, 'reviewer', confirm),
    post: [form, page(context, asAsked('reviewer'), carryOut)],
  });
  route(router, '/reviews/several/done', { get: page(context, 'viewer', showDone) });
}

/** What can be done with those that are ticked; the confirmation names how many, and how much. */
export function severalBar(from: string): Html {
  return html`<form id="several" class="several" action="/reviews/several" method="get"><input type="hidden" name="from" value="${from}">
<span class="quiet" data-picked aria-live="polite">With those ticked:</span>
${ACTS.map(
  ({ name, button, command }) =>
    html`<button class="plain small" name="act" value="${name}" data-command="${command}">${button}</button>`,
)}</form>`;
}

/** Where one review is handed over, and goes back to these filters. */
export function handOverPath(alertId: string, from: string): string {
  const query = new URLSearchParams({ act: HAND_OVER.name, id: alertId });
  if (from !== '') query.set('from', from);
  return `/reviews/several?${query}`;
}

interface Picked {
  readonly act: SeveralAct;
  readonly ids: readonly string[];
  /** The filters to go back to. */
  readonly from: string;
}

function pickedOf(params: URLSearchParams): Picked | undefined {
  const act = ACTS.find(({ name }) => name === params.get('act'));
  const ids = [...new Set(params.getAll('id'))];
  if (act === undefined || ids.length === 0 || ids.length > LIMIT_DEFAULT) return undefined;
  return { act, ids, from: new URLSearchParams(params.get('from') ?? '').toString() };
}

function backTo(from: string, extra = ''): string {
  const query = [from, extra].filter((part) => part !== '').join('&');
  return query === '' ? '/reviews' : `/reviews?${query}`;
}

async function confirm(visit: Visit): Promise<void> {
  const { originalUrl } = visit.request;
  const picked = pickedOf(new URL(originalUrl, 'http://console').searchParams);
  if (picked === undefined) {
    return sendError(visit, 400, {
      title: 'Nothing is ticked',
      message: `Tick one to ${LIMIT_DEFAULT} reviews, then choose what to do with them.`,
    });
  }
  if (mustProve(visit, picked)) return;
  await sendConfirmation(visit, picked);
}

/** Sends a person to prove who they are, when money would move; they come back to the confirmation. */
function mustProve(visit: Visit, picked: Picked): boolean {
  if (picked.act !== REFUND || isFresh(visit.caller, visit.now)) return false;
  goToConfirm(visit, `/reviews/several?${addressOf(picked)}`);
  return true;
}

function addressOf({ act, ids, from }: Picked): string {
  const query = new URLSearchParams({ act: act.name, ...(from === '' ? {} : { from }) });
  for (const id of ids) query.append('id', id);
  return query.toString();
}

async function sendConfirmation(visit: Visit, picked: Picked, fault?: string): Promise<void> {
  const { act, ids, from } = picked;
  const { db, organisationId } = visit.options;
  const reviews = await readPicked(visit, ids);
  if (reviews.length === 0) {
    return sendError(visit, 409, {
      title: 'None of them waits any more',
      message: 'Somebody decided them, you perhaps in another tab, or Forestall did.',
      next: { path: backTo(from), words: 'Back to the reviews' },
    });
  }
  const cases = await Promise.all(
    reviews.map(({ alertId }) => findCase(db, organisationId, alertId)),
  );
  const rows = cases.filter((row) => row !== undefined);
  const marks = rows.map((row) => `${row.alert_id} ${caseEtag(row)}`);
  const gone = ids.length - reviews.length;
  const refunds = act === REFUND ? await readRefunds(visit, rows) : undefined;
  const chosen = reviews.filter(({ alertId }) => refunds?.get(alertId) !== null);
  if (chosen.length === 0) {
    return sendError(visit, 409, {
      title: 'None of them can be refunded here',
      message: 'No charge is chosen for any of them. Open each and choose its charge first.',
      next: { path: backTo(from), words: 'Back to the reviews' },
    });
  }
  const title = titleOf(act, chosen, refunds);
  const stop = act === REFUND ? stopOfAction('REFUND', visit.health) : undefined;
  const body = html`<p class="crumbs"><a href="${backTo(from)}">Back to the reviews</a></p><h1>${title}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${stop !== undefined && html`<p class="banner error" role="alert"><strong>Nothing is sent now:</strong> ${stop.detail}. Your decisions are kept, and carried out once that is over, for each whose deadline has not passed by then.</p>`}
${chosen.length < reviews.length && html`<p class="banner">${reviews.length - chosen.length} of those ticked ${reviews.length - chosen.length === 1 ? 'has' : 'have'} no charge chosen and ${reviews.length - chosen.length === 1 ? 'is' : 'are'} left out: choose it on the page of the alert first.</p>`}
${gone > 0 && html`<p class="banner">${gone} of those ticked ${gone === 1 ? 'does' : 'do'} not wait any more and ${gone === 1 ? 'is' : 'are'} left out.</p>`}
<form method="post" action="/reviews/several" class="card">${csrfField(visit.csrfToken)}
<input type="hidden" name="act" value="${act.name}"><input type="hidden" name="from" value="${from}">
${chosen.map(({ alertId }) => html`<input type="hidden" name="id" value="${alertId}">`)}
${marks.map((mark) => html`<input type="hidden" name="seen" value="${mark}">`)}
<p>${act.effect}</p>
${await actFields(visit, act, title.replace(/\?$/, ''))}
<p class="actions">${(await canAct(visit, act)) && html`<button>${title.replace(/\?$/, '')}</button>`}<a class="button plain" href="${backTo(from)}" data-key="Escape">Cancel</a></p></form>
<h2>Which</h2>${pickedTable(visit, chosen, refunds)}`;
  send(visit, { status: fault === undefined ? 200 : 400, title, active: '/reviews', body });
}

/** There is no colleague to hand over to: there is nothing to press. */
async function canAct(visit: Visit, act: SeveralAct): Promise<boolean> {
  return act !== HAND_OVER || (await colleaguesOf(visit)).length > 0;
}

/** What a refund would send now; null where no charge is chosen. */
type Refunds = ReadonlyMap<string, Money | null>;

async function readRefunds(visit: Visit, cases: readonly CaseRow[]): Promise<Refunds> {
  const refunds = new Map<string, Money | null>();
  for (const row of cases) {
    const ledger = await ledgerOf(visit, row);
    refunds.set(
      row.alert_id,
      missingOf(ledger, row.dispute_id) ?? (await amountOfAlert(visit, row)),
    );
  }
  return refunds;
}

/** Before its dispute is on the charge's account an alert is refunded by its own amount. */
async function amountOfAlert(visit: Visit, row: CaseRow): Promise<Money | null> {
  if (row.charge_reference === null) return null;
  const [review] = await readPicked(visit, [row.alert_id]);
  const { amountMinor = null, currency = null } = review ?? {};
  return amountMinor === null || currency === null ? null : { amountMinor, currency };
}

function titleOf(act: SeveralAct, reviews: readonly Review[], refunds?: Refunds): string {
  const moved =
    refunds === undefined ? reviews : reviews.flatMap(({ alertId }) => refunds.get(alertId) ?? []);
  return act.title(reviews.length, sumText(moved));
}

export function sumText(reviews: readonly Pick<Review, 'amountMinor' | 'currency'>[]): string {
  const sums = new Map<string, number>();
  let unknown = 0;
  for (const { amountMinor, currency } of reviews) {
    if (amountMinor === null || currency === null) unknown += 1;
    else sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  }
  const known = [...sums].map(([currency, amountMinor]): Money => ({ currency, amountMinor }));
  const words = known
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
    .map((sum) => moneyText(sum));
  return [...words, ...(unknown === 0 ? [] : [`${unknown} without an amount`])].join(' + ');
}

async function actFields(visit: Visit, act: SeveralAct, title: string): Promise<Html> {
  if (act === HAND_OVER) {
    const colleagues = await colleaguesOf(visit);
    if (colleagues.length === 0) return html`<p class="banner">${NO_COLLEAGUE}</p>`;
    return html`<label for="to">Colleague</label><select id="to" name="to" required autofocus>${colleagues.map((name) => html`<option>${name}</option>`)}</select>`;
  }
  if (act.note === undefined) return html``;
  const { label, isNeeded } = act.note;
  return html`<label for="note">${label}</label>
<textarea id="note" name="note" rows="3" maxlength="${NOTE_LENGTH_MAX}" autofocus${isNeeded && html` required`} aria-label="${label}: ${title}"></textarea>`;
}

function pickedTable({ now }: Visit, reviews: readonly Review[], refunds?: Refunds): Html {
  const sent = (alertId: string): Html => {
    const one = refunds?.get(alertId);
    return one == null ? html`` : money(one);
  };
  return table({
    label: 'The reviews',
    columns: [
      'Alert',
      numeric('Amount'),
      ...(refunds === undefined ? [] : [numeric('Goes out')]),
      ...['Card', 'Reason', 'Acts in', 'Who'],
    ],
    rows: reviews.map((review) => [
      html`<a href="${alertPath(review.alertId)}">${review.alertId}</a>`,
      amount(review.amountMinor, review.currency),
      ...(refunds === undefined ? [] : [sent(review.alertId)]),
      review.cardLast4 !== null && `···· ${review.cardLast4}`,
      review.reasonCode !== null && shortReason(review.reasonCode),
      shortTimeLeft(review.actsAt, now),
      review.claimedBy ?? 'nobody',
    ]),
  });
}

async function readPicked(visit: Visit, alertIds: readonly string[]): Promise<Review[]> {
  const { db, organisationId } = visit.options;
  return await listReviews(db, { organisationId, now: visit.now, limit: LIMIT_DEFAULT, alertIds });
}

/** The note of the form; undefined when it cannot be kept, or is missing where it is needed. */
function textOf(request: Visit['request'], act: SeveralAct): string | undefined {
  const text = read(note, filledField(request, 'note')?.replaceAll('\r\n', '\n') ?? '');
  const isNeeded = act.note?.isNeeded ?? false;
  return text.ok && !(isNeeded && text.value === '') ? text.value : undefined;
}

async function carryOut(visit: Visit): Promise<void> {
  const { request } = visit;
  const picked = pickedOf(
    new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
  );
  if (picked === undefined) {
    return sendError(visit, 400, {
      title: 'Nothing is ticked',
      message: 'Go back and tick some reviews.',
    });
  }
  if (mustProve(visit, picked)) return;
  const text = textOf(request, picked.act);
  if (text === undefined) {
    return await sendConfirmation(visit, picked, 'Write something, without card numbers.');
  }
  const to = fieldOf(request, 'to');
  if (picked.act === HAND_OVER && !(await colleaguesOf(visit)).some((name) => name === to)) {
    return await sendConfirmation(visit, picked, 'Choose a colleague who may decide.');
  }
  const marks = new Map(
    fieldsOf(request, 'seen').map((mark): [string, string] => {
      const [alertId = '', shownMark = ''] = mark.split(' ');
      return [alertId, shownMark];
    }),
  );
  const failed: { alertId: string; message: string }[] = [];
  // One after the other: each takes its own locks, and a person reads the list in this order.
  for (const alertId of picked.ids) {
    const mark = marks.get(alertId);
    const message = await picked.act.carryOut(visit, { alertId, mark, text, to });
    if (message !== undefined) failed.push({ alertId, message });
  }
  const done = picked.ids.length - failed.length;
  if (failed.length === 0 && picked.act === REFUND) {
    return goTo(visit, `/reviews/several/done?${addressOf(picked)}`);
  }
  if (failed.length === 0) return goTo(visit, backTo(picked.from, `count=${done}`));
  sendFailed(visit, { picked, done, failed });
}

/** Why it was not decided; undefined when it was. */
async function decideOne(
  { options, who }: Visit,
  action: 'REFUND' | 'ACCEPT_DISPUTE',
  { alertId, mark, text }: Ticked,
): Promise<string | undefined> {
  // Without the mark of what was shown, nothing is decided unseen.
  if (mark === undefined) return 'It was not on the page that you confirmed.';
  const outcome = await options.decide({
    organisationId: options.organisationId,
    alertId,
    operator: who.name,
    action,
    note: text === '' ? undefined : text,
    seen: mark,
  });
  return outcome.ok ? undefined : outcome.message;
}

function sendFailed(
  visit: Visit,
  {
    picked,
    done,
    failed,
  }: {
    readonly picked: Picked;
    readonly done: number;
    readonly failed: readonly { readonly alertId: string; readonly message: string }[];
  },
): void {
  const title = `${done} done, ${failed.length} not`;
  const failedIds = new Set(failed.map(({ alertId }) => alertId));
  const rest = { ...picked, ids: picked.ids.filter((id) => !failedIds.has(id)) };
  const body = html`<h1>${title}</h1>${done > 0 && picked.act === REFUND && html`<p><a href="/reviews/several/done?${addressOf(rest)}">What became of the ${done} that ${done === 1 ? 'was' : 'were'} decided</a></p>`}${table(
    {
      label: 'What was not done',
      columns: ['Alert', 'Why not'],
      rows: failed.map(({ alertId, message }) => [
        html`<a href="${alertPath(alertId)}">${alertId}</a>`,
        html`<span class="long">${message}</span>`,
      ]),
    },
  )}<p class="actions"><a class="button" href="${backTo(picked.from)}">Back to the reviews</a></p>`;
  send(visit, { status: 409, title, active: '/reviews', body });
}

/** What became of those that were decided at once: read again, so that what waits for a second person says so. */
async function showDone(visit: Visit): Promise<void> {
  const picked = pickedOf(new URL(visit.request.originalUrl, 'http://console').searchParams);
  if (picked === undefined) {
    return sendError(visit, 400, { title: 'Nothing is named', message: 'Begin at the reviews.' });
  }
  const { db, organisationId } = visit.options;
  const { items } = await listAlertPage(db, {
    organisationId,
    states: CASE_STATES,
    order: 'soonest',
    limit: picked.ids.length,
    ids: picked.ids,
  });
  const address = addressOf(picked);
  const title = `${counted(items.length, 'alert')} decided`;
  const body = html`<p class="crumbs"><a href="${backTo(picked.from)}">Back to the reviews</a></p><h1>${title}</h1>
<div id="done" hx-get="/reviews/several/done?${address}" hx-trigger="every 5s" hx-select="#done" hx-swap="outerHTML" hx-headers="${BACKGROUND}">${table(
    {
      label: 'What became of them',
      columns: ['Alert', numeric('Amount'), 'Where it stands', 'What comes next'],
      rows: items.map((item) => [
        html`<a href="${alertPath(item.alertId)}">${item.alertId}</a>`,
        amount(item.amountMinor, item.currency),
        stateBadge(item.state),
        html`<span class="long">${nextWords(item)}</span>`,
      ]),
    },
  )}<p class="quiet">As of ${moment(visit.now)}. Refreshes itself.</p></div>
<p class="actions"><a class="button" href="${backTo(picked.from)}">Back to the reviews</a></p>`;
  send(visit, { title, active: '/reviews', body });
}
