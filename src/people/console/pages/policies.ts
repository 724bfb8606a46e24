/** Policies: which version decides, since when and by whom, and what changed between two of them. */
import type { Router } from 'express';
import { readPolicyOwner } from '../../../alerts/cases/worker-settings.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { PolicyListItem } from '../../../policy/policy-list.store.ts';
import { listPolicyVersions } from '../../../policy/policy-list.store.ts';
import { findVersion } from '../../../policy/version.store.ts';
import { ownerNote } from '../../../surface/on-policies.ts';
import { actorWords } from '../../../surface/view/codes.ts';
import { descriptionList } from '../../../surface/view/description-list.ts';
import { difference } from '../../../surface/view/difference.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';
import { plainText, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, send, sendError } from '../../../surface/web/visit.ts';
import { linksOn, onPolicies } from '../page-parts.ts';

/** Characters of a version that name it to people. */
const SHORT = 12;

export function registerPolicies(router: Router, context: PageContext): void {
  route(router, '/policies', { get: page(context, 'viewer', show) });
  route(router, '/policies/:version', { get: page(context, 'viewer', showVersion) });
}

async function show(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const [versions, owner] = await Promise.all([
    listPolicyVersions(db, organisationId),
    readPolicyOwner(db, organisationId),
  ]);
  const parts = await onPolicies(visit, { owner });
  const body = html`<h1>Policies</h1>
<p class="quiet">What an alert is answered. Every text that ever decided is kept here.</p>
${owner !== 'console' && html`<p class="banner info">${ownerNote(owner)}</p>`}
<div class="actions">${parts.map(({ actions }) => actions)}${linksOn('/policies').map(({ path, label }) => html` <a class="button plain" href="${path}">${label}</a>`)}</div>
${parts.map(({ section }) => section)}
<h2>Versions</h2>
${
  versions.length === 0
    ? emptyState(
        'No policy has been in force yet.',
        'A worker writes the first version down when it starts.',
      )
    : table({
        label: 'Versions',
        columns: ['Version', 'Policy', 'In force', 'By', 'Difference'],
        rows: versions.map(versionRow),
      })
}`;
  send(visit, { title: 'Policies', active: '/policies', body });
}

function versionPath(version: string): string {
  return `/policies/${encodeURIComponent(version)}`;
}

function versionRow(item: PolicyListItem): (Html | string | null | false)[] {
  return [
    html`<a href="${versionPath(item.version)}"><code>${item.version.slice(0, SHORT)}</code></a>`,
    item.name,
    item.inForce
      ? html`<span class="state good">in force</span> since ${moment(item.activatedAt ?? item.firstUsedAt)}`
      : html`${item.activatedAt === null ? 'judged beside only' : moment(item.activatedAt)}`,
    item.approvedBy === null
      ? actorWords(item.author ?? '')
      : html`${actorWords(item.author ?? '')} <span class="quiet">put in force by ${item.approvedBy}</span>`,
    item.previous !== null &&
      html`<a href="${versionPath(item.version)}?against=${encodeURIComponent(item.previous)}">to the one before</a>`,
  ];
}

async function showVersion(visit: Visit): Promise<void> {
  const { request, options } = visit;
  const { db, organisationId } = options;
  const wanted = read(plainText, request.params['version']);
  const against = read(plainText, request.query['against']);
  const row = wanted.ok ? await findVersion(db, organisationId, wanted.value) : undefined;
  if (row === undefined) {
    return sendError(visit, 404, { title: 'No such version', message: 'Check its name.' });
  }
  if (request.query['against'] !== undefined && !against.ok) {
    return sendError(visit, 400, { title: 'No such version', message: 'against is not valid.' });
  }
  const other = against.ok ? await findVersion(db, organisationId, against.value) : undefined;
  if (against.ok && other === undefined) {
    const message = `There is no version ${against.value} to compare with. Choose one of the list.`;
    return sendError(visit, 404, {
      title: 'No such version',
      message,
      next: { path: versionPath(row.version), words: 'This version alone' },
    });
  }
  const versions = await listPolicyVersions(db, organisationId);
  const others = versions.filter(({ version }) => version !== row.version);
  const isInForce = versions.some(({ version, inForce }) => inForce && version === row.version);
  const parts =
    row.kind === 'yaml' && !isInForce
      ? await onPolicies(visit, {
          owner: await readPolicyOwner(db, organisationId),
          version: row.version,
        })
      : [];
  const body = html`<p class="crumbs"><a href="/policies">All versions</a></p>
<h1>${row.name} <code>${row.version.slice(0, SHORT)}</code></h1>
<div class="card">${descriptionList([
    ['Version', html`<code>${row.version}</code>`],
    ['First used', moment(row.first_used_at)],
    ['By', row.author],
  ])}${
    others.length > 0 &&
    html`<form method="get" action="${versionPath(row.version)}"><label for="against">Compare with</label><div class="actions"><select id="against" name="against">${others.map(({ version, name }) => html`<option value="${version}"${version === other?.version && html` selected`}>${version.slice(0, SHORT)} ${name}</option>`)}</select><button class="plain small">Compare</button></div></form>`
  }</div>
${parts.map(({ actions }) => html`<div class="actions">${actions}</div>`)}
${
  other === undefined
    ? html`<h2>Text</h2><pre tabindex="0">${row.source}</pre>`
    : html`<h2>What changed since <code>${other.version.slice(0, SHORT)}</code></h2>${difference(other.source, row.source)}`
}`;
  send(visit, { title: `Policy ${row.version.slice(0, SHORT)}`, active: '/policies', body });
}
