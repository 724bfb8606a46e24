/** `forestall credits …`: claims, their export for the provider, and the comparison with its invoice. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { counted } from '../../base/kernel/counted.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { parseAmount } from '../../base/kernel/units.ts';
import type { CapabilityCommand } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readUpload } from '../../surface/terminal/named-file.ts';
import { amountsOption, readColumns, readDay } from '../../surface/terminal/option-values.ts';
import { claimsCsv, evidenceText } from './claim-csv.ts';
import type { ClaimItem, ClaimQuery } from './credit-claim.store.ts';
import { listClaims } from './credit-claim.store.ts';
import type { ClaimState, CreditClass } from './credit-claim.table.ts';
import { CLAIM_STATES, CLASS_NAMES, CREDIT_CLASSES } from './credit-claim.table.ts';
import { alertsOfInvoice } from './invoice.store.ts';
import type { Explained, InvoiceResult } from './invoice.ts';
import { compareInvoice, isDeparture, VERDICTS } from './invoice.ts';
import type { InvoiceFile, InvoiceMap, OtherLine } from './invoice-file.ts';
import { INVOICE_FIELDS, readInvoice } from './invoice-file.ts';
import type { WrongTotal } from './invoice-totals.ts';
import { isExtraItem, isUnasked, OTHER_WORDS, wrongTotals } from './invoice-totals.ts';

/** Claims listed or exported at once; more are cut by day. */
const LIMIT_MAX = 50_000;

interface ListFlags {
  readonly state?: ClaimState;
  readonly reason?: CreditClass;
  readonly from?: string;
  readonly to?: string;
}

const list = describeCommand<ListFlags>({
  usage: 'credits list',
  says: 'the claims, the oldest alert first',
  options: withFilter,
  examples: ['forestall credits list --state OPEN'],
  run: (flags) => async (context) => {
    const data = await listClaims(context.db, queryOf(context.organisationId, flags));
    return { data, text: showClaims(data) };
  },
});

const exported = describeCommand<ListFlags>({
  usage: 'credits export',
  says: 'prints the claims as the CSV that a provider is sent',
  options: withFilter,
  isFile: true,
  examples: ['forestall credits export --state OPEN > claims.csv'],
  run:
    (flags) =>
    async ({ db, organisationId }) => ({
      file: claimsCsv(await listClaims(db, queryOf(organisationId, flags))),
    }),
});

function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--state <state>', 'only claims in this state').choices(CLAIM_STATES))
    .addOption(new Option('--reason <reason>', 'only claims for this reason').choices(CLASS_NAMES))
    .option('--from <day>', 'alerts of this UTC day and later', readDay)
    .option('--to <day>', 'alerts up to this UTC day', readDay);
}

function queryOf(organisationId: string, flags: ListFlags): ClaimQuery {
  const { state, reason, from, to } = flags;
  return { organisationId, state, class: reason, from, to, limit: LIMIT_MAX };
}

function showClaims(claims: readonly ClaimItem[]): string {
  if (claims.length === 0) return 'There is no such claim.';
  return claims
    .map(({ alert_id: alertId, state, class: reason, claim_until: until, evidence }) =>
      [
        `${alertId}  ${state}  ${CREDIT_CLASSES[reason]}${until === null ? '' : `, until ${until.toISOString().slice(0, 10)}`}`,
        ...evidence.map((row) => `  ${evidenceText(row)}`),
      ].join('\n'),
    )
    .join('\n');
}

interface InvoiceFlags {
  readonly from: string;
  readonly to: string;
  readonly price?: Readonly<Record<string, Money>>;
  readonly column?: readonly string[];
  readonly currency?: string;
  readonly amounts?: InvoiceMap['amounts'];
  readonly type?: InvoiceMap['types'];
}

