/** `forestall reconcile settlement`: an acquirer's file against the network's own refunds. */
import { ConfigError } from '../../base/kernel/errors.ts';
import type { AmountForm } from '../../base/kernel/file-amount.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { amountsOption, readColumns } from '../../surface/terminal/option-values.ts';
import { section } from '../../surface/terminal/section.ts';
import { alertsOfSettlement } from './settlement.store.ts';
import type { SettlementResult } from './settlement.ts';
import { matchSettlement } from './settlement.ts';
import type { SettlementFile, SettlementMap } from './settlement-file.ts';
import { readSettlementFile, SETTLEMENT_FIELDS } from './settlement-file.ts';

interface Flags {
  readonly column?: readonly string[];
  readonly currency?: string;
  readonly type?: readonly string[];
  readonly amounts?: AmountForm;
}

export const settlementCommand = describeCommand<Flags>({
  usage: 'reconcile settlement <file>',
  says: 'compares the debits of an acquirer’s CSV file with the network’s refunds (RDR)',
  options: (command) =>
    command
      .option(
        '--column <field=name...>',
        `the header's name of a field: ${SETTLEMENT_FIELDS.join(', ')}`,
      )
      .option('--currency <code>', 'for a file without a currency column')
      .option('--type <value...>', 'only lines of these types (needs the column type)')
      .addOption(amountsOption()),
  examples: ['forestall reconcile settlement march.csv'],
  run: (flags, path = '') => {
    const map = mapOf(flags);
    return async ({ db, organisationId }) => {
      const file = await readSettlementFile(path, map);
      const alerts = await alertsOfSettlement(db, organisationId, file.rows);
      const result = matchSettlement(file.rows, alerts);
      const { skipped, unreadable } = file;
      return {
        data: { ...result, skipped, unreadable },
        text: showSettlement(file, result),
        isWrong: result.problems.length > 0 || unreadable.length > 0,
      };
    };
  },
});

function mapOf(flags: Flags): SettlementMap {
  const columns: SettlementMap['columns'] = {
    ...{ arn: 'arn', amount: 'amount' },
    ...readColumns(flags.column ?? [], SETTLEMENT_FIELDS),
  };
  if (flags.type !== undefined && columns.type === undefined) {
    throw new ConfigError('--type needs the column of the types: --column type=NAME.');
  }
  return { columns, currency: flags.currency, types: flags.type, amounts: flags.amounts };
}

export function showSettlement(file: SettlementFile, result: SettlementResult): string {
  const sums = result.matchedMoney.map(formatMoney).join(', ');
  return [
    `${result.rows} debits read, ${file.skipped} lines of other types left out, ${file.unreadable.length} unreadable.`,
    `${result.matched} match the network's refunds${sums === '' ? '' : ` (${sums})`}, ${result.problems.length} problems.`,
    ...section(
      'Unreadable:',
      file.unreadable.map(({ line, problem }) => `line ${line}: ${problem}`),
    ),
    ...section(
      'Problems:',
      result.problems.map(
        ({ kind, line, acquirerReferenceNumber, sentence }) =>
          `${kind}, ${line === null ? 'not in the file' : `line ${line}`}, ${acquirerReferenceNumber}: ${sentence}`,
      ),
    ),
  ].join('\n');
}
