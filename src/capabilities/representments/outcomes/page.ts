/** The outcome of evidence: won and lost, by reason code, pack and amount. */
import type { Router } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { currentFormats } from '../../../surface/view/locale.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, send } from '../../../surface/web/visit.ts';
import { COUNTED_MAX, listSentEvidence } from '../filing/sent-evidence.store.ts';
import type { NamedOutcome } from './outcomes.ts';
import { outcomesOf, wonWords } from './outcomes.ts';

export const OUTCOMES = '/representments/outcomes';

/** Lines of a table. */
const SHOWN_MAX = 100;

export function registerOutcomes(router: Router, context: PageContext): void {
  route(router, OUTCOMES, { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options } = visit;
  const sent = await listSentEvidence(options.db, options.organisationId);
  const { byPack, byBand, differences } = outcomesOf(sent);
  const body = html`<p class="crumbs"><a href="/representments">All representments</a></p>
<h1>What came of evidence</h1>
<p class="quiet">Disputes for which evidence was sent from here, or noted as sent. The range behind a share holds however often one looks: few decided disputes say little. At most the last ${currentFormats().count(COUNTED_MAX)} sendings are counted, and of one dispute its last one.</p>
${
  sent.length === 0
    ? emptyState('Nothing was sent.', 'Once evidence was sent, its outcomes are counted here.')
    : html`${differences.map((words) => html`<p><span class="state good">sure</span> ${words}</p>`)}
<h2>By pack</h2>${outcomeTable('Outcomes by pack', 'Pack', byPack)}
<h2>By amount</h2>${outcomeTable('Outcomes by amount', 'Amount', byBand)}`
}`;
  send(visit, { title: 'What came of evidence', active: '/representments', body });
}

function outcomeTable(label: string, heading: string, outcomes: readonly NamedOutcome[]): Html {
  return table({
    label,
    columns: ['Reason code', heading, ...['Sent', 'Won', 'Lost'].map(numeric), 'Share won'],
    rows: outcomes
      .slice(0, SHOWN_MAX)
      .map((each) => [
        ...[each.reasonCode, each.name],
        ...[each.sent, each.won, each.lost].map((count) => currentFormats().count(count)),
        wonWords(each),
      ]),
  });
}
