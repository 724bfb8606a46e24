/**
 * A table described once: its row type, its lines of the privacy inventory, what retention deletes of it.
 *
 * ```ts
 * export const creditClaim = describeTable({
 *   name: 'credit_claim', purpose: '…', keep: CASE_DAYS, old: 'found_at',
 *   columns: { alert_id: text(), note: text().personal.nullable, found_at: moment() },
 * });
 * declare module '…/database.ts' { interface Database { credit_claim: RowOf<typeof creditClaim> } }
 * ```
 *
 * `organisation_id` is in every table and is not listed.
 */
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from './database.ts';
import type { ColumnKind, Keep, TableEntry } from './table-entry.ts';

/** A column; `Type` is what Kysely knows of it. */
export interface Column<Type = unknown> {
  /** Undefined: a number, a moment or a truth value, which no inventory lists. */
  readonly kind: ColumnKind | undefined;
  /** Data about a person can be in it. */
  readonly isPersonal: boolean;
  /** It is stored encrypted where data keys are set (`src/base/seal`). */
  readonly isSealed: boolean;
  /** Only its type matters: no value has it. */
  readonly type?: Type;
}

/** A column that may be null; and, in JSON, text and bytes, one that can hold data about a person. */
export interface Optional<Type, Null> extends Column<Type> {
  readonly nullable: Column<Null>;
}
export interface Wordy<Type, Null> extends Optional<Type, Null> {
  /** Data about a person can be in it: erasure blanks it. */
  readonly personal: Optional<Type, Null>;
  /** The same, and it is sealed. */
  readonly sealed: Optional<Type, Null>;
}

const NUMBER: Column<never> = { kind: undefined, isPersonal: false, isSealed: false };

function optional<Type, Null>(column: Column<never>): Optional<Type, Null> {
  return { ...column, nullable: column };
}

function wordy<Type, Null>(kind: ColumnKind): Wordy<Type, Null> {
  const plain: Column<never> = { ...NUMBER, kind };
  const personal: Column<never> = { ...plain, isPersonal: true };
  return {
    ...optional<Type, Null>(plain),
    personal: optional(personal),
    sealed: optional({ ...personal, isSealed: true }),
  };
}

export const text = <Value extends string = string>(): Wordy<Value, Nullable<Value>> =>
  wordy('text');
/** Text with a default of the database. */
export const defaultedText = <Value extends string = string>(): Column<Defaulted<Value>> => ({
  ...NUMBER,
  kind: 'text',
});
/** A list of texts. */
export const texts = (): Column<string[]> => ({ ...NUMBER, kind: 'text' });
/** A list of texts with a default of the database. */
export const defaultedTexts = (): Column<Defaulted<string[]>> => ({ ...NUMBER, kind: 'text' });
export const json = <Value = unknown>(): Wordy<Json<Value>, NullableJson<Value>> => wordy('json');
export const bytes = (): Wordy<Buffer, Nullable<Buffer>> => wordy('bytes');
export const moment = (): Optional<Timestamp, NullableTimestamp> => optional(NUMBER);
/** A date without a time, YYYY-MM-DD. */
export const day = (): Optional<string, Nullable<string>> => optional(NUMBER);
export const number = (): Optional<number, Nullable<number>> => optional(NUMBER);
/** A number with a default of the database. */
export const defaultedNumber = (): Column<Defaulted<number>> => NUMBER;
export const flag = (): Optional<boolean, Nullable<boolean>> => optional(NUMBER);
/** A truth value with a default of the database. */
export const defaultedFlag = (): Column<Defaulted<boolean>> => NUMBER;
/** Numbered by the database. */
export const identity = (): Column<Identity> => NUMBER;

type Columns = Readonly<Record<string, Column>>;

export interface DescribedTable {
  readonly name: string;
  readonly purpose: string;
  readonly keep: Keep;
  /**
   * The column of a moment by which its rows are too old after `CASE_DAYS`; a row without the moment is kept. Undefined: something
   * else deletes them.
   */
  readonly old?: string;
  /** The column of a moment at which something is still to follow from a row: as long as it has one, it is kept. @default none */
  readonly waits?: string;
  /** The column of an alert's id: as long as its case is there, the row is kept. @default none */
  readonly ofCase?: string;
  /**
   * Columns of texts that a program reads: what erasure leaves in the place of a name must be one that it can read. @default none
   */
  readonly documents?: readonly string[];
  /**
   * Columns of references that can name a person, a list's part by part: an erasure puts another word in their place in every
   * table at once, by the database's `erase_references`, which knows the same. @default none
   */
  readonly references?: readonly string[];
  /**
   * Columns of a number that the database draws for a column of another table, as `table.column`, where no foreign key says
   * so: it is drawn again when an organisation moves to another database. @default none
   */
  readonly numbers?: Readonly<Record<string, string>>;
  /**
   * Each row is a file of an alert: `id`, `alert_id`, `body`, and `key_id` of the key under which the body is sealed
   * (`base/seal/file-place.ts`). It is sealed again after a rotation, searched by an erasure, and deleted with the order that
   * the alert is about. @default false
   */
  readonly isFileOfAlert?: boolean;
  readonly columns: Columns;
}

export interface TableOf<Described extends Columns> extends DescribedTable {
  readonly old?: keyof Described & string;
  readonly waits?: keyof Described & string;
  readonly ofCase?: keyof Described & string;
  readonly documents?: readonly (keyof Described & string)[];
  readonly references?: readonly (keyof Described & string)[];
  readonly columns: Described;
}

export function describeTable<const Described extends Columns>(
  table: TableOf<Described>,
): TableOf<Described> {
  return table;
}

/** The row type of a described table. */
export type RowOf<Table> =
  Table extends TableOf<infer Described>
    ? { organisation_id: string } & {
        -readonly [Name in keyof Described]: TypeOf<Described[Name]>;
      }
    : never;

type TypeOf<Described> = Described extends Column<infer Type> ? Type : never;

/** The line of the table in the privacy inventory. */
export function entryOf({ purpose, keep, columns }: DescribedTable): TableEntry {
  const listed = Object.entries(columns).flatMap(([name, { kind, ...marks }]) =>
    kind === undefined ? [] : [{ name, kind, ...marks }],
  );
  return {
    purpose,
    keep,
    plain: listed.filter(({ isPersonal }) => !isPersonal).map(({ name }) => name),
    personal: Object.fromEntries(
      listed.filter(({ isPersonal }) => isPersonal).map(({ name, kind }) => [name, kind]),
    ),
    sealed: listed.filter(({ isSealed }) => isSealed).map(({ name }) => name),
  };
}
