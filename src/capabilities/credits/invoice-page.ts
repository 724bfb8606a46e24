/** The provider's invoice beside our alerts and credits: a file that is compared and not kept. */
import type { Router } from 'express';
import { z } from 'zod';
import { counted } from '../../base/kernel/counted.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readAmount } from '../../base/kernel/file-amount.ts';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Money } from '../../base/kernel/money.ts';
import { plainly } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { alertPath } from '../../surface/view/links.ts';
import { money, sums } from '../../surface/view/money.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { uploadForm } from '../../surface/web/file-form.ts';
import { decimal, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { fieldOf, filledField, page, send, sendError } from '../../surface/web/visit.ts';
import { CREDIT_CLASSES } from './credit-claim.table.ts';
import { alertsOfInvoice } from './invoice.store.ts';
import type { Explained, InvoiceResult, Prices } from './invoice.ts';
import { compareInvoice, isDeparture, VERDICTS } from './invoice.ts';
import type { InvoiceFile } from './invoice-file.ts';
import { readInvoice } from './invoice-file.ts';
import { isExtraItem, OTHER_WORDS, wrongTotals } from './invoice-totals.ts';

/** Departures that are shown; the command prints all of them. */
const SHOWN_MAX = 500;

export function registerInvoice(router: Router, context: PageContext): void {
  route(router, '/credits/invoice', {
    post: [uploadForm(context), page(context, plainly('reviewer'), compare)],
  });
}

/** The form, for reviewers. */
export function invoiceForm({ who, csrfToken, now }: Visit): Html {
  if (!isAtLeast(who.role, 'reviewer')) {
    return html`<p class="card quiet">A reviewer can compare the provider’s invoice with our alerts and credits here.</p>`;
  }
  const [from, to] = monthBefore(now);
  return html`<form method="post" action="/credits/invoice" enctype="multipart/form-data" class="card">${csrfField(csrfToken)}
<p class="quiet" id="invoice-hint">A CSV file with the columns <code>alert_id</code>, <code>amount</code> and <code>currency</code>, one line for each alert that was billed or credited; a credit’s amount is negative, or its <code>type</code> says credit. Totals, taxes and fees are told apart. It is compared with the alerts of the days below, and not kept. Where no price is given, the one that most lines carry is taken.</p>
<div class="filters"><div><label for="invoice">Invoice (CSV)</label><input id="invoice" name="invoice" type="file" accept=".csv,text/csv" required aria-describedby="invoice-hint"></div>
<div><label for="period-from">Alerts from (UTC)</label><input id="period-from" name="from" type="date" value="${from}" required></div>
<div><label for="period-to">Alerts to (UTC)</label><input id="period-to" name="to" type="date" value="${to}" required></div>
<div><label for="currency">Currency</label><input id="currency" name="currency" placeholder="USD" maxlength="3" autocomplete="off"></div>
<div><label for="price-neta">Price of an alert</label><input id="price-neta" name="price_neta" placeholder="25.00" autocomplete="off"></div>
<div><label for="price-netb">Price of an RDR</label><input id="price-netb" name="price_netb" placeholder="12.00" autocomplete="off"></div></div>
<p class="actions"><button class="small">Compare</button></p></form>`;
}

/** First and last day of the month before. */
function monthBefore(now: Date): [string, string] {
  const dayOf = (month: number, day: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), month, day)).toISOString().slice(0, 10);
  return [dayOf(now.getUTCMonth() - 1, 1), dayOf(now.getUTCMonth(), 0)];
}

const day = z.iso.date().regex(/^[12]/);
const formFields = z.strictObject({
  from: day,
  to: day,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be three capital letters' })
    .optional(),
  price_neta: decimal.optional(),
  price_netb: decimal.optional(),
});
type Fields = z.infer<typeof formFields>;

async function compare(visit: Visit): Promise<void> {
  const { request, options } = visit;
  const given = Object.keys(formFields.shape).map((name) => [name, filledField(request, name)]);
  const fields = read(formFields, Object.fromEntries(given));
  if (!fields.ok) return refuse(visit, fields.faults.map((fault) => fault.message).join(' '));
  const { from, to, currency } = fields.value;
  const { db, organisationId } = options;
  try {
    const file = readInvoice(fieldOf(request, 'invoice') ?? '', { columns: {}, currency });
    const prices = pricesOf(fields.value);
    const alerts = await alertsOfInvoice(db, organisationId, {
      period: { from, to },
      lines: file.lines,
    });
    const body = resultBody(fields.value, file, compareInvoice(file.lines, alerts, prices));
    send(visit, { title: 'Invoice', active: '/credits', body });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refuse(visit, error.message);
  }
}

function refuse(visit: Visit, message: string): void {
  sendError(visit, 400, { title: 'Not compared', message });
}

