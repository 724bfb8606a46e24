/**
 * What a transaction writes once, right before it commits: its lines of the audit log, in their order,
 * its wake-ups, one for each topic, and changes that nothing else in it reads. One statement, however
 * many steps added to it; the move of a case takes it along where there is one.
 *
 * Only for transactions of `inTransaction`. In any other, and outside of one, `commitWritesOf` is undefined
 * and anyone who writes does it at once.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from './database.ts';

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

/** What was collected, for the caller to write. */
export interface Collected {
  readonly lines: readonly AuditLine[];
  readonly topics: readonly string[];
  readonly changes: readonly RawBuilder<unknown>[];
}

/** What is still to be written. */
class CommitWrites {
  #lines: AuditLine[] = [];
  #topics = new Set<string>();
  #changes: RawBuilder<unknown>[] = [];

  add(line: AuditLine): void {
    this.#lines.push(line);
  }

  wake(topic: string): void {
    this.#topics.add(topic);
  }

  change(change: RawBuilder<unknown>): void {
    this.#changes.push(change);
  }

  /** Hands out what there is; it is then for the caller to write. */
  take(): Collected {
    const taken = { lines: this.#lines, topics: [...this.#topics], changes: this.#changes };
    this.#lines = [];
    this.#topics = new Set();
    this.#changes = [];
    return taken;
  }

  /** Returns the function that forgets what was added since: a savepoint was rolled back. */
  mark(): () => void {
    const [lines, topics, changes] = [[...this.#lines], new Set(this.#topics), [...this.#changes]];
    return (): void => {
      [this.#lines, this.#topics, this.#changes] = [lines, topics, changes];
    };
  }
}

const writesOf = new WeakMap<object, CommitWrites>();

/** Begins to collect for a transaction. */
export function openCommitWrites(trx: Db): CommitWrites {
  const writes = new CommitWrites();
  writesOf.set(trx, writes);
  return writes;
}

/** What the transaction collects; undefined: it does not. */
export function commitWritesOf(db: Db): CommitWrites | undefined {
  return writesOf.get(db);
}

/** Writes what was collected. */
export async function writeCommitWrites(db: Db, writes: CommitWrites): Promise<void> {
  await writeTogether(db, [], writes);
}

/**
 * Executes changes that do not depend on one another as one statement, with what the transaction has
 * collected: none of them sees what the others write.
 */
export async function writeTogether(
  db: Db,
  changes: readonly RawBuilder<unknown>[],
  writes: CommitWrites | undefined = commitWritesOf(db),
): Promise<void> {
  const { lines, topics, changes: collected } = writes?.take() ?? NOTHING_COLLECTED;
  const all = [...collected, ...changes, ...(lines.length === 0 ? [] : [insertLines(lines)])];
  const [only] = all;
  if (topics.length === 0 && only === undefined) return;
  if (topics.length === 0 && all.length === 1) return void (await only?.execute(db));
  const parts = all.length === 0 ? sql`` : sql`with ${sql.join(namedChanges(all))}`;
  await sql`${parts} select ${notifyAll(topics)}`.execute(db);
}

const NOTHING_COLLECTED: Collected = { lines: [], topics: [], changes: [] };

/** Changes as parts of one statement. */
export function namedChanges(changes: readonly RawBuilder<unknown>[]): RawBuilder<unknown>[] {
  return changes.map((change, place) => sql`${sql.ref(`change_${place}`)} as (${change})`);
}

/**
 * A change that nothing else in the transaction reads: written with what else it collects, at once where
 * it collects nothing.
 */
export async function writeLater(db: Db, change: RawBuilder<unknown>): Promise<void> {
  const writes = commitWritesOf(db);
  if (writes === undefined) await change.execute(db);
  else writes.change(change);
}

/** In addition to the lines themselves. */
export interface LineOptions {
  /** A condition without which none is written. */
  readonly only?: RawBuilder<unknown>;
  /** Added to the detail of each. */
  readonly detail?: RawBuilder<unknown> | undefined;
}

/** Appends to the audit log, in the order given; `more` are selections of further lines. */
export function insertLines(
  lines: readonly AuditLine[],
  { more = [], ...options }: LineOptions & { readonly more?: readonly RawBuilder<unknown>[] } = {},
): RawBuilder<unknown> {
  const known = lines.length === 0 ? [] : [selectLines(lines, options)];
  return sql`insert into audit
      (organisation_id, at, subject, subject_id, alert_id, actor, what, from_state, to_state, detail)
    ${sql.join([...known, ...more], sql` union all `)}`;
}

/** Selects lines by their columns. */
export function selectLines(
  lines: readonly AuditLine[],
  { only = sql`true`, detail = sql`'{}'::jsonb` }: LineOptions = {},
): RawBuilder<unknown> {
  // JSON would hand half a surrogate pair on, which no text of PostgreSQL holds.
  const texts = lines.map((line) => ({
    ...line,
    subject_id: line.subject_id.toWellFormed(),
    actor: line.actor.toWellFormed(),
    what: line.what.toWellFormed(),
  }));
  return sql`select r.organisation_id, r.at, r.subject, r.subject_id, r.alert_id, r.actor, r.what, r.from_state,
      r.to_state, r.detail || ${detail}
    from json_to_recordset(${JSON.stringify(texts)}::json) as r(organisation_id text, at timestamptz,
      subject text, subject_id text, alert_id text, actor text, what text, from_state text, to_state text, detail jsonb)
    where ${only}`;
}

/** Tells every listening worker, once the transaction commits, that these topics have something due. */
export function notifyAll(topics: readonly string[]): RawBuilder<number> {
  return sql<number>`(select count(pg_notify(${WAKE_CHANNEL}, topic)) from unnest(${topics}::text[]) as topic)`;
}
