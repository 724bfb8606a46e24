/**
 * Reported numbers as people hand them in: one by one, or as CSV with the columns month, scheme, measure, value and,
 * where they hold for less than the organisation, scope and scope_id. Pure.
 *
 * @example
 * month,scheme,measure,value
 * 2026-10,SCHEME_A,payments,120340
 * 2026-10,SCHEME_A,fraud,512
 */
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { messageOf } from '../../base/kernel/errors.ts';
import { issueWords } from '../../base/kernel/issue-words.ts';
import type { ScopeKind } from './programme.ts';
import { SCOPES } from './programme.ts';
import type { ReportedMeasure } from './roll-up.table.ts';

/** What can be reported, and what it is. `dispute`: all of them where fraud is not distinguished. */
export const REPORTED_MEASURES: Readonly<Record<ReportedMeasure, string>> = {
  payments: 'settled payments of the month, card not present',
  fraud: 'fraud reports received in the month (TC40, SAF)',
  dispute: 'disputes received in the month that are not about fraud, or all of them',
  dispute_of_fraud: 'disputes received in the month that are about fraud',
  three_d_secure: 'payments of the month through 3-D Secure',
  fraud_dispute_usd: 'net fraud chargebacks of the month, in whole US dollars',
};

export const MEASURE_NAMES = [
  'payments',
  'fraud',
  'dispute',
  'dispute_of_fraud',
  'three_d_secure',
  'fraud_dispute_usd',
] as const;

export interface ReportedRow {
  /** YYYY-MM. */
  readonly month: string;
  readonly scheme: 'SCHEME_A' | 'SCHEME_B';
  readonly scope: ScopeKind;
  readonly scopeId: string;
  readonly measure: ReportedMeasure;
  readonly value: number;
  /** Where it was read, in a few words. */
  readonly origin: string;
}

/** Rows that one file may hold: a hundred merchants over two years, and more than anybody reads. */
const REPORTED_ROWS_MAX = 20_000;

const optional = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((text) => (text === '' ? undefined : text));

export const reportedSchema = z
  .strictObject({
    month: z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/, { error: 'must be a month like 2026-10' }),
    scheme: z.enum(['SCHEME_A', 'SCHEME_B'], { error: 'must be SCHEME_A or SCHEME_B' }),
    measure: z.enum(MEASURE_NAMES, { error: `must be one of ${MEASURE_NAMES.join(', ')}` }),
    value: z
      .string()
      .regex(/^\d{1,12}$/, { error: 'must be a whole number without separators' })
      .transform(Number),
    scope: optional.pipe(z.enum(SCOPES).optional()),
    scope_id: optional,
    origin: optional,
  })
  .refine(
    ({ scope = 'organisation', scope_id = '' }) => (scope === 'organisation') === (scope_id === ''),
    {
      error: 'scope and scope_id belong together; an organisation has no scope_id',
      path: ['scope_id'],
    },
  );

/** Rows, or everything that is wrong with them, by line. */
export type ReportedRead =
  | { readonly ok: true; readonly rows: readonly ReportedRow[] }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Reads a CSV with a heading. */
export function readReportedCsv(text: string, origin: string): ReportedRead {
  let records: unknown;
  try {
    records = parse(text, {
      columns: (names: string[]) => names.map(nameOf),
      trim: true,
      bom: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    return { ok: false, faults: [`This is no CSV: ${messageOf(error)}`] };
  }
  const list = z.array(z.record(z.string(), z.string())).safeParse(records);
  if (!list.success || list.data.length === 0) {
    return {
      ok: false,
      faults: ['There is no row. Begin with the columns month,scheme,measure,value.'],
    };
  }
  if (list.data.length > REPORTED_ROWS_MAX) {
    return { ok: false, faults: [`More than ${REPORTED_ROWS_MAX} rows. Split the file.`] };
  }
  const read = list.data.map((record, index) =>
    readReportedRow(record, { origin, place: `row ${index + 1}: ` }),
  );
  const faults = read.flatMap((each) => (each.ok ? [] : each.faults));
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, rows: read.flatMap((each) => (each.ok ? each.rows : [])) };
}

export function readReportedRow(
  record: Readonly<Record<string, string | undefined>>,
  { origin, place = '' }: { readonly origin: string; readonly place?: string },
): ReportedRead {
  const parsed = reportedSchema.safeParse(record, { error: issueWords });
  if (!parsed.success) {
    return {
      ok: false,
      faults: parsed.error.issues.map(
        (issue) =>
          `${place}${issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue.path.join('.')} ${issue.code === 'unrecognized_keys' ? 'is no column' : issue.message}`,
      ),
    };
  }
  const { scope = 'organisation', scope_id = '', origin: own, ...row } = parsed.data;
  return { ok: true, rows: [{ ...row, scope, scopeId: scope_id, origin: own ?? origin }] };
}

function nameOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}
