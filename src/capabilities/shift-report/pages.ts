/** The shift report: what the last hours brought, who did what, and what the next ones ask for. Made to be read out and printed. */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { healthBadge, healthBanners } from '../../surface/view/health-lines.ts';
import { alertPath } from '../../surface/view/links.ts';
import type { Formats } from '../../surface/view/locale.ts';
import { formatsOf } from '../../surface/view/locale.ts';
import { numeric, stackedTable, tabLinks, table } from '../../surface/view/table.ts';
import { moment, timeLeft } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../surface/web/visit.ts';
import type { PersonStep, Shift } from './shift.store.ts';
import { readShift } from './shift.store.ts';

/** Lengths of a shift, in hours. */
const LENGTHS = ['8', '12', '24'] as const;
const shiftQuery = z.object({ hours: z.enum(LENGTHS).default('8') });

const PATH = '/shift';

export const shiftReportPages: CapabilityPages = {
  register(router, context): void {
    route(router, PATH, { get: page(context, 'viewer', show) });
  },
  unlisted: [PATH],
  linkedFrom: { '/exports': { path: PATH, label: 'Shift report' } },
};

async function show(visit: Visit): Promise<void> {
  const { options, request, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, shiftQuery);
  if (query === undefined) return;
  const hours = Number(query.hours);
  const formats = formatsOf(request, options.locale);
  const shift = await readShift(db, { organisationId, now, hours });
  const since = new Date(now.getTime() - hours * 3_600_000);
  const body = html`<p class="crumbs"><a href="/exports">Exports</a></p><h1>Shift report</h1>
${tabLinks(
  'Length of the shift',
  query.hours,
  LENGTHS.map((each) => [each, `${each} hours`, `/shift?hours=${each}`] as const),
)}
<p class="quiet">From ${moment(since)} to ${moment(now)}.</p>
<p>${healthBadge(visit.health)}</p>${healthBanners(visit.health, 'warning')}
${figuresOf(shift, formats)}
<h2>Within the next ${hours} hours</h2>${dueTable(shift, now, formats)}
<h2>Who did what</h2>${peopleTable(shift.people, formats)}
<h2>About the installation</h2>${stepTable(shift)}
<h2>Comments</h2>${commentList(shift)}`;
  send(visit, { title: 'Shift report', active: '/exports', body });
}

function figuresOf({ counts, refunded, open, waiting, findings }: Shift, formats: Formats): Html {
  const figure = (...measures: readonly Parameters<typeof counts.get>[0][]): string =>
    formats.count(measures.reduce((total, each) => total + (counts.get(each) ?? 0), 0));
  const missed = counts.get('missed') ?? 0;
  return html`<dl class="figures">
<div><dt>Received</dt><dd>${figure('received')}</dd></div>
<div><dt>Refunded</dt><dd>${figure('closed:DECLARED_REFUND', 'closed:RECONCILED_RDR')}</dd><dd class="note">${refunded.map((sum, index) => `${index > 0 ? ', ' : ''}${formats.money(sum)}`)}</dd></div>
<div><dt>Accepted</dt><dd>${figure('closed:DECLARED_ACCEPT')}</dd></div>
<div${missed > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${formats.count(missed)}</dd></div>
<div><dt>Open now</dt><dd>${formats.count(open)}</dd><dd class="note">${formats.count(waiting)} wait for a person</dd></div>
<div><dt>Findings open</dt><dd>${formats.count(findings)}</dd></div></dl>`;
}

function dueTable({ due }: Shift, now: Date, formats: Formats): Html {
  if (due.length === 0) return html`<p class="card quiet">No review is due.</p>`;
  return stackedTable({
    label: 'Reviews that are due',
    columns: ['Alert', 'Time', numeric('Amount'), 'Why held', 'Who has it'],
    rows: due.map(({ alertId, actsAt, amountMinor, currency, holdReason, claimedBy }) => [
      html`<a href="${alertPath(alertId)}">${alertId}</a>`,
      timeLeft(actsAt, now),
      amountMinor === null || currency === null ? '' : formats.money({ amountMinor, currency }),
      holdReason?.replaceAll('_', ' ') ?? '',
      claimedBy ?? html`<span class="quiet">nobody</span>`,
    ]),
  });
}

function peopleTable(people: readonly PersonStep[], formats: Formats): Html {
  if (people.length === 0) return html`<p class="card quiet">Nobody did anything here.</p>`;
  return table({
    label: 'What people did',
    columns: ['Who', 'What', numeric('Times')],
    rows: people.map(({ person, what, count }) => [person, what, formats.count(count)]),
  });
}

function stepTable({ steps }: Shift): Html {
  if (steps.length === 0) {
    return html`<p class="card quiet">No policy, pause or operator was changed.</p>`;
  }
  return stackedTable({
    label: 'Steps about the installation',
    columns: ['When', 'Who', 'About', 'What'],
    rows: steps.map(({ at, actor, subject, what }) => [
      moment(at),
      actor.replace(/^operator:/, ''),
      subject,
      what,
    ]),
  });
}

function commentList({ comments }: Shift): Html {
  if (comments.length === 0) return html`<p class="card quiet">Nobody wrote any.</p>`;
  return html`<ul class="plain-list">${comments.map(
    ({ at, alertId, operator, text }) =>
      html`<li class="card"><p class="quiet">${moment(at)} ${operator} about <a href="${alertPath(alertId)}">${alertId}</a></p><p>${text}</p></li>`,
  )}</ul>`;
}
