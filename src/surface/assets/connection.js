/**
 * What a page that stays open says when the console cannot be reached: since when, and that what it shows was known then.
 * A form that was sent and got no answer is looked up by its own id, and what was typed into it comes back.
 */
const SENT_KEPT = 'forestall-sent';
const TYPED_KEPT = 'forestall-typed';

/** Health is asked for every 5 s; when nothing came for this long the console is gone, or hangs. In milliseconds. */
const SILENT_MS = 12_000;

const readKept = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null');
const keep = (name, value) => sessionStorage.setItem(name, JSON.stringify(value));

/** When the console last answered this page, and since when it was listened for. */
let answeredAt = Date.now();
let listenedAt = Date.now();
let isLost = false;

const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const clockTime = (atMs) => timeFormat.format(new Date(atMs + aheadMs));

/** A banner of this script, at the top of the page; null takes it away. */
function tell(id, tone, ...words) {
  const main = document.querySelector('main');
  const shown = document.querySelector(`#${id}`);
  if (words.length === 0 || main === null) {
    shown?.remove();
    return;
  }
  const banner = shown ?? document.createElement('p');
  banner.id = id;
  banner.className = `banner ${tone}`;
  banner.setAttribute('role', 'alert');
  banner.replaceChildren(...words);
  if (shown === null) main.prepend(banner);
}

/** @param cause what the console itself said of why it cannot answer */
function lose(cause) {
  if (document.querySelector('#ask-sent') === null) return;
  isLost = true;
  const what = cause === undefined ? 'Connection lost' : 'The console cannot answer';
  const head = document.createElement('strong');
  head.textContent = `${what} since ${clockTime(answeredAt)}; what is shown was known then.`;
  const sent = readKept(SENT_KEPT);
  const unknown =
    sent === null
      ? ''
      : ` Whether “${sent.words}” was carried out is looked up as soon as it answers.`;
  tell('lost', 'error lost', head, cause === undefined ? '' : ` ${cause}`, unknown);
}

function answer() {
  answeredAt = Date.now();
  if (!isLost) return;
  isLost = false;
  tell('lost');
  tell('unsent');
  void askSent();
  for (const live of document.querySelectorAll('#live[hx-get], #queue[hx-get]')) {
    htmx.trigger(live, 'refresh');
  }
}

/** What the page of an error says. */
function causeOf(text) {
  const page = new DOMParser().parseFromString(text ?? '', 'text/html');
  return page.querySelector('h1 + p')?.textContent ?? '';
}

document.addEventListener('htmx:finally:request', ({ detail: { ctx } }) => {
  const status = ctx?.response?.status;
  if (status === undefined) return;
  if (status >= 500) lose(causeOf(ctx.text));
  else answer();
});
document.addEventListener('htmx:error', ({ detail: { error } }) => {
  // One that was called back says nothing of the connection.
  if (error instanceof TypeError) lose();
});
addEventListener('offline', () => lose());
addEventListener('online', () => htmx.trigger('#health', 'refresh'));

let tickedAt = Date.now();
setInterval(() => {
  const now = Date.now();
  // A page in the background is asked for rarely, and a machine that slept has heard nothing.
  if (document.hidden || now - tickedAt > 5_000) listenedAt = now;
  tickedAt = now;
  if (!isLost && now - Math.max(answeredAt, listenedAt) > SILENT_MS) lose();
}, 1_000);

/** What a person wrote: no secret, no file, no choice, and nothing that could be a card number. */
const isWritten = (field) =>
  field.name !== '' &&
  field.matches('textarea, input:is([type="text"], [type="search"], :not([type]))') &&
  !/(?:\d[ -]?){13}/.test(field.value);

const typedIn = (form) =>
  Object.fromEntries(
    [...form.elements].filter(isWritten).map((field) => [field.name, field.value]),
  );

const actionOf = (form) => form.getAttribute('action') ?? '';

