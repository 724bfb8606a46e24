/** `forestall orders …`: import, lint, status, replay and release. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Delimiter } from '../../base/kernel/csv-record.ts';
import { DELIMITERS } from '../../base/kernel/csv-record.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { resumeFeed } from '../../orders/feed-brake.ts';
import { readFeedStatus } from '../../orders/feed-status.store.ts';
import { importOrders } from '../../orders/import/import-orders.ts';
import type { LintReport } from '../../orders/import/lint.ts';
import { lintFile, lintStored } from '../../orders/import/lint.ts';
import type { ImportFormat } from '../../orders/import/read-file.ts';
import { formatOf, IMPORT_FORMATS, readOrderFile } from '../../orders/import/read-file.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import type { ReplaySelection } from '../../orders/replay.ts';
import { releaseOrders, replayOrders } from '../../orders/replay.ts';
import { intakeDeps } from '../../running/roles/intake.ts';
import type { CommandContext } from '../../surface/terminal/command.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { readMoment } from '../../surface/terminal/option-values.ts';
import { print } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { runCommand, runOn } from './lifecycle.ts';
import {
  ALL_SENT,
  ONE_TRIED,
  showLint,
  showRelease,
  showReplay,
  showStatus,
  showSummary,
} from './orders-text.ts';

/** What the commands work with: an open database and whose orders these are. */
export interface OrdersContext extends Pick<CommandContext, 'db' | 'clock' | 'organisationId'> {
  readonly integrationId: string | undefined;
  readonly programmes: ProgrammePolicy;
  close(): Promise<void>;
}

/** Opens the context. Called only by commands that need the database. */
export type OpenOrdersContext = () => Promise<OrdersContext>;

/** Whose name is in the audit log. */
const ACTOR = 'operator:cli';

export function registerOrdersCommands(program: Command, openContext: OpenOrdersContext): void {
  const orders = program.command('orders');
  registerImport(orders, openContext);
  registerLint(orders, openContext);
  registerStatus(orders, openContext);
  registerReplay(orders, openContext);
  registerRelease(orders, openContext);
  registerResume(orders, openContext);
}

interface ImportFlags {
  readonly format?: ImportFormat;
  readonly delimiter?: Delimiter;
  readonly rejects?: string;
  readonly restart?: boolean;
  readonly json?: boolean;
}

function formatOption(): Option {
  return new Option('--format <format>', 'instead of what the name tells').choices([
    ...IMPORT_FORMATS,
  ]);
}

function delimiterOption(): Option {
  return new Option(
    '--delimiter <name>',
    'between cells, instead of what the heading tells',
  ).choices(Object.keys(DELIMITERS));
}

function registerImport(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('import <file>')
    .description(
      'takes in orders from a CSV or NDJSON file; an interrupted import continues where it stopped',
    )
    .addOption(formatOption())
    .addOption(delimiterOption())
    .option('--rejects <file>', 'where rejected lines are listed', undefined)
    .option('--restart', 'begin again although an earlier import was interrupted')
    .option('--json', 'print JSON')
    .action(async (path: string, flags: ImportFlags) => {
      await runOn(openContext, async (context) => {
        const interrupted = new AbortController();
        const onSignal = (): void => interrupted.abort();
        process.once('SIGINT', onSignal);
        const progress = createProgress('Importing');
        try {
          const summary = await importOrders(intakeDeps(context), {
            path,
            format: flags.format,
            delimiter: flags.delimiter,
            rejectsPath: flags.rejects,
            restart: flags.restart === true,
            signal: interrupted.signal,
            onProgress: (done, total) => progress.update(done, total),
          });
          progress.stop();
          print(flags, summary, showSummary(summary));
          if (summary.rejected > 0 || !summary.finished) process.exitCode = EXIT.wrong;
        } finally {
          progress.stop();
          process.removeListener('SIGINT', onSignal);
        }
      });
    });
}

interface LintFlags {
  readonly all?: boolean;
  readonly format?: ImportFormat;
  readonly delimiter?: Delimiter;
  readonly json?: boolean;
}

function registerLint(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('lint [file]')
    .description('reports for which programmes orders are ready; stores and sends nothing')
    .option('--all', 'every stored order, instead of a file')
    .addOption(formatOption())
    .addOption(delimiterOption())
    .option('--json', 'print JSON')
    .action(async (path: string | undefined, flags: LintFlags) => {
      if ((path === undefined) !== (flags.all === true)) {
        await runCommand(async () => {
          throw new ConfigError('Name a file, or give --all for every stored order.');
        });
        return;
      }
      const finish = (report: LintReport): void => {
        print(flags, report, showLint(report));
        if (report.refused > 0 || report.faults.length > 0) process.exitCode = EXIT.wrong;
      };
      if (path === undefined) {
        await runOn(openContext, async ({ db, organisationId }) =>
          finish(await lintStored(db, organisationId)),
        );
      } else {
        await runCommand(async () => finish(await lintPath(path, flags)));
      }
    });
}

