/**
 * Names between the database and our own objects: columns are `snake_case`, properties `camelCase`. Rows that
 * become objects, or the reverse, go through here; nothing lists the names a second time.
 */

/** `amount_minor` as `amountMinor`. */
export type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** `amountMinor` as `amount_minor`. */
type SnakeName<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeName<Tail>}`
    : `_${Lowercase<Head>}${SnakeName<Tail>}`
  : Name;

/** A row with its columns as properties. */
export type CamelCased<Row> = { [Name in keyof Row & string as CamelName<Name>]: Row[Name] };

/** An object with its properties as columns. */
export type SnakeCased<Value> = { [Name in keyof Value & string as SnakeName<Name>]: Value[Name] };

/** `amount_minor` as `amountMinor`. */
export function camelName(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A row as an object of ours. Its values stay as they are. */
export function camelCased<Row extends object>(row: Row): CamelCased<Row>;
export function camelCased(row: object): Record<string, unknown> {
  return renamed(row, camelName, camelNames);
}

/** An object of ours as values of columns. Its values stay as they are. */
export function snakeCased<Value extends object>(value: Value): SnakeCased<Value>;
export function snakeCased(value: object): Record<string, unknown> {
  return renamed(value, snakeName, snakeNames);
}

const camelNames = new Map<string, string>();
const snakeNames = new Map<string, string>();

function renamed(
  value: object,
  rename: (name: string) => string,
  known: Map<string, string>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    let other = known.get(name);
    if (other === undefined) {
      other = rename(name);
      known.set(name, other);
    }
    result[other] = each;
  }
  return result;
}
