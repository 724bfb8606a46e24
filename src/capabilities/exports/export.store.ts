/**
 * The tables of an export: their columns, each with where it comes from, and their rows, read in pages along a key, so that a
 * year costs memory for one page. A row belongs to the day on which it last changed; an event to the place that it has in the
 * stream.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import { ENDED_AS } from '../../alerts/cases/ended-as.store.ts';
import type { Db } from '../../base/db/database.ts';
import { eventIdOf } from '../../surface/event-id.ts';

/** What is in a cell. */
export type ExportValue = string | number | boolean | Date | object | null;
export type ExportRow = Readonly<Record<string, ExportValue>>;

export type ExportKind = 'text' | 'number' | 'flag' | 'moment' | 'json';

export interface ExportColumn {
  readonly kind: ExportKind;
  /** For the reference: what a name does not say. */
  readonly says: string;
  /** Data about a person can be in it: only exported where that is asked for. */
  readonly isPersonal: boolean;
  /** Where it comes from, where that is not the column of the same name in the table's own row. */
  readonly value: RawBuilder<unknown> | null;
}

export interface ExportTable {
  readonly name: string;
  /** What a row is. */
  readonly says: string;
  readonly columns: Readonly<Record<string, ExportColumn>>;
  /** Rows and what is joined to them. */
  readonly from: RawBuilder<unknown>;
  /** Of its own row in `from`. */
  readonly alias: string;
  /** Pages follow it; each row has another. */
  readonly key: readonly RawBuilder<unknown>[];
  /** When a row changed last; of the stream, its position. */
  readonly place: RawBuilder<unknown>;
  readonly isStream: boolean;
}

/** Rows read at a time. */
export const PAGE = 2_000;

/** What it says alone: it comes from the column of its name. */
type Making = (
  ...given: readonly [says?: string] | readonly [value: RawBuilder<unknown>, says?: string]
) => ExportColumn;

function making(kind: ExportKind, isPersonal = false): Making {
  return (...[value, says = '']) =>
    typeof value === 'object'
      ? { kind, says, isPersonal, value }
      : { kind, says: value ?? '', isPersonal, value: null };
}

const text = making('text');
const number = making('number');
const flag = making('flag');
const moment = making('moment');
const personal = making('text', true);
const personalJson = making('json', true);

const MINOR = 'minor units of the currency';
const LATER = 'of two rows the later one holds';

/** The alert and its case change one without the other. */
const ALERT_CHANGED = sql`greatest(c.changed_at, a.changed_at)`;

const alerts: ExportTable = {
  name: 'alerts',
  says: 'each alert and each claim for a refund, as it stood after its last change of that day',
  from: sql`alert_case c
    left join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    left join charge ch on ch.organisation_id = c.organisation_id and ch.reference = c.charge_reference`,
  alias: 'c',
  key: [sql`c.alert_id`],
  place: ALERT_CHANGED,
  isStream: false,
  columns: {
    alert_id: text(),
    changed_at: moment(ALERT_CHANGED, LATER),
    version: number('grows with each change of the case'),
    is_claim: flag(sql`c.alert_id like ${CLAIM_IDS}`, 'a claim for a refund without an alert'),
    alert_type: text(sql`a.enrolment_type`),
    merchant_id: text(sql`a.merchant_id`),
    state: text('of the case'),
    is_open: flag(),
    outcome: text(
      sql`case when c.missed_at is not null then 'missed' when c.closed_at is null then null
        else case ${ENDED_AS} when 'DECLARED_REFUND' then 'refunded' when 'RECONCILED_RDR' then 'network'
          when 'DECLARED_ACCEPT' then 'accepted' else 'otherwise' end end`,
      '`refunded` by us, by the `network` (RDR), `accepted`, `missed` or `otherwise`; none while it is open',
    ),
    service_status: text(sql`a.status`),
    refund_outcome: text(sql`a.refund_outcome`),
    amount_minor: number(sql`a.amount_minor`, MINOR),
    currency: text(sql`a.currency`),
    reason_code: text(sql`a.reason_code`),
    acquirer_reference_number: text(sql`a.acquirer_reference_number`),
    authorisation_code: text(sql`a.authorisation_code`),
    card_scheme: text(sql`a.card_scheme`),
    card_issuer: text(sql`a.card_issuer`),
    descriptor: text(sql`a.descriptor`),
    charge_reference: text(),
    order_reference: text(sql`ch.order_reference`),
    dispute_id: text('alerts of one complaint share it'),
    movement_id: text('of the refund that it was answered with'),
    hold_reason: text(),
    fallback_action: text(),
    opened_at: moment(),
    deadline_at: moment(),
    closed_at: moment(),
    missed_at: moment(),
    note: personal(sql`a.note`, 'of the service'),
    answer_note: personal(),
    last_error: personal(),
  },
};