async function lintPath(path: string, flags: LintFlags): Promise<LintReport> {
  const format = flags.format ?? formatOf(path);
  if (format === undefined) {
    throw new ConfigError(`${path} is neither .csv nor .ndjson by its name. Give --format.`);
  }
  const bytes = sizeOf(path);
  const reading = readOrderFile(path, format, flags.delimiter);
  const progress = createProgress('Reading');
  try {
    return await lintFile(reading.entries, () => progress.update(reading.bytesRead(), bytes));
  } finally {
    progress.stop();
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}. Check the path.`, {
      cause: error,
    });
  }
}

function registerStatus(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('status')
    .description('where orders stand, how fast they go, and what is in the way')
    .option('--json', 'print JSON')
    .action(async (flags: { readonly json?: boolean }) => {
      await runOn(openContext, async ({ db, organisationId, clock }) => {
        const status = await readFeedStatus(db, organisationId, nowDate(clock));
        print(flags, status, showStatus(status));
      });
    });
}

interface ReplayFlags {
  readonly failed?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function registerReplay(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('replay [reference]')
    .description('sends orders again; one that is there already is compared, not created twice')
    .option('--failed', 'every refused order and update')
    .option('--from <time>', 'orders accepted from this moment on (ISO 8601)', readMoment)
    .option('--to <time>', 'and before this one', readMoment)
    .option('--dry-run', 'count only')
    .option('--json', 'print JSON')
    .action(async (reference: string | undefined, flags: ReplayFlags) => {
      await runOn(openContext, async ({ db, organisationId, clock }) => {
        const now = nowDate(clock);
        const result = await replayOrders(db, {
          organisationId,
          selection: readSelection(reference, flags, now),
          now,
          actor: ACTOR,
          dryRun: flags.dryRun === true,
        });
        const found =
          result.sentAgain + result.readBack + result.updates + result.held + result.erased;
        if (reference !== undefined && found === 0) {
          throw new ConfigError(`No order ${reference} is kept here. Check the reference.`);
        }
        print(flags, result, showReplay(result, flags.dryRun === true));
      });
    });
}

function readSelection(
  reference: string | undefined,
  flags: ReplayFlags,
  now: Date,
): ReplaySelection {
  const range = flags.from !== undefined || flags.to !== undefined;
  const given = [reference !== undefined, flags.failed === true, range].filter(Boolean);
  if (given.length !== 1) {
    throw new ConfigError('Name one order, or give --failed, or --from and --to.');
  }
  if (reference !== undefined) return { kind: 'one', referenceId: reference };
  if (flags.failed === true) return { kind: 'failed' };
  return { kind: 'range', from: flags.from ?? new Date(0), to: flags.to ?? now };
}

interface ReleaseFlags {
  readonly all?: boolean;
  readonly anyway?: boolean;
  readonly json?: boolean;
}

function registerRelease(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('release [reference]')
    .description('lets held orders go that are ready now')
    .option('--all', 'every held order')
    .option('--anyway', 'also when fields are missing; they can never be added later')
    .option('--json', 'print JSON')
    .action(async (reference: string | undefined, flags: ReleaseFlags) => {
      await runOn(openContext, async ({ db, organisationId, clock, programmes }) => {
        if ((reference === undefined) !== (flags.all === true)) {
          throw new ConfigError('Name one order, or give --all.');
        }
        const result = await releaseOrders(db, {
          organisationId,
          referenceId: reference,
          programmes,
          anyway: flags.anyway === true,
          now: nowDate(clock),
          actor: ACTOR,
        });
        const isNone = reference !== undefined && result.released + result.stillHeldCount === 0;
        print(flags, result, isNone ? `No order ${reference} is held.` : showRelease(result));
        if (isNone || result.stillHeldCount > 0) process.exitCode = EXIT.wrong;
      });
    });
}

function registerResume(orders: Command, openContext: OpenOrdersContext): void {
  orders
    .command('resume <integration>')
    .description('tries an order of an integration that was stopped for its refusals at once')
    .option('--anyway', 'sends all of its orders for a day, whatever is refused')
    .action(async (integrationId: string, { anyway = false }: { readonly anyway?: boolean }) => {
      await runOn(openContext, async ({ db, organisationId, clock }) => {
        const now = nowDate(clock);
        await resumeFeed({ db, organisationId, integrationId, anyway, now, actor: ACTOR });
        console.log(anyway ? ALL_SENT : ONE_TRIED);
      });
    });
}
