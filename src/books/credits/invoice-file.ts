/**
 * Reads a provider's invoice: CSV with a header, one line for each alert that was billed or credited. A line that
 * cannot be read is a problem with its number, and the lines after it continue.
 */
import { parse } from 'csv-parse/sync';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { UnreadableLine } from '../reconcile/settlement-file.ts';
import { readAmount } from '../reconcile/settlement-file.ts';
import type { InvoiceLine } from './invoice.ts';

export const INVOICE_FIELDS = ['alert', 'amount', 'currency', 'type'] as const;
export type InvoiceField = (typeof INVOICE_FIELDS)[number];

export interface InvoiceMap {
  /** The header's name of each field. @default the field's own name, and `alert_id` for the alert */
  readonly columns: Readonly<Partial<Record<InvoiceField, string>>>;
  /** For files without a currency column. */
  readonly currency?: string | undefined;
  /** `decimal`: 24.00; `comma`: 24,00; `minor`: 2400. @default 'decimal' */
  readonly amounts?: 'decimal' | 'comma' | 'minor' | undefined;
}

export interface InvoiceFile {
  readonly lines: readonly InvoiceLine[];
  readonly unreadable: readonly UnreadableLine[];
}

/** Lines of one file; a larger one is split. */
const LINES_MAX = 1_000_000;

const DEFAULT_COLUMNS: Readonly<Record<InvoiceField, string>> = {
  alert: 'alert_id',
  amount: 'amount',
  currency: 'currency',
  type: 'type',
};

/** Reads its text. @throws {ConfigError} when it is no CSV, or lacks a column that is needed */
export function readInvoice(text: string, map: InvoiceMap): InvoiceFile {
  const [header, ...records] = recordsOf(text);
  if (header === undefined) throw new ConfigError('The invoice is empty. Check the file.');
  if (records.length > LINES_MAX)
    throw new ConfigError(`The invoice has over ${LINES_MAX} lines. Split it.`);
  const places = placesOf(header, map);
  const lines: InvoiceLine[] = [];
  const unreadable: UnreadableLine[] = [];
  for (const [index, cells] of records.entries()) {
    // The header is line 1.
    const read = readLine({ cells, line: index + 2, places }, map);
    if ('problem' in read) unreadable.push(read);
    else lines.push(read);
  }
  return { lines, unreadable };
}

function recordsOf(text: string): string[][] {
  try {
    return parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    const why = messageOf(cause);
    throw new ConfigError(`The invoice is no CSV: ${why}. Check the file.`, { cause });
  }
}

type Places = ReadonlyMap<InvoiceField, number>;

function placesOf(header: readonly string[], map: InvoiceMap): Places {
  const places = new Map<InvoiceField, number>();
  for (const field of INVOICE_FIELDS) {
    const name = map.columns[field] ?? DEFAULT_COLUMNS[field];
    const place = header.findIndex((column) => column.toLowerCase() === name.toLowerCase());
    if (place !== -1) places.set(field, place);
    else if (map.columns[field] !== undefined || field === 'alert' || field === 'amount') {
      throw new ConfigError(
        `The invoice has no column ${JSON.stringify(name)}. Its columns: ${header.join(', ')}.`,
      );
    }
  }
  if (!places.has('currency') && map.currency === undefined) {
    throw new ConfigError('The invoice has no column of the currency. Name the currency.');
  }
  return places;
}

function readLine(
  of: { readonly cells: readonly string[]; readonly line: number; readonly places: Places },
  map: InvoiceMap,
): InvoiceLine | UnreadableLine {
  const { cells, line, places } = of;
  const cell = (field: InvoiceField): string => cells[places.get(field) ?? -1] ?? '';
  const currency = (map.currency ?? cell('currency')).toUpperCase();
  if (!isCurrencyCode(currency)) return { line, problem: 'the currency is no ISO 4217 code' };
  const amount = readAmount(cell('amount'), currency, map.amounts ?? 'decimal');
  if (amount === undefined) return { line, problem: 'the amount is none' };
  const alertId = cell('alert');
  if (!/^[\w.-]{1,100}$/.test(alertId)) return { line, problem: 'the alert is empty or odd' };
  const isCredit = /^[-(]/.test(cell('amount')) || /credit|refund/i.test(cell('type'));
  return { line, alertId, amountMinor: isCredit ? -amount : amount, currency };
}
