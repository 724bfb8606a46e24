/**
 * Counts of many organisations, added up in the database under the label that each of them has in the metrics: a
 * fixed number of statements, and as many rows as there are labels, however many organisations there are.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../base/db/database.ts';
import { anyOf, textArray } from '../base/db/text-array.ts';
import { REQUESTS_PER_MINUTE_MAX } from '../base/kernel/limits.ts';
import type { Figure } from './figure.store.ts';
import type { FigureMeasure } from './figure.table.ts';

/** Organisations, and what each of them is counted under. */
export interface Labelled {
  readonly organisationIds: readonly string[];
  /** In the same order. */
  readonly labels: readonly string[];
  readonly now: Date;
}

/** Requests of one endpoint in the last minute. */
export interface PoolUse {
  readonly pool: string;
  readonly used: number;
  /** What the service allows in a minute. */
  readonly limit: number;
  /** Seconds until requests are sent again after a 429; 0 when they are. */
  readonly pausedSeconds: number;
}

/** What is open, refused or used up under one label. */
export interface OpenCounts {
  readonly quarantineOpen: number;
  readonly findingsOpen: ReadonlyMap<string, number>;
  readonly pools: readonly PoolUse[];
}

/** What is counted under one label. */
export interface LabelCounts extends OpenCounts {
  readonly figures: readonly (Figure & { readonly measure: FigureMeasure })[];
  /** Orders and updates not sent yet, by queue. */
  readonly backlog: Readonly<Record<string, number>>;
  /** Of the organisation that has been heard from least lately; null: nothing was heard. */
  readonly lastWebhookAt: Date | null;
}

export async function readLabelCounts(
  db: Db,
  scope: Labelled,
): Promise<ReadonlyMap<string, LabelCounts>> {
  const open = await readOpenCounts(db, scope);
  const figures = Map.groupBy(await readKept(db, scope), (row) => row.under);
  const feed = Map.groupBy(await readFeed(db, scope), (row) => row.under);
  const heard = new Map((await readHeard(db, scope)).map((row) => [row.under, row]));
  return new Map(
    [...open].map(([label, counts]) => [
      label,
      {
        ...counts,
        figures: figures.get(label) ?? [],
        backlog: {
          updates_due: 0,
          updates_parked: 0,
          ...Object.fromEntries((feed.get(label) ?? []).map(({ kind, count }) => [kind, count])),
        },
        lastWebhookAt: heard.get(label)?.webhook ?? null,
      },
    ]),
  );
}

export async function readOpenCounts(
  db: Db,
  scope: Labelled,
): Promise<ReadonlyMap<string, OpenCounts>> {
  const counts = Map.groupBy(await readOpen(db, scope), (row) => row.under);
  const pools = Map.groupBy(await readPools(db, scope), (row) => row.under);
  return new Map(
    [...new Set(scope.labels)].map((label) => {
      const countsOf = (what: OpenRow['what']): [string, number][] =>
        (counts.get(label) ?? [])
          .filter((row) => row.what === what)
          .map(({ kind, count }) => [kind, count]);
      return [
        label,
        {
          quarantineOpen: countsOf('quarantine')[0]?.[1] ?? 0,
          findingsOpen: new Map([
            ...['error', 'warning', 'info'].map((severity): [string, number] => [severity, 0]),
            ...countsOf('finding'),
          ]),
          pools: (pools.get(label) ?? []).map(({ under: _label, ...pool }) => pool),
        },
      ];
    }),
  );
}

/** The organisations of a statement, `o`: the id, and the label that it is counted `under`. */
export function labelledOrganisations({ organisationIds, labels }: Labelled): RawBuilder<unknown> {
  return sql`unnest(${textArray(organisationIds)}::text[], ${textArray(labels)}::text[]) as o (id, under)`;
}

type KeptRow = LabelCounts['figures'][number] & { readonly under: string };

