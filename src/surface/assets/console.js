/**
 * What the console's pages do in the browser: the viewer's time zone, the countdown, charts, and forms that are sent
 * once. Every page works without it. The keyboard is `keys.js`, the queue and tables are `lists.js`, a lost
 * connection and forms without an answer are `connection.js`.
 */
const root = document.documentElement;
// The server's clock is what deadlines are measured by; the viewer's may be wrong.
const aheadMs = Date.parse(root.dataset.now ?? '') - Date.now() || 0;
const nowMs = () => Date.now() + aheadMs;

// Numbers and amounts of the page are written in this locale by the server: moments are too.
const { locale } = root.dataset;
const clockFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const zonedFormat = new Intl.DateTimeFormat(locale, {
  ...{ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  timeZoneName: 'short',
});

const OF_TIME = new Set(['hour', 'minute', 'second', 'dayPeriod', 'timeZoneName']);

/** A moment, which breaks between day and time alone: over two lines at most. */
function written(format, at) {
  const parts = format.formatToParts(at);
  const isOfTime = (index) => OF_TIME.has(parts[index]?.type);
  return parts
    .map(({ type, value }, index) => {
      const isBetween = type === 'literal' && isOfTime(index - 1) !== isOfTime(index + 1);
      return isBetween ? value : value.replaceAll(' ', '\u00a0');
    })
    .join('');
}

/** A moment as the server writes it in a sentence. */
const UTC_WORDS = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d)(:\d\d)? UTC\b/g;

function localise(scope) {
  for (const element of scope.querySelectorAll('time[data-local]')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.textContent = written(element.dataset.local === 'zone' ? zonedFormat : clockFormat, at);
  }
  localiseSentences(scope.querySelector('main'));
}

/** Moments within sentences, so that a page has one time zone; UTC is read on hover. Quoted texts stay as they are. */
function localiseSentences(main) {
  if (main === null) return;
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const isQuoted = text.parentElement.closest('time, pre, code, textarea, script, option, title');
    if (isQuoted === null && text.data.search(UTC_WORDS) !== -1) found.push(text);
  }
  for (const text of found) {
    const parts = [];
    let end = 0;
    for (const match of text.data.matchAll(UTC_WORDS)) {
      const [words, day, minute, second = ''] = match;
      const time = document.createElement('time');
      time.dateTime = `${day}T${minute}${second || ':00'}Z`;
      time.title = words;
      time.dataset.local = '';
      time.textContent = written(clockFormat, new Date(time.dateTime));
      parts.push(text.data.slice(end, match.index), time);
      end = match.index + words.length;
    }
    text.replaceWith(...parts, text.data.slice(end));
  }
}

function duration(durationMs) {
  const seconds = Math.floor(durationMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${minutes % 60} min`;
  return minutes >= 1 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** In a column seconds only flicker. */
function shortDuration(durationMs) {
  return durationMs < 60_000 ? 'under 1 min' : duration(durationMs).replace(/ \d+ s$/, '');
}

const SOON_MS = 6 * 60 * 60 * 1000;

function countDown() {
  for (const element of document.querySelectorAll('time[data-until]')) {
    const leftMs = Date.parse(element.dateTime) - nowMs();
    const isShort = element.dataset.until === 'short';
    const left = isShort ? shortDuration(leftMs) : `${duration(leftMs)} left`;
    const words = leftMs <= 0 ? `${isShort ? '' : `${duration(-leftMs)} `}past` : left;
    if (element.textContent !== words) element.textContent = words;
    element.classList.toggle('past', leftMs <= 0);
    element.classList.toggle('soon', leftMs > 0 && leftMs <= SOON_MS);
  }
}

/** Colours come from the style sheet, so that charts follow light and dark. */
function colour(name) {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

function drawChart(element) {
  // The library gives up where the browser's language has no name it knows: the table stays.
  if (typeof uPlot !== 'function') {
    element.hidden = true;
    element.parentElement.querySelector('details').open = true;
    return;
  }
  const { times, series } = JSON.parse(element.dataset.chart);
  element.replaceChildren();
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line') } };
  const momentWords = uPlot.fmtDate('{YYYY}-{MM}-{DD} {HH}:{mm}');
  const options = {
    width: element.clientWidth,
    height: 190,
    cursor: { points: { size: 6 } },
    series: [
      { value: (_self, at) => (at == null ? '' : momentWords(new Date(at * 1_000))) },
      ...series.map(({ label }, index) => ({
        label,
        stroke: colour(`--series-${index + 1}`),
        width: 2,
        value: (_self, count) => count ?? '',
        points: { show: times.length < 40 },
      })),
    ],
    axes: [axis, { ...axis, size: 44 }],
    scales: { y: { range: (_self, _low, high) => [0, Math.max(1, high * 1.1)] } },
  };
  const chart = new uPlot(options, [times, ...series.map(({ values }) => values)], element);
  element.chartDrawn = chart;
}

function drawCharts(scope) {
  for (const element of scope.querySelectorAll('[data-chart]')) drawChart(element);
}

/** A second click on the same form does nothing while the first is under way. */
function onSubmit(event) {
  const form = event.target;
  if (form.dataset.sent === 'yes') {
    event.preventDefault();
    return;
  }
  if (form.method !== 'post') return;
  form.dataset.sent = 'yes';
  for (const button of form.querySelectorAll('button')) {
    button.setAttribute('aria-disabled', 'true');
  }
}

function prepare(scope) {
  localise(scope);
  drawCharts(scope);
  countDown();
}

document.addEventListener('submit', onSubmit);
// A page that comes back from the browser's cache may be sent again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});
/** A form that somebody has opened or is filling in is not taken from under their hands, nor a list they are ticking. */
document.addEventListener('htmx:before:request', (event) => {
  const isInUse = {
    live: '#live details[open] form, #live :is(input, textarea, select):focus',
    queue: '#queue input:checked',
  }[event.target.id];
  if (isInUse !== undefined && document.querySelector(isInUse) !== null) event.preventDefault();
});
document.addEventListener('htmx:after:swap', () => prepare(document));
// Whoever comes back to the page sees it as it is now.
document.addEventListener('visibilitychange', () => {
  const live = document.querySelector('#live[hx-get], #queue[hx-get]');
  if (!document.hidden && live !== null) htmx.trigger(live, 'refresh');
});
document.addEventListener('change', (event) => {
  if (event.target.matches('[data-submits]')) event.target.form.requestSubmit();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawCharts(document));
let widthTimer;
window.addEventListener('resize', () => {
  clearTimeout(widthTimer);
  widthTimer = setTimeout(() => drawCharts(document), 200);
});
setInterval(countDown, 1000);
prepare(document);
