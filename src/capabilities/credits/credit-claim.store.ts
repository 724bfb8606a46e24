/** All SQL of credit claims: what is found, what expires, what people make of it, and the list. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { directed, momentKey, moneyKey } from '../../base/db/sort-keys.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { ClaimState, CreditClaimRow, CreditClass } from './credit-claim.table.ts';
import { CLAIM_MOVES } from './credit-claim.table.ts';
import type { CreditFinding } from './credit-class.ts';

export interface DueAlerts {
  /** How many were marked. */
  readonly marked: number;
  /** Those, and the alerts about the same disputes: what one is can change the others. */
  readonly alertIds: readonly string[];
}

/** Takes marks, in one statement. Deleting is the claim: a rollback gives them back. */
export async function takeDueAlerts(
  trx: Trx,
  organisationId: string,
  limit: number,
): Promise<DueAlerts> {
  const { rows } = await sql<{ alert_id: string; is_marked: boolean }>`
    with taken as (
      delete from credit_due where organisation_id = ${organisationId} and id in (
        select id from credit_due where organisation_id = ${organisationId}
        order by id limit ${limit} for update skip locked)
      returning alert_id
    )
    select alert_id, true as is_marked from taken
    union
    select other.alert_id, false from taken t, lateral (
      select other.alert_id from alert_case c
      join alert_case other on other.organisation_id = c.organisation_id and other.dispute_id = c.dispute_id
      where c.organisation_id = ${organisationId} and c.alert_id = t.alert_id
      -- One by one: few are taken.
      offset 0) as other`.execute(trx);
  const alertIds = [...new Set(rows.map((row) => row.alert_id))];
  return { marked: rows.filter((row) => row.is_marked).length, alertIds };
}

interface Kept {
  readonly organisationId: string;
  readonly alertId: string;
  /** ISO 8601. */
  readonly alertedAt: string;
  readonly network: string | null;
  readonly finding: CreditFinding;
  readonly window: { readonly rule: string; readonly until: Date } | undefined;
  readonly now: Date;
}

/** Stores the claim, or what is now known of one that no person has touched. */
export async function storeClaim(trx: Trx, kept: Kept): Promise<void> {
  const { organisationId, alertId, finding, window, now } = kept;
  const evidence = JSON.stringify(finding.evidence);
  const { rows } = await sql<{ is_new: boolean }>`
    insert into credit_claim as k (organisation_id, alert_id, class, network, evidence, window_rule, claim_until,
      alerted_at, found_at, changed_at, changed_by)
    values (${organisationId}, ${alertId}, ${finding.class}, ${kept.network}, ${evidence}::jsonb, ${window?.rule ?? null},
      ${window?.until ?? null}, ${kept.alertedAt}::timestamptz, ${now}, ${now}, 'forestall')
    on conflict (organisation_id, alert_id) do update set
      class = excluded.class, evidence = excluded.evidence, window_rule = excluded.window_rule,
      claim_until = excluded.claim_until, changed_at = excluded.changed_at
    where k.state = 'OPEN' and k.changed_by = 'forestall'
      and (k.class, k.evidence) is distinct from (excluded.class, excluded.evidence)
    returning xmax = 0 as is_new`.execute(trx);
  const [row] = rows;
  if (row === undefined) return;
  await audit(trx, kept, `credit claim ${row.is_new ? 'found' : 'changed'}: ${finding.class}`);
}

interface Ending {
  readonly organisationId: string;
  /** Alerts without a reason for a claim. */
  readonly groundless: readonly string[];
  readonly now: Date;
  /** Until when a window counts as ending. */
  readonly before: Date;
}

interface Ended {
  /** Claims whose window ended before anybody sent them. */
  readonly expired: number;
  /** Claims that were not sent and that end before that moment. */
  readonly ending: number;
}

/**
 * In one statement: a reason that is gone takes its claim with it, unless a person has touched that; claims
 * whose window has ended expire; those that end soon are counted.
 */
export async function endClaims(
  trx: Trx,
  { organisationId, groundless, now, before }: Ending,
): Promise<Ended> {
  const isGroundless = sql`alert_id = any(${[...groundless]}::text[]) and changed_by = 'forestall'`;
  const { rows } = await sql<{ dropped: string[]; expired: string[]; ending: number }>`
    with dropped as (
      delete from credit_claim where organisation_id = ${organisationId}
        and state in ('OPEN', 'EXPIRED') and ${isGroundless}
      returning alert_id
    ), expired as (
      update credit_claim set state = 'EXPIRED', changed_at = ${now}
      where organisation_id = ${organisationId} and state = 'OPEN' and claim_until <= ${now}
        and not (${isGroundless})
      returning alert_id
    )
    select array(select alert_id from dropped) as dropped, array(select alert_id from expired) as expired,
      (select count(*) from credit_claim where organisation_id = ${organisationId} and state = 'OPEN'
        and claim_until > ${now} and claim_until <= ${before} and not (${isGroundless})) as ending`.execute(
    trx,
  );
  const { dropped = [], expired = [], ending = 0 } = rows[0] ?? {};
  for (const alertId of dropped) {
    await audit(trx, { organisationId, alertId, now }, 'credit claim: no reason any more');
  }
  for (const alertId of expired) {
    await audit(trx, { organisationId, alertId, now }, 'credit claim: its window ended');
  }
  return { expired: expired.length, ending };
}

