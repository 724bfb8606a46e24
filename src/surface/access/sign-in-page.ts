/** The forms people sign in with, and prove again who they are before money moves. */
import type { HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Frame } from '../view/shell.ts';
import { csrfField, renderPage, renderPlain } from '../view/shell.ts';
import { moment } from '../view/time.ts';
import type { ShownToken } from './operator.store.ts';

interface SignInForm {
  readonly fault?: string | undefined;
  /** Where to continue afterwards. */
  readonly next: string;
  readonly hasProvider: boolean;
}

export function signInPage(frame: Pick<Frame, 'assets' | 'now'>, form: SignInForm): string {
  const { fault, next, hasProvider } = form;
  const body = html`<div class="card"><h1>Sign in</h1>
${faultBanner(fault)}
${
  hasProvider &&
  html`<p><a class="button" href="/login/oidc?next=${encodeURIComponent(next)}">Sign in with your organisation</a></p><p class="quiet">Or with a token:</p>`
}
<form method="post" action="/login"><input type="hidden" name="next" value="${next}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required${!hasProvider && html` autofocus`}>
<p class="quiet">Yours from an administrator, or the console token that Forestall prints when it starts.</p>
<p><button>Sign in</button></p>
</form></div>`;
  return renderPlain(frame, { title: 'Sign in', body });
}

/** The form for somebody signed in, in front of what moves money. */
export function confirmIdentityPage(frame: Frame, form: SignInForm): string {
  const { fault, next, hasProvider } = form;
  const body = html`<h1>Is it you?</h1><div class="card">
<p>What comes next moves money, or changes who may. Prove again who you are; it then holds for 15 minutes.</p>
${faultBanner(fault)}
${
  hasProvider &&
  html`<p><a class="button" href="/login/oidc?again=1&amp;next=${encodeURIComponent(next)}">Confirm with your organisation</a></p><p class="quiet">Or with your token:</p>`
}
<form method="post" action="/confirm">${csrfField(frame.csrfToken)}<input type="hidden" name="next" value="${next}">
<label for="token">Your token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required>
<p class="actions"><button>Confirm</button><a class="button plain" href="/">Cancel</a></p>
</form></div>`;
  return renderPage(frame, { title: 'Is it you?', body });
}

export interface LinkPage {
  readonly fault?: string;
  /** The token, once. */
  readonly shown?: ShownToken;
}

/** Where somebody gets the token that was made for them. */
export function linkPage(frame: Pick<Frame, 'assets' | 'now'>, { fault, shown }: LinkPage): string {
  const made =
    shown !== undefined &&
    html`<p>The token of <strong>${shown.name}</strong>, shown only now, and until ${moment(shown.endsAt)} good:</p><pre tabindex="0">${shown.token}</pre>
<p>Keep it where nobody else reads it. A person signs in with it; a program sends it as <code>Authorization: Bearer</code>.</p><p><a class="button" href="/login">Sign in</a></p>`;
  const isNew = fault === undefined && shown === undefined;
  const body = html`<div class="card"><h1>Your token</h1>${faultBanner(fault)}${made}${
    isNew &&
    html`<p>Somebody made a token for you. It is shown once, to whoever presses this button first; then this link is used up.</p>
<form method="post"><p><button>Show my token</button></p></form>`
  }</div>`;
  return renderPlain(frame, { title: 'Your token', body });
}

function faultBanner(fault: string | undefined): HtmlValue {
  return fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`;
}
