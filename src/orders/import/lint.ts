/**
 * Reports how ready orders are, without sending or storing anything: orders of a file, or all that
 * are stored.
 */

import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import type { ProgrammeReadiness } from '../feed-status.store.ts';
import { readinessShare } from '../feed-status.store.ts';
import type { OrderBody } from '../order-body.ts';
import type { Programme } from '../programme.ts';
import { PROGRAMMES } from '../programme.ts';
import type { Readiness } from '../readiness.ts';
import { assessOrder } from '../readiness.ts';
import { openBodyOf } from '../sealed-order.ts';
import type { SubmissionDefaults } from '../submission.ts';
import { readSubmission } from '../submission.ts';
import type { FileEntry } from './read-file.ts';

/** Examples of one warning or fault. */
export interface LintFinding {
  readonly text: string;
  readonly orders: number;
  /** Where it was seen first: a line of the file, or an order's reference. */
  readonly first: string;
}

/** The report. */
export interface LintReport {
  readonly orders: number;
  /** Orders that intake would refuse. */
  readonly refused: number;
  readonly readiness: readonly ProgrammeReadiness[];
  readonly refusals: readonly LintFinding[];
  readonly faults: readonly LintFinding[];
  readonly warnings: readonly LintFinding[];
  /** How many card transactions can be found by each combination, and by none. */
  readonly cards: {
    readonly a: number;
    readonly b: number;
    readonly c: number;
    readonly none: number;
  };
}

/** Different texts kept per kind; further ones would be noise. */
const FINDINGS_MAX = 50;

/** Counts orders one by one. */
export interface Linter {
  /** `inColumns` puts the names of a file's columns into a text that names paths of the order. */
  addOrder(order: OrderBody, where: string, inColumns?: (text: string) => string): void;
  addRefused(problems: readonly string[], where: string): void;
  report(): LintReport;
}

/** Creates an empty report. */
export function createLinter(): Linter {
  const programmes = PROGRAMMES.map(createProgrammeTally);
  const refusals = createTally();
  const faults = createTally();
  const warnings = createTally();
  const cards = { a: 0, b: 0, c: 0, none: 0 };
  let orders = 0;
  let refused = 0;
  return {
    addOrder(order, where, inColumns = (text): string => text): void {
      orders += 1;
      const readiness = assessOrder(order);
      for (const programme of programmes) programme.add(readiness);
      for (const { combinations } of readiness.cards) {
        for (const name of combinations) cards[name] += 1;
        if (combinations.length === 0) cards.none += 1;
      }
      faults.addAll(readiness.faults.map(inColumns), where);
      warnings.addAll(readiness.warnings.map(inColumns), where);
    },
    addRefused(problems, where): void {
      refused += 1;
      refusals.addAll(problems, where);
    },
    report: () => ({
      orders,
      refused,
      readiness: programmes.map((programme) => programme.report(orders)),
      refusals: refusals.list(),
      faults: faults.list(),
      warnings: warnings.list(),
      cards,
    }),
  };
}

interface ProgrammeTally {
  add(readiness: Readiness): void;
  report(orders: number): ProgrammeReadiness;
}

function createProgrammeTally(programme: Programme): ProgrammeTally {
  const missing = new Map<string, number>();
  let ready = 0;
  return {
    add(readiness): void {
      const gaps = readiness.missing[programme];
      if (gaps.length === 0) ready += 1;
      // Once per order, at whatever place of a list it is missing.
      for (const gap of new Set(gaps.map(withoutPlaces))) {
        missing.set(gap, (missing.get(gap) ?? 0) + 1);
      }
    },
    report: (orders) => ({
      programme,
      ...readinessShare(orders, ready),
      mostMissing: mostFrequent(missing),
    }),
  };
}

/** `transactions[2].authorised_at` as `transactions[].authorised_at`. */
function withoutPlaces(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}

function mostFrequent(
  counts: ReadonlyMap<string, number>,
): { field: string; orders: number } | null {
  const [first] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return first === undefined ? null : { field: first[0], orders: first[1] };
}

interface Tally {
  addAll(texts: readonly string[], where: string): void;
  list(): LintFinding[];
}

function createTally(): Tally {
  const counts = new Map<string, { orders: number; readonly first: string }>();
  return {
    addAll(texts, where): void {
      for (const text of texts) {
        const known = counts.get(text);
        if (known !== undefined) known.orders += 1;
        else if (counts.size < FINDINGS_MAX) counts.set(text, { orders: 1, first: where });
      }
    },
    list: () =>
      [...counts]
        .map(([text, { orders, first }]) => ({ text, orders, first }))
        .sort((a, b) => b.orders - a.orders),
  };
}

/** Lints the orders of a file. Orders may name any organisation and integration, or none. */
export async function lintFile(
  entries: AsyncIterable<FileEntry>,
  onEntry?: () => void,
): Promise<LintReport> {
  const linter = createLinter();
  for await (const entry of entries) {
    const where = `line ${entry.line}`;
    if ('problems' in entry) {
      linter.addRefused(entry.problems.map(textOf), where);
    } else {
      const { order, inColumns = (text): string => text } = entry;
      const read = readSubmission(order, defaultsFor(order));
      if (read.ok) linter.addOrder(read.value, where, inColumns);
      else {
        const named = read.problems.map((problem) => ({
          ...problem,
          field: inColumns(problem.field),
        }));
        linter.addRefused(named.map(textOf), where);
      }
    }
    onEntry?.();
  }
  return linter.report();
}

/** Used in place of what intake would fill in. */
function defaultsFor(order: unknown): SubmissionDefaults {
  const named =
    typeof order === 'object' && order !== null && 'organisation_id' in order
      ? order.organisation_id
      : undefined;
  const organisationId = typeof named === 'string' && named !== '' ? named : 'org_unstated';
  return { organisationId, integrationId: 'int_unstated' };
}

function textOf({ field, problem }: { readonly field: string; readonly problem: string }): string {
  return `${field} ${problem}`;
}

/** Stored orders read at a time. */
const PAGE = 500;

/** Lints every stored order. */
export async function lintStored(
  db: Db,
  organisationId: string,
  onPage?: (orders: number) => void,
): Promise<LintReport> {
  const linter = createLinter();
  let afterSeq = 0;
  for (;;) {
    const rows = await db
      .selectFrom('order_record')
      .select(['seq', 'integration_id', 'reference_id', 'body'])
      .where('organisation_id', '=', organisationId)
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return linter.report();
    for (const row of rows) {
      linter.addOrder(openBodyOf(dataKeysOf(db), organisationId, row).body, row.reference_id);
    }
    afterSeq = last.seq;
    onPage?.(rows.length);
  }
}
