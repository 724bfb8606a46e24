/** The frame every page of the console stands in. */
import type { Html, HtmlValue } from './html.ts';
import { html } from './html.ts';

/** What fills the frame. */
export interface PageContent {
  readonly title: string;
  readonly body: HtmlValue;
  /** Signed in: the sign-out button is there. */
  readonly csrfToken?: string | undefined;
}

/** A whole document. */
export function renderPage({ title, body, csrfToken }: PageContent): string {
  const page: Html = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Forestall</title>
<link rel="stylesheet" href="/console.css">
<link rel="icon" href="data:,">
</head>
<body>
<header><a class="brand" href="/">Forestall</a>${
    csrfToken !== undefined &&
    html`<form method="post" action="/logout">${csrfField(csrfToken)}<button class="plain">Sign out</button></form>`
  }</header>
<main>${body}</main>
</body>
</html>`;
  return `<!doctype html>\n${page.toString()}\n`;
}

/** The hidden field that proves a form came from our page. */
export function csrfField(csrfToken: string): Html {
  return html`<input type="hidden" name="csrf_token" value="${csrfToken}">`;
}

/** A page that says what went wrong. */
export function errorPage(title: string, message: string): string {
  const body = html`<h1>${title}</h1><p>${message}</p><p><a href="/">All alerts</a></p>`;
  return renderPage({ title, body });
}

/** The form people sign in with. */
export function loginPage(fault: string | undefined): string {
  const body = html`<h1>Sign in</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
<form method="post" action="/login">
<label for="token">Console token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p class="quiet">Forestall prints it when it starts, unless FORESTALL_CONSOLE_TOKEN sets one.</p>
<p><button>Sign in</button></p>
</form>`;
  return renderPage({ title: 'Sign in', body });
}
