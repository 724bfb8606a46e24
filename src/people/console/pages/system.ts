/** System: health, workers, queues, what was sent lately, and the switch that stops money. */

import type { RequestHandler, Router } from 'express';
import { readReleasable } from '../../../alerts/cases/release-held.store.ts';
import type { GuardStatus } from '../../../alerts/guard/guard-status.store.ts';
import { readGuardStatus } from '../../../alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney, WHILE_PAUSED } from '../../../alerts/guard/pause.store.ts';
import { countRefused } from '../../../alerts/receive/delivery-minute.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { UndeliveredMessage } from '../../../base/notify/undelivered.store.ts';
import { listUndelivered } from '../../../base/notify/undelivered.store.ts';
import type { Operations } from '../../../health/operations.store.ts';
import { readOperations } from '../../../health/operations.store.ts';
import { plainly, proven } from '../../../surface/access/needs.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { healthBadge, statusTable } from '../../../surface/view/health-lines.ts';
import { moneyText, sums } from '../../../surface/view/money.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { duration, moment } from '../../../surface/view/time.ts';
import { note, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { filledField, goTo, page, send, sendError } from '../../../surface/web/visit.ts';
import { trafficCards } from './traffic-cards.ts';

const DAY_MS = 24 * 60 * 60_000;

export function registerSystem(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/system', { get: page(context, 'viewer', show) });
  // Anybody who decides may stop money; letting it flow again takes an administrator.
  route(router, '/system/pause', { post: [form, page(context, plainly('reviewer'), pause)] });
  route(router, '/system/doctor', { post: [form, page(context, plainly('reviewer'), examine)] });
  route(router, '/system/resume', {
    get: page(context, proven('administrator', '/system/resume'), confirmResume),
    post: [form, page(context, proven('administrator', '/system/resume'), resume)],
  });
}

async function show(asked: Visit): Promise<void> {
  const { options, now } = asked;
  // The switch and health are read in the same answer: they never say different things.
  const visit = { ...asked, health: (await options.health(true)).parts };
  const { db, organisationId } = options;
  const [operations, refused, guards, undelivered, backlog] = await Promise.all([
    readOperations(db, { organisationId, now }),
    countRefused(db, organisationId, new Date(now.getTime() - DAY_MS)),
    readGuardStatus(db, organisationId, now),
    listUndelivered(db, organisationId),
    options.feedBacklog?.(),
  ]);
  const received = options.receiveCounts?.();
  const body = html`<h1>System</h1>
<h2>Health</h2>${healthSection(visit)}
<h2>Money</h2>${moneySection(visit, guards)}
<h2>Workers</h2>${workers(operations)}
<h2>Queues and limits</h2>${trafficCards({ operations, refused, received, backlog, now })}
<h2>Messages to people that have not arrived</h2>${messages(undelivered, operations)}`;
  send(visit, { title: 'System', active: '/system', body });
}

function moneySection(
  visit: Visit,
  { pause: paused, breaker, processor, ...sent }: GuardStatus,
): Html {
  return html`<div class="columns"><section class="card" aria-label="Kill switch"><h3>Kill switch</h3>
${
  paused === null
    ? html`<p><span class="state good">refunds go</span> The switch below stops every refund at once; alerts that need one then wait for people, and where nobody decides in time the policy’s fallback is still carried out.</p>${pauseForm(visit)}`
    : html`<p><span class="state bad">stopped</span> No refund ${paused.layer === 'installation' && 'of the whole installation '}is sent, since ${moment(paused.at)} by ${paused.by.replace(/^operator:/, '')}${paused.reason !== '' && html`: ${paused.reason}`}. ${WHILE_PAUSED}.</p><p>${acceptsWords(sent.acceptsAhead)}</p>${paused.layer === 'organisation' ? resumeLink(visit) : html`<p class="quiet"><code>forestall resume --installation</code> lets them go again.</p>`}`
}</section>
<section class="card" aria-label="Guards"><h3>Guards</h3>${descriptionList([
    [
      'Breaker',
      breaker.openedAt === null
        ? 'closed: automatic refunds go'
        : html`<span class="state bad">open</span> since ${moment(breaker.openedAt)}: automatic refunds stopped`,
    ],
    [
      'Breaker opens above',
      breaker.threshold === null
        ? 'too little history to tell'
        : `${breaker.threshold} alerts in its window`,
    ],
    [
      'Processor',
      processor !== null &&
        html`<span class="state bad">refuses us</span> since ${moment(processor.openedAt)} (<code>${processor.code}</code>): nothing is sent but one request every 15 minutes. Correct its credentials or rights, then <code>forestall resume --processor</code>.`,
    ],
    ['Sent in the last hour', sentWords(sent.sentLastHour)],
    ['Sent in the last day', sentWords(sent.sentLastDay)],
    ['Wait for a second person', String(sent.approvalsWaiting)],
  ])}</section></div>`;
}

function acceptsWords({ count, firstAt }: GuardStatus['acceptsAhead']): Html | string {
  if (count === 0 || firstAt === null) return 'No held alert has such a fallback now.';
  return html`<strong>${count} held ${count === 1 ? 'alert is' : 'alerts are'} accepted so</strong> unless a person decides before, the first ${moment(firstAt)}.`;
}

function sentWords(sent: GuardStatus['sentLastHour']): string {
  const money = Object.entries(sent.amountMinor).map(([currency, amountMinor]) =>
    moneyText({ currency, amountMinor }),
  );
  const times = `${sent.count} ${sent.count === 1 ? 'refund' : 'refunds'}`;
  return money.length === 0 ? times : `${times}, ${money.join(', ')}`;
}

function pauseForm({ who, csrfToken }: Visit): Html | false {
  if (!isAtLeast(who.role, 'reviewer')) return false;
  return html`<form method="post" action="/system/pause">${csrfField(csrfToken)}
<label for="reason">Why (others will read it)</label><input id="reason" name="reason" maxlength="200" required>
<p class="actions"><button class="danger">Stop all refunds now</button></p></form>`;
}

function resumeLink({ who }: Visit): Html {
  if (!isAtLeast(who.role, 'administrator')) {
    return html`<p class="quiet">An administrator can let them go again.</p>`;
  }
  return html`<p class="actions"><a class="button" href="/system/resume">Let refunds go again…</a></p>`;
}

/** Says what the click sets going: what was held continues at once. */
async function confirmResume(visit: Visit): Promise<void> {
  const { options, now, csrfToken } = visit;
  const { db, organisationId } = options;
  const { count, sums: held } = await readReleasable(db, { organisationId, reason: 'paused', now });
  const about = held.length === 0 ? '' : html`, about ${sums(held)} in all`;
  const effect =
    count === 0
      ? html`No alert waits for it: refunds go from the next decision on.`
      : html`<strong>${count} ${count === 1 ? 'alert' : 'alerts'}${about}</strong> ${count === 1 ? 'continues' : 'continue'} at once: what a person decided is refunded, the rest is decided again by the policy. Money may move within seconds.`;
  const body = html`<p class="crumbs"><a href="/system">System</a></p><h1>Let refunds go again?</h1>
<div class="card"><p>${effect}</p>
<form method="post" action="/system/resume" class="actions">${csrfField(csrfToken)}<button>${count === 0 ? 'Let refunds go' : `Let refunds and ${count} held ${count === 1 ? 'alert' : 'alerts'} go`}</button>
<a class="button plain" href="/system">Cancel</a></form></div>`;
  send(visit, { title: 'Let refunds go again?', active: '/system', body });
}

function healthSection(visit: Visit): Html {
  const mayExamine = visit.options.doctor !== undefined && isAtLeast(visit.who.role, 'reviewer');
  return html`<p>${healthBadge(visit.health)}</p>${statusTable('Health', visit.health)}
${
  mayExamine &&
  html`<form method="post" action="/system/doctor" class="actions">${csrfField(visit.csrfToken)}<button class="plain small">Examine everything</button></form>`
}<p class="quiet">The doctor also looks at settings, keys, the service, the processor and the endpoint themselves; <code>forestall doctor</code> prints the same.</p>`;
}

/** Runs the doctor: it asks the service and the processor, harmlessly. */
async function examine(visit: Visit): Promise<void> {
  const report = await visit.options.doctor?.();
  if (report === undefined) {
    return sendError(visit, 404, {
      title: 'No doctor here',
      message: 'Run forestall doctor instead.',
    });
  }
  const body = html`<p class="crumbs"><a href="/system">System</a></p><h1>The doctor's report</h1>
<p>${report.ok} well, ${report.warnings} to look at, ${report.failed} wrong.</p>
${statusTable('The doctor’s report', report.lines)}`;
  send(visit, { title: 'The doctor', active: '/system', body });
}

function workers({ workers: list }: Operations): Html {
  if (list.length === 0)
    return html`<p class="card">None in the last day. Start one with <code>forestall work</code>.</p>`;
  return table({
    label: 'Workers',
    columns: ['Process', 'Role', 'Last seen'],
    rows: list.map(({ workerId, role, ageSeconds }) => [
      html`<code>${workerId}</code>`,
      role,
      `${duration(ageSeconds * 1_000)} ago`,
    ]),
  });
}

function messages(list: readonly UndeliveredMessage[], { notifications }: Operations): Html {
  const { loggedOnly } = notifications;
  const logged =
    loggedOnly > 0 &&
    html`<p class="banner">No channel was set for ${loggedOnly} ${loggedOnly === 1 ? 'message' : 'messages'} of the last day: written to the log, and nobody was notified.</p>`;
  if (list.length === 0)
    return html`${logged || html`<p class="card">Every message has arrived.</p>`}`;
  return html`${logged}${undeliveredTable(list)}`;
}

function undeliveredTable(list: readonly UndeliveredMessage[]): Html {
  return table({
    label: 'Messages that have not arrived',
    columns: ['Since', 'Severity', 'Message', numeric('Attempts'), 'Next attempt', 'Last error'],
    rows: list.map((one) => [
      moment(one.createdAt),
      one.severity,
      html`<span class="long">${one.text}</span>`,
      one.attempts,
      one.nextAttemptAt === null
        ? html`<span class="state bad">given up</span>`
        : moment(one.nextAttemptAt),
      one.lastError,
    ]),
  });
}

async function pause(visit: Visit): Promise<void> {
  const { options, who, now, request } = visit;
  const reason = read(note.min(1).max(200), filledField(request, 'reason'));
  if (!reason.ok) {
    return sendError(visit, 400, {
      title: 'Not stopped',
      message: 'Write down why, without card numbers.',
    });
  }
  const { db, organisationId } = options;
  await pauseMoney(db, { organisationId, operator: who.name, reason: reason.value, now });
  goTo(visit, '/system');
}

async function resume(visit: Visit): Promise<void> {
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  await resumeMoney(db, { organisationId, operator: who.name, now });
  goTo(visit, '/system');
}
