/** The frame every page of the console stands in: who is signed in, where one can go, what is loaded. */
import { createHash } from 'node:crypto';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { PartHealth } from '../../../books/insights/health.ts';
import type { Identity } from '../auth.ts';
import type { Assets } from './assets.ts';
import { healthBanners } from './health-lines.ts';

/** The pages of the navigation. A page stands here only when there is something to show on it. */
export const NAVIGATION = [
  { path: '/', label: 'Today', group: 'Now' },
  { path: '/reviews', label: 'Reviews', group: 'Now' },
  { path: '/alerts', label: 'Alerts', group: 'Now' },
  { path: '/lookups', label: 'Lookups', group: 'Network' },
  { path: '/enrolments', label: 'Enrolments', group: 'Network' },
  { path: '/representments', label: 'Representments', group: 'Network' },
  { path: '/scheme-notices', label: 'Scheme notices', group: 'Network' },
  { path: '/evidence', label: 'Evidence', group: 'Network' },
  { path: '/ratios', label: 'Ratios', group: 'Books' },
  { path: '/figures', label: 'Figures', group: 'Books' },
  { path: '/exports', label: 'Exports', group: 'Books' },
  { path: '/orders', label: 'Orders', group: 'Books' },
  { path: '/credits', label: 'Credits', group: 'Books' },
  { path: '/findings', label: 'Findings', group: 'Books' },
  { path: '/events', label: 'Webhook log', group: 'Books' },
  { path: '/policies', label: 'Policies', group: 'Control' },
  { path: '/system', label: 'System', group: 'Control' },
  { path: '/operators', label: 'Operators', group: 'Control' },
] as const;
export type NavigationPath = (typeof NAVIGATION)[number]['path'];

/** What the frame shows of the person. */
export interface Frame {
  readonly assets: Assets;
  readonly csrfToken: string;
  readonly who: Identity;
  readonly now: Date;
  /** How each part of Forestall is: what does not work stands above every page. */
  readonly health: readonly PartHealth[];
}

/** What fills the frame. */
export interface PageContent {
  readonly title: string;
  readonly body: HtmlValue;
  /** The entry of the navigation this page belongs to. */
  readonly active?: NavigationPath | undefined;
}

/** A whole document for somebody signed in. */
export function renderPage(frame: Frame, { title, body, active }: PageContent): string {
  const { csrfToken, who } = frame;
  const inner = html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/">${logo()}Forestall</a>
<form class="search" role="search" action="/alerts" method="get"><label class="hidden" for="find">Find an alert</label>
<input id="find" name="q" type="search" placeholder="Id, last 4 digits, ARN, charge, order…" autocomplete="off" maxlength="100"><input type="hidden" name="state" value="all"></form>
<details class="who"><summary>${who.name}</summary><div><p class="quiet">${who.role}</p>
<form method="post" action="/logout">${csrfField(csrfToken)}<button class="plain small">Sign out</button></form></div></details></header>
<div class="frame"><nav class="side" aria-label="Pages"><details class="menu"><summary>Menu</summary>${navigation(active)}</details><div class="wide">${navigation(active)}</div></nav>
<main id="main" tabindex="-1">${healthRegion(frame.health)}${body}</main></div>`;
  return document_({ title, inner, assets: frame.assets, now: frame.now });
}

/** How often what does not work is asked for anew, whatever page is open. */
const HEALTH_REFRESH = 'every 15s, refresh';

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

function navigation(active: NavigationPath | undefined): Html {
  const groups = [...new Set(NAVIGATION.map(({ group }) => group))];
  return html`${groups.map(
    (group) =>
      html`<p class="group">${group}</p><ul>${NAVIGATION.filter(
        (entry) => entry.group === group,
      ).map(
        ({ path, label }) =>
          html`<li><a href="${path}"${path === active && html` aria-current="page"`}>${label}</a></li>`,
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

function document_(of: {
  readonly title: string;
  readonly inner: Html;
  readonly assets: Assets;
  readonly now: Date;
  readonly refresh?: string | undefined;
}): string {
  const page = html`<html lang="en" data-now="${of.now.toISOString()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
${of.refresh !== undefined && html`<meta http-equiv="refresh" content="0;url=${of.refresh}">`}
<title>${of.title} · Forestall</title>
${of.assets.tags}<link rel="icon" href="data:,">
</head>
<body>
${of.inner}
</body>
</html>`;
  return `<!doctype html>\n${page.toString()}\n`;
}

/** The `hx-headers` of what refreshes itself: nobody clicked, so such a request keeps no session alive. */
export const BACKGROUND = JSON.stringify({ 'X-Background': 'yes' });

/** Errors replace nothing on a page that refreshes itself; the next round may succeed. */
const HTMX_CONFIG = JSON.stringify({ noSwap: [204, 304, '4xx', '5xx'], history: 'reload' });

/** The hidden field that proves a form came from our page. */
export function csrfField(csrfToken: string): Html {
  return html`<input type="hidden" name="csrf_token" value="${csrfToken}">`;
}
