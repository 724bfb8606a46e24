/**
 * Finds in the charge index what an alert could be about.
 *
 * Every candidate comes through an index, by equality and at most one range, so that a match among a
 * million charges stays a matter of milliseconds. Weaker signs are looked for only where the strong
 * keys named nothing.
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database, Db } from '../../base/db/database.ts';
import { CHARGE_COLUMNS } from '../../orders/charge.table.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import { recordOfRow } from '../../orders/charge-record.ts';
import type { AlertFacts } from './alert-facts.ts';
import { choicesOf } from './choice.store.ts';
import type { RememberedChoice } from './choice.ts';
import type { MatchSettings } from './match-settings.ts';

const MS_PER_DAY = 86_400_000;

/** Candidates looked at per key of one alert. More than this many alike is no basis for a choice. */
export const CANDIDATES_MAX = 50;

/** What to look for. */
export interface CandidateQuery {
  readonly alert: AlertFacts;
  readonly settings: MatchSettings;
  /** What people chose for alerts like this one. */
  readonly choices: readonly RememberedChoice[];
}

/** What charges are looked for by. `card`: card digits with amount and date. */
export type CandidateKey = 'reference' | 'arn' | 'authorisation_code' | 'card';

/** What the index knows that could be meant. */
export interface CandidateSearch {
  readonly charges: readonly ChargeRecord[];
  /** False when there were more than {@link CANDIDATES_MAX} of a key. */
  readonly complete: boolean;
}

/** The same by key. */
export interface KeyedSearch extends CandidateSearch {
  readonly choices: readonly RememberedChoice[];
  /** Keys of which there were more than {@link CANDIDATES_MAX}: by these nothing can be called the only one. */
  readonly crowded: ReadonlySet<CandidateKey>;
}

/**
 * Charges that share a key with the alert: reference, ARN, code with last 4, or card with amount. With them
 * what people chose for alerts like it.
 */
export async function findCandidateCharges(
  db: Db,
  organisationId: string,
  query: Pick<CandidateQuery, 'alert' | 'settings'>,
): Promise<KeyedSearch> {
  const keys = keyConditions(query);
  const parts = keys.map(({ condition }) => condition);
  const found = searching(parts, organisationId);
  const { rows } = await sql<(FoundRow | NoCharge) & { choices: CandidateQuery['choices'] | null }>`
    select chosen.choices, ${found === undefined ? sql`null as reference` : sql`${CHARGE_COLUMNS.of('found')}, found.key`}
    from (select ${choicesOf(organisationId, query.alert)} as choices) as chosen
    ${found === undefined ? sql`` : sql`left join (${found}) as found on true`}`.execute(db);
  const charges = rows.flatMap((row) => (row.reference === null ? [] : [row]));
  const crowded = new Set(
    keys.filter((_, key) => isCrowded(charges, key)).map(({ name }): CandidateKey => name),
  );
  return { ...searchOf(charges, parts.length), choices: rows[0]?.choices ?? [], crowded };
}

/** The row of the choices alone. */
interface NoCharge {
  readonly reference: null;
}

/** The charges that people chose for alerts like this one. */
export async function findChosenCharges(
  db: Db,
  organisationId: string,
  choices: readonly RememberedChoice[],
): Promise<readonly ChargeRecord[]> {
  if (choices.length === 0) return [];
  const references = [...new Set(choices.map((choice) => choice.chargeReference))];
  const byReference = sql<boolean>`reference in (${sql.join(references)})`;
  return (await searchBy(db, [byReference], organisationId)).charges;
}

/**
 * Charges that a weaker sign points at: the same card on other amounts near the date, and the same
 * amount on other card digits, nearest in time first. Needs the alert's date.
 */
export async function findWeakCandidates(
  db: Db,
  organisationId: string,
  query: CandidateQuery,
): Promise<CandidateSearch> {
  return await searchBy(db, weakParts(query), organisationId);
}

/** What is asked of the charges of an organisation, and perhaps their order. */
type Part = RawBuilder<unknown>;

/** One statement for all parts; each has its own limit, so each is wrapped as a table. */
async function searchBy(
  db: Db,
  narrow: readonly Part[],
  organisationId: string,
): Promise<CandidateSearch> {
  const query = searching(narrow, organisationId);
  const rows = query === undefined ? [] : (await query.execute(db)).rows;
  return searchOf(rows, narrow.length);
}