function pricesOf({ currency, price_neta, price_netb }: Fields): Prices {
  const prices: Record<string, Money> = {};
  for (const [network, text] of [
    ['NETA_ALERT', price_neta],
    ['NETB_RDR', price_netb],
  ] as const) {
    if (text === undefined) continue;
    if (currency === undefined) throw new ConfigError('A price needs its currency. Name it.');
    const amountMinor = readAmount(text, currency, 'decimal');
    if (amountMinor === undefined)
      throw new ConfigError(`${text} is no price. Write it like 25.00.`);
    prices[network] = { amountMinor, currency };
  }
  return prices;
}

function resultBody({ from, to }: Fields, file: InvoiceFile, result: InvoiceResult): Html {
  const departures = result.explained.filter(isDeparture);
  return html`<p class="crumbs"><a href="/credits">All credits</a></p><h1>Invoice, alerts of ${from} to ${to}</h1>
<p>${counted(result.lines, 'line')}, ${counted(result.alerts, 'alert')}, ${counted(result.granted, 'credit')} granted. Prices: ${priceWords(result)}.</p>
${table({
  label: 'Sums',
  columns: ['Currency', ...SUMS.map(numeric)],
  rows: result.sums.map(({ currency, billedMinor, expectedMinor, unexplainedMinor }) => [
    currency,
    ...[billedMinor, expectedMinor, billedMinor - expectedMinor, unexplainedMinor].map(
      (amountMinor) => money({ amountMinor, currency }),
    ),
  ]),
})}
<h2>Lines that are not as they should be</h2>${departureTable(departures)}
${otherTable(file)}
${departures.length > SHOWN_MAX && html`<p class="quiet">${SHOWN_MAX} of ${departures.length} are shown; <code>forestall credits invoice</code> prints all.</p>`}
${file.unreadable.length > 0 && html`<h2>Lines that could not be read</h2><ul class="plain-list">${file.unreadable.slice(0, SHOWN_MAX).map(({ line, problem }) => html`<li>Line ${line}: ${problem}</li>`)}</ul>`}
${openClaims(result)}`;
}

const SUMS = ['Billed', 'Alerts − credits', 'Difference', 'Unexplained'];

function priceWords({ prices }: InvoiceResult): HtmlValue {
  const entries = Object.entries(prices);
  if (entries.length === 0) return 'none known';
  return entries.map(
    ([network, price], index) => html`${index > 0 && ', '}${network} ${money(price)}`,
  );
}

function departureTable(departures: readonly Explained[]): Html {
  if (departures.length === 0)
    return html`<p class="card">None: the invoice is alerts − credits.</p>`;
  return table({
    label: 'Departures',
    columns: [numeric('Line'), 'Alert', 'What it is', numeric('Difference'), 'Our claim'],
    rows: departures
      .slice(0, SHOWN_MAX)
      .map(({ line, alertId, verdict, differences, claim }) => [
        line ?? 'none',
        html`<a href="${alertPath(alertId)}">${alertId}</a>`,
        VERDICTS[verdict],
        sums(differences),
        claim === null ? '–' : `${CREDIT_CLASSES[claim.class]}, ${claim.state.toLowerCase()}`,
      ]),
  });
}

/** Fees, taxes and credits about no alert, and totals that are not the sum of the lines. */
function otherTable(file: InvoiceFile): Html | false {
  const extras = file.others.filter(isExtraItem);
  const totals = wrongTotals(file);
  if (extras.length + totals.length === 0) return false;
  const rows = [
    ...extras.map((other) => [other.line, OTHER_WORDS[other.kind], other.text, money(other), '–']),
    ...totals.map(({ total, lines }) => [
      total.line,
      `${OTHER_WORDS[total.kind]} is not the sum of the lines`,
      total.text,
      money(total),
      money(lines),
    ]),
  ];
  const columns = [
    numeric('Line'),
    'What it is',
    'Words',
    numeric('Amount'),
    numeric('The lines come to'),
  ];
  return html`<h2>Lines about no alert</h2>${table({ label: 'Lines about no alert', columns, rows: rows.slice(0, SHOWN_MAX) })}`;
}

/** What was billed and may still come back. */
function openClaims({ explained }: InvoiceResult): Html | false {
  const waiting = explained.filter(
    ({ verdict, claim }) =>
      verdict === 'billed' && (claim?.state === 'OPEN' || claim?.state === 'SENT'),
  );
  if (waiting.length === 0) return false;
  return html`<p class="banner info">${waiting.length} alerts of this invoice are billed as agreed and may still be credited: <a href="/credits?state=OPEN">claims to be sent</a>, <a href="/credits?state=SENT">claims without an answer</a>.</p>`;
}
