/** `forestall erase --customer-email ADDRESS`: takes a customer out of everything but the books. */
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readInstallationPath, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/keeper.ts';
import type { EraseReport } from '../../running/privacy/erase.ts';
import { eraseCustomer } from '../../running/privacy/erase.ts';
import { EXIT } from './exit.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';
import { print } from './print.ts';

interface EraseOptions {
  readonly customerEmail: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function registerErase(program: Command, openContext: OpenOrdersContext): void {
  program
    .command('erase')
    .requiredOption('--customer-email <address>', 'whose data')
    .option('--dry-run', 'count only', false)
    .option('--json', 'print JSON', false)
    .action(async (options: EraseOptions) => {
      await runOn(openOfOne(openContext), async ({ db, clock, organisationId }) => {
        const report = await eraseCustomer(db, {
          organisationId,
          customerEmail: options.customerEmail,
          dryRun: options.dryRun,
          actor: 'operator:cli',
          now: nowDate(clock),
        });
        print(options, report, describe(report, options.dryRun));
        if (report.ordersUnderWay.length > 0) process.exitCode = EXIT.wrong;
      });
    });
}

/** What cannot be taken back is done for the organisation that somebody named, and for no other. */
function openOfOne(openContext: OpenOrdersContext): OpenOrdersContext {
  return async () => {
    const env = readVariables();
    const file = readInstallationPath(env);
    const isNamed = env['FORESTALL_ORGANISATION_ID'] !== undefined;
    if (file !== undefined && !isNamed && readOrganisations(file, env).length > 1) {
      throw new ConfigError(
        'There are several organisations. Set FORESTALL_ORGANISATION_ID to the id or the path of the one whose customer it is.',
      );
    }
    return await openContext();
  };
}

function describe(report: EraseReport, dryRun: boolean): string {
  const verb = dryRun ? 'Would be erased' : 'Erased';
  const places = Object.entries(report.rows).map(([place, count]) => `  ${count} in ${place}`);
  const beside = places.length === 0 ? '; nothing else names them.' : ', and their name in';
  const lines = [`${verb}: ${counted(report.orders, 'order')}${beside}`, ...places];
  if (report.ordersUnderWay.length > 0) {
    lines.push(
      `Left as they are, because they have still to be sent: ${report.ordersUnderWay.join(', ')}.`,
      'Let them be sent ("forestall orders status"), then run this again.',
    );
  }
  if (!dryRun) lines.push('The service keeps its own copy of orders: ask it to erase that too.');
  return lines.join('\n');
}
