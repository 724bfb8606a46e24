/**
 * Reads a provider's invoice: CSV with a header, one line for each alert that was billed or credited, and lines that
 * are about no alert: totals, taxes, fees. A line that cannot be read is a problem with its number, and the lines
 * after it continue. No line is left out: each is in one of the lists, or is empty.
 */
import { parse } from 'csv-parse/sync';
import type { CsvRecord } from '../../base/kernel/csv-record.ts';
import { DELIMITERS, delimiterOf, readRecord } from '../../base/kernel/csv-record.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import type { AmountForm, UnreadableLine } from '../../base/kernel/file-amount.ts';
import type { Money } from '../../base/kernel/money.ts';
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { InvoiceLine } from './invoice.ts';
import type { AmountHabit } from './invoice-amount.ts';
import { formOfFile, isMarkOf, minorOf, shapeOf, takeApart } from './invoice-amount.ts';
import type { OtherKind, TypeKind } from './invoice-words.ts';
import { isCount, isSumName, kindOfType, kindOfWords, namesAlert } from './invoice-words.ts';

export const INVOICE_FIELDS = ['alert', 'amount', 'currency', 'type'] as const;
export type InvoiceField = (typeof INVOICE_FIELDS)[number];

export interface InvoiceMap {
  /** The header's name of each field. @default the field's own name, and `alert_id` for the alert */
  readonly columns: Readonly<Partial<Record<InvoiceField, string>>>;
  /** For files without a currency column. */
  readonly currency?: string | undefined;
  /** `decimal`: 24.00; `comma`: 24,00; `minor`: 2400. @default as each amount shows */
  readonly amounts?: AmountForm | undefined;
  /** What a type means, by its text, where its words can mean two things. */
  readonly types?: Readonly<Record<string, 'alert' | 'credit'>> | undefined;
}

/** A line about no alert. Below zero: a credit. */
export interface OtherLine extends Money {
  readonly line: number;
  readonly kind: OtherKind;
  /** The text of the line, as the file has it. */
  readonly text: string;
}

export interface InvoiceFile {
  readonly lines: readonly InvoiceLine[];
  readonly others: readonly OtherLine[];
  /** Lines of words without an alert and an amount: headings, notes, counts. */
  readonly notes: number;
  readonly unreadable: readonly UnreadableLine[];
}

/** Lines of one file; a larger one is split. */
const LINES_MAX = 1_000_000;

/** Lines before the header: the provider's name, the number of the invoice, its days. */
const PREAMBLE_MAX = 30;

/** Characters of a line's words that are kept. */
const TEXT_MAX = 80;

const NAMES: Readonly<Record<InvoiceField, readonly string[]>> = {
  alert: ['alert_id', 'alertid', 'alert'],
  amount: ['amount'],
  currency: ['currency'],
  type: ['type'],
};

/** Reads its text. @throws {ConfigError} when it is no CSV, or lacks a column that is needed */
export function readInvoice(text: string, map: InvoiceMap): InvoiceFile {
  const { records, header, isSemicolon } = tableOf(text, map);
  if (records.length > LINES_MAX)
    throw new ConfigError(`The invoice has over ${LINES_MAX} lines. Split it.`);
  const rows = records.map((record) => rowOf(record, header.places, map));
  const habit = habitOf(rows, map, isSemicolon);
  const own = soleCurrency(rows);
  const lines: InvoiceLine[] = [];
  const others: OtherLine[] = [];
  const unreadable: UnreadableLine[] = [];
  let notes = 0;
  const heading = header.cells.join('\n');
  for (const row of rows) {
    // A page of a long invoice begins with the heading again.
    if (row.cells.join('\n') === heading) continue;
    const read = readRow(row, { map, habit, own });
    if (read === 'note') notes += 1;
    else if ('problem' in read) unreadable.push(read);
    else if ('kind' in read) others.push(read);
    else lines.push(read);
  }
  return { lines, others, notes, unreadable };
}

interface FileRecord {
  readonly cells: readonly string[];
  /** Counts from 1, empty lines included. */
  readonly line: number;
}

