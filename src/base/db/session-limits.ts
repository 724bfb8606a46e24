/**
 * The limits under which statements run, because Postgres has none by default: a statement, a wait for a
 * lock and an idle transaction each end by themselves. And for whom they run: the wall between organisations
 * (`for-organisation.ts`) shows a statement the rows of the organisation that it names.
 *
 * A connection that reaches PostgreSQL itself gets them once. Behind a pooler the server's session serves
 * others too, who must never meet our limits, nor we theirs: there they travel with each statement and
 * each transaction, and end with it. So does an organisation for which a connection is borrowed.
 */
import pg from 'pg';

/** Limits in milliseconds; 0 is none. */
export interface SessionLimits {
  /** For the first answer of a new connection: a pooler lets in whom it has no session for. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** In which schemas its statements find what they name (`schemas.ts`). */
  readonly searchPath: string;
  /** Whose rows its statements may see. Undefined: none, where the wall is up. */
  readonly organisation?: string | undefined;
}

/** Settings of a session or of a transaction, by name. */
export type Settings = readonly (readonly [name: string, value: string])[];

/** Names it: one id, several with commas between them, or `*` for all. */
export const ORGANISATION_SETTING = 'forestall.organisation';

/** Names the schemas: a list of identifiers, quoted where it was made. */
export const PATH_SETTING = 'search_path';

/** Longest pause between two statements of a transaction, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Everything under which statements run. */
export function settingsOf(limits: SessionLimits): Settings {
  const { statementTimeoutMs, lockTimeoutMs, searchPath, organisation } = limits;
  return [
    ['statement_timeout', `${statementTimeoutMs}`],
    ['lock_timeout', `${lockTimeoutMs}`],
    ['idle_in_transaction_session_timeout', `${IDLE_IN_TRANSACTION_MS}`],
    [PATH_SETTING, searchPath],
    ...(organisation === undefined ? [] : [[ORGANISATION_SETTING, organisation] as const]),
  ];
}

function settingCall([name, value]: Settings[number], isLocal: string): string {
  return `set_config('${name}', ${pg.escapeLiteral(value)}, ${isLocal})`;
}

/**
 * What a new connection asks: whether a pooler is in between, in which case nothing stays set. Poolers hand
 * out a number of their own making in the place of the server process's.
 */
export function settleText(processId: number, limits: SessionLimits): string {
  const settings = settingsOf(limits).map((setting) => `, ${settingCall(setting, 'is_shared')}`);
  return `select is_shared${settings.join('')}
    from (select pg_backend_pid() <> ${processId} as is_shared) as connection`;
}

/** A text that begins a transaction, and the settings that end with it. */
export function limitedBegin(text: string, settings: Settings): string {
  const locals = settings.map(([name, value]) => {
    // As a literal a list would be one name.
    const written = name === PATH_SETTING ? value : pg.escapeLiteral(value);
    return `; set local ${name} = ${written}`;
  });
  return text + locals.join('');
}

/** A statement without rows, to be sent in front of another one: it begins a transaction, or sets something until its end. */
export interface Carrier {
  readonly text: string;
  readonly values: readonly string[];
  /** Of a prepared statement; empty: of none. */
  readonly name: string;
  /** It was prepared on this connection before. */
  readonly isPrepared: boolean;
}

const UNPREPARED = { values: [], name: '', isPrepared: false } as const;

/** Carries any settings. */
export function carrierOf(settings: Settings): Carrier {
  const isNull = settings.map((setting) => `${settingCall(setting, 'true')} is null`);
  return { text: `select where ${isNull.join(' or ')}`, ...UNPREPARED };
}

/** Carries an organisation alone: prepared, because it comes with nearly every statement. */
export function organisationCarrier(organisation: string, isPrepared: boolean): Carrier {
  return {
    text: `select where set_config('${ORGANISATION_SETTING}', $1, true) is null`,
    values: [organisation],
    name: 'forestall_organisation',
    isPrepared,
  };
}

/** Begins a transaction: prepared, because every transaction begins so. */
export function beginCarrier(isPrepared: boolean): Carrier {
  return { text: 'begin', values: [], name: 'forestall_begin', isPrepared };
}
