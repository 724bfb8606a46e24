/** The page of one alert: where it stands, why, what was done, and what a person can do. */
import type { CaseState } from '../cases/case-state.ts';
import { isTerminal } from '../cases/case-state.ts';
import type { AlertDetail } from '../insights/alert-detail.store.ts';
import { formatMoney } from '../kernel/money.ts';
import { changedFields } from './changed-fields.ts';
import type { Html, HtmlValue } from './html.ts';
import { html } from './html.ts';
import { renderPage } from './page-shell.ts';
import { amountWords, moment, nextWords, stateBadge, timeLeft } from './words.ts';

/** What the page shows. */
export interface AlertPage {
  readonly alertId: string;
  readonly detail: AlertDetail;
  readonly now: Date;
  readonly csrfToken: string;
  /** A decision of this session was just taken. */
  readonly decided: boolean;
}

export function alertPage({ alertId, detail, now, csrfToken, decided }: AlertPage): string {
  const row = detail.case;
  const body = html`<p><a href="/">All alerts</a></p>
<h1>${alertId}</h1>
${decided && html`<p class="banner done" role="status">The decision is taken. The timeline below shows each step.</p>`}
${
  row !== undefined &&
  html`<p>${!isTerminal(row.state) && timeLeft(row.deadline_at, now)} ${stateBadge(row.state)}</p>
<p>${nextWords(nextFactsOf(row))}</p>`
}
${row !== undefined && !isTerminal(row.state) && actionLinks(alertId, row.state)}
<h2>The alert</h2>${facts(alertFacts(detail))}
<h2>The charge</h2>${facts(chargeFacts(detail))}
<h2>Decisions</h2>${decisionList(detail)}
<h2>Timeline</h2>${timeline(detail)}`;
  return renderPage({ title: alertId, body, csrfToken });
}

function nextFactsOf(row: NonNullable<AlertDetail['case']>): Parameters<typeof nextWords>[0] {
  return {
    state: row.state,
    holdReason: row.hold_reason,
    fallbackAction: row.fallback_action,
    fallbackAt: row.fallback_at,
    missedAt: row.missed_at,
    lastError: row.last_error,
    nextActionAt: row.next_action_at,
  };
}

/** States in which a decision is awaited; in the others the console refuses one. */
const AWAITS_DECISION: ReadonlySet<CaseState> = new Set([
  'HUMAN',
  'UNMATCHED',
  'AMBIGUOUS',
  'MATCHED',
]);

function actionLinks(alertId: string, state: CaseState): Html {
  const path = `/alerts/${encodeURIComponent(alertId)}/decide`;
  const decide = html`<a class="button" href="${path}?action=REFUND">Refund…</a>
<a class="button plain" href="${path}?action=ACCEPT_DISPUTE">Accept the dispute…</a>`;
  return html`<p class="actions">${AWAITS_DECISION.has(state) && decide}
<a class="button plain" href="${path}?action=RETRY">Try again…</a></p>`;
}

type Fact = readonly [string, HtmlValue];

function facts(list: readonly Fact[]): Html {
  const shown = list.filter(([, value]) => value != null && value !== false && value !== '');
  if (shown.length === 0) return html`<p class="quiet">Nothing is known.</p>`;
  return html`<dl class="facts">${shown.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;
}

function alertFacts({ alert, case: row }: AlertDetail): Fact[] {
  const deadlineAt = row?.deadline_at ?? alert?.deadline_at ?? null;
  return [
    ['Amount', amountWords(alert?.amount_minor ?? null, alert?.currency ?? null)],
    ['Deadline', deadlineAt !== null && moment(deadlineAt)],
    ['At the service', alert?.status],
    ['Outcome there', alert?.refund_outcome],
    ['Programme', alert?.enrolment_type],
    ['Descriptor', alert?.descriptor],
    [
      'Card',
      alert?.card_last4 == null ? null : `${alert.card_scheme ?? ''} ···· ${alert.card_last4}`,
    ],
    ['Issuer', alert?.card_issuer],
    ['Reason code', alert?.reason_code],
    ['Note', alert?.note],
    ['Created', alert?.created_at != null && moment(alert.created_at)],
  ];
}

function chargeFacts({ match, refund, declaration, twins, case: row }: AlertDetail): Fact[] {
  const links = twins.map((id) => html`<a href="/alerts/${encodeURIComponent(id)}">${id}</a> `);
  const list: Fact[] = [
    ['Charge', row?.charge_reference ?? match?.charge_reference],
    ['Matched by', match?.tier],
    ['Refund', refund === undefined ? null : refund.state],
    ['Refunded by us', refund === undefined ? null : refundWords(refund)],
    ['Processor reference', refund?.processor_reference ?? refund?.external_reference],
    ['Declared', declaration === undefined ? null : `${declaration.action} (${declaration.state})`],
    ['Declared note', declaration?.note],
    ['Same charge', links.length === 0 ? null : links],
  ];
  return list;
}

function refundWords(refund: NonNullable<AlertDetail['refund']>): string {
  return formatMoney({ amountMinor: refund.amount_minor, currency: refund.currency });
}

function decisionList({ decisions }: AlertDetail): Html {
  if (decisions.length === 0) return html`<p class="quiet">None yet.</p>`;
  return html`<ol class="timeline">${decisions.map(
    (
      row,
    ) => html`<li><p><strong>${row.action}</strong>${row.shadow && html` (shadow: recorded, not acted on)`}
by ${row.decided_by}${row.rule !== null && html`, rule ${row.rule}`}${row.guard !== null && html`, guard ${row.guard}`}, ${moment(row.decided_at)}</p>
<p>${row.sentence}</p></li>`,
  )}</ol>`;
}

interface Entry {
  readonly at: Date;
  readonly body: Html;
}

/** Both histories in one line of time: what the service told us, and what we did. */
function timeline(detail: AlertDetail): Html {
  const entries: Entry[] = [
    ...detail.changes.map((change) => ({ at: change.changed_at, body: changeWords(change) })),
    ...detail.audit.map((entry) => ({ at: entry.at, body: auditWords(entry) })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  if (entries.length === 0) return html`<p class="quiet">Nothing has happened yet.</p>`;
  return html`<ol class="timeline">${entries.map(
    ({ at, body }) => html`<li><p class="quiet">${moment(at)}</p><p>${body}</p></li>`,
  )}</ol>`;
}

function changeWords(change: AlertDetail['changes'][number]): Html {
  const how = change.source === 'webhook' ? 'a webhook' : 'polling';
  if (!change.accepted) return html`An older state came late, by ${how}: kept without effect.`;
  if (change.before === null) return html`The service told us of the alert, by ${how}.`;
  const fields = changedFields(change.before, change.after).map(
    ({ field, from, to }) => html`<br><code>${field}</code>: ${textOf(from)} → ${textOf(to)}`,
  );
  return html`The service told us of a change, by ${how}.${fields}`;
}

function auditWords(entry: AlertDetail['audit'][number]): Html {
  const move =
    entry.from_state !== null && entry.to_state !== null && entry.from_state !== entry.to_state
      ? ` (${entry.from_state} → ${entry.to_state})`
      : '';
  return html`${entry.actor}: ${entry.subject}, ${entry.what}${move}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