const decisions: ExportTable = {
  name: 'decisions',
  says: 'each decision of that day; those of observe mode too',
  from: sql`decision d`,
  alias: 'd',
  key: [sql`d.id`],
  place: sql`d.decided_at`,
  isStream: false,
  columns: {
    decision_id: number(sql`d.id`),
    alert_id: text(),
    decided_at: moment(),
    action: text(),
    amount_minor: number(MINOR),
    currency: text(),
    decided_by: text(
      sql`split_part(d.decided_by, ':', 1)`,
      '`policy`, `guard`, `fallback` or `operator`',
    ),
    rule: text(),
    guard: text(),
    policy_version: text(),
    is_shadow: flag(sql`d.shadow`, 'observe mode: nothing was done'),
    fallback_action: text(),
    fallback_at: moment(),
    experiment: text(),
    arm: text(),
    operator: personal(sql`nullif(split_part(d.decided_by, ':', 2), '')`, 'the person who decided'),
    sentence: personal(),
  },
};

const refunds: ExportTable = {
  name: 'refunds',
  says: 'each movement of money back on a charge: ours, the network’s, others’',
  from: sql`movement m
    left join charge ch on ch.organisation_id = m.organisation_id and ch.reference = m.charge_reference`,
  alias: 'm',
  key: [sql`m.id`],
  place: sql`m.changed_at`,
  isStream: false,
  columns: {
    movement_id: text(sql`m.id`),
    changed_at: moment(LATER),
    version: number(),
    kind: text('`refund` and `void` are ours; `network` is RDR'),
    is_ours: flag(sql`m.idempotency_key is not null`),
    state: text(),
    amount_minor: number(MINOR),
    currency: text(),
    charge_reference: text(),
    order_reference: text(sql`ch.order_reference`),
    alert_id: text(),
    dispute_id: text(),
    processor: text(),
    processor_reference: text(),
    failure_code: text(),
    failure_class: text(),
    created_at: moment(),
    sent_at: moment(),
    confirmed_at: moment(),
  },
};

const disputes: ExportTable = {
  name: 'disputes',
  says: 'each dispute (representment), as the service last told of it on that day',
  from: sql`representment r
    left join charge ch on ch.organisation_id = r.organisation_id and ch.reference = r.transaction_reference_id`,
  alias: 'r',
  key: [sql`r.id`],
  place: sql`r.changed_at`,
  isStream: false,
  columns: {
    dispute_id: text(sql`r.id`, 'of the service; not the one that alerts share'),
    changed_at: moment(LATER),
    merchant_id: text(),
    status: text(sql`r.dispute_status`),
    stage: text(sql`r.dispute_stage`),
    outcome: text(
      sql`case r.dispute_status when 'WON' then 'won' when 'LOST' then 'lost' else 'open' end`,
      'as the page of figures counts it: `won`, `lost`, else `open`',
    ),
    amount_minor: number(MINOR),
    currency: text(),
    charge_reference: text(sql`r.transaction_reference_id`),
    order_reference: text(sql`ch.order_reference`),
    acquirer_reference_number: text(),
    due_by: moment(sql`r.dispute_due_by`),
    first_seen_at: moment(),
  },
};

const orders: ExportTable = {
  name: 'orders',
  says: 'where each order stands on its way to the service; nothing of what was ordered, or by whom',
  from: sql`order_record o`,
  alias: 'o',
  key: [sql`o.integration_id`, sql`o.reference_id`],
  place: sql`o.changed_at`,
  isStream: false,
  columns: {
    integration_id: text(),
    order_reference: text(sql`o.reference_id`),
    changed_at: moment(LATER),
    version: number(),
    type: text(),
    state: text(),
    order_id: text('of the service'),
    error_code: text(),
    attempts: number(),
    accepted_at: moment(),
    settled_at: moment(),
    erased_at: moment('since then it says nothing about the customer'),
    reason: personal('why the service refused it'),
  },
};

/** A text of an event's data. */
const said = (field: string): ExportColumn => text(sql`e.data->>${sql.lit(field)}`);

const events: ExportTable = {
  name: 'events',
  says: 'the stream of events; each file holds the positions that follow those of the day before',
  from: sql`event e`,
  alias: 'e',
  key: [sql`e.seq`],
  place: sql`e.seq`,
  isStream: true,
  columns: {
    position: number(sql`e.seq`),
    timestamp: moment(sql`e.at`),
    type: text(),
    alert_id: text(),
    subject: text(),
    merchant_id: text(),
    charge_reference: said('charge_reference'),
    order_reference: said('order_reference'),
    movement_id: said('movement_id'),
    dispute_id: said('dispute_id'),
    action: said('action'),
    state: said('state'),
    status: said('status'),
    amount_minor: number(sql`(e.data->>'amount_minor')::bigint`, MINOR),
    currency: said('currency'),
    sentence: personal(),
    data: personalJson(),
  },
};

