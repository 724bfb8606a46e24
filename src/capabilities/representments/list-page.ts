/** Representments: disputes that are contested, by the day their evidence is due, what we hold and what was sent. */
import type { Router } from 'express';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { RepresentmentRow } from '../../books/insights/entity-list.store.ts';
import { listRepresentments } from '../../books/insights/entity-list.store.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { facts } from '../../surface/view/facts.ts';
import { amount } from '../../surface/view/money.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { deadline, moment, timeLeft } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send } from '../../surface/web/visit.ts';
import type { Pack } from './pack.ts';
import { readPacks } from './read-pack.ts';
import type { PackRecord } from './representment-pack.store.ts';
import { isOpenDispute, packRecord, sentPacks } from './representment-pack.store.ts';
import type { SentPack } from './representment-pack.table.ts';
import { evidencePacks } from './settings.ts';

/** Representments on the page: the pack of each is made again. */
const SHOWN_MAX = 20;

export function registerRepresentments(router: Router, context: PageContext): void {
  route(router, '/representments', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, settings, now } = visit;
  const { db, organisationId } = options;
  const rules = settings.of(evidencePacks);
  const rows = await listRepresentments(db, organisationId, SHOWN_MAX);
  const packs = await readPacks(db, { organisationId, representments: rows, rules });
  const ids = rows.map(({ id }) => id);
  const sent = Map.groupBy(
    await sentPacks(db, organisationId, ids),
    (each) => each.representment_id,
  );
  const record = await packRecord(db, organisationId);
  const body = html`<h1>Representments</h1>
<p class="quiet">Disputes that are contested, open ones first, by the day their evidence is due as the service tells it. The ${SHOWN_MAX} most pressing are shown. Evidence is handed in where the dispute is contested; its pack, made of your own rows, stands here. <a href="/representments/disputes">Disputes at the processor</a>, where evidence can be handed in from here. <a href="/representments/documents">Documents</a> that packs are made of besides the rows.</p>
${
  rows.length === 0
    ? emptyState(
        'No representment is known.',
        'When a dispute is contested through the service, it appears here with its due date and its pack of evidence.',
      )
    : html`<div class="columns">${rows.map((row, index) => card(row, { pack: packs[index], sent: sent.get(row.id) ?? [], now }))}</div>`
}
${record.length > 0 && html`<h2>What came of what was sent</h2>${recordTable(record)}`}`;
  send(visit, { title: 'Representments', active: '/representments', body });
}

interface Beside {
  readonly pack: Pack | undefined;
  readonly sent: readonly SentPack[];
  readonly now: Date;
}

function card(row: RepresentmentRow, { pack, sent, now }: Beside): Html {
  const isOpen = isOpenDispute(row);
  const [latest] = sent;
  const reason = row.snapshot['dispute_reason'];
  return html`<section class="card" aria-label="${row.id}"><h2>${amount(row.amount_minor, row.currency)} <a href="${representmentPath(row.id)}"><code>${row.id}</code></a></h2>
<p><span class="state ${isOpen ? 'warn' : ''}">${plainWord(row.dispute_status) ?? 'unknown'}</span> ${isOpen && row.dispute_due_by !== null && timeLeft(row.dispute_due_by, now)}</p>
${facts([
  [
    'Evidence due',
    row.dispute_due_by === null ? 'not told: ask your processor' : deadline(row.dispute_due_by),
  ],
  ['Stage', plainWord(row.dispute_stage)],
  ['Reason', typeof reason === 'string' ? plainWord(reason) : null],
  ['Reason code', pack?.reasonCode],
  ['Transaction', row.transaction_reference_id],
  ['Required', pack !== undefined && heldWords(pack)],
  [
    'Sent',
    latest === undefined
      ? 'nothing yet'
      : html`version ${latest.version}, ${moment(latest.sent_at)}`,
  ],
])}
<p class="actions"><a class="button plain small" href="${representmentPath(row.id)}">Open the pack</a></p></section>`;
}

/** A word of the service as people write it: `SUBSCRIPTION_CANCELED` is `subscription canceled`. */
export function plainWord(word: string | null): string | null {
  return word === null ? null : word.replaceAll('_', ' ').toLowerCase();
}

export function representmentPath(id: string): string {
  return `/representments/${encodeURIComponent(id)}`;
}

/** How much of what is required we hold. */
export function heldWords({ rule, missing }: Pack): Html {
  const all = rule.required.length;
  const held = all - missing.length;
  return html`<span class="state ${missing.length === 0 ? 'good' : 'warn'}">${held} of ${all} held</span>`;
}

function recordTable(record: readonly PackRecord[]): Html {
  return table({
    label: 'Packs sent and their outcomes',
    columns: ['Pack', ...['Sent', 'Won', 'Lost', 'Open'].map(numeric)],
    rows: record.map(({ packRule, sent, won, lost }) => [
      packRule,
      sent,
      won,
      lost,
      sent - won - lost,
    ]),
  });
}
