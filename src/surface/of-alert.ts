/** What a capability knows of an alert: a field of the JSON API, a line of the case's page, a property for programs. */
import type { z } from 'zod';
import type { Db } from '../base/db/database.ts';
import type { HtmlValue } from '../base/kernel/html.ts';

interface AlertScope {
  readonly db: Db;
  readonly organisationId: string;
  readonly alertId: string;
}

/** Described by the capability; `Value` is what it reads. */
interface Described<Value> {
  /** Its field in the JSON API, null where nothing is known. */
  readonly field: string;
  readonly schema: z.ZodType;
  /** What the field says, for the API's document. */
  readonly description: string;
  read(scope: AlertScope): Promise<Value | undefined>;
  /** For programs. */
  value(value: Value): unknown;
  json(value: Value): unknown;
  /** A line of the case's page: its title and what is there. */
  line(value: Value): readonly [string, HtmlValue];
}

/** What was read of one alert. */
export interface KnownOfAlert {
  readonly value: unknown;
  readonly json: unknown;
  readonly line: readonly [string, HtmlValue];
}

export interface AlertPart extends Pick<Described<never>, 'field' | 'schema' | 'description'> {
  read(scope: AlertScope): Promise<KnownOfAlert | undefined>;
}

export function describeOfAlert<Value>(described: Described<Value>): AlertPart {
  const { field, schema, description } = described;
  return {
    field,
    schema,
    description,
    async read(scope): Promise<KnownOfAlert | undefined> {
      const value = await described.read(scope);
      if (value === undefined) return undefined;
      return {
        value: described.value(value),
        json: described.json(value),
        line: described.line(value),
      };
    },
  };
}
