/** Tables that sort, and the queue of reviews: which row is open, which are ticked. */

/** What a cell is sorted by: a moment, an amount, a number, or its text. */
function sortValue(cell) {
  const time = cell.querySelector('time');
  if (time !== null) return Date.parse(time.dateTime);
  const money = cell.querySelector('.money');
  if (money !== null) {
    // Amounts of one currency stand together, by their size: "129.90 USD".
    const [amount = '', currency = ''] = money.title.split(' ');
    return { currency, amount: Number.parseFloat(amount) };
  }
  const text = cell.textContent.trim();
  const number = Number.parseFloat(text.replaceAll(',', ''));
  return /^[-\d.,]+(\s|%|$)/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
}

function compareValues(a, b) {
  if (typeof a === typeof b && typeof a === 'string') return a.localeCompare(b);
  if (typeof a === typeof b && typeof a === 'number') return a - b;
  if (typeof a === typeof b) return a.currency.localeCompare(b.currency) || a.amount - b.amount;
  const kinds = ['number', 'object', 'string'];
  return kinds.indexOf(typeof a) - kinds.indexOf(typeof b);
}

function sortBy(heading) {
  const column = [...heading.parentElement.children].indexOf(heading);
  const body = heading.closest('table').tBodies[0];
  const isDown = heading.getAttribute('aria-sort') === 'ascending';
  for (const other of heading.parentElement.children) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
  const rows = [...body.rows].map((row) => ({ row, value: sortValue(row.cells[column]) }));
  rows.sort((a, b) => compareValues(a.value, b.value) * (isDown ? -1 : 1));
  body.append(...rows.map(({ row }) => row));
}

/** Rows are sorted where there are some to sort; a list in several pages keeps its own order. */
function makeSortable(scope) {
  for (const table of scope.querySelectorAll('.table > table:not([data-queue], [data-sorts])')) {
    table.dataset.sorts = 'yes';
    const isPaged = document.querySelector('main a[rel="next"]') !== null;
    if (table.tBodies[0]?.rows.length > 2 && !isPaged) {
      const headings = [...table.tHead.rows[0].cells].filter(
        ({ textContent }) => textContent !== '',
      );
      for (const heading of headings) {
        const button = document.createElement('button');
        button.type = 'button';
        button.append(...heading.childNodes);
        button.addEventListener('click', () => sortBy(heading));
        heading.append(button);
      }
    }
  }
}

const rowsOf = () => [...document.querySelectorAll('[data-queue] tbody tr')];

/**
 * The cases and forms that were asked for beside the queue and have not come yet. Only the last one is meant; the
 * others are called back.
 */
const onTheirWay = new Set();
let lastAsked;
/** htmx begins a moment after the scripts: a link that is clicked before loads the whole page. */
let isReady =
  document.querySelector('[hx-get]') === null ||
  document.querySelector('[data-htmx-powered]') !== null;
/** A case that cannot be opened has its page loaded instead; until that comes the case before it still stands here. */
let isLeaving = false;
addEventListener('pageshow', () => {
  isLeaving = false;
});
const isComing = () => !isReady || isLeaving || onTheirWay.size > 0;
const tellArrived = (isShown) =>
  document.dispatchEvent(new CustomEvent('forestall:arrived', { detail: { isShown } }));
document.addEventListener(
  'htmx:after:process',
  () => {
    if (isReady) return;
    isReady = true;
    tellArrived(true);
  },
  { once: true },
);
document.addEventListener('htmx:before:request', ({ detail: { ctx } }) => {
  if (ctx?.target?.id !== 'pane') return;
  onTheirWay.add(ctx);
  lastAsked = ctx;
});
document.addEventListener('htmx:finally:request', ({ detail: { ctx } }) => {
  if (!onTheirWay.delete(ctx) || isComing()) return;
  const { status, target, sourceElement, request, response } = lastAsked;
  const isRefused = response?.status >= 400;
  // One that had arrived already could not be called back, and took the place that the last one was meant for.
  const isCrowdedOut = status === 'issuing' && !target.isConnected;
  if (isRefused || (isCrowdedOut && !sourceElement.isConnected)) {
    isLeaving = true;
    location.assign(request.action);
  } else if (isCrowdedOut) sourceElement.click();
  else {
    markOpen();
    tellArrived(status === 'swapped');
  }
});

