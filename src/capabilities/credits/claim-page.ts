/** One credit claim: the rows that show why, and what a person makes of it. */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { inWords, programmeWords } from '../../service/wire/code-words.ts';
import { plainly } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { coded } from '../../surface/view/codes.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { alertPath } from '../../surface/view/links.ts';
import { amount } from '../../surface/view/money.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { moment, momentOr, timeLeft } from '../../surface/view/time.ts';
import { alertIdOf, note, plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { fieldOf, filledField, goTo, page, send, sendError } from '../../surface/web/visit.ts';
import { findClaim, moveClaim } from './credit-claim.store.ts';
import type { ClaimState, CreditClaimRow, EvidenceRow } from './credit-claim.table.ts';
import { CLAIM_MOVES, CLAIM_STATES, CREDIT_CLASSES } from './credit-claim.table.ts';
import { claimPath } from './of-alert.ts';

export function registerClaim(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/credits/:id', {
    get: page(context, 'viewer', show),
    post: [form, page(context, plainly('reviewer'), move)],
  });
}

async function found(visit: Visit): Promise<CreditClaimRow | undefined> {
  const { db, organisationId } = visit.options;
  const alertId = alertIdOf(visit.request);
  const claim = alertId === undefined ? undefined : await findClaim(db, organisationId, alertId);
  if (claim === undefined) {
    sendError(visit, 404, {
      title: 'No such claim',
      message: 'Its reason may be gone. See the list of credits.',
    });
  }
  return claim;
}

async function show(visit: Visit): Promise<void> {
  const claim = await found(visit);
  if (claim === undefined) return;
  const { now } = visit;
  const isOpen = claim.state === 'OPEN';
  const body = html`<p class="crumbs"><a href="/credits">All credits</a></p><h1>Credit claim: ${CREDIT_CLASSES[claim.class]}</h1>
<div class="columns"><section class="card"><h2>The claim</h2>${descriptionList([
    ['State', html`<span class="state">${claim.state.toLowerCase()}</span>`],
    ['Alert', html`<a href="${alertPath(claim.alert_id)}">${claim.alert_id}</a>`],
    ['Programme', claim.network !== null && coded(claim.network, programmeWords)],
    ['Alert came', moment(claim.alerted_at)],
    ['Claim until', momentOr(claim.claim_until, 'no end known')],
    ['Left', isOpen && claim.claim_until !== null && timeLeft(claim.claim_until, now)],
    ['By the rule', claim.window_rule],
    ['Found', moment(claim.found_at)],
    ['Last change', html`${moment(claim.changed_at)} by ${claim.changed_by}`],
    ['Provider’s reference', claim.reference],
    ['Note', claim.note],
  ])}</section>${moveForm(visit, claim)}</div>
<h2>What shows it</h2>${table({
    label: 'Rows of our books',
    columns: ['Row', 'It shows', 'When', numeric('Amount')],
    rows: claim.evidence.map(evidenceRow),
  })}`;
  send(visit, { title: 'Credit claim', active: '/credits', body });
}

function evidenceRow(row: EvidenceRow): HtmlValue[] {
  const { table: name, id, shows, at, amountMinor, currency } = row;
  return [
    html`${name.replaceAll('_', ' ')} <code>${id}</code>`,
    inWords(shows),
    at === null ? '–' : moment(new Date(at)),
    amountMinor === null ? '–' : amount(amountMinor, currency),
  ];
}

const BUTTONS: Readonly<Record<ClaimState, string>> = {
  OPEN: 'It was not sent after all',
  SENT: 'It was sent to the provider',
  GRANTED: 'The provider granted it',
  REFUSED: 'The provider refused it',
  EXPIRED: 'It is too late for it',
};

function moveForm({ who, csrfToken }: Visit, { alert_id, state }: CreditClaimRow): Html | false {
  if (!isAtLeast(who.role, 'reviewer')) return false;
  const targets: readonly ClaimState[] = CLAIM_MOVES[state];
  return html`<section class="card"><h2>What came of it</h2><form method="post" action="${claimPath(alert_id)}">${csrfField(csrfToken)}<input type="hidden" name="from" value="${state}">
<label for="reference">Provider’s reference</label><input id="reference" name="reference" maxlength="100" autocomplete="off">
<label for="note">Note</label><textarea id="note" name="note" rows="2" maxlength="500"></textarea>
<p class="actions">${targets.map((to, index) => html`<button class="${index === 0 ? 'small' : 'plain small'}" name="to" value="${to}">${BUTTONS[to]}</button>`)}</p></form></section>`;
}

const moveFields = z.strictObject({
  from: z.enum(CLAIM_STATES),
  to: z.enum(CLAIM_STATES),
  reference: plainText.max(100).optional(),
  note: note.optional(),
});

async function move(visit: Visit): Promise<void> {
  const claim = await found(visit);
  if (claim === undefined) return;
  const { request, options, who, now } = visit;
  const fields = read(moveFields, {
    from: fieldOf(request, 'from'),
    to: fieldOf(request, 'to'),
    reference: filledField(request, 'reference'),
    note: filledField(request, 'note'),
  });
  if (!fields.ok) {
    const message = fields.faults.map((fault) => fault.message).join(' ');
    return sendError(visit, 400, { title: 'Not noted', message });
  }
  const { organisationId } = options;
  const { alert_id: alertId } = claim;
  const isMoved = await moveClaim(options.db, {
    organisationId,
    alertId,
    ...fields.value,
    operator: who.name,
    now,
  });
  if (isMoved) goTo(visit, claimPath(alertId));
  else
    sendError(visit, 409, {
      title: 'Not noted',
      message: 'The claim has another state by now. Load it again.',
    });
}
