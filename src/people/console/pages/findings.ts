/** Reconciliation findings: where the service, the processor and our books disagree. */
import type { Router } from 'express';
import type { FindingRow } from '../../../base/findings/finding.store.ts';
import { listFindings } from '../../../base/findings/finding.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { withIds } from '../../../surface/view/codes.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { nextPage, tabLinks } from '../../../surface/view/table.ts';
import { ago, moment } from '../../../surface/view/time.ts';
import { findingListQuery, nextCursor } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../../surface/web/visit.ts';
import { kindWords, subject } from './finding-list.ts';

export function registerFindings(router: Router, context: PageContext): void {
  route(router, '/findings', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, findingListQuery);
  if (query === undefined) return;
  const { state, limit, cursor } = query;
  const rows = await listFindings(db, { organisationId, state, limit, beforeId: cursor?.[0] });
  const body = html`<h1>Findings</h1>
<p class="quiet">Where the service, the processor and our own books do not agree. A finding closes by itself when its cause is gone.</p>
${tabLinks('State', state, [
  ['open', 'Open', '/findings'],
  ['closed', 'Gone', '/findings?state=closed'],
  ['all', 'All', '/findings?state=all'],
])}
${
  rows.length === 0
    ? emptyState(
        state === 'open' ? 'Everything agrees.' : 'There is none in this list.',
        html`Checks run by themselves; <code>forestall reconcile</code> runs them at once.`,
      )
    : html`${rows.map((row) => finding(row, now))}`
}
${nextPage('/findings', { state, cursor: nextCursor(rows, limit, (last) => [last.id]) })}`;
  send(visit, { title: 'Findings', active: '/findings', body });
}

function finding(row: FindingRow, now: Date): Html {
  return html`<section class="banner ${row.closed_at === null ? row.severity : 'done'}" aria-label="${kindWords(row.kind)}">
<p><strong>${kindWords(row.kind)}</strong> <span class="state">${row.severity}</span> ${subject(row)}</p>
<p>${withIds(row.next_step)}</p>
${row.repair !== null && html`<p>Repaired by itself: ${row.repair}</p>`}
<p class="quiet">Found ${ago(row.opened_at, now)}, ${moment(row.opened_at)}; last seen ${moment(row.last_seen_at)}${row.closed_at !== null && html`; gone since ${moment(row.closed_at)}`}.</p>
<details class="fold"><summary>Evidence</summary><pre tabindex="0">${JSON.stringify(row.evidence, null, 2)}</pre></details></section>`;
}
