/**
 * Merges a change into an order, as the service's update would: entries by reference, field by
 * field, the later value winning. What the service could only refuse is refused here, with the
 * reason. Pure.
 */
import { frozenFields, missingPaths } from './compare.ts';
import type { OrderBody, OrderChange } from './order-body.ts';
import { changedPartsSchema } from './order-body.ts';
import type { UpdatableArray } from './order-part.ts';
import { entryPart, PART_ARRAYS, partName } from './order-part.ts';
import type { Problem } from './submission.ts';
import { problemsOf } from './submission.ts';

export type AppliedChange =
  | {
      readonly ok: true;
      readonly body: OrderBody;
      /** Parts whose content is another now; empty when the change says nothing new. */
      readonly parts: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Entry = Record<string, unknown> & { reference_id: string };

/** Merges `change` into `body`. Both use the references that are sent. */
export function applyChange(body: OrderBody, change: OrderChange): AppliedChange {
  const parts = new Set<string>();
  const problems: Problem[] = [];
  const merged: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(change)) {
    const part = partName(name);
    if (part === undefined || value === undefined) continue;
    merged[name] = value;
    if (missingPaths(value, body[name]).length > 0 || missingPaths(body[name], value).length > 0) {
      parts.add(part);
    }
  }
  for (const array of PART_ARRAYS) {
    const changes: readonly Entry[] | undefined = change[array];
    if (changes === undefined) continue;
    const outcome = mergeEntries(array, body[array] ?? [], changes);
    merged[array] = outcome.entries;
    problems.push(...outcome.problems);
    for (const reference of outcome.changed) parts.add(entryPart(array, reference));
  }
  if (problems.length > 0) return { ok: false, problems };
  return finish(body, merged, parts);
}

/** Checks the merged arrays once more, as a whole. */
function finish(
  body: OrderBody,
  merged: Record<string, unknown>,
  parts: ReadonlySet<string>,
): AppliedChange {
  const checked = changedPartsSchema.safeParse(merged, { reportInput: true });
  if (!checked.success) {
    return { ok: false, problems: checked.error.issues.flatMap(problemsOf) };
  }
  const { order_status, order_status_other_description, order_communications } = merged;
  return {
    ok: true,
    body: Object.assign(
      { ...body },
      checked.data,
      dropUndefined({ order_status, order_status_other_description, order_communications }),
    ),
    parts: [...parts],
  };
}

function dropUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

interface MergedEntries {
  readonly entries: readonly Entry[];
  readonly changed: readonly string[];
  readonly problems: readonly Problem[];
}

function mergeEntries(
  array: UpdatableArray,
  existing: readonly Entry[],
  changes: readonly Entry[],
): MergedEntries {
  const entries = [...existing];
  const changed: string[] = [];
  const problems: Problem[] = [];
  for (const [index, change] of changes.entries()) {
    const place = entries.findIndex((entry) => entry.reference_id === change.reference_id);
    const before = entries[place];
    const problem = problemOf(array, before, change);
    if (problem !== undefined) {
      problems.push({ field: `${array}[${index}].${problem.field}`, problem: problem.problem });
      continue;
    }
    const after = { ...before, ...change };
    if (before === undefined) entries.push(after);
    else entries[place] = after;
    if (before === undefined || missingPaths(after, before).length > 0) {
      changed.push(change.reference_id);
    }
  }
  return { entries, changed, problems };
}

/** A refund or dispute that is new is money, so it says how much of what. */
function missingMoney(entry: Entry): Problem | undefined {
  const field = ['amount_in_cents', 'currency'].find((name) => entry[name] === undefined);
  return field === undefined ? undefined : { field, problem: 'is needed on a new entry' };
}

/** Why the service could only refuse this entry (specification, Orders, update rules 2 and 3). */
function problemOf(
  array: UpdatableArray,
  before: Entry | undefined,
  change: Entry,
): Problem | undefined {
  if (before === undefined) {
    if (array === 'refunds' || array === 'disputes') return missingMoney(change);
    return {
      field: 'reference_id',
      problem: `was not sent with the order; ${array} can be updated only if they were there at creation`,
    };
  }
  const frozen = frozenFields(array).find(
    (field) =>
      change[field] !== undefined && before[field] !== undefined && change[field] !== before[field],
  );
  if (frozen === undefined) return undefined;
  return {
    field: frozen,
    problem: `cannot change; it was ${String(before[frozen])} when the entry was created`,
  };
}
