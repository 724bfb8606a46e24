/** The frame of every page of the console: who is signed in, where one can go, what is loaded. */
import { createHash } from 'node:crypto';
import { organisationPath } from '../../base/http/organisation-path.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { PartHealth } from '../../health/health.ts';
import type { Identity } from '../web/auth.ts';
import { createFormId, SENT_AS, SENT_PATH } from '../web/form-id.ts';
import type { ShownOrganisation } from '../web/ports.ts';
import type { Assets } from './assets.ts';
import { healthBanners } from './health-lines.ts';
import { icon } from './icon.ts';
import { currentFormats } from './locale.ts';
import { moment } from './time.ts';

/** A page in the menu. */
export interface MenuEntry {
  readonly path: string;
  readonly label: string;
  readonly group: string;
  readonly icon: string;
}

export interface Frame {
  readonly assets: Assets;
  readonly menu: readonly MenuEntry[];
  readonly csrfToken: string;
  readonly who: Identity;
  readonly now: Date;
  /** How each part of Forestall is: what does not work is shown above every page. */
  readonly health: readonly PartHealth[];
  /** Which of several organisations the page is about. */
  readonly organisation?: ShownOrganisation | undefined;
  /** Until when the rows of a demonstration were made up. */
  readonly madeUntil?: Date | undefined;
  /** The page is about all of several organisations. */
  readonly isForAll?: boolean | undefined;
}

export interface PageContent {
  readonly title: string;
  readonly body: HtmlValue;
  /** The path of the menu's entry that this page belongs to. */
  readonly active?: string | undefined;
  /** The page needs the whole width: the navigation makes room. */
  readonly isWide?: boolean | undefined;
}