/** The forms of this page that were typed into. */
function keepTyped() {
  const forms = {};
  for (const form of document.querySelectorAll('main form[method="post"]')) {
    const isTyped = [...form.elements].some(
      (field) => isWritten(field) && field.value !== field.defaultValue,
    );
    if (isTyped) forms[actionOf(form)] = typedIn(form);
  }
  if (Object.keys(forms).length === 0) sessionStorage.removeItem(TYPED_KEPT);
  else keep(TYPED_KEPT, { path: location.pathname, forms });
}

/** Puts what was typed back into the forms of this page. Whether there was any. */
function putBack() {
  const typed = readKept(TYPED_KEPT);
  if (typed?.path !== location.pathname) return false;
  let isBack = false;
  for (const form of document.querySelectorAll('main form[method="post"]')) {
    const fields = typed.forms[actionOf(form)] ?? {};
    for (const field of [...form.elements].filter(isWritten)) {
      const value = fields[field.name];
      if (value === undefined || value === field.defaultValue) continue;
      // Some browsers have put it back themselves.
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      for (let fold = field.closest('details'); fold; fold = fold.parentElement.closest('details'))
        fold.open = true;
      isBack = true;
    }
  }
  return isBack;
}

function forget() {
  sessionStorage.removeItem(SENT_KEPT);
  sessionStorage.removeItem(TYPED_KEPT);
}

/** Looks up the form that got no answer. */
async function askSent() {
  const sent = readKept(SENT_KEPT);
  const ask = document.querySelector('#ask-sent');
  if (sent === null || ask === null) return;
  const body = new URLSearchParams(new FormData(ask));
  body.append('id', sent.id);
  let found;
  try {
    const response = await fetch(ask.action, { method: 'POST', body });
    if (!response.ok) return;
    found = await response.json();
  } catch {
    return lose();
  }
  const { state, words } = found;
  // One that is under way is asked about again.
  if (state === 'BEGUN') setTimeout(askSent, 2_000);
  else sessionStorage.removeItem(SENT_KEPT);
  const text = new DOMParser().parseFromString(words, 'text/html').body;
  const name = document.createElement('strong');
  name.textContent = `“${sent.words}”, sent at ${clockTime(sent.atMs)}: `;
  const isBack = state !== 'DONE' && state !== 'BEGUN' && putBack();
  if (state === 'DONE') {
    sessionStorage.removeItem(TYPED_KEPT);
    // What a browser has put back is not sent once more by a second look.
    for (const form of document.querySelectorAll('main form[method="post"]')) form.reset();
  }
  tell(
    'sent-before',
    state === 'DONE' ? 'done' : 'error',
    ...[name, ...text.childNodes, isBack ? ' What you had typed is back in its form.' : ''],
  );
  localise(document);
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  const id = form.elements.namedItem('sent_as')?.value;
  if (event.defaultPrevented || form.method !== 'post' || id === undefined) return;
  keepTyped();
  const words = (event.submitter?.textContent ?? '').trim().replaceAll(/\s+/g, ' ');
  if (isLost || !navigator.onLine) {
    event.preventDefault();
    delete form.dataset.sent;
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-disabled');
    if (!isLost) lose();
    tell(
      'unsent',
      'error lost',
      `“${words}” was not sent. What you typed stays here; send it when the connection is back.`,
    );
    return;
  }
  keep(SENT_KEPT, { id, words, atMs: nowMs() - aheadMs, path: location.pathname });
});
// Whoever is led to sign in, or has no answer, finds what they typed when they come back.
addEventListener('pagehide', keepTyped);

/** Whether the browser came here by an answer of this site, and not back from one that never came. */
function isAnswer() {
  const [navigation] = performance.getEntriesByType('navigation');
  return navigation?.type === 'navigate' && document.referrer.startsWith(`${location.origin}/`);
}

if (document.querySelector('#ask-sent') !== null) {
  const from = URL.parse(document.referrer)?.pathname;
  const hadToSignIn = from === '/login' || from === '/confirm';
  if (readKept(SENT_KEPT) !== null && !isAnswer()) void askSent();
  else if (hadToSignIn && readKept(TYPED_KEPT)?.path === location.pathname) {
    if (putBack()) tell('sent-before', 'info', 'What you had typed is back in its form.');
    forget();
  } else forget();
}
