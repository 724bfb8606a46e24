/**
 * The keyboard: keys of the queue, the search box, what each key does, and a palette of everything that can be done
 * here. Whoever's own keys get in the way switches them off; the browser remembers it.
 */
const KEYS_OFF = 'forestall-keys-off';
const areKeysOff = () => localStorage.getItem(KEYS_OFF) === 'yes';

/** What a person types into is not ours to read. */
const isTyping = (element) =>
  element.closest(
    'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"])',
  ) !== null;

const GROUPS = [
  ['/', 'Search'],
  ['0 … 9', 'Search for a number: begin to type it'],
  ['Ctrl V', 'Search for what was copied'],
  ['Ctrl K', 'Everything that can be done here'],
  ['?', 'These keys'],
  ['j k', 'Next, previous row'],
  ['r', 'Refund'],
  ['a', 'Accept the dispute'],
  ['c', 'Claim, or hand back'],
  ['h', 'Hand over to a colleague'],
  ['x', 'Tick the row'],
  ['Shift click', 'Tick all rows between'],
  ['m', 'Write a comment'],
  ['o', 'Open the whole page of the alert'],
  ['Ctrl Enter', 'Send the form one types in'],
  ['Esc', 'Leave a field, a form or this'],
];

/** Characters of a search. */
const PASTED_MAX = 100;

/** Where `g` and a second key lead, by path. */
const PLACES = {
  t: '/',
  r: '/reviews',
  a: '/alerts',
  c: '/credits',
  p: '/representments',
  f: '/figures',
  o: '/orders',
  h: '/activity',
  s: '/system',
};

/** The links of the menu that stand for those places, as this page has them. */
const placeLinks = () =>
  Object.entries(PLACES).flatMap(([key, path]) => {
    const link = [...document.querySelectorAll('.side .wide a')].find((each) =>
      path === '/'
        ? each.textContent.trim() === 'Today'
        : new URL(each.href).pathname.endsWith(path),
    );
    return link === undefined ? [] : [{ key, link }];
  });

/** Milliseconds within which the second key of `g …` comes. */
const SEQUENCE_MS = 1_500;
let goPressedAt = -SEQUENCE_MS;

/** Leads to a place when `g` was pressed a moment ago. Whether it did. */
function goTo(key) {
  const isSecond = performance.now() - goPressedAt < SEQUENCE_MS;
  goPressedAt = -SEQUENCE_MS;
  const place = isSecond ? placeLinks().find((each) => each.key === key) : undefined;
  place?.link.click();
  return place !== undefined;
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Makes a dialog once; it is emptied and filled each time it opens. */
function openDialog(id, label, ...children) {
  let dialog = document.querySelector(`#${id}`);
  if (dialog === null) {
    dialog = element('dialog', { id, className: 'dialog' });
    dialog.setAttribute('aria-label', label);
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog) dialog.close();
    });
    document.body.append(dialog);
  }
  dialog.replaceChildren(...children);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

function openHelp() {
  const list = element('dl', { className: 'facts' });
  for (const [keys, words] of GROUPS) {
    const term = element('dt');
    for (const key of keys.split(' ')) term.append(element('kbd', { textContent: key }), ' ');
    list.append(term, element('dd', { textContent: words }));
  }
  for (const { key, link } of placeLinks()) {
    const term = element('dt', {}, element('kbd', { textContent: 'g' }), ' ');
    term.append(element('kbd', { textContent: key }), ' ');
    list.append(term, element('dd', { textContent: `Go to ${link.textContent.trim()}` }));
  }
  const box = element('input', { type: 'checkbox', checked: !areKeysOff() });
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, 'yes');
  });
  const single = element(
    'label',
    { className: 'inline' },
    box,
    element('span', { textContent: 'Keys of one letter are on' }),
  );
  const close = element('button', {
    type: 'button',
    className: 'plain small',
    textContent: 'Close',
  });
  const dialog = openDialog(
    'keys',
    'Keys',
    element('h2', { textContent: 'Keys' }),
    list,
    single,
    close,
  );
  close.addEventListener('click', () => dialog.close());
}

/** Everything that can be done from here: what the page offers, and every page there is. */
function commands(text) {
  const offered = [...document.querySelectorAll('[data-command]')].map((target) => ({
    words: target.dataset.command,
    key: target.dataset.key,
    run: () => target.click(),
  }));
  const pages = [...document.querySelectorAll('.side a')].map((link) => ({
    words: `Go to ${link.textContent.trim()}`,
    run: () => link.click(),
  }));
  const known = [...offered, ...pages, { words: 'Keys', key: '?', run: openHelp }].filter(
    ({ words }) => words.toLowerCase().includes(text.toLowerCase()),
  );
  if (text.trim() === '') return known;
  const form = document.querySelector('form.search');
  const search = () => {
    form.querySelector('#find').value = text;
    form.requestSubmit();
  };
  return [...known, { words: `Search for “${text}”`, run: search }];
}

