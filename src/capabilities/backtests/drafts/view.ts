/** What a draft of a policy looks like: the editor with its checks, what would change, and the way into force. */
import type { ReplayPart } from '../../../alerts/decide/replay-reader.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { RuleFinding } from '../../../policy/analyse.ts';
import { analyseRules } from '../../../policy/analyse.ts';
import type { StoredVersion } from '../../../policy/version.store.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import type { PolicyOwner } from '../../../surface/on-policies.ts';
import { ownerNote } from '../../../surface/on-policies.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { changeCounts, difference } from '../../../surface/view/difference.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import type { BacktestItem } from '../backtest.store.ts';
import { backtestPath, backtestTable, verdictWords } from '../page.ts';
import { backtestParts } from '../result.ts';
import { isAuthor } from './activate-draft.ts';
import type { PolicyCheck } from './check-text.ts';
import type { PolicyDraft } from './draft.store.ts';

/** Characters of a version that name it to people. */
const SHORT = 12;

export interface DraftPage {
  readonly draft: PolicyDraft;
  /** The text in the editor. */
  readonly source: string;
  readonly checked: PolicyCheck;
  readonly inForce: StoredVersion | undefined;
  readonly owner: PolicyOwner;
  /** Backtests of this very text. */
  readonly tried: readonly BacktestItem[];
  /** What capabilities say of the newest of them that is done. */
  readonly parts: readonly ReplayPart[];
  readonly fault: string | undefined;
}

export function draftBody(visit: Visit, page: DraftPage): Html {
  const { draft, checked, inForce, owner, fault } = page;
  const isOpen = draft.state === 'DRAFT';
  const mayEdit = isOpen && owner === 'console' && isAtLeast(visit.who.role, 'administrator');
  // The person who judges it reads what changed first; the person who writes it, the text.
  const isJudge = mayEdit && fault === undefined && mayPutInForce(visit, draft);
  const text = mayEdit
    ? editor(visit, page)
    : html`<h2>Text</h2><pre tabindex="0">${draft.source}</pre>`;
  const checks = html`<div id="checks" aria-live="polite">${draftChecks(checked)}</div>`;
  return html`<p class="crumbs"><a href="/policies">Policies</a></p><h1>${draft.name} ${stateBadge(draft)}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${isOpen && owner !== 'console' && html`<p class="banner">${ownerNote(owner)}</p>`}
<div class="card">${descriptionList([
    ['Written by', draft.authors.join(', ')],
    ['Changed', moment(draft.changed_at)],
    ['Version', draft.version !== null && html`<code>${draft.version}</code>`],
    [
      'Put in force',
      draft.activated_at !== null && html`${moment(draft.activated_at)} by ${draft.activated_by}`,
    ],
  ])}</div>
${isJudge ? checks : html`${text}${checks}`}
<h2>What would change</h2>${changes(inForce, draft.source)}
<h2>Tried on the past</h2>${tried(visit, page, mayEdit)}
${isOpen && owner === 'console' && html`<h2>Put in force</h2>${wayIntoForce(visit, page)}`}
${isJudge && html`<details class="fold"><summary>The whole text</summary>${text}</details>`}`;
}

function stateBadge({ state }: PolicyDraft): Html {
  if (state === 'ACTIVE') return html`<span class="state good">put in force</span>`;
  return html`<span class="state">${state === 'DRAFT' ? 'draft' : 'discarded'}</span>`;
}

export function draftPath(id: string): string {
  return `/policies/drafts/${encodeURIComponent(id)}`;
}

/** Lines that are shown at once. */
const ROWS = { min: 12, max: 32 };

function rowsOf(source: string): number {
  const lines = source.split('\n').length + 2;
  return Math.min(ROWS.max, Math.max(ROWS.min, lines));
}

function editor({ csrfToken }: Visit, { draft, source }: DraftPage): Html {
  const path = draftPath(draft.id);
  return html`<form method="post" action="${path}">${csrfField(csrfToken)}<input type="hidden" name="draft" value="${draft.id}"><input type="hidden" name="seen" value="${draft.changed_at.toISOString()}">
<label for="text">Text (YAML)</label><textarea id="text" name="text" class="code editor" rows="${rowsOf(source)}" spellcheck="false" autocomplete="off" aria-describedby="checks" hx-post="/policies/drafts/check" hx-trigger="input changed delay:500ms" hx-target="#checks" hx-swap="innerHTML">${source}</textarea>
<div class="actions"><button>Save and check</button><button class="plain" name="then" value="try">Save and try on the last 30 days</button><button class="plain" formaction="${path}/discard">Discard this draft</button></div></form>`;
}

