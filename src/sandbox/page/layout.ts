/**
 * The frame of every page: the clock, the way to the others, what was said last. Nothing of it comes
 * from a network, and no script or style is in the page itself.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Answer } from '../http/route.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { Message } from './messages.ts';
import { moment } from './pieces.ts';

/** What a page is made from. */
export interface Visit {
  readonly context: SandboxContext;
  /** The page itself, to return to. */
  readonly here: string;
  /** Where the browser reached the sandbox. */
  readonly origin: string;
}

export interface View {
  readonly path: string;
  readonly title: string;
  render(visit: Visit): Html;
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderPage(
  view: View,
  visit: Visit,
  parts: { readonly views: readonly View[]; readonly message: Message | undefined },
): Answer {
  const { context } = visit;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view.title} · Forestall sandbox</title>
<link rel="stylesheet" href="/sandbox/page/page.css">
<script defer src="/sandbox/page/page.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<p class="brand">Forestall sandbox</p>
<p class="clock" id="clock" data-live>${clockText(context)}</p>
<nav aria-label="Pages"><ul>${parts.views.map((other) => tab(other, view))}</ul></nav>
</header>
<main id="main" tabindex="-1">
<h1>${view.title}</h1>
${messageBox(parts.message)}
${view.render(visit)}
</main>
<footer><p>In memory, on this machine; no real money. <a href="${visit.here}">Load this page
again</a>; where scripts run, its lists follow by themselves.</p></footer>
</body>
</html>`;
  return {
    status: 200,
    contentType: 'html',
    headers: {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      // Not `no-referrer`: the forms would then be sent from the origin `null`.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    },
    body: page.toString(),
  };
}

function clockText(context: SandboxContext): Html {
  const { rate, standsStill } = context.clock;
  const faster = rate === 1 ? '' : `, ${rate} times as fast`;
  const pace = standsStill ? ', standing still' : faster;
  return html`${moment(context.clock.nowMs())}${pace}`;
}

function tab(other: View, current: View): Html {
  const here = other === current ? html` aria-current="page"` : '';
  return html`<li><a href="${other.path}"${here}>${other.title}</a></li>`;
}

function messageBox(message: Message | undefined): Html | string {
  if (message === undefined) return '';
  const role = message.tone === 'good' ? 'status' : 'alert';
  return html`<p class="message ${message.tone}" role="${role}">${message.text}</p>`;
}
