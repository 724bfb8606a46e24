/** Representments: disputes that are contested, by the day their evidence is due, and what we hold for it. */
import type { Router } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { RepresentmentRow } from '../../../books/insights/entity-list.store.ts';
import { listRepresentments } from '../../../books/insights/entity-list.store.ts';
import type { EvidenceItem } from '../../../books/insights/evidence.store.ts';
import { readEvidence } from '../../../books/insights/evidence.store.ts';
import { route } from '../reply.ts';
import { amount } from '../view/money.ts';
import { moment, timeLeft } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send } from '../visit.ts';
import { facts } from './case-facts.ts';
import { emptyState } from './case-list.ts';

/** Representments on the page: each is looked up in the orders. */
const SHOWN_MAX = 20;

export function registerRepresentments(router: Router, context: PageContext): void {
  route(router, '/representments', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const rows = await listRepresentments(db, organisationId, SHOWN_MAX);
  const evidence = await readEvidence(db, organisationId, rows);
  const body = html`<h1>Representments</h1>
<p class="quiet">Disputes that are contested, open ones first, by the day their evidence is due. The ${SHOWN_MAX} most pressing are shown. Evidence is handed in where the dispute is contested; here you see what your own orders hold for it.</p>
${
  rows.length === 0
    ? emptyState(
        'No representment is known.',
        'When a dispute is contested through the service, it appears here with its due date and what your orders hold as evidence.',
      )
    : html`<div class="columns">${rows.map((row) => card(row, evidence.get(row.id) ?? [], now))}</div>`
}`;
  send(visit, { title: 'Representments', active: '/representments', body });
}

function card(row: RepresentmentRow, evidence: readonly EvidenceItem[], now: Date): Html {
  const isOpen = row.dispute_status === 'OPEN';
  const reason = row.snapshot['dispute_reason'];
  const code = row.snapshot['dispute_reason_code'];
  return html`<section class="card" aria-label="${row.id}"><h2>${amount(row.amount_minor, row.currency)} <code>${row.id}</code></h2>
<p><span class="state ${isOpen ? 'warn' : ''}">${row.dispute_status ?? 'unknown'}</span> ${isOpen && row.dispute_due_by !== null && timeLeft(row.dispute_due_by, now)}</p>
${facts([
  ['Evidence due', row.dispute_due_by === null ? 'not told' : moment(row.dispute_due_by)],
  ['Stage', row.dispute_stage],
  ['Reason', typeof reason === 'string' ? reason : null],
  ['Reason code', typeof code === 'string' ? code : null],
  ['Transaction', row.transaction_reference_id],
  ['Acquirer reference', row.acquirer_reference_number],
])}
<h3>What your orders hold</h3><ul class="plain-list">${evidence.map(
    ({ label, held }) =>
      html`<li class="${held === null ? 'against' : 'for'}">${label}${held !== null && html`: <span class="quiet">${held}</span>`}</li>`,
  )}</ul></section>`;
}