async function readKept(db: Db, scope: Labelled): Promise<readonly KeptRow[]> {
  const among = sql`organisation_id = ${anyOf(scope.organisationIds)}`;
  const { rows } = await sql<KeptRow>`
    select o.under, kept.measure, kept.label, sum(kept.count)::bigint as count, sum(kept.amount)::bigint as amount
    from ${labelledOrganisations(scope)} join (
      select organisation_id, measure, label, count, amount from figure where ${among}
      union all
      select organisation_id, measure, label, count, amount from figure_change where ${among}
    ) as kept on kept.organisation_id = o.id
    group by o.under, kept.measure, kept.label order by kept.measure, kept.label`.execute(db);
  return rows;
}

interface CountRow {
  readonly under: string;
  readonly kind: string;
  readonly count: number;
}

interface OpenRow extends CountRow {
  readonly what: 'quarantine' | 'finding';
}

/** Along indexes that hold open rows only. */
async function readOpen(db: Db, scope: Labelled): Promise<readonly OpenRow[]> {
  const among = sql`organisation_id = ${anyOf(scope.organisationIds)}`;
  const { rows } = await sql<OpenRow>`
    select o.under, counted.what, counted.kind, sum(counted.count)::bigint as count
    from ${labelledOrganisations(scope)} join (
      select organisation_id, 'quarantine' as what, '' as kind, count(*) as count from quarantine
        where resolved_at is null and ${among} group by organisation_id
      union all
      select organisation_id, 'finding', severity, count(*) from finding
        where closed_at is null and ${among} group by organisation_id, severity
    ) as counted on counted.organisation_id = o.id
    group by o.under, counted.what, counted.kind order by counted.what, counted.kind`.execute(db);
  return rows;
}

/** Named one by one, so that the index skips the many that are created. */
async function readFeed(db: Db, scope: Labelled): Promise<readonly CountRow[]> {
  const among = sql`organisation_id = ${anyOf(scope.organisationIds)}`;
  const { rows } = await sql<CountRow>`
    select o.under, counted.kind, sum(counted.count)::bigint as count
    from ${labelledOrganisations(scope)} join (
      select organisation_id, 'orders_' || lower(state) as kind, count(*) as count from order_record
        where state in ('HELD', 'WAITING', 'CHECKING', 'REFUSED') and ${among} group by organisation_id, state
      union all
      select organisation_id, 'updates_' || lower(state), count(*) from order_push
        where state in ('DUE', 'PARKED') and ${among} group by organisation_id, state
    ) as counted on counted.organisation_id = o.id
    group by o.under, counted.kind order by counted.kind`.execute(db);
  return rows;
}

type PoolRow = PoolUse & { readonly under: string };

/** Under a label of several the longest pause, and the sum of what is used and allowed. */
async function readPools(db: Db, scope: Labelled): Promise<readonly PoolRow[]> {
  const { organisationIds, now } = scope;
  const minuteAgo = new Date(now.getTime() - 60_000);
  const { rows } = await sql<PoolRow>`
    select o.under, b.pool, count(*) * ${REQUESTS_PER_MINUTE_MAX}::int as limit,
      sum((select count(*) from unnest(b.grants) as given where given > ${minuteAgo}))::bigint as used,
      greatest(0, floor(coalesce(extract(epoch from max(b.paused_until) - ${now}), 0)))::int as "pausedSeconds"
    from ${labelledOrganisations(scope)} join request_budget b on b.organisation_id = o.id
    where b.organisation_id = ${anyOf(organisationIds)}
    group by o.under, b.pool order by b.pool`.execute(db);
  return rows;
}

interface HeardRow {
  readonly under: string;
  readonly webhook: Date | null;
}

/** One step into an index for each organisation and partition. */
async function readHeard(db: Db, scope: Labelled): Promise<readonly HeardRow[]> {
  const { rows } = await sql<HeardRow>`
    select o.under, min(w.at) as webhook
    from ${labelledOrganisations(scope)}
    left join lateral (select received_at as at from inbox_event
      where organisation_id = o.id order by received_at desc limit 1) w on true
    group by o.under`.execute(db);
  return rows;
}
