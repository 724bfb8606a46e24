/** The settings of the database: where it is, how many connections a process opens, and how long it waits. */
import { z } from 'zod';
import { wholeNumber } from '../kernel/setting-kinds.ts';
import { DEFAULT_SCHEMA, schemaFault } from './schemas.ts';

const SECOND_MS = 1_000;

/** A transaction may wait for another connection's row; a look at the same time needs a third. */
const CONNECTIONS_MIN = 3;
const CONNECTIONS_MAX = 500;
const STATEMENT_SECONDS_MAX = 3_600;
const WAIT_SECONDS_MAX = 300;

/** How a process uses the database. */
export interface DatabaseSettings {
  /** The server itself, where `DATABASE_URL` is a pooler's. */
  readonly directUrl: string | undefined;
  /** Where its tables are; the job queue's are in a second one beside it. */
  readonly schema: string;
  /** Most connections for the work, and for taking in webhooks. */
  readonly maxConnections: number;
  readonly receiveConnections: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

const url = z.string().regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres://' });

const schema = z.string().superRefine((name, context) => {
  const fault = schemaFault(name);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const databaseShape = {
  DATABASE_URL: url.optional(),
  FORESTALL_DATABASE_DIRECT_URL: url.optional(),
  FORESTALL_DATABASE_SCHEMA: schema.default(DEFAULT_SCHEMA),
  FORESTALL_DATABASE_CONNECTIONS: wholeNumber(CONNECTIONS_MIN, CONNECTIONS_MAX).default(10),
  FORESTALL_DATABASE_RECEIVE_CONNECTIONS: wholeNumber(1, CONNECTIONS_MAX).default(5),
  FORESTALL_DATABASE_STATEMENT_SECONDS: wholeNumber(1, STATEMENT_SECONDS_MAX).default(30),
  FORESTALL_DATABASE_LOCK_SECONDS: wholeNumber(1, WAIT_SECONDS_MAX).default(10),
  FORESTALL_DATABASE_CONNECT_SECONDS: wholeNumber(1, WAIT_SECONDS_MAX).default(5),
};

type Raw = z.infer<z.ZodObject<typeof databaseShape>>;

/** Faults that show when the settings are seen together. */
export function databaseFaults(raw: Raw): string[] {
  return raw.FORESTALL_DATABASE_DIRECT_URL === undefined || raw.DATABASE_URL !== undefined
    ? []
    : ['FORESTALL_DATABASE_DIRECT_URL stands beside DATABASE_URL, which is missing.'];
}

/** The settings, read. */
export function databaseSettingsOf(raw: Raw): DatabaseSettings {
  return {
    directUrl: raw.FORESTALL_DATABASE_DIRECT_URL,
    schema: raw.FORESTALL_DATABASE_SCHEMA,
    maxConnections: raw.FORESTALL_DATABASE_CONNECTIONS,
    receiveConnections: raw.FORESTALL_DATABASE_RECEIVE_CONNECTIONS,
    statementTimeoutMs: raw.FORESTALL_DATABASE_STATEMENT_SECONDS * SECOND_MS,
    lockTimeoutMs: raw.FORESTALL_DATABASE_LOCK_SECONDS * SECOND_MS,
    connectTimeoutMs: raw.FORESTALL_DATABASE_CONNECT_SECONDS * SECOND_MS,
  };
}
