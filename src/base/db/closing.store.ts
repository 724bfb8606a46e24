/**
 * What a transaction writes once, right before it commits: its lines of the audit log, in their order,
 * and its wake-ups, one for each topic. One statement, however many steps added to it.
 *
 * Only for transactions of `inTransaction`. In any other, and outside of one, `closingOf` is undefined
 * and whoever writes does it at once.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Channel on which the database tells workers that something is due. The payload is a topic. */
export const WAKE_CHANNEL = 'forestall';

/** A line of the audit log, by its columns. */
export interface AuditLine {
  readonly organisation_id: string;
  readonly at: Date;
  readonly subject: string;
  readonly subject_id: string;
  readonly alert_id: string | null;
  readonly actor: string;
  readonly what: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What is still to be written. */
export class Closing {
  #lines: AuditLine[] = [];
  #topics = new Set<string>();

  add(line: AuditLine): void {
    this.#lines.push(line);
  }

  wake(topic: string): void {
    this.#topics.add(topic);
  }

  /** Hands out what there is; it is then for the caller to write. */
  take(): { readonly lines: readonly AuditLine[]; readonly topics: readonly string[] } {
    const taken = { lines: this.#lines, topics: [...this.#topics] };
    this.#lines = [];
    this.#topics = new Set();
    return taken;
  }

  /** Returns the function that forgets what was added since: a savepoint was rolled back. */
  mark(): () => void {
    const [lines, topics] = [[...this.#lines], new Set(this.#topics)];
    return (): void => {
      [this.#lines, this.#topics] = [lines, topics];
    };
  }
}

const closings = new WeakMap<object, Closing>();

/** Begins to collect for a transaction. */
export function openClosing(trx: Kysely<Database>): Closing {
  const closing = new Closing();
  closings.set(trx, closing);
  return closing;
}

/** What the transaction collects; undefined: it does not. */
export function closingOf(db: Kysely<Database>): Closing | undefined {
  return closings.get(db);
}

/** Writes what was collected. */
export async function writeClosing(db: Kysely<Database>, closing: Closing): Promise<void> {
  await writeTogether(db, [], closing);
}

/**
 * Executes changes that do not depend on one another as one statement, with what the transaction has
 * collected: none of them sees what the others write.
 */
export async function writeTogether(
  db: Kysely<Database>,
  changes: readonly RawBuilder<unknown>[],
  closing: Closing | undefined = closingOf(db),
): Promise<void> {
  const { lines, topics } = closing?.take() ?? { lines: [], topics: [] };
  const all = lines.length === 0 ? changes : [...changes, insertLines(lines)];
  const [only] = all;
  if (topics.length === 0 && only === undefined) return;
  if (topics.length === 0 && all.length === 1) return void (await only?.execute(db));
  const named = all.map((change, place) => sql`${sql.ref(`change_${place}`)} as (${change})`);
  const parts = named.length === 0 ? sql`` : sql`with ${sql.join(named)}`;
  await sql`${parts} select ${notifyAll(topics)}`.execute(db);
}

/** Beside the lines themselves. */
export interface LineOptions {
  /** A condition without which none is written. */
  readonly only?: RawBuilder<unknown>;
  /** A selection of further lines, by the columns of {@link AuditLine}. */
  readonly more?: RawBuilder<unknown>;
}

/** Appends to the audit log, in the order given. */
export function insertLines(
  lines: readonly AuditLine[],
  { only = sql`true`, more }: LineOptions = {},
): RawBuilder<unknown> {
  // JSON would hand half a surrogate pair on, which no text of PostgreSQL holds.
  const texts = lines.map((line) => ({
    ...line,
    subject_id: line.subject_id.toWellFormed(),
    actor: line.actor.toWellFormed(),
    what: line.what.toWellFormed(),
  }));
  return sql`insert into audit
      (organisation_id, at, subject, subject_id, alert_id, actor, what, from_state, to_state, detail)
    select r.* from json_to_recordset(${JSON.stringify(texts)}::json) as r(organisation_id text, at timestamptz,
      subject text, subject_id text, alert_id text, actor text, what text, from_state text, to_state text, detail jsonb)
    where ${only} ${more === undefined ? sql`` : sql`union all ${more}`}`;
}

/** Tells every listening worker, once the transaction commits, that these topics have something due. */
export function notifyAll(topics: readonly string[]): RawBuilder<number> {
  return sql<number>`(select count(pg_notify(${WAKE_CHANNEL}, topic)) from unnest(${topics}::text[]) as topic)`;
}