export function renderPage(
  frame: Frame,
  { title, body, active, isWide = false }: PageContent,
): string {
  const { csrfToken, who, organisation, menu, isForAll = false } = frame;
  const inner = html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="${organisation === undefined ? '/' : '/organisations'}">${logo()}Forestall</a>${organisation !== undefined && switcher(organisation, frame, active)}
${isForAll ? organisationSearch() : alertSearch()}
<details class="who"><summary>${icon('user')}${who.name}</summary><div><p class="quiet">${who.role}</p>
<form method="post" action="/logout">${csrfField(csrfToken)}<button class="plain small">Sign out</button></form></div></details></header>
<div class="frame${isWide && ' wide-page'}"><nav class="side" aria-label="Pages"><details class="menu"><summary>${icon('menu')}Menu</summary></details><div class="wide">${navigation(menu, active)}</div></nav>
<main id="main" tabindex="-1">${organisation !== undefined && html`<p class="printed">${organisation.name}</p>`}${healthRegion(frame.health)}${madeNote(frame.madeUntil)}${body}</main></div>${askSent(csrfToken)}`;
  const titled = organisation === undefined ? title : `${title} · ${organisation.name}`;
  return document_({ title: titled, inner, assets: frame.assets, now: frame.now });
}

/** With what the page's script looks up a form that got no answer. */
function askSent(csrfToken: string): Html {
  return html`<form id="ask-sent" method="post" action="${SENT_PATH}" hidden>${tokenField(csrfToken)}</form>`;
}

/** So that the past of a demonstration is not taken for a merchant's. */
function madeNote(until: Date | undefined): Html | undefined {
  if (until === undefined) return undefined;
  return html`<p class="made"><strong>Demonstration.</strong> What is dated before ${moment(until)} was made up at the first start: no customer, no purchase and no money of it is real.</p>`;
}

function alertSearch(): Html {
  return html`<form class="search" role="search" action="/alerts" method="get">${icon('search')}<label class="hidden" for="find">Find an alert</label>
<input id="find" name="q" type="search" placeholder="Id, card, amount, ARN, order, e-mail…" autocomplete="off" maxlength="100"><kbd aria-hidden="true">/</kbd><input type="hidden" name="state" value="all"><input type="hidden" name="go" value="yes"></form>`;
}

function organisationSearch(): Html {
  return html`<form class="search" role="search" action="/organisations" method="get">${icon('search')}<label class="hidden" for="find">Find an organisation</label>
<input id="find" name="q" type="search" placeholder="Name or id of an organisation…" autocomplete="off" maxlength="100"><kbd aria-hidden="true">/</kbd><input type="hidden" name="go" value="yes"></form>`;
}

/** Which organisation the page is about, and the same page of others. */
function switcher(
  { name }: ShownOrganisation,
  { who: { elsewhere = [] } }: Frame,
  active: PageContent['active'],
): Html {
  return html`<details class="who switch"><summary>${icon('network')}<span class="hidden">Organisation: </span><strong>${name}</strong></summary><div>
${elsewhere.length > 0 && html`<p class="quiet">The same page of</p><ul>${elsewhere.map((other) => html`<li><a href="${organisationPath(other.path, active)}">${other.name}</a></li>`)}</ul>`}
<p><a href="/organisations">All organisations</a></p></div></details>`;
}

/** How often what does not work is asked for again, whatever page is open. */
const HEALTH_REFRESH = 'every 3s, refresh';

/** What does not work, with the next step. It keeps itself up to date. */
export function healthRegion(health: readonly PartHealth[]): Html {
  return html`<div id="health" role="region" aria-label="Health" aria-live="polite" hx-get="/health?shown=${healthMark(health)}" hx-trigger="${HEALTH_REFRESH}" hx-swap="outerHTML" hx-headers="${BACKGROUND}">${healthBanners(health, 'failed')}</div>`;
}

/** Tells whether a page shows what is so now: what is unchanged is not read out again. */
export function healthMark(health: readonly PartHealth[]): string {
  const failed = health.filter(({ status }) => status === 'failed');
  const text = failed.map(({ name, detail }) => `${name}: ${detail}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function navigation(entries: readonly MenuEntry[], active: PageContent['active']): Html {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return html`${groups.map(
    (group) =>
      html`<p class="group">${group}</p><ul>${entries
        .filter((entry) => entry.group === group)
        .map(
          ({ path, label, icon: name }) =>
            html`<li><a href="${path}" title="${label}"${path === active && html` aria-current="page"`}>${icon(name)}<span>${label}</span></a></li>`,
        )}</ul>`,
  )}`;
}

/** A shield with a tick, drawn from the text colour. */
function logo(): Html {
  return html`<svg class="logo" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z" fill="currentColor" opacity=".18"></path><path d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z" fill="none" stroke="currentColor" stroke-width="1.6"></path><path d="m8.5 12 2.5 2.5 4.7-5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"></path></svg>`;
}

/** A document for people who are not signed in: the form, an error. */
export function renderPlain(
  { assets, now }: Pick<Frame, 'assets' | 'now'>,
  { title, body, refresh }: PageContent & { readonly refresh?: string },
): string {
  const inner = html`<main id="main" class="alone"><p class="brand">${logo()}Forestall</p>${body}</main>`;
  return document_({ title, inner, assets, now, refresh });
}

function document_(content: {
  readonly title: string;
  readonly inner: Html;
  readonly assets: Assets;
  readonly now: Date;
  readonly refresh?: string | undefined;
}): string {
  const hasChart = content.inner.toString().includes('data-chart');
  const page = html`<html lang="en" data-now="${content.now.toISOString()}" data-locale="${currentFormats().locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
${content.refresh !== undefined && html`<meta http-equiv="refresh" content="0;url=${content.refresh}">`}
<title>${content.title} · Forestall</title>
${hasChart && content.assets.chartTags}${content.assets.tags}<link rel="icon" href="data:,">
</head>
<body>
${content.inner}
</body>
</html>`;
  return `<!doctype html>\n${page.toString()}\n`;
}

/** The `hx-headers` of what refreshes itself: it was not clicked, so such a request keeps no session alive. */
export const BACKGROUND = JSON.stringify({ 'X-Background': 'yes' });

/** Errors replace nothing on a page that refreshes itself; the next round may succeed. */
const HTMX_CONFIG = JSON.stringify({ noSwap: [204, 304, '4xx', '5xx'], history: 'reload' });

/** The hidden fields of a form: what proves that it came from our page, and the id under which it is looked up. */
export function csrfField(csrfToken: string): Html {
  return html`${tokenField(csrfToken)}<input type="hidden" name="${SENT_AS}" value="${createFormId()}">`;
}

function tokenField(csrfToken: string): Html {
  return html`<input type="hidden" name="csrf_token" value="${csrfToken}">`;
}