const invoice = describeCommand<InvoiceFlags>({
  usage: 'credits invoice <file>',
  says: 'compares the provider’s invoice (CSV) with alerts − credits, line by line',
  options: (command) =>
    command
      .requiredOption('--from <day>', 'first UTC day of the alerts that it bills', readDay)
      .requiredOption('--to <day>', 'last one', readDay)
      .option(
        '--price <type=amount>',
        'agreed price, like "NETA_ALERT=25.00 USD"; can be repeated',
        readPrice,
        {},
      )
      .option(
        '--column <field=name...>',
        `the header's name of a field: ${INVOICE_FIELDS.join(', ')}`,
      )
      .option('--currency <code>', 'for a file without a currency column')
      .addOption(amountsOption())
      .option(
        '--type <kind=text>',
        'what a type means where its words can mean two things: alert=TEXT or credit=TEXT; can be repeated',
        readType,
        {},
      ),
  examples: ['forestall credits invoice bill.csv --from 2026-10-01 --to 2026-10-31'],
  run: (flags, path = '') => {
    const { from, to, currency, amounts, type: types, price = {} } = flags;
    const columns = readColumns(flags.column ?? [], INVOICE_FIELDS);
    const file = readInvoice(readUpload(path), { columns, currency, amounts, types });
    return async ({ db, organisationId }) => {
      const about = { period: { from, to }, lines: file.lines };
      const alerts = await alertsOfInvoice(db, organisationId, about);
      const result = compareInvoice(file.lines, alerts, price);
      const { others, notes, unreadable } = file;
      const totals = wrongTotals(file);
      return {
        data: { ...result, others, wrongTotals: totals, notes, unreadable },
        text: showInvoice(file, result),
        isWrong:
          unreadable.length + totals.length > 0 ||
          others.some(isUnasked) ||
          result.explained.some(isDeparture),
      };
    };
  },
});

export const creditsCommands: readonly CapabilityCommand[] = [list, exported, invoice];

function readPrice(text: string, before: Readonly<Record<string, Money>>): Record<string, Money> {
  const [network = '', ...rest] = text.split('=');
  const price = parseAmount(rest.join('='));
  if (network === '' || !price.ok) {
    throw new InvalidArgumentError('Give it like "NETA_ALERT=25.00 USD".');
  }
  return { ...before, [network]: price.value };
}

/** The type in lower case, with what it means. */
function readType(
  text: string,
  before: Readonly<Record<string, 'alert' | 'credit'>>,
): Record<string, 'alert' | 'credit'> {
  const [kind, ...rest] = text.split('=');
  if ((kind !== 'alert' && kind !== 'credit') || rest.join('=') === '') {
    throw new InvalidArgumentError('Give it like credit="Alert refund" or alert="Alert refund".');
  }
  return { ...before, [rest.join('=')]: kind };
}

function showInvoice(file: InvoiceFile, result: InvoiceResult): string {
  const { others, unreadable } = file;
  const totals = wrongTotals(file);
  const { lines, alerts, granted, sums, explained } = result;
  const departures = explained.filter(isDeparture);
  return [
    `${counted(lines, 'line')}, ${counted(alerts, 'alert')}, ${counted(granted, 'credit')} granted.`,
    ...sums.map(({ currency, billedMinor, expectedMinor, unexplainedMinor }) => {
      const money = (amountMinor: number): string => formatMoney({ amountMinor, currency });
      return `Billed ${money(billedMinor)}, alerts − credits ${money(expectedMinor)}, difference ${money(billedMinor - expectedMinor)}, unexplained ${money(unexplainedMinor)}.`;
    }),
    ...departures.map(showDeparture),
    ...others.filter(isExtraItem).map(showOther),
    ...totals.map(showTotal),
    ...unreadable.map(({ line, problem }) => `Line ${line}: not read, ${problem}.`),
    ...(departures.length + unreadable.length + totals.length === 0 && !others.some(isUnasked)
      ? ['Every line is as it should be.']
      : []),
  ].join('\n');
}

function showOther(other: OtherLine): string {
  return `Line ${other.line}: ${OTHER_WORDS[other.kind]}, “${other.text}”, ${formatMoney(other)}.`;
}

function showTotal({ total, lines }: WrongTotal): string {
  return `Line ${total.line}: ${OTHER_WORDS[total.kind]} “${total.text}” says ${formatMoney(total)}, and the lines come to ${formatMoney(lines)}.`;
}

function showDeparture({ line, alertId, verdict, differences }: Explained): string {
  const sum = differences.map(formatMoney).join(', ');
  return `${line === null ? 'No line' : `Line ${line}`}: ${alertId} ${VERDICTS[verdict]}${sum === '' ? '' : `, ${sum}`}`;
}
