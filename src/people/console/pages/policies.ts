/** Policies: which version decides, since when and by whom, and what changed between two of them. */
import type { Router } from 'express';
import { lineDiff } from '../../../base/kernel/line-diff.ts';
import type { PolicyListItem } from '../../../books/insights/policy-list.store.ts';
import { listPolicyVersions } from '../../../books/insights/policy-list.store.ts';
import { findVersion } from '../../../policy/version.store.ts';
import { plainText, read } from '../query.ts';
import { route } from '../reply.ts';
import type { Html } from '../view/html.ts';
import { html } from '../view/html.ts';
import { table } from '../view/table.ts';
import { moment } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send, sendError } from '../visit.ts';
import { facts } from './case-facts.ts';
import { emptyState } from './case-list.ts';

/** Characters of a version that name it to people. */
const SHORT = 12;

export function registerPolicies(router: Router, context: PageContext): void {
  route(router, '/policies', { get: page(context, 'viewer', show) });
  route(router, '/policies/:version', { get: page(context, 'viewer', showVersion) });
}

async function show(visit: Visit): Promise<void> {
  const { db, organisationId } = visit.options;
  const versions = await listPolicyVersions(db, organisationId);
  const body = html`<h1>Policies</h1>
<p class="quiet">The policy is a file of yours (<code>FORESTALL_POLICY</code>); every text that ever decided is kept here. <code>forestall policy</code> checks and tests one before it is in force.</p>
<p class="actions"><a class="button" href="/policies/backtests">Try a policy on the past</a> <a class="button plain" href="/policies/shadow">Shadow beside the live policy</a></p>
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
    item.author,
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
    sendError(visit, 404, { title: 'No such version', message: 'Check its name.' });
    return;
  }
  const other = against.ok ? await findVersion(db, organisationId, against.value) : undefined;
  const others = (await listPolicyVersions(db, organisationId)).filter(
    ({ version }) => version !== row.version,
  );
  const body = html`<p class="crumbs"><a href="/policies">All versions</a></p>
<h1>${row.name} <code>${row.version.slice(0, SHORT)}</code></h1>
<div class="card">${facts([
    ['Version', html`<code>${row.version}</code>`],
    ['First used', moment(row.first_used_at)],
    ['By', row.author],
  ])}${
    others.length > 0 &&
    html`<form method="get" action="${versionPath(row.version)}"><label for="against">Compare with</label><div class="actions"><select id="against" name="against">${others.map(({ version, name }) => html`<option value="${version}"${version === other?.version && html` selected`}>${version.slice(0, SHORT)} ${name}</option>`)}</select><button class="plain small">Compare</button></div></form>`
  }</div>
${
  other === undefined
    ? html`<h2>Text</h2><pre tabindex="0">${row.source}</pre>`
    : html`<h2>What changed since <code>${other.version.slice(0, SHORT)}</code></h2>${difference(other.source, row.source)}`
}`;
  send(visit, { title: `Policy ${row.version.slice(0, SHORT)}`, active: '/policies', body });
}

const SIGNS = { same: '  ', out: '- ', in: '+ ' } as const;

function difference(before: string, after: string): Html {
  if (before === after)
    return html`<p class="card">The texts are the same; the files they read differ.</p>`;
  return html`<pre tabindex="0" class="diff">${lineDiff(before, after).map(
    ({ kind, text }) => html`<span class="${kind}">${SIGNS[kind]}${text}\n</span>`,
  )}</pre>`;
}