/** Everything the checks found, each with its place in the text. */
export function draftChecks(checked: PolicyCheck): Html {
  if (!checked.ok) {
    const count = checked.problems.length;
    return html`<div class="banner error"><p><strong>${count} ${count === 1 ? 'problem' : 'problems'}.</strong> It cannot be put in force like this.</p>${table(
      {
        label: 'Problems of the text',
        columns: [numeric('Line'), numeric('Column'), 'Problem'],
        rows: checked.problems.map(({ line, column, message }) => [line, column, message]),
      },
    )}</div>`;
  }
  const { policy, examples } = checked;
  const wrong = examples.filter(({ faults }) => faults.length > 0);
  const rules = policy.rules.length;
  return html`<div class="banner ${wrong.length > 0 ? 'error' : 'done'}"><p><strong>${wrong.length > 0 ? `${wrong.length} of ${examples.length} examples come out otherwise.` : 'No problem found.'}</strong> ${rules} ${rules === 1 ? 'rule' : 'rules'}, version <code>${policy.version.slice(0, SHORT)}</code>${examples.length > 0 && wrong.length === 0 && `, ${examples.length === 1 ? 'its example' : `all ${examples.length} examples`} as expected`}.</p>${wrong.map(({ name, line, faults }) => html`<p>Line ${line}, “${name}”: ${faults.join('; ')}</p>`)}</div>${ruleFindings(analyseRules(policy))}`;
}

/** What rules say together: it can be put in force like this, but somebody should look. */
function ruleFindings(findings: readonly RuleFinding[]): Html {
  if (findings.length === 0) return html``;
  return html`<div class="banner"><p><strong>${findings.length} to look at.</strong> <code>forestall policy check</code> also looks at the last 90 days.</p>${findings.map(({ line, text }) => html`<p>Line ${line}: ${text}</p>`)}</div>`;
}

function changes(inForce: StoredVersion | undefined, source: string): Html {
  if (inForce === undefined) return html`<p class="card quiet">No policy is in force yet.</p>`;
  if (inForce.source === source) {
    return html`<p class="card quiet">Nothing: it is the text that is in force.</p>`;
  }
  return html`<p class="quiet">Against version <code>${inForce.version.slice(0, SHORT)}</code>, which is in force.</p>${difference(inForce.source, source)}`;
}

function tried(
  { csrfToken }: Visit,
  { draft, tried: items, parts }: DraftPage,
  mayEdit: boolean,
): Html {
  return html`${items.length === 0 ? html`<p class="card quiet">This text was not tried on past alerts yet.</p>` : backtestTable(items)}${backtestParts(parts)}
${mayEdit && draft.version !== null && html`<form method="post" action="${draftPath(draft.id)}/try" class="actions">${csrfField(csrfToken)}<button class="plain">Try it on the last 30 days</button></form>`}`;
}

function mayPutInForce({ who }: Visit, draft: PolicyDraft): boolean {
  return (
    draft.version !== null && !isAuthor(draft, who.name) && isAtLeast(who.role, 'administrator')
  );
}

/** What the newest backtest of this text found, or that there is none. */
function verdict(items: readonly BacktestItem[]): Html {
  const done = items.find((item) => item.verdict !== null);
  if (done === undefined || done.verdict === null) {
    return html`<p class="banner">It was not tried on the past: what it would have changed is not known.</p>`;
  }
  return html`<p>Tried on the past: ${verdictWords(done.verdict)}. <a href="${backtestPath(done.id)}">The backtest</a></p>`;
}

/** Who may put it in force, and the button for those who may. */
function wayIntoForce(
  { who, csrfToken, request }: Visit,
  { draft, inForce, tried: items }: DraftPage,
): Html {
  if (draft.version === null)
    return html`<p class="card">First mend what the checks found, and save it.</p>`;
  if (isAuthor(draft, who.name)) {
    return html`<form method="post" action="${draftPath(draft.id)}/ask" class="card">${csrfField(csrfToken)}
<p>Another administrator must put it in force: you wrote at it. Today shows it to them; who may is on <a href="/operators">Operators</a>.</p>
${request.query['asked'] === 'yes' && html`<p class="banner done" role="status">A message goes to your channels.</p>`}
<p class="actions"><button>Tell them that it waits</button></p></form>`;
  }
  if (!isAtLeast(who.role, 'administrator')) {
    return html`<p class="card">An administrator who did not write at it can put it in force.</p>`;
  }
  return html`<form method="post" action="${draftPath(draft.id)}/activate" class="card">${csrfField(csrfToken)}<input type="hidden" name="version" value="${draft.version}">${inForce !== undefined && html`<input type="hidden" name="in_force" value="${inForce.version}">`}
<p>From then on every worker decides by this text, which <strong>moves money</strong>: written by ${draft.authors.join(', ')}, put in force by you. Alerts that are decided already stay as they are.</p>
${inForce !== undefined && html`<p>Changed: ${changeCounts(inForce.source, draft.source)}.</p>`}${verdict(items)}
<p class="actions"><button class="danger">Put version ${draft.version.slice(0, SHORT)} in force</button></p></form>`;
}
