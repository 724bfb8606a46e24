/** A case in lists of terms: the alert, its charge, the match with its evidence, the decisions with their reasons. */

import { isClaimId } from '../../../alerts/cases/claim.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import { camelCased } from '../../../base/db/case-names.ts';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import {
  actionWords,
  plainCode,
  programmeWords,
  reasonWords,
  schemeWords,
} from '../../../service/wire/code-words.ts';
import { actorWords, coded, statesInWords } from '../../../surface/view/codes.ts';
import type { DescriptionEntry } from '../../../surface/view/description-list.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { alertPath } from '../../../surface/view/links.ts';
import type { MerchantNames } from '../../../surface/view/merchants.ts';
import { merchant } from '../../../surface/view/merchants.ts';
import { amount, money } from '../../../surface/view/money.ts';
import { pageLink } from '../../../surface/view/page-link.ts';
import { moment } from '../../../surface/view/time.ts';
import type { NextFacts } from '../../../surface/view/words.ts';
import { eventPath } from './delivery-tables.ts';
import { textAt } from './stored-json.ts';

export function alertDescription(detail: AlertDetail): Html {
  const { alert, case: row } = detail;
  const deadlineAt = row?.deadline_at ?? alert?.deadline_at ?? null;
  const scheme = alert?.card_scheme == null ? null : schemeWords(alert.card_scheme);
  const card = [scheme, alert?.card_bin].filter((part) => part != null).join(' ');
  return descriptionList([
    ['Amount', amount(alert?.amount_minor ?? null, alert?.currency ?? null)],
    ['Deadline', deadlineAt !== null && moment(deadlineAt)],
    ['At the service', alert?.status != null && coded(alert.status, plainCode)],
    ['Outcome there', alert?.refund_outcome != null && coded(alert.refund_outcome, plainCode)],
    ['Programme', alert?.enrolment_type != null && coded(alert.enrolment_type, programmeWords)],
    ['Descriptor', alert?.descriptor],
    ['Card', alert?.card_last4 == null ? null : `${card} ···· ${alert.card_last4}`],
    ['Issuer', alert?.card_issuer],
    ['Reason', alert?.reason_code != null && reasonWords(alert.reason_code)],
    ['Acquirer reference', alert?.acquirer_reference_number],
    ['Authorisation code', alert?.authorisation_code],
    ['Paid', alert?.authorised_at != null && moment(alert.authorised_at)],
    ['Note', alert?.note],
    ['Received', row !== undefined && moment(row.opened_at)],
    ['Came by', cameBy(detail)],
  ]);
}

/** How we heard of it: its event, or polling, and whether a delivery came after that. */
function cameBy({ changes }: AlertDetail): HtmlValue {
  const [first] = changes;
  if (first === undefined || first.before !== null || isClaimId(first.entity_id)) return null;
  const event = changes.find(({ source, before }) => source === 'webhook' && before === null);
  const link =
    event?.event_id != null && html`<a href="${eventPath(event.event_id)}">its event</a>`;
  if (first.source === 'webhook') return html`a webhook${link && html`, ${link}`}`;
  if (event === undefined) return html`polling: <strong>its webhook was not delivered</strong>`;
  return html`polling; its webhook came late, ${moment(event.changed_at)}${link && html`, ${link}`}`;
}

/** What we know of the payment and did with it. */
export function chargeDescription(
  detail: AlertDetail,
  context: {
    readonly orderReference: string | null;
    readonly ofCapabilities: readonly DescriptionEntry[];
    readonly names: MerchantNames;
  },
): Html {
  const { orderReference, ofCapabilities, names } = context;
  const { match, movement, declaration, twins, case: row } = detail;
  const charge = row?.charge_reference ?? match?.charge_reference;
  return descriptionList([
    [
      'Charge',
      charge != null &&
        pageLink('/charges/:reference', html`<code>${charge}</code>`, { reference: charge }),
    ],
    [
      'Order',
      orderReference !== null &&
        html`<a href="/orders/${encodeURIComponent(orderReference)}">${orderReference}</a>`,
    ],
    ['Money back', movementList(detail, names)],
    ['Dispute', row?.dispute_id != null && html`<code>${row.dispute_id}</code>`],
    ['Failure', movement?.failure_code],
    [
      'Declared',
      declaration === undefined
        ? null
        : `${actionWords(declaration.action)} (${plainCode(declaration.state)})`,
    ],
    ['Declared note', declaration?.note],
    ...ofCapabilities,
    [
      'Same charge',
      twins.length > 0 && html`${twins.map((id) => html`<a href="${alertPath(id)}">${id}</a> `)}`,
    ],
  ]);
}

/** Every movement for the alert's dispute; the one its case names stands out. */
function movementList(
  { movements, movement: named }: AlertDetail,
  names: MerchantNames,
): HtmlValue {
  if (movements.length === 0) return null;
  return html`<ul class="plain-list">${movements.map((row) => {
    const sum = money({ amountMinor: row.amount_minor, currency: row.currency });
    const text = html`${sum} ${row.kind} <span class="quiet">${plainCode(row.state)}${row.idempotency_key === null && ', not by us'}${row.processor_reference !== null && html` · <code>${row.processor_reference}</code>`}${row.sent_through !== null && html` · processor of merchant ${merchant(row.sent_through, names)}`}</span>`;
    return html`<li>${row.id === named?.id ? html`<strong>${text}</strong>` : text}</li>`;
  })}</ul>`;
}

/** What a person wrote with their decision; null for the policy's, and where nothing was written. */
export function reasonOf(decision: AlertDetail['decisions'][number]): string | null {
  const { decided_by: by, inputs } = decision;
  const note = by.startsWith('operator:') ? textAt(inputs, 'note') : null;
  return note === '' ? null : note;
}

/** Whose policy it was, where several layers may have one. */
function layerOf({ inputs }: AlertDetail['decisions'][number]): HtmlValue {
  const layer = textAt(inputs, 'layer');
  return layer !== null && html`, policy of the ${layer}`;
}

/** Every decision with its sentence, the newest first: why this happened. */
export function decisionList({ decisions }: AlertDetail): Html {
  if (decisions.length === 0) return html`<p class="quiet">Nothing is decided yet.</p>`;
  return html`<ol class="plain-list">${decisions.toReversed().map(
    (
      row,
    ) => html`<li><p><strong title="${row.action}">${actionWords(row.action)}</strong>${row.amount_minor !== null && html` ${amount(row.amount_minor, row.currency)}`}${row.shadow && html` (shadow: recorded, not acted on)`}
by ${actorWords(row.decided_by)}${row.rule !== null && html`, rule <code>${row.rule}</code>`}${row.guard !== null && html`, guard <code>${row.guard}</code>`}${layerOf(row)} <span class="quiet">${moment(row.decided_at)}</span></p>
<p>${statesInWords(row.sentence)}</p>
${reasonOf(row) !== null && html`<p><strong>Reason:</strong> ${reasonOf(row)}</p>`}
<details class="fold"><summary>What it was decided from</summary><pre tabindex="0">${JSON.stringify(row.inputs, null, 2)}</pre>${row.policy_version !== null && html`<p>Policy version <a href="/policies/${encodeURIComponent(row.policy_version)}"><code>${row.policy_version.slice(0, 12)}</code></a></p>`}</details></li>`,
  )}</ol>`;
}

/** What tells what happens next. */
export function nextFactsOf(row: NonNullable<AlertDetail['case']>): NextFacts {
  return camelCased(row);
}
