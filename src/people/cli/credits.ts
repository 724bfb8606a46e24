/** `forestall credits …`: claims, their export for the provider, and the comparison with its invoice. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { counted } from '../../base/kernel/counted.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { parseAmount } from '../../base/kernel/units.ts';
import { claimsCsv, evidenceText } from '../../books/credits/claim-csv.ts';
import type { ClaimItem, ClaimQuery } from '../../books/credits/credit-claim.store.ts';
import { listClaims } from '../../books/credits/credit-claim.store.ts';
import type { ClaimState, CreditClass } from '../../books/credits/credit-claim.table.ts';
import {
  CLAIM_STATES,
  CLASS_NAMES,
  CREDIT_CLASSES,
} from '../../books/credits/credit-claim.table.ts';
import { alertsOfInvoice } from '../../books/credits/invoice.store.ts';
import type { Explained, InvoiceResult } from '../../books/credits/invoice.ts';
import { compareInvoice, isDeparture, VERDICTS } from '../../books/credits/invoice.ts';
import type { InvoiceFile, InvoiceMap, OtherLine } from '../../books/credits/invoice-file.ts';
import { INVOICE_FIELDS, readInvoice } from '../../books/credits/invoice-file.ts';
import type { WrongTotal } from '../../books/credits/invoice-totals.ts';
import {
  isBeside,
  isUnasked,
  OTHER_WORDS,
  wrongTotals,
} from '../../books/credits/invoice-totals.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { amountsOption, readColumns, readDay } from '../../surface/terminal/option-values.ts';
import { print } from '../../surface/terminal/print.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';

/** Claims listed or exported at once; more are cut by day. */
const LIMIT_MAX = 50_000;

interface ListFlags {
  readonly state?: ClaimState;
  readonly reason?: CreditClass;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

export function registerCredits(program: Command, openContext: OpenOrdersContext): void {
  const credits = program.command('credits');
  withFilter(credits.command('list').description('the claims, the oldest alert first'))
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => {
      await runOn(openContext, async ({ db, organisationId }) => {
        const claims = await listClaims(db, queryOf(organisationId, flags));
        print(flags, claims, showClaims(claims));
      });
    });
  withFilter(
    credits.command('export').description('prints the claims as the CSV that a provider is sent'),
  ).action(async (flags: ListFlags) => {
    await runOn(openContext, async ({ db, organisationId }) => {
      process.stdout.write(claimsCsv(await listClaims(db, queryOf(organisationId, flags))));
    });
  });
  registerInvoice(credits, openContext);
}

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
  readonly json?: boolean;
}

function registerInvoice(credits: Command, openContext: OpenOrdersContext): void {
  credits
    .command('invoice <file>')
    .description('compares the provider’s invoice (CSV) with alerts − credits, line by line')
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
    )
    .option('--json', 'print JSON')
    .action(async (path: string, flags: InvoiceFlags) => {
      const { from, to, currency, amounts, type: types, price = {} } = flags;
      const columns = readColumns(flags.column ?? [], INVOICE_FIELDS);
      const file = readInvoice(readText(path), { columns, currency, amounts, types });
      await runOn(openContext, async ({ db, organisationId }) => {
        const about = { period: { from, to }, lines: file.lines };
        const alerts = await alertsOfInvoice(db, organisationId, about);
        const result = compareInvoice(file.lines, alerts, price);
        const { others, notes, unreadable } = file;
        const totals = wrongTotals(file);
        const shown = { ...result, others, wrongTotals: totals, notes, unreadable };
        print(flags, shown, showInvoice(file, result));
        const isWrong =
          unreadable.length + totals.length > 0 ||
          others.some(isUnasked) ||
          result.explained.some(isDeparture);
        if (isWrong) process.exitCode = EXIT.wrong;
      });
    });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(cause)}. Check the path.`, {
      cause,
    });
  }
}

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
    ...others.filter(isBeside).map(showOther),
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