type Places = ReadonlyMap<InvoiceField, number>;

interface Table {
  readonly header: { readonly cells: readonly string[]; readonly places: Places };
  /** What follows the header. */
  readonly records: readonly FileRecord[];
  readonly isSemicolon: boolean;
}

/** The file by the separator under which it has the columns that are needed. */
function tableOf(text: string, map: InvoiceMap): Table {
  // A spreadsheet's own file is a zip archive; text of two bytes a letter is full of noughts.
  if (text.startsWith('PK\u0003\u0004') || text.includes('\u0000')) {
    throw new ConfigError('The invoice is no CSV text. Save it as “CSV UTF-8” and try again.');
  }
  const start = text.split(/\r?\n/, PREAMBLE_MAX);
  const marks = Object.values(DELIMITERS);
  const mark = marks.find((each) => hasHeader(start, each, map)) ?? delimiterOf(start.join(' '));
  const records = recordsOf(text, mark);
  const at = records.slice(0, PREAMBLE_MAX).findIndex(({ cells }) => isHeader(cells, map));
  const first = records[Math.max(at, 0)];
  if (first === undefined) throw new ConfigError('The invoice is empty. Check the file.');
  const header = { cells: first.cells, places: placesOf(first.cells, map) };
  return { header, records: records.slice(Math.max(at, 0) + 1), isSemicolon: mark === ';' };
}

function hasHeader(start: readonly string[], mark: string, map: InvoiceMap): boolean {
  return start.some((line) => {
    const cells = line.split(mark).map((cell) => cell.replaceAll(/^[\s"\uFEFF]+|[\s"]+$/g, ''));
    return isHeader(cells, map);
  });
}

function isHeader(cells: readonly string[], map: InvoiceMap): boolean {
  return (['alert', 'amount'] as const).every((field) => placeOf(cells, field, map) !== -1);
}

/** All but the empty ones, with the line on which each begins. */
function recordsOf(text: string, delimiter: string): FileRecord[] {
  const read = parseCsv(text, delimiter);
  return read.flatMap(({ cells }, index) => {
    const line = (read[index - 1]?.endLine ?? 0) + 1;
    return cells.every((cell) => cell === '') ? [] : [{ cells, line }];
  });
}

function parseCsv(text: string, delimiter: string): CsvRecord[] {
  const options = { bom: true, info: true, relax_column_count: true, trim: true, delimiter };
  try {
    const read: readonly unknown[] = parse(text, options);
    return read.map(readRecord);
  } catch (cause) {
    const why = messageOf(cause);
    throw new ConfigError(`The invoice is no CSV: ${why}. Check the file.`, { cause });
  }
}

function placeOf(header: readonly string[], field: InvoiceField, map: InvoiceMap): number {
  const named = map.columns[field];
  const names = (named === undefined ? NAMES[field] : [named]).map(columnName);
  return header.findIndex((column) => names.includes(columnName(column)));
}

function columnName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
}

