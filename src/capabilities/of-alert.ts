/** What all capabilities know of one alert. */
import type { Db } from '../base/db/database.ts';
import type { KnownOfAlert } from '../surface/of-alert.ts';
import type { CreditsOfAlert } from './credits/of-alert.ts';
import { CAPABILITIES } from './index.ts';

/** Under these properties a program finds it. */
export type CapabilitiesOfAlert = object & CreditsOfAlert;

const PARTS = CAPABILITIES.flatMap(({ ofAlert = {} }) => Object.entries(ofAlert));

/** Fields of the JSON API, each null where its capability knows nothing. */
export const OF_ALERT_SCHEMAS: object = Object.fromEntries(
  PARTS.map(([, { field, schema, description }]) => [
    field,
    schema.nullable().meta({ description }),
  ]),
);

interface ReadOfAlert {
  /** The properties. */
  readonly values: CapabilitiesOfAlert;
  /** The fields of the JSON API. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The lines of the case's page. */
  readonly lines: readonly KnownOfAlert['line'][];
}

export async function readOfAlert(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<ReadOfAlert> {
  const known: [property: string, field: string, KnownOfAlert | undefined][] = [];
  for (const [property, part] of PARTS)
    known.push([property, part.field, await part.read({ db, organisationId, alertId })]);
  return {
    values: valuesOf(known.map(([property, , found]) => [property, found?.value])),
    json: Object.fromEntries(known.map(([, field, found]) => [field, found?.json ?? null])),
    lines: known.flatMap(([, , found]) => (found === undefined ? [] : [found.line])),
  };
}

/** Each capability says which property holds what: see `CapabilitiesOfAlert`. */
function valuesOf(entries: readonly (readonly unknown[])[]): CapabilitiesOfAlert {
  return Object.fromEntries(entries);
}
