/** Enrolments: which programmes are live, for which descriptors, and what still has to be done. */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { plainCode, programmeWords } from '../../service/wire/code-words.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { coded } from '../../surface/view/codes.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import type { MerchantNames } from '../../surface/view/merchants.ts';
import { merchant } from '../../surface/view/merchants.ts';
import { momentOr } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { namesOfMerchants, page, send } from '../../surface/web/visit.ts';
import type { EnrolmentRow } from './enrolment-list.store.ts';
import { listEnrolments } from './enrolment-list.store.ts';

export const enrolmentsPages: CapabilityPages = {
  menu: { path: '/enrolments', label: 'Enrolments', group: 'Network', icon: 'plug' },
  register(router, context): void {
    route(router, '/enrolments', { get: page(context, 'viewer', show) });
  },
};

async function show(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const [rows, names] = await Promise.all([
    listEnrolments(db, organisationId),
    namesOfMerchants(visit),
  ]);
  const body = html`<h1>Enrolments and descriptors</h1>
<p class="quiet">As webhooks and polls told us last. Alerts come only for descriptors that are active in an enabled enrolment.</p>
${
  rows.length === 0
    ? emptyState(
        'No enrolment is known yet.',
        'They appear when the service reports one. Enrolments are made by a partner, or in the dashboard of the service.',
      )
    : html`<div class="columns">${rows.map((row) => card(row, names))}</div>`
}`;
  send(visit, { title: 'Enrolments', active: '/enrolments', body });
}

/** What each status asks of the merchant. */
const STATUS_WORDS: Readonly<Record<string, readonly [tone: string, next: string]>> = {
  ENABLED: ['good', 'Live.'],
  PENDING: ['warn', 'The service has not begun yet.'],
  IN_PROGRESS: ['warn', 'Being set up at the network; nothing to do.'],
  ACTION_REQUIRED: ['bad', 'You must act: read the note, or ask the service.'],
  CANCELLED: ['', 'Ended: no alerts come through it.'],
};

function card(row: EnrolmentRow, names: MerchantNames): Html {
  const [tone, next] = STATUS_WORDS[row.status ?? ''] ?? [
    'warn',
    'A status Forestall does not know.',
  ];
  return html`<section class="card" aria-label="${row.id}"><h2>${row.type === null ? 'unknown programme' : coded(row.type, programmeWords)}</h2>
<p><span class="state ${tone}">${row.status === null ? 'unknown' : coded(row.status, plainCode)}</span> ${next}</p>
${descriptionList([
  ['Enrolment', html`<code>${row.id}</code>`],
  ['Note', row.note],
  [
    'Merchants',
    textsOf(row.snapshot['merchant_ids']).map(
      (id, index) => html`${index > 0 && ', '}${merchant(id, names)}`,
    ),
  ],
  ...scopeFacts(row),
  ['Created', momentOr(row.created_at, 'unknown')],
  ['Last changed', momentOr(row.changed_at, 'unknown')],
])}${descriptors(row)}</section>`;
}

const descriptorsShape = z.looseObject({
  descriptors: z
    .array(
      z.looseObject({
        descriptor: z.string(),
        match_type: z.string().nullish(),
        status: z.string().nullish(),
      }),
    )
    .nullish(),
});

function descriptors({ snapshot }: EnrolmentRow): Html | false {
  const parsed = descriptorsShape.safeParse(snapshot['neta_alert']);
  const list = parsed.success ? (parsed.data.descriptors ?? []) : [];
  if (list.length === 0) return false;
  return html`<h3>Descriptors</h3><ul class="plain-list">${list.map(
    ({ descriptor, match_type, status }) =>
      html`<li><code>${descriptor}</code> <span class="quiet">${match_type === 'STARTS_WITH' ? 'and whatever begins with it' : 'exactly'}</span>${status != null && html` <span class="state ${status === 'ACTIVE' ? 'good' : 'warn'}">${coded(status, plainCode)}</span>`}</li>`,
  )}</ul>`;
}

const scopeShape = z.looseObject({
  bin: z.string().nullish(),
  caid: z.string().nullish(),
  arns: z.array(z.string()).nullish(),
});

function scopeFacts({ snapshot }: EnrolmentRow): [string, string | null][] {
  const rdr = scopeShape.safeParse(snapshot['netb_rdr']);
  if (!rdr.success) return [];
  const { bin, caid, arns } = rdr.data;
  return [
    ['BIN', bin ?? null],
    ['CAID', caid ?? null],
    ['Acquirer references', arns == null ? null : `${arns.length}`],
  ];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