function openPalette() {
  const input = element('input', {
    type: 'text',
    autocomplete: 'off',
    placeholder: 'What do you want to do?',
  });
  const list = element('ul', { id: 'palette-list' });
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-label', 'What do you want to do?');
  input.setAttribute('aria-controls', 'palette-list');
  input.setAttribute('aria-expanded', 'true');
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'What can be done');
  let found = [];
  let chosen = 0;
  const dialog = openDialog('palette', 'What can be done here', input, list);
  const run = (index) => {
    dialog.close();
    found[index]?.run();
  };
  const show = () => {
    list.replaceChildren(
      ...found.map(({ words, key }, index) => {
        const item = element('li', { id: `palette-${index}`, textContent: words });
        item.setAttribute('role', 'option');
        item.setAttribute('aria-selected', String(index === chosen));
        if (key !== undefined) item.append(' ', element('kbd', { textContent: key }));
        item.addEventListener('click', () => run(index));
        return item;
      }),
    );
    input.setAttribute('aria-activedescendant', `palette-${chosen}`);
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const refill = () => {
    found = commands(input.value);
    chosen = 0;
    show();
  };
  input.addEventListener('input', refill);
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      show();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(chosen);
    }
  });
  refill();
  input.focus();
}

const move = (step) => document.dispatchEvent(new CustomEvent('forestall:move', { detail: step }));

/** Keys with a meaning of their own; every other one is looked for on the page. */
const ACTIONS = {
  '/': () => document.querySelector('#find')?.focus(),
  '?': openHelp,
  g: () => {
    goPressedAt = performance.now();
  },
  j: () => move(1),
  k: () => move(-1),
  x: () => document.querySelector('[data-queue] tr[aria-current] input')?.click(),
};

/**
 * What is pressed while a case or a form is on its way is for it, not for what still stands there: it waits its turn, and
 * is typed where the field that came has the focus.
 */
const waiting = [];
const isFormComing = () => !isReady || /[?&]action=/.test(lastAsked?.request.action);
document.addEventListener('forestall:arrived', ({ detail: { isShown } }) => {
  if (!isShown) waiting.length = 0;
  while (waiting.length > 0 && !isComing()) replay(waiting.shift());
});

/** Does with a key what it would have done had it been pressed only now. */
function replay(key) {
  const dialog = document.querySelector('dialog[open]');
  const field = document.activeElement;
  if (dialog !== null) {
    if (key === 'Escape') dialog.close();
  } else if (!isTyping(field)) goTo(key) || act(key);
  else if (key === 'Escape') field.blur();
  else if (typeof field.selectionStart === 'number') {
    field.setRangeText(key, field.selectionStart, field.selectionEnd, 'end');
  }
}

/** What the page offers under a key; a field gets the focus, everything else is clicked. */
function press(key) {
  const target = document.querySelector(`main [data-key="${CSS.escape(key)}"]`);
  if (target === null) return false;
  if (target.matches('textarea, input')) target.focus();
  else target.click();
  return true;
}

/** A key that was held down, or struck twice, decides nothing that nobody has looked at. */
let shownAt = performance.now();
document.addEventListener('htmx:after:swap', () => {
  shownAt = performance.now();
});
const UNSEEN_MS = 300;

/** In a field only what sends it or leaves it is ours. */
function onKeyInField(event) {
  const { key, target } = event;
  if (key === 'Escape') target.blur();
  if (key !== 'Enter' || !(event.ctrlKey || event.metaKey) || target.form === null) return;
  event.preventDefault();
  const isUnseen = event.repeat || performance.now() - shownAt < UNSEEN_MS;
  if (!isUnseen) target.form.requestSubmit();
}

/** Begins a search with what was typed or pasted where nobody types; whether there is one. */
function searchFor(text) {
  const box = document.querySelector('#find');
  if (box === null || text === '') return false;
  box.value = text;
  box.focus();
  return true;
}

/** Does what a key stands for; whether it stands for anything. */
function act(key) {
  const known = ACTIONS[key];
  known?.();
  return known !== undefined || press(key) || (/^[0-9]$/.test(key) && searchFor(key));
}

/** What is pasted where nobody types is looked for: an id from a message, a card from a mail. */
document.addEventListener('paste', (event) => {
  if (document.querySelector('dialog[open]') !== null || isTyping(event.target)) return;
  const text = event.clipboardData.getData('text/plain').trim().replaceAll(/\s+/g, ' ');
  if (searchFor(text.slice(0, PASTED_MAX))) event.preventDefault();
});

function onKeyOnPage(event) {
  const { key } = event;
  if (event.repeat || (areKeysOff() && key.length === 1)) return;
  if (goTo(key)) return event.preventDefault();
  // Moving on and ticking need no case: the row is marked at once.
  const isForWhatComes = ACTIONS[key] === undefined || waiting.length > 0 || isFormComing();
  if (isComing() && isForWhatComes) {
    if (key.length > 1 && key !== 'Escape') return;
    waiting.push(key);
    event.preventDefault();
  } else if (act(key)) event.preventDefault();
}

document.addEventListener('keydown', (event) => {
  if (document.querySelector('dialog[open]') !== null) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    openPalette();
  } else if (isTyping(event.target)) onKeyInField(event);
  else if (!isCommand && !event.altKey) onKeyOnPage(event);
});