function placesOf(header: readonly string[], map: InvoiceMap): Places {
  const places = new Map<InvoiceField, number>();
  for (const field of INVOICE_FIELDS) {
    const place = placeOf(header, field, map);
    if (place !== -1) places.set(field, place);
    else if (map.columns[field] !== undefined || field === 'alert' || field === 'amount') {
      const name = map.columns[field] ?? NAMES[field][0];
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

interface Row extends FileRecord {
  readonly alert: string;
  readonly amount: string;
  readonly type: string;
  /** Upper case. Empty: the line names none. */
  readonly currency: string;
  /** The words of its other cells. */
  readonly words: readonly string[];
}

function rowOf({ cells, line }: FileRecord, places: Places, map: InvoiceMap): Row {
  const cell = (field: InvoiceField): string => cells[places.get(field) ?? -1] ?? '';
  const own = new Set(places.values());
  const words = cells.filter((text, index) => !own.has(index) && /\p{L}/u.test(text));
  const currency = (map.currency ?? cell('currency')).toUpperCase();
  const [alert, amount, type] = [cell('alert'), cell('amount'), cell('type')];
  return { cells, line, alert, amount, type, currency, words };
}

/** How the file writes amounts, by those that can be read in one way only. */
function habitOf(rows: readonly Row[], { amounts }: InvoiceMap, isSemicolon: boolean): AmountHabit {
  const shapes = rows.flatMap(({ amount }) => {
    const cell = takeApart(amount);
    return cell === undefined ? [] : [shapeOf(cell)];
  });
  return { form: amounts, others: formOfFile(shapes), isSemicolon };
}

/** The currency of a total that names none. */
function soleCurrency(rows: readonly Row[]): string {
  const [first = '', ...more] = new Set(
    rows.map(({ currency }) => currency).filter((each) => isCurrencyCode(each)),
  );
  return more.length === 0 ? first : '';
}

interface Reading {
  readonly map: InvoiceMap;
  readonly habit: AmountHabit;
  readonly own: string;
}

function readRow(row: Row, reading: Reading): InvoiceLine | OtherLine | UnreadableLine | 'note' {
  const { line, alert, type } = row;
  if (/^[\w.-]{1,100}$/.test(alert) && !isSumName(alert)) return readAlert(row, reading);
  const texts = [alert, type, ...row.words].filter((text) => text !== '');
  const isWord =
    alert === '' || /\s/.test(alert) || !/[\d_]/.test(alert) || kindOfWords(alert) !== undefined;
  if (texts.length > 0 && row.amount === '' && isWord) return 'note';
  const kinds = texts.flatMap((text) => kindOfWords(text) ?? []);
  if (texts.length === 0 || !isWord || (kinds.length === 0 && texts.some(namesAlert))) {
    return { line, problem: 'the alert is empty or odd' };
  }
  if (kinds.length > 0 && texts.some(isCount)) return 'note';
  const money = readMoney({ ...row, currency: row.currency || reading.own }, reading);
  if ('problem' in money) return money;
  const isCredit = typeOf(texts.join(' '), reading.map) === 'credit';
  const amountMinor = isCredit ? -Math.abs(money.amountMinor) : money.amountMinor;
  const text = texts.join(', ').slice(0, TEXT_MAX);
  return { line, kind: kinds[0] ?? 'charge', text, amountMinor, currency: money.currency };
}

function readAlert(row: Row, reading: Reading): InvoiceLine | UnreadableLine {
  const { line, alert: alertId, type } = row;
  const money = readMoney(row, reading);
  if ('problem' in money) return money;
  const { amountMinor, currency } = money;
  const kind = amountMinor < 0 ? 'credit' : typeOf(type, reading.map);
  if (kind === 'unclear') {
    const words = JSON.stringify(type.slice(0, TEXT_MAX));
    return {
      line,
      problem: `the type ${words} can be a credit or an alert: say --type ${JSON.stringify(`credit=${type}`)} or --type ${JSON.stringify(`alert=${type}`)}`,
    };
  }
  return {
    line,
    alertId,
    amountMinor: kind === 'credit' ? -Math.abs(amountMinor) : amountMinor,
    currency,
  };
}

function typeOf(type: string, { types = {} }: InvoiceMap): TypeKind {
  const said = Object.entries(types).find(([text]) => text.toLowerCase() === type.toLowerCase());
  return said?.[1] ?? kindOfType(type);
}

function readMoney(row: Row, { habit }: Reading): Money | UnreadableLine {
  const { line, amount, currency } = row;
  if (!isCurrencyCode(currency)) return { line, problem: 'the currency is no ISO 4217 code' };
  const cell = takeApart(amount);
  const minor = cell === undefined ? undefined : minorOf(cell, currency, habit);
  if (cell === undefined || minor === undefined) return { line, problem: 'the amount is none' };
  if (minor === 'ambiguous') {
    const figures = JSON.stringify(cell.figures);
    return {
      line,
      problem: `the amount ${figures} can be read in two ways: say --amounts decimal or --amounts comma`,
    };
  }
  if (!isMarkOf(cell.mark, currency)) {
    return {
      line,
      problem: `the amount is marked ${JSON.stringify(cell.mark)} and the currency is ${currency}`,
    };
  }
  return { amountMinor: minor, currency };
}
