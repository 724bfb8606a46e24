/**
 * A row as the JSON API answers it: every field of the answer's schema, read from the column or property
 * of the same name. The names of the interface differ from ours in one way: `amount_in_cents` is our
 * `amount_minor`.
 */
import type { z } from 'zod';
import type { CamelName } from '../../base/db/case-names.ts';
import { camelName } from '../../base/db/case-names.ts';

type Ours<Field extends string> = Field extends `${infer Money}_in_cents`
  ? `${Money}_minor`
  : Field;
/** The names under which a row can hold a field: of a column, or of a property. */
type Held<Field extends string> = Ours<Field> | CamelName<Ours<Field>>;

/** Fields for which the row has no name: they must be given. */
type NotHeld<Shape, Row> = {
  [Field in keyof Shape & string as Held<Field> & keyof Row extends never ? Field : never]: unknown;
};

/** The row's answer. `given` says what the row holds under another name, or not at all. */
export function answerOf<Shape extends z.core.$ZodShape, Row extends object>(
  { shape }: z.ZodObject<Shape, z.core.$strict>,
  row: Row,
  given: NotHeld<Shape, Row> & { [Field in keyof Shape]?: unknown },
): Record<string, unknown> {
  const known = new Map<string, unknown>([...Object.entries(row), ...Object.entries(given)]);
  return Object.fromEntries(
    Object.keys(shape).map((field) => {
      const column = field.replace(/_in_cents$/, '_minor');
      const name = [field, column, camelName(column)].find((each) => known.has(each));
      return [field, name === undefined ? undefined : known.get(name)];
    }),
  );
}
