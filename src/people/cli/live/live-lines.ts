/**
 * The live view of `forestall start`: what happens to each alert, read from the rows themselves.
 *
 * On a terminal, alerts under way are redrawn in place and settle above; elsewhere each alert is
 * printed once, when it is settled.
 */
import { createLogUpdate } from 'log-update';
import type { Db } from '../../../base/db/database.ts';
import type { WakeBus } from '../../../base/jobs/wake.ts';
import { plainly } from '../../../base/kernel/shown-text.ts';
import type { PartHealth } from '../../../health/health.ts';
import { troublesOf, troubleWords } from '../../../health/health.ts';
import { fitWidth } from '../../../surface/terminal/fit-width.ts';
import { wrapWords } from '../../../surface/terminal/wrap-words.ts';
import type { CaseView } from './describe-case.ts';
import { describeCase, shortId } from './describe-case.ts';

export interface LiveOptions {
  readonly db: Db;
  readonly organisationId: string;
  readonly wakeBus: WakeBus;
  readonly output: NodeJS.WriteStream;
  /** How each part of Forestall is. */
  readonly health: () => Promise<{ readonly parts: readonly PartHealth[] }>;
}

/** How often the rows are looked at when nothing wakes us, in milliseconds. */
const REFRESH_MS = 400;
/** A narrow terminal is taken as this wide. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 100;
/** Cases that changed within this time are looked at, in milliseconds. */
const RECENT_MS = 15_000;
/** Rows shown in one refresh. */
const ROWS_MAX = 200;

/** Starts printing. Returns the function that stops it. */
export function startLiveLines(options: LiveOptions): () => Promise<void> {
  const { output } = options;
  const screen = createLogUpdate(output);
  const printed = new Map<string, string>();
  const startedMs = Date.now();
  let lastChangeId = 0;
  let busy: Promise<void> | undefined;

  const width = (): number => Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, (output.columns ?? 80) - 1));
  const settle = (lines: readonly string[]): void => {
    if (output.isTTY) screen.clear();
    output.write(`${lines.join('\n')}\n`);
  };
  const showCases = (views: readonly CaseView[]): void => {
    const active: string[] = [];
    for (const view of views) {
      const { lines: said, settled } = describeCase(view, width());
      const lines = said.map(plainly);
      if (!settled) active.push(...lines);
      else if (printed.get(view.alert_id) !== view.state) {
        printed.set(view.alert_id, view.state);
        settle(lines);
      }
    }
    if (output.isTTY && active.length > 0) screen(active.join('\n'));
  };
  let healthShown = '';
  const showHealth = async (): Promise<void> => {
    const { parts } = await options.health();
    const lines = healthLines(parts, width());
    const text = lines.join('\n');
    if (text === healthShown) return;
    settle(text === '' ? ['Everything works again.'] : lines);
    healthShown = text;
  };
  const refresh = async (): Promise<void> => {
    await showHealth();
    const since = new Date(Math.max(startedMs, Date.now() - RECENT_MS));
    const views = await readCases(options, since);
    const changes = await readOtherChanges(options, { since, afterId: lastChangeId });
    lastChangeId = changes.at(-1)?.id ?? lastChangeId;
    if (output.isTTY) screen.clear();
    for (const { line } of changes) settle([fitWidth(line, width())]);
    showCases(views);
  };
  const tick = (): void => {
    busy ??= refresh()
      .catch(() => undefined)
      .finally(() => {
        busy = undefined;
      });
  };
  const timer = setInterval(tick, REFRESH_MS);
  const off = options.wakeBus.on('case', tick);
  return async () => {
    clearInterval(timer);
    off();
    await busy;
    if (output.isTTY) screen.done();
  };
}

/** What does not work, with the next step; nothing while all does. */
function healthLines(parts: readonly PartHealth[], widthChars: number): string[] {
  return troublesOf(parts)
    .filter(({ status }) => status === 'failed')
    .flatMap((trouble) => {
      const { detail, nextStep } = trouble;
      return wrapWords(`! ${troubleWords(trouble)}: ${detail}. ${nextStep}`, widthChars);
    });
}

async function readCases(options: LiveOptions, since: Date): Promise<CaseView[]> {
  return await options.db
    .selectFrom('alert_case as c')
    .innerJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .leftJoin('match as m', (join) =>
      join.onRef('m.organisation_id', '=', 'c.organisation_id').onRef('m.id', '=', 'c.match_id'),
    )
    .leftJoin('decision as d', (join) =>
      join.onRef('d.organisation_id', '=', 'c.organisation_id').onRef('d.id', '=', 'c.decision_id'),
    )
    .leftJoin('movement as r', (join) =>
      join.onRef('r.organisation_id', '=', 'c.organisation_id').onRef('r.id', '=', 'c.movement_id'),
    )
    .select([
      'c.alert_id',
      'c.state',
      'c.opened_at',
      'c.changed_at',
      'c.deadline_at',
      'c.hold_reason',
      'c.fallback_action',
      'c.fallback_at',
      'c.missed_at',
      'a.amount_minor',
      'a.currency',
      'a.card_last4',
      'm.outcome as match_outcome',
      'm.tier as match_tier',
      'd.sentence',
      'r.state as refund_state',
      'r.idempotency_key as refund_key',
      'r.processor_reference as refund_reference',
    ])
    .where('c.organisation_id', '=', options.organisationId)
    .where('c.changed_at', '>=', since)
    .orderBy('c.opened_at')
    .limit(ROWS_MAX)
    .execute();
}

/** Changes of everything that is not an alert, one line each. */
async function readOtherChanges(
  options: LiveOptions,
  { since, afterId }: { readonly since: Date; readonly afterId: number },
): Promise<{ id: number; line: string }[]> {
  const rows = await options.db
    .selectFrom('entity_change')
    .select(['id', 'entity', 'entity_id', 'changed_at', 'after'])
    .where('organisation_id', '=', options.organisationId)
    .where('entity', '<>', 'alert')
    .where('accepted', '=', true)
    .where('id', '>', afterId)
    .where('changed_at', '>=', since)
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    line: `${row.changed_at.toISOString().slice(11, 19)}  ${shortId(row.entity_id)}  ${describeChange(row.entity, row.after)}`,
  }));
}

/** What is worth a word, by entity. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  lookup: ['type', 'lookup_status', 'deflection_status'],
  enrolment: ['type', 'status'],
  representment: ['dispute_stage', 'dispute_status'],
  scheme_notice: ['scheme_notice_type', 'notice_type', 'is_revoked'],
};

function describeChange(entity: string, after: Record<string, unknown>): string {
  const words = (FIELDS[entity] ?? [])
    .filter((field) => after[field] !== undefined && after[field] !== false)
    .map((field) =>
      after[field] === true ? field.replace('is_', '') : `${labelOf(field)}${String(after[field])}`,
    );
  return [entity.replace('_', ' '), ...words].join(' ');
}

/** `deflection_status` of a lookup reads `deflection SUCCEEDED`; a type or status speaks for itself. */
function labelOf(field: string): string {
  return field.startsWith('deflection') ? 'deflection ' : '';
}
