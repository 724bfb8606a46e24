/**
 * `forestall erase --customer-email ADDRESS`: takes a customer out of everything but the books, and looks afterwards what
 * is left; `--check` only looks, in dumps and logs too.
 */
import type { Command } from 'commander';
import type { Db } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Person } from '../../base/seal/person.ts';
import { readInstallationPath, readVariables, settingsInFiles } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import type { EraseReport } from '../../running/privacy/erase.ts';
import { eraseCustomer, lookForCustomer } from '../../running/privacy/erase.ts';
import type { ReferenceNeed } from '../../running/privacy/erase-references.store.ts';
import type { ErasedReferences } from '../../running/privacy/erase-references.ts';
import type { Left } from '../../running/privacy/look-everywhere.ts';
import { lookInFile } from '../../running/privacy/look-file.ts';
import { lookInSettings } from '../../running/privacy/look-settings.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { runOn } from './lifecycle.ts';
import type { OpenOrdersContext } from './orders.ts';

interface EraseOptions {
  readonly customerEmail: string;
  readonly also?: readonly string[];
  /** Files to be looked at too; true: none. */
  readonly check?: true | readonly string[];
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function registerErase(program: Command, openContext: OpenOrdersContext): void {
  program
    .command('erase')
    .requiredOption('--customer-email <address>', 'whose data')
    .option(
      '--also <text...>',
      'what else names them: a telephone number, a name, an earlier address',
    )
    .option('--check [files...]', 'only look what names them, in dumps and logs too')
    .option('--dry-run', 'count only', false)
    .option('--json', 'print JSON', false)
    .action(async (options: EraseOptions) => {
      await runOn(openOfOne(openContext), async ({ db, clock, organisationId }) => {
        const progress = createProgress(options.check === undefined ? 'Erasing' : 'Looking');
        const subject = {
          organisationId,
          customerEmail: options.customerEmail,
          ...(options.also === undefined ? {} : { also: options.also }),
          inSettings: (person: Person) =>
            lookInSettings(readVariables(), settingsInFiles(), person),
          onProgress: (done: number, total: number): void => progress.update(done, total),
        };
        try {
          if (options.check !== undefined) return await check(db, subject, options);
          const report = await eraseCustomer(db, {
            ...subject,
            dryRun: options.dryRun,
            actor: 'operator:cli',
            now: nowDate(clock),
          });
          progress.stop();
          print(options, report, describe(report, options.dryRun));
          if (report.ordersUnderWay.length > 0 || isLeft(report.left)) {
            process.exitCode = EXIT.wrong;
          }
        } finally {
          progress.stop();
        }
      });
    });
}

async function check(
  db: Db,
  subject: Parameters<typeof lookForCustomer>[1],
  options: EraseOptions,
): Promise<void> {
  const { person, left } = await lookForCustomer(db, subject);
  const files: Record<string, Readonly<Record<string, number>>> = {};
  for (const path of Array.isArray(options.check) ? options.check : []) {
    files[path] = await lookInFile(path, person);
  }
  const inFiles = Object.entries(files).flatMap(([path, rows]) =>
    Object.entries(rows).map(([place, count]) => `  ${count} in ${path}: ${place}`),
  );
  const lines = [
    ...leftLines(left),
    ...(inFiles.length > 0 ? ['Named in files:'] : []),
    ...inFiles,
  ];
  print(options, { left, files }, lines.join('\n'));
  if (isLeft(left) || inFiles.length > 0) process.exitCode = EXIT.wrong;
}

function isLeft({ rows, unread, settings, unreadFiles }: Left): boolean {
  return [Object.keys(rows), unread, settings, unreadFiles].some(({ length }) => length > 0);
}

function leftLines({ rows, unread, settings, unreadFiles }: Left): string[] {
  const places = Object.entries(rows).map(([place, count]) => `  ${count} in ${place}`);
  return [
    ...(places.length === 0
      ? ['Every table was looked at again: nothing is left.']
      : [
          'Still named in:',
          ...places,
          'References that are still needed, and a policy in force that two people agreed to, are not changed: see the guide "Operating".',
        ]),
    ...(unread.length === 0
      ? []
      : [`Not looked at, because this database user may not read them: ${unread.join(', ')}.`]),
    ...(settings.length === 0
      ? []
      : [
          'Named in the settings, which an erasure does not change. Take the name out there, then run this with --check:',
          ...settings.map(({ file, line }) => `  ${file}:${line}`),
        ]),
    ...(unreadFiles.length === 0
      ? []
      : [`Files of the settings that could not be read: ${unreadFiles.join(', ')}.`]),
  ];
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

const NEEDED: Readonly<Record<ReferenceNeed, string>> = {
  alert: 'an alert about it is open',
  money: 'money is under way under it, or may still fail',
  order: 'its order has still to be sent',
  event: 'its event may be delivered again',
  evidence: 'evidence is still to be handed in for a dispute about it',
};

function referenceLines({ replaced, kept }: ErasedReferences): string[] {
  const lines = kept.map(({ why, count, until }) => {
    const end = until === null ? 'then run this again' : `run this again after ${until}`;
    return `  ${counted(count, 'reference')} stay${count === 1 ? 's' : ''}: ${NEEDED[why]}; ${end}.`;
  });
  if (replaced === 0 && lines.length === 0) return [];
  return [`References that name them: ${replaced} replaced in all tables.`, ...lines];
}

function describe(report: EraseReport, dryRun: boolean): string {
  const verb = dryRun ? 'Would be erased' : 'Erased';
  const places = Object.entries(report.rows).map(([place, count]) => `  ${count} in ${place}`);
  const ending = places.length === 0 ? '; nothing else names them.' : ', and their name in';
  const lines = [`${verb}: ${counted(report.orders, 'order')}${ending}`, ...places];
  if (report.ordersUnderWay.length > 0) {
    lines.push(
      `Left as they are, because they have still to be sent: ${report.ordersUnderWay.join(', ')}.`,
      'Let them be sent ("forestall orders status"), then run this again.',
    );
  }
  if (report.sharedAccounts > 0) {
    lines.push(
      'Under an account of theirs more than five addresses order, so only the orders of the given ones are theirs. Give other addresses of theirs with --also.',
    );
  }
  lines.push(...referenceLines(report.references));
  if (!dryRun) lines.push(...leftLines(report.left));
  if (!dryRun) lines.push('The service keeps its own copy of orders: ask it to erase that too.');
  return lines.join('\n');
}