type FoundRow = Selectable<Database['charge']> & { readonly key: number };

/** The charges of all parts, each with the number of its part. */
function searching(
  parts: readonly Part[],
  organisationId: string,
): RawBuilder<FoundRow> | undefined {
  if (parts.length === 0) return undefined;
  const found = parts.map(
    (part, key) => sql`
      select ${CHARGE_COLUMNS.of('found')}, found.key from (
        select ${CHARGE_COLUMNS.of('charge')}, ${sql.lit(key)}::int as key from charge
        where organisation_id = ${organisationId} and ${part} limit ${sql.lit(CANDIDATES_MAX + 1)}) as found`,
  );
  return sql<FoundRow>`${sql.join(found, sql` union all `)}`;
}

function searchOf(rows: readonly FoundRow[], parts: number): CandidateSearch {
  return {
    charges: [...new Map(rows.map((row) => [row.reference, recordOfRow(row)])).values()],
    complete: !Array.from({ length: parts }, (_, key) => isCrowded(rows, key)).includes(true),
  };
}

function isCrowded(rows: readonly FoundRow[], key: number): boolean {
  return rows.filter((row) => row.key === key).length > CANDIDATES_MAX;
}

interface KeyCondition {
  readonly name: CandidateKey;
  readonly condition: Part;
}

/** One condition per key the alert has; each is served by an index of its own. */
function keyConditions({
  alert,
  settings,
}: Pick<CandidateQuery, 'alert' | 'settings'>): KeyCondition[] {
  const { reference, arn, authorisationCode, cardLast4, amountMinor, currency, day } = alert;
  const keys: KeyCondition[] = [];
  const add = (name: CandidateKey, condition: Part): void => {
    keys.push({ name, condition });
  };
  if (reference !== null) add('reference', sql`reference = ${reference}`);
  if (arn !== null) add('arn', sql`acquirer_reference_number = ${arn}`);
  if (cardLast4 === null) return keys;
  if (authorisationCode !== null) {
    add(
      'authorisation_code',
      sql`authorisation_code = ${authorisationCode} and card_last4 = ${cardLast4}`,
    );
  }
  if (amountMinor !== null && currency !== null && day !== null) {
    const { from, until } = daysAround(day, settings.exactWindowDays);
    const ofCard = sql`card_last4 = ${cardLast4} and amount_minor = ${amountMinor} and currency = ${currency}`;
    add('card', sql`${ofCard} and authorised_at >= ${from} and authorised_at < ${until}`);
    add('card', sql`${ofCard} and authorised_at is null`);
  }
  return keys;
}

/** The same card near the date; and the same amount, from the alert's moment into both directions. */
function weakParts({ alert, settings, choices }: CandidateQuery): Part[] {
  const { cardLast4, amountMinor, currency, day, momentMs } = alert;
  if (day === null || momentMs === null) return [];
  const { from, until } = daysAround(day, settings.exactWindowDays);
  const parts: Part[] = [];
  const digits = new Set(choices.map((choice) => choice.chargeCardLast4).filter(isText));
  if (cardLast4 !== null) digits.add(cardLast4);
  if (digits.size > 0) {
    parts.push(sql`card_last4 in (${sql.join([...digits])}) and authorised_at >= ${from}
      and authorised_at < ${until}`);
  }
  if (amountMinor === null || currency === null) return parts;
  const moment = new Date(momentMs);
  const ofAmount = sql`amount_minor = ${amountMinor} and currency = ${currency}`;
  parts.push(
    sql`${ofAmount} and authorised_at >= ${moment} and authorised_at < ${until} order by authorised_at`,
    sql`${ofAmount} and authorised_at >= ${from} and authorised_at < ${moment} order by authorised_at desc`,
  );
  return parts;
}

function isText(value: string | null): value is string {
  return value !== null;
}

/** From the first moment of `day - days` up to the last of `day + days`, UTC. */
function daysAround(day: number, days: number): { readonly from: Date; readonly until: Date } {
  return {
    from: new Date((day - days) * MS_PER_DAY),
    until: new Date((day + days + 1) * MS_PER_DAY),
  };
}
