/** An address of one organisation, from before there were several: of which of them is it meant now? */
import type { Router } from 'express';
import { ORGANISATIONS_PATH, organisationPath } from '../../../base/http/organisation-path.ts';
import { html } from '../../../base/kernel/html.ts';
import { CAPABILITY_PAGES } from '../../../capabilities/pages.ts';
import type { InstallationOptions } from '../../../surface/web/ports.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { goTo, localPath, page, send } from '../../../surface/web/visit.ts';
import { theirOrganisations } from '../installation/their-organisations.ts';
import { MENU } from '../menu.ts';

/** Organisations that the page leads to. */
const SHOWN_MAX = 50;

/** The beginnings of such addresses. */
const OLD = [
  ...MENU.flatMap(({ path }) => (path === '/' || path === '/operators' ? [] : [path])),
  ...CAPABILITY_PAGES.flatMap(({ unlisted = [] }) => unlisted),
];

export function registerWhichOrganisation(
  router: Router,
  context: PageContext<InstallationOptions>,
): void {
  const ask = page(context, 'viewer', show);
  for (const path of OLD) {
    router.get([path, `${path}/*rest`], ask);
  }
}

async function show(visit: Visit<InstallationOptions>): Promise<void> {
  const theirs = await theirOrganisations(visit.options, visit.who);
  const address = localPath(visit.request.originalUrl);
  const [only, ...others] = theirs;
  if (only !== undefined && others.length === 0) {
    return goTo(visit, organisationPath(only.path, address));
  }
  const body = html`<h1>Of which organisation?</h1>
<p>There are several now, and the address names none of them.</p>
<ul class="choices">${theirs.slice(0, SHOWN_MAX).map(({ name, path }) => html`<li><a href="${organisationPath(path, address)}">${name}</a></li>`)}</ul>
<p><a href="${ORGANISATIONS_PATH}">All organisations</a></p>`;
  send(visit, { title: 'Of which organisation?', body });
}