/** The row of the case that stands open is the one that is marked, whatever the list was when it was loaded. */
function markOpen() {
  if (document.querySelector('[data-list]') !== null) return;
  // The row of a case that is on its way is marked already.
  if (onTheirWay.size > 0) return;
  const alert = document.querySelector('#pane')?.dataset.alert;
  for (const row of rowsOf()) {
    if (row.dataset.alert === alert) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }
  document.querySelector('[data-queue] tr[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

/** Says which review opened: the focus stays in the list. */
function announceOpen() {
  const region = document.querySelector('[data-announce]');
  const name = document.querySelector('[data-queue] tr[aria-current] th a')?.ariaLabel;
  if (region !== null && name) region.textContent = `Opened: ${name}`;
}
document.addEventListener('forestall:arrived', ({ detail: { isShown } }) => {
  if (isShown) announceOpen();
});

/** Opens the row that many places after the one that is open. */
function moveBy(step) {
  const rows = rowsOf();
  const place = rows.findIndex((row) => row.hasAttribute('aria-current'));
  const row = rows[Math.min(Math.max(place + step, 0), rows.length - 1)];
  if (row === undefined || row === rows[place]) return;
  // Marked at once, so that the next step counts from here; the case follows.
  rows[place]?.removeAttribute('aria-current');
  row.setAttribute('aria-current', 'true');
  const link = row.querySelector('th a');
  // A list without a pane is only walked through: Enter opens.
  if (document.querySelector('[data-list]') !== null) return link.focus();
  link.focus({ preventScroll: true });
  link.click();
}

document.addEventListener('forestall:move', ({ detail: step }) => moveBy(step));

const boxesOf = () => [...document.querySelectorAll('[data-queue] input[name="id"]')];

/** Minor units as the page writes money: exact, since no float comes near the digits. */
function moneyWords(minor, currency) {
  const locale = document.documentElement.dataset.locale;
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits;
  const text = String(minor).padStart(digits + 1, '0');
  const cut = text.length - digits;
  return format.format(digits === 0 ? text : `${text.slice(0, cut)}.${text.slice(cut)}`);
}

/** The button of a refund says the amount that is typed. */
document.addEventListener('input', ({ target }) => {
  const button = target.form?.querySelector('button[data-before]');
  if (target.name !== 'amount' || !button) return;
  const { before, after, currency } = button.dataset;
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits;
  const match = /^(\d{1,12})(?:\.(\d*))?$/.exec(target.value.trim());
  const isAmount = match !== null && (match[2]?.length ?? 0) <= digits;
  const minor = isAmount ? Number(match[1] + (match[2] ?? '').padEnd(digits, '0')) : 0;
  button.textContent =
    minor > 0 ? `${before}${moneyWords(minor, currency)}${after}` : `${before.trim()}${after}`;
});

/** `3 ticked: $252.00 + €41.00`. */
function showPicked() {
  const words = document.querySelector('[data-picked]');
  if (words === null) return;
  const picked = boxesOf().filter(({ checked }) => checked);
  const sums = new Map();
  for (const { dataset } of picked) {
    if (dataset.currency === undefined) continue;
    sums.set(dataset.currency, (sums.get(dataset.currency) ?? 0) + Number(dataset.minor));
  }
  const all = [...sums].map(([currency, minor]) => moneyWords(minor, currency)).join(' + ');
  words.textContent =
    picked.length === 0
      ? 'With those ticked:'
      : `${picked.length} ticked${all === '' ? '' : `: ${all}`}`;
  words.parentElement.classList.toggle('some', picked.length > 0);
}

/** The box that was clicked last: with shift the rows from there on become what the clicked one becomes. */
let lastBox;
document.addEventListener('click', ({ target, shiftKey }) => {
  if (!target.matches?.('[data-queue] input[name="id"]')) return;
  const boxes = boxesOf();
  const [from, to] = [boxes.indexOf(lastBox), boxes.indexOf(target)].toSorted((a, b) => a - b);
  if (shiftKey && from !== -1) {
    for (const box of boxes.slice(from, to + 1)) box.checked = target.checked;
  }
  lastBox = target;
  showPicked();
});

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-pick-all]')) {
    for (const box of boxesOf()) box.checked = target.checked;
  }
  if (target.closest('[data-queue]') !== null) showPicked();
});

/** Where the reader was in the list, to be there again after it was replaced. */
let place;
document.addEventListener('htmx:before:swap', () => {
  place = {
    alert: document.activeElement?.closest('[data-queue] tr')?.dataset.alert,
    top: document.querySelector('.queue .scroll')?.scrollTop ?? 0,
  };
});
function prepareLists() {
  makeSortable(document);
  for (const box of document.querySelectorAll('[data-pick-all]')) box.hidden = false;
  if (place !== undefined) {
    const { alert, top } = place;
    place = undefined;
    const list = document.querySelector('.queue .scroll');
    if (list !== null) list.scrollTop = top;
    const lost = document.activeElement === document.body && alert !== undefined;
    const row = lost && rowsOf().find((one) => one.dataset.alert === alert);
    if (row) row.querySelector('th a').focus({ preventScroll: true });
  }
  markOpen();
  showPicked();
}
document.addEventListener('htmx:after:swap', prepareLists);
prepareLists();
// The queue is there to be worked through: the form that stands open, or else the open row, is ready for the keyboard.
// (What is marked `autofocus` may get the focus only after this script has run.)
if (document.activeElement === document.body) {
  const row = document.querySelector('[data-queue] tr[aria-current] th a');
  (document.querySelector('.bench [autofocus]') ?? row)?.focus({ preventScroll: true });
}