export const EXPORT_TABLES: readonly ExportTable[] = [
  alerts,
  decisions,
  refunds,
  disputes,
  orders,
  events,
];

/** The columns that an export has: the organisation's id first, then the event's id, then the table's own. */
export function columnsOf(
  table: ExportTable,
  withPersonal: boolean,
): ReadonlyMap<string, ExportKind> {
  return new Map<string, ExportKind>([
    ['organisation_id', 'text'],
    ...(table.isStream ? ([['event_id', 'text']] as const) : []),
    ...ownColumns(table, withPersonal).map(([name, { kind }]) => [name, kind] as const),
  ]);
}

function ownColumns({ columns }: ExportTable, withPersonal: boolean): [string, ExportColumn][] {
  return Object.entries(columns).filter(([, { isPersonal }]) => withPersonal || !isPersonal);
}

/** Of a table by the moment, of the stream by position: from the first, to before the second. */
export interface ExportRange {
  readonly from: Date | number;
  readonly until: Date | number;
}

export interface ExportQuery {
  readonly organisationId: string;
  readonly range: ExportRange;
  readonly withPersonal: boolean;
}

/** Reads the rows of a range, page by page. */
export async function* readRows(
  db: Db,
  table: ExportTable,
  { organisationId, range, withPersonal }: ExportQuery,
): AsyncGenerator<readonly ExportRow[]> {
  const { from, alias, key, place, isStream } = table;
  const organisation = sql.ref(`${alias}.organisation_id`);
  const columns = sql.join([
    organisation,
    ...ownColumns(table, withPersonal).map(
      ([name, { value }]) => sql`${value ?? sql.ref(`${alias}.${name}`)} as ${sql.id(name)}`,
    ),
    ...key.map((value, at) => sql`${value} as ${sql.id(`key_${at}`)}`),
  ]);
  const keys = sql.join(key);
  const type = isStream ? sql`bigint` : sql`timestamptz`;
  let behind = sql``;
  for (;;) {
    const { rows } = await sql<Record<string, ExportValue>>`
      select ${columns} from ${from}
      where ${organisation} = ${organisationId} and ${place} >= ${range.from}::${type} and ${place} < ${range.until}::${type} ${behind}
      order by ${keys} limit ${PAGE}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    const reached = key.map((_, at) => last[`key_${at}`]);
    yield rows.map((row) => withoutKeys(table, organisationId, row));
    if (rows.length < PAGE) return;
    behind = sql`and (${keys}) > (${sql.join(reached)})`;
  }
}

function withoutKeys(
  { key, isStream }: ExportTable,
  organisationId: string,
  row: Readonly<Record<string, ExportValue>>,
): ExportRow {
  const kept: Record<string, ExportValue> = { ...row };
  for (const at of key.keys()) delete kept[`key_${at}`];
  if (!isStream) return kept;
  const { position: seq, timestamp: at, type, subject } = row;
  const identity = { seq: Number(seq), type: String(type), subject: String(subject) };
  return at instanceof Date
    ? { event_id: eventIdOf(organisationId, { ...identity, at }), ...kept }
    : kept;
}

/** The stream as far as a day is concerned. */
export interface StreamPlace {
  /** The first position whose event happened at or after the beginning of the day; one behind the end where there is none. */
  readonly first: number;
  /** The last position whose event happened before the day's end; 0: none. */
  readonly last: number;
  /** The last position that was given. */
  readonly end: number;
  /** Events from before the day's end wait for their positions. */
  readonly isWaiting: boolean;
}

export async function readStreamPlace(
  db: Db,
  { organisationId, from, until }: { organisationId: string; from: Date; until: Date },
): Promise<StreamPlace> {
  const { rows } = await sql<StreamPlace>`
    with place as (
      select coalesce((select last_seq from event_position where organisation_id = ${organisationId}), 0) as end
    )
    select "end", coalesce((select min(seq) from event where organisation_id = ${organisationId} and at >= ${from}), "end" + 1) as first,
      coalesce((select max(seq) from event where organisation_id = ${organisationId} and at < ${until}), 0) as last,
      exists (select from event_outbox where organisation_id = ${organisationId} and at < ${until}) as "isWaiting"
    from place`.execute(db);
  return rows[0] ?? { first: 1, last: 0, end: 0, isWaiting: false };
}
