/** Numbers that the acquirer reports: beside ours, with the forms to hand them in. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { numeric, table } from '../../surface/view/table.ts';
import type { Visit } from '../../surface/web/visit.ts';
import type { Cockpit } from './cockpit.ts';
import type { PeriodFigures } from './figures.ts';
import { foldedCard, schemeName } from './ratio-cards.ts';
import type { Reported } from './reported.store.ts';
import { MEASURE_NAMES, REPORTED_MEASURES } from './reported.ts';
import { monthWords, numberText, scopeWords } from './words.ts';

export function reportedCard(visit: Visit, cockpit: Cockpit, isOpen: boolean): Html {
  const { scope, reported } = cockpit;
  const { brands } = visit.options;
  return foldedCard(
    { title: 'Numbers of your acquirer', isOpen },
    html`<p class="quiet">Your acquirer and the schemes count for themselves. What they report for ${scopeWords(scope)} stands here beside our count; the programmes above use both, each for itself.</p>
${reported.length === 0 ? html`<p>None is typed in yet.</p>` : reportedTable(cockpit, brands)}
${isAtLeast(visit.who.role, 'reviewer') && forms(visit, cockpit)}`,
  );
}

/** One row for each month and scheme; in it every number with ours beside it. */
function reportedTable({ reported, programmes }: Cockpit, brands: BrandTokenMap | undefined): Html {
  const rows = Map.groupBy(reported.toReversed(), ({ month, scheme }) => `${month} ${scheme}`);
  const measures = MEASURE_NAMES.filter((measure) =>
    reported.some((row) => row.measure === measure),
  );
  const cell = (row: Reported | undefined): Html | string => {
    if (row === undefined) return '–';
    const view = programmes.find(({ programme }) => programme.scheme === row.scheme);
    const month = view?.months.find(({ period }) => period === `${row.month}-01`);
    const own = month === undefined ? null : ourNumber(row, month);
    return html`${numberText(row.value)}${own !== null && html` <span class="quiet">ours ${numberText(own)}${own !== 0 && `, ${differenceText(row.value, own)}`}</span>`}`;
  };
  return table({
    label: 'Reported numbers beside ours',
    columns: [
      'Month and scheme',
      ...measures.map((measure) => numeric(SHORT_WORDS[measure])),
      'Origin',
    ],
    rows: [...rows.values()].map((same) => [
      `${monthWords(same[0]?.month ?? '')}, ${schemeOf(same[0], brands)}`,
      ...measures.map((measure) => cell(same.find((row) => row.measure === measure))),
      [...new Set(same.map(({ origin }) => origin))].join('; '),
    ]),
  });
}

function schemeOf(row: Reported | undefined, brands: BrandTokenMap | undefined): string {
  const { scheme } = row ?? {};
  return scheme === 'SCHEME_A' || scheme === 'SCHEME_B' ? schemeName(scheme, brands) : '';
}

const SHORT_WORDS: Readonly<Record<Reported['measure'], string>> = {
  payments: 'Payments',
  fraud: 'Fraud reports',
  dispute: 'Disputes',
  dispute_of_fraud: 'Disputes about fraud',
  three_d_secure: 'Through 3-D Secure',
  fraud_dispute_usd: 'Fraud chargebacks, USD',
};

function differenceText(value: number, own: number): string {
  const percent = ((value - own) * 100) / own;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}

function ourNumber(
  { measure }: Reported,
  { payments, counts, amountsUsdMinor }: PeriodFigures,
): number | null {
  switch (measure) {
    case 'payments':
      return payments;
    case 'fraud':
      return counts.fraud;
    case 'dispute':
      return counts.dispute;
    case 'dispute_of_fraud':
      return counts.dispute_of_fraud;
    case 'fraud_dispute_usd':
      return amountsUsdMinor.dispute_of_fraud === null
        ? null
        : Math.round(amountsUsdMinor.dispute_of_fraud / 100);
    case 'three_d_secure':
      return null;
  }
}

function forms({ csrfToken, options }: Visit, { scope, months }: Cockpit): Html {
  const chosen = scope.kind === 'organisation' ? 'organisation' : `${scope.kind}:${scope.id}`;
  const hidden = html`${csrfField(csrfToken)}<input type="hidden" name="of" value="${chosen}">`;
  const own =
    scope.kind !== 'organisation' &&
    html`<input type="hidden" name="scope" value="${scope.kind}"><input type="hidden" name="scope_id" value="${scope.id}">`;
  return html`<details class="fold"><summary>Type in a number</summary><form method="post" action="/ratios">${hidden}${own}
<label for="month">Month</label><select id="month" name="month">${months.toReversed().map((month, index) => html`<option value="${month}"${index === 1 && html` selected`}>${monthWords(month)}</option>`)}</select>
<label for="scheme">Scheme</label><select id="scheme" name="scheme">${(['SCHEME_A', 'SCHEME_B'] as const).map((scheme) => html`<option value="${scheme}">${schemeName(scheme, options.brands)}</option>`)}</select>
<label for="measure">What</label><select id="measure" name="measure">${Object.entries(REPORTED_MEASURES).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select>
<label for="value">Number</label><input id="value" name="value" required inputmode="numeric" pattern="[0-9]{1,12}" autocomplete="off">
<label for="origin">Where it stands <span class="quiet">(a statement, a dashboard)</span></label><input id="origin" name="origin" maxlength="200" autocomplete="off">
<p class="actions"><button>Store</button></p></form></details>
<details class="fold"><summary>Paste a CSV</summary><form method="post" action="/ratios">${hidden}
<p class="quiet">Columns <code>month,scheme,measure,value</code>, and <code>scope,scope_id</code> where a row is about less than the organisation. A larger file: <code>forestall ratios import statement.csv</code>.</p>
<label for="csv">Rows, with their heading</label><textarea id="csv" name="csv" rows="6" spellcheck="false" placeholder="month,scheme,measure,value"></textarea>
<p class="actions"><button>Store all rows</button></p></form></details>`;
}