async function audit(
  trx: Trx,
  about: Pick<Kept, 'organisationId' | 'alertId' | 'now'> & { readonly actor?: string },
  what: string,
): Promise<void> {
  const { organisationId, alertId, now, actor = 'forestall' } = about;
  await writeAudit(trx, { organisationId, at: now, ...ofCase(alertId), actor, what });
}

export async function findClaim(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<CreditClaimRow | undefined> {
  return await db
    .selectFrom('credit_claim')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .executeTakeFirst();
}

export interface ClaimMove {
  readonly organisationId: string;
  readonly alertId: string;
  /** The state that they saw. */
  readonly from: ClaimState;
  readonly to: ClaimState;
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
  readonly operator: string;
  readonly now: Date;
}

function mayClaimBecome(from: ClaimState, to: ClaimState): boolean {
  const targets: readonly string[] = CLAIM_MOVES[from];
  return targets.includes(to);
}

/** Moves it. False: another state by now, or no such move. */
export async function moveClaim(db: Db, move: ClaimMove): Promise<boolean> {
  const { organisationId, alertId, from, to, operator, now } = move;
  if (!mayClaimBecome(from, to)) return false;
  return await inTransaction(db, async (trx) => {
    const result = await sql`
      update credit_claim set state = ${to}, reference = coalesce(${move.reference ?? null}, reference),
        note = coalesce(${move.note ?? null}, note), changed_at = ${now}, changed_by = ${operator}
      where organisation_id = ${organisationId} and alert_id = ${alertId} and state = ${from}`.execute(
      trx,
    );
    if ((result.numAffectedRows ?? 0n) === 0n) return false;
    await audit(trx, { ...move, actor: `operator:${operator}` }, `credit claim ${from} to ${to}`);
    return true;
  });
}

/** With a minus from the latest or largest; the list's own is that of the alerts. */
export const CLAIM_SORTS = [
  ...(['alert', '-alert', 'until', '-until'] as const),
  ...(['amount', '-amount', 'changed', '-changed'] as const),
] as const;
export type ClaimSort = (typeof CLAIM_SORTS)[number];

/** Claims that are sorted where no index has the order: the first of the list by their alerts. */
export const CLAIMS_SORTED_MAX = 1_000;

export interface ClaimQuery {
  readonly organisationId: string;
  readonly state?: ClaimState | undefined;
  readonly class?: CreditClass | undefined;
  readonly network?: string | undefined;
  /** First and last UTC day of the alert, `YYYY-MM-DD`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
}

function keyOf(sort: ClaimSort): RawBuilder<string> {
  switch (sort.replace('-', '')) {
    case 'amount':
      return moneyKey('a');
    case 'until':
      return momentKey('k.claim_until');
    case 'changed':
      return momentKey('k.changed_at');
    default:
      return momentKey('k.alerted_at');
  }
}

export interface SortedClaims {
  readonly items: readonly (ClaimItem & { readonly key: string })[];
  /** Only the first {@link CLAIMS_SORTED_MAX} were sorted. */
  readonly isCut: boolean;
}

/** Claims in the order of their alerts; or the first of those in another order. */
export async function listSortedClaims(
  db: Db,
  query: ClaimQuery & {
    readonly sort: ClaimSort;
    /** Key and alert of the last row of the page before. */
    readonly after?: readonly [key: string, alertId: string] | undefined;
  },
): Promise<SortedClaims> {
  const { organisationId, sort, after, limit } = query;
  const { direction, sign } = directed(sort);
  const key = keyOf(sort);
  const beyond =
    after === undefined
      ? sql`true`
      : sql`(${key}, k.alert_id) ${sign} (${after[0]}::text, ${after[1]}::text)`;
  const isByAlert = sort.endsWith('alert');
  const window = isByAlert
    ? sql`and ${beyond} order by k.alerted_at ${direction}, k.alert_id ${direction} limit ${limit}`
    : sql`order by k.alerted_at, k.alert_id limit ${CLAIMS_SORTED_MAX}`;
  const { rows } = await sql<ClaimItem & { readonly key: string; readonly looked: number }>`
    with c as materialized (select k.* from credit_claim k where ${filterOf(query)} ${window})
    select k.*, ${key} as key, (select count(*)::int from c) as looked, ${ALERT_COLUMNS}
    from c k left join lateral (
      select * from alert where organisation_id = ${organisationId} and id = k.alert_id limit 1) a on true
    where ${isByAlert ? sql`true` : beyond}
    order by ${key} ${direction}, k.alert_id ${direction} limit ${limit}`.execute(db);
  return { items: rows, isCut: !isByAlert && rows[0]?.looked === CLAIMS_SORTED_MAX };
}

/** Claims of one network and merchant that may still be credited. */
export interface ClaimedAlerts {
  readonly state: ClaimState;
  readonly network: string | null;
  /** Null as well where no merchant has prices of its own. */
  readonly merchantId: string | null;
  readonly count: number;
}

/** Claims of one state whose alerts are looked at for their merchant: each costs a page of the table of alerts. */
const BY_MERCHANT_MAX = 3_000;

/**
 * How many alerts are to be claimed, and how many were asked for: by what their price depends on.
 *
 * @param byMerchant merchants have prices of their own; then at most {@link BY_MERCHANT_MAX} of each state are counted,
 *   those whose windows end first
 */
export async function countClaimable(
  db: Db,
  organisationId: string,
  byMerchant: boolean,
): Promise<ClaimedAlerts[]> {
  const first = (state: ClaimState): RawBuilder<unknown> =>
    sql`(select k.state, k.network, k.alert_id from credit_claim k
      where k.organisation_id = ${organisationId} and k.state = ${state} order by k.claim_until limit ${BY_MERCHANT_MAX})`;
  const counted = byMerchant
    ? sql`(${first('OPEN')} union all ${first('SENT')}) as k
      left join lateral (select merchant_id from alert
        where organisation_id = ${organisationId} and id = k.alert_id limit 1) as a on true`
    : sql`(select state, network, null::text as merchant_id from credit_claim
      where organisation_id = ${organisationId} and state in ('OPEN', 'SENT')) as k`;
  const { rows } = await sql<ClaimedAlerts>`
    select state, network, merchant_id as "merchantId", count(*)::int as count from ${counted}
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** A claim in a list, with what its provider needs to find the alert. */
export type ClaimItem = CreditClaimRow & {
  readonly amount_minor: number | null;
  readonly currency: string | null;
  readonly descriptor: string | null;
  readonly acquirer_reference_number: string | null;
  readonly authorisation_code: string | null;
  readonly card_bin: string | null;
  readonly card_last4: string | null;
};

const ALERT_COLUMNS = sql`a.amount_minor, a.currency, a.descriptor, a.acquirer_reference_number, a.authorisation_code,
  a.card_bin, a.card_last4`;

/** Claims, the oldest alert first: its window ends first. */
export async function listClaims(db: Db, query: ClaimQuery): Promise<ClaimItem[]> {
  const { rows } = await sql<ClaimItem>`
    select k.*, ${ALERT_COLUMNS}
    from credit_claim k left join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
    where ${filterOf(query)}
    order by k.alerted_at, k.alert_id limit ${query.limit}`.execute(db);
  return rows;
}

function filterOf(query: Omit<ClaimQuery, 'limit'>): RawBuilder<unknown> {
  const { state, network, from, to } = query;
  return sql`k.organisation_id = ${query.organisationId}
    ${state === undefined ? sql`` : sql`and k.state = ${state}`}
    ${query.class === undefined ? sql`` : sql`and k.class = ${query.class}`}
    ${network === undefined ? sql`` : sql`and k.network = ${network}`}
    ${from === undefined ? sql`` : sql`and k.alerted_at >= ${from}::date at time zone 'UTC'`}
    ${to === undefined ? sql`` : sql`and k.alerted_at < (${to}::date + 1) at time zone 'UTC'`}`;
}

/** How many claims of each class are in each state. */
export async function countClaims(
  db: Db,
  organisationId: string,
): Promise<
  readonly { readonly class: CreditClass; readonly state: ClaimState; readonly count: number }[]
> {
  return await db
    .selectFrom('credit_claim')
    .select(['class', 'state', sql<number>`count(*)`.as('count')])
    .where('organisation_id', '=', organisationId)
    .groupBy(['class', 'state'])
    .orderBy('class')
    .orderBy('state')
    .execute();
}

/** Marks as sent what was open when a list was shown. Returns how many. */
export async function markSent(
  db: Db,
  query: Omit<ClaimQuery, 'limit' | 'state'> & {
    /** Claims found or changed since are left alone: they were not seen yet. */
    readonly shownAt: Date;
    readonly operator: string;
    readonly now: Date;
  },
): Promise<number> {
  const { organisationId, shownAt, operator, now } = query;
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ alert_id: string }>`
      update credit_claim k set state = 'SENT', changed_at = ${now}, changed_by = ${operator}
      where ${filterOf({ ...query, state: 'OPEN' })} and k.changed_at <= ${shownAt}
      returning k.alert_id`.execute(trx);
    for (const row of rows) {
      const about = { organisationId, alertId: row.alert_id, now, actor: `operator:${operator}` };
      await audit(trx, about, 'credit claim OPEN to SENT');
    }
    return rows.length;
  });
}
