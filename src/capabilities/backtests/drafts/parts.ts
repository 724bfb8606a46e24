/** What the console's own pages show of drafts: how one begins, those that are open, those that wait for a second person. */

import { readPolicyOwner } from '../../../alerts/cases/worker-settings.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { findActivation } from '../../../policy/version.store.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import type { PolicyPart, ShownPolicies } from '../../../surface/on-policies.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { isAuthor } from './activate-draft.ts';
import type { DraftItem } from './draft.store.ts';
import { listDrafts } from './draft.store.ts';
import { draftPath } from './view.ts';

export async function draftsOnPolicies(
  visit: Visit,
  { owner, version }: ShownPolicies,
): Promise<PolicyPart> {
  if (owner !== 'console') return {};
  const actions = beginForm(visit, version);
  if (version !== undefined) return { actions };
  const { db, organisationId } = visit.options;
  return { actions, section: draftSection(await listDrafts(db, organisationId)) };
}

/** The button that begins a draft: of the policy in force, or of the version given. */
function beginForm({ who, csrfToken }: Visit, version: string | undefined): Html | false {
  if (!isAtLeast(who.role, 'administrator')) return false;
  const words = version === undefined ? 'Change the policy' : 'Go back to this version';
  return html`<form method="post" action="/policies/drafts">${csrfField(csrfToken)}${version !== undefined && html`<input type="hidden" name="version" value="${version}">`}<button${version !== undefined && html` class="plain"`}>${words}</button></form>`;
}

function draftSection(drafts: readonly DraftItem[]): Html | false {
  if (drafts.length === 0) return false;
  return html`<h2>Drafts</h2>${table({
    label: 'Drafts',
    columns: ['Draft', 'Written by', 'Changed', 'Checks'],
    rows: drafts.map((draft) => [
      html`<a href="${draftPath(draft.id)}">${draft.name}</a>`,
      draft.authors.join(', '),
      moment(draft.changed_at),
      draft.version === null
        ? html`<span class="state bad">problems</span>`
        : html`<span class="state good">usable</span>`,
    ]),
  })}`;
}

/** Policies that an administrator can put in force who did not write at them. */
export async function draftsForSecondPerson(
  { options, who }: Visit,
  limit: number,
): Promise<readonly Html[]> {
  const { db, organisationId } = options;
  if (!isAtLeast(who.role, 'administrator')) return [];
  const [drafts, owner, latest] = await Promise.all([
    listDrafts(db, organisationId),
    readPolicyOwner(db, organisationId),
    findActivation(db, organisationId),
  ]);
  if (owner !== 'console') return [];
  return drafts
    .filter(({ version }) => version !== null && version !== latest?.version)
    .filter((draft) => !isAuthor(draft, who.name))
    .slice(0, limit)
    .map(draftLine);
}

function draftLine({ id, name, authors, changed_at: changedAt }: DraftItem): Html {
  return html`<li>policy <a href="${draftPath(id)}">${name}</a>, written by ${authors.join(', ')} <span class="quiet">${moment(changedAt)}</span></li>`;
}
