/** Scheme notices: fraud and dispute reports of the card schemes. What they do to ratios: `ratios/`. */
import { z } from 'zod';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { schemeWords } from '../../service/wire/code-words.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { coded } from '../../surface/view/codes.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { amount } from '../../surface/view/money.ts';
import { isOffered } from '../../surface/view/page-link.ts';
import { nextPage, numeric, table } from '../../surface/view/table.ts';
import { momentOr } from '../../surface/view/time.ts';
import { cursorOf, LIMIT_DEFAULT, makeCursor } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../surface/web/visit.ts';
import type { SchemeNoticeRow } from './scheme-notice-list.store.ts';
import { listSchemeNotices } from './scheme-notice-list.store.ts';

/** Pages one may leaf through; older notices are found in an export of the database. */
const OFFSET_MAX = 10_000;

const noticeQuery = z.strictObject({
  cursor: cursorOf(z.tuple([z.int().min(1).max(OFFSET_MAX)])).optional(),
});

export const schemeNoticesPages: CapabilityPages = {
  menu: { path: '/scheme-notices', label: 'Scheme notices', group: 'Network', icon: 'megaphone' },
  register(router, context): void {
    route(router, '/scheme-notices', { get: page(context, 'viewer', show) });
  },
};

async function show(visit: Visit): Promise<void> {
  const { options } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, noticeQuery, 'Begin without a cursor.');
  if (query === undefined) return;
  const offset = query.cursor?.[0] ?? 0;
  const rows = await listSchemeNotices(db, organisationId, { limit: LIMIT_DEFAULT, offset });
  const hasMore = rows.length === LIMIT_DEFAULT && offset + rows.length <= OFFSET_MAX;
  const body = html`<h1>Scheme notices</h1>
<p class="quiet">Fraud and dispute reports of the card schemes, newest first.${isOffered('/ratios') && html` What they do to the programmes’ ratios: <a href="/ratios">Ratios</a>.`}</p>
${noticeTable(rows)}
${nextPage('/scheme-notices', { cursor: hasMore ? makeCursor([offset + rows.length]) : null })}`;
  send(visit, { title: 'Scheme notices', active: '/scheme-notices', body });
}

function noticeTable(rows: readonly SchemeNoticeRow[]): Html {
  if (rows.length === 0) {
    return emptyState(
      'No notice yet.',
      'Fraud and dispute notices of the card schemes appear here as soon as the service reports them.',
    );
  }
  return table({
    label: 'Scheme notices',
    columns: [
      'Reported',
      'Kind',
      'Type',
      'Scheme',
      numeric('Amount'),
      'Card',
      'Notice and acquirer reference',
    ],
    rows: rows.map((row) => [
      momentOr(row.fraud_reported_at ?? row.created_at, 'unknown'),
      html`${kindWords(row)}${row.is_revoked === true && html` <span class="state good">revoked</span>`}`,
      row.scheme_notice_type,
      row.scheme === null ? null : coded(row.scheme, schemeWords),
      amount(row.amount_minor, row.currency),
      row.card_last4 === null ? '–' : `····\u00a0${row.card_last4}`,
      html`<code>${row.id}</code>${row.acquirer_reference_number !== null && html`<br>${noticePayment(row.acquirer_reference_number)}`}`,
    ]),
  });
}

/** What else is known of the payment that a notice is about. */
function noticePayment(reference: string): Html {
  return html`<a href="/alerts?state=all&amp;q=${encodeURIComponent(reference)}">${reference}</a>`;
}

function kindWords({ notice_type, snapshot }: SchemeNoticeRow): string {
  const type = snapshot['fraud_type'];
  const words = notice_type === 'FRAUD_NOTICE' ? 'fraud' : 'dispute';
  return typeof type === 'string' ? `${words}: ${type}` : words;
}
