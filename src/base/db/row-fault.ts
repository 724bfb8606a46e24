/**
 * Tells a fault of the data from a fault of the database.
 *
 * A row that Postgres cannot hold will be refused for ever, and is quarantined alone. A database that
 * is away, full or read-only refuses everything, and the same row is welcome later.
 */
import { sqlStateOf } from './transaction.ts';

/**
 * SQLSTATE classes that speak about the data: cardinality, data exception, integrity constraint,
 * program limit exceeded (nesting too deep, row too wide for an index).
 */
const DATA_CLASSES: ReadonlySet<string> = new Set(['21', '22', '23', '54']);

/** Raised by a trigger of our own schema. */
const RAISED = 'P0001';

/** Whether the same rows would fail again against a healthy database. */
export function isRowFault(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return state === RAISED || DATA_CLASSES.has(state.slice(0, 2));
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
