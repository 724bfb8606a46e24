/** `forestall export`: rows as files for a data team. */
import { Option } from 'commander';

import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { CapabilityCommand, CommandContext, Line } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { readDay } from '../../surface/terminal/option-values.ts';
import type { ExportRequest } from './export.ts';
import { exportDays } from './export.ts';
import type { ExportFormat } from './export-file.ts';
import { EXPORT_FORMATS } from './export-file.ts';

interface ExportFlags {
  readonly since: string;
  readonly until?: string;
  readonly format: ExportFormat;
  readonly out: string;
  readonly personal?: boolean;
}

const exported = describeCommand<ExportFlags>({
  usage: 'export',
  options: (command) =>
    command
      .requiredOption('--since <day>', 'first UTC day', readDay)
      .option('--until <day>', 'last one; today unless it is given', readDay)
      .addOption(
        new Option('--format <format>', 'of the files').choices(EXPORT_FORMATS).default('parquet'),
      )
      .requiredOption('--out <folder>', 'where files go: TABLE/DAY.FORMAT')
      .option(
        '--personal',
        'with columns that can name a person: notes, sentences, who decided; the audit log says so',
      ),
  examples: [
    'forestall export --since 2026-11-01 --out exports',
    'forestall export --since 2026-11-01 --format csv --out november',
  ],
  run: (flags) => async (context) => ({ lines: exportLines(context, flags) }),
});

export const exportCommands: readonly CapabilityCommand[] = [exported];

async function* exportLines(
  { db, clock, organisationId }: CommandContext,
  flags: ExportFlags,
): AsyncGenerator<Line> {
  const now = nowDate(clock);
  const today = now.toISOString().slice(0, 10);
  const { since, until = today, format, out: folder, personal: withPersonal = false } = flags;
  if (until > today) throw new ConfigError(`--until ${until} is after today, ${today} (UTC).`);
  if (since > until) throw new ConfigError(`--since ${since} is after the last day, ${until}.`);
  const request: ExportRequest = { organisationId, since, until, format, folder, withPersonal };
  // Before anything is read: who takes rows out is written in the log, whatever becomes of it.
  const detail = { since, until, format, personal: withPersonal };
  const entry = { organisationId, at: now, ...byOperator('cli'), what: 'exported rows', detail };
  await inTransaction(db, async (trx) => await writeAudit(trx, entry));
  let files = 0;
  for await (const { table, day, file, rows, isWhole } of exportDays({ db, clock }, request)) {
    files += 1;
    const data = { table, day, file, rows, whole: isWhole };
    yield { data, text: `${file}  ${counted(rows, 'row')}${isWhole ? '' : ', so far'}` };
  }
  yield {
    data: undefined,
    text:
      files === 0
        ? `${folder} has every one of these days.`
        : `${counted(files, 'file')} in ${folder}.`,
  };
}
