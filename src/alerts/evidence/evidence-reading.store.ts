/**
 * Reads what is judged: the disputed payment, earlier ones with the same credential, and what was ever
 * reported about those that could count. Reads only; two statements.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { unpackTraits } from '../../orders/traits.ts';
import { SETTLING_DAYS_MAX } from './evidence-rules.ts';
import type { EarlierPayment, Payment, PaymentHistory } from './payment.ts';
import { daysBetween, ELEMENTS } from './payment.ts';

/** Earlier payments read: one a day for a year, and some. */
const READ_MAX = 400;

/** Of those, how many are judged: the ones that agree in most, and lie deepest within the bounds. */
const JUDGED_MAX = 60;

/** Payments that are too young by up to so many days are shown with that reason; of them a few. */
const YOUNG_DAYS = 30;
const YOUNG_MAX = 5;

interface Row {
  readonly reference: string;
  readonly day: string;
  readonly credential: string | null;
  readonly account: string | null;
  readonly email: string | null;
  readonly ip: string | null;
  readonly address: string | null;
  readonly device: string | null;
  readonly fingerprint: string | null;
  readonly subscription: string | null;
  readonly first_ip: string | null;
  readonly descriptor: string | null;
  readonly country: string | null;
  readonly traits: number;
}

/** Which payment, and the day of its dispute. */
export interface PaymentQuestion {
  readonly organisationId: string;
  readonly reference: string;
  readonly day: string;
  /** How old an earlier payment may be. */
  readonly days: { readonly from: number; readonly to: number };
}

/** What the index holds of a payment; null: nothing. */
export interface ReadPayments {
  readonly payment: Payment | null;
  /** Latest first. */
  readonly earlier: readonly EarlierPayment[];
}

const NONE: ReadPayments = { payment: null, earlier: [] };

/** Named one by one: a statement with a star is not prepared, and planning this one takes longer than running it. */
const ALL = sql`e.credential, e.account, e.email, e.ip, e.address, e.device, e.fingerprint, e.subscription,
  e.day, e.traits, e.organisation, e.descriptor, e.country, e.reference`;

/** As they are read: no number holds 64 bits. */
const TEXTS = sql`e.reference, e.day::text, e.credential::text, e.account::text, e.email::text, e.ip::text,
  e.address::text, e.device::text, e.fingerprint::text, e.subscription::text, e.descriptor, e.country, e.traits`;

/** Reads the payment and the earlier ones. */
export async function readPayments(db: Db, question: PaymentQuestion): Promise<ReadPayments> {
  const { organisationId, reference, day, days } = question;
  const { rows } = await sql<Row & { readonly is_earlier: boolean }>`
    with own as materialized (
      select number from evidence_key where organisation_id = ${organisationId}
    ), disputed as materialized (
      select ${ALL} from payment_evidence e
      where hashtextextended(e.reference, e.organisation) = hashtextextended(${reference}::text, (select number from own))
        and e.reference = ${reference} and e.organisation = (select number from own)
    ), bounds as materialized (
      select d.credential, d.reference, d.organisation, least(d.day, ${day}::date) - ${days.to + SETTLING_DAYS_MAX}::int as first_day,
        greatest(d.day, ${day}::date) - ${days.from}::int as last_day
      from disputed d
    ), earlier as materialized (
      (select ${ALL} from payment_evidence e join bounds b on e.credential = b.credential
        where e.organisation = b.organisation and e.reference <> b.reference and e.day between b.first_day and b.last_day
        order by e.day desc limit ${READ_MAX})
      union all
      (select ${ALL} from payment_evidence e join bounds b on e.credential = b.credential
        where e.organisation = b.organisation and e.reference <> b.reference
          and e.day > b.last_day and e.day <= b.last_day + ${YOUNG_DAYS}::int
        order by e.day limit ${YOUNG_MAX})
    ), both_kinds as (
      select false as is_earlier, ${ALL} from disputed e union all select true, ${ALL} from earlier e
    )
    select e.is_earlier, ${TEXTS}, (
      select f.ip::text from payment_evidence f
      where f.credential = e.credential and f.subscription = e.subscription and f.organisation = e.organisation
        and f.ip is not null and f.day < e.day and e.subscription is not null
      order by f.day limit 1) as first_ip
    from both_kinds e order by e.day desc, e.reference`.execute(db);
  const own = rows.find((row) => !row.is_earlier);
  if (own === undefined) return NONE;
  const payment = paymentOf(own);
  const earlier = foremost(payment, rows.filter((row) => row.is_earlier).map(paymentOf), {
    day,
    days,
  });
  const references = earlier.map((each) => each.reference);
  const history = await readHistory(db, organisationId, references);
  return {
    payment,
    earlier: earlier.map((each) => ({ ...each, history: history.get(each.reference) ?? UNSAID })),
  };
}

function paymentOf(row: Row): Payment {
  const { reference, day, credential, subscription, descriptor, country } = row;
  const { account, email, ip, address, device, fingerprint } = row;
  return {
    reference,
    day,
    credential,
    subscription,
    descriptor,
    country,
    firstIp: row.first_ip,
    values: { account, email, ip, address, device, fingerprint },
    traits: unpackTraits(row.traits),
  };
}

const UNSAID: PaymentHistory = { disputed: false, fraud: false, revoked: false };

/** Those to be judged, latest first. */
function foremost(
  payment: Payment,
  earlier: readonly Payment[],
  { day, days }: Pick<PaymentQuestion, 'day' | 'days'>,
): Payment[] {
  if (earlier.length <= JUDGED_MAX) return [...earlier];
  const middle = (days.from + days.to) / 2;
  const agreeing = (each: Payment): number =>
    ELEMENTS.filter((element) => each.values[element] === payment.values[element]).length;
  const distance = (each: Payment): number =>
    Math.abs(daysBetween(each.day, day) - middle) +
    Math.abs(daysBetween(each.day, payment.day) - middle);
  return earlier
    .map((each) => ({ each, rank: agreeing(each), distance: distance(each) }))
    .sort((a, b) => b.rank - a.rank || a.distance - b.distance)
    .slice(0, JUDGED_MAX)
    .map(({ each }) => each)
    .sort((a, b) => (a.day < b.day ? 1 : -1));
}

interface HistoryRow extends PaymentHistory {
  readonly reference: string;
}

/**
 * What was reported about payments: alerts, notices, representments, chargebacks at the processor.
 *
 * The references travel as JSON: PostgreSQL expects as many in any text, and keeps its plan.
 */
async function readHistory(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, PaymentHistory>> {
  if (references.length === 0) return new Map();
  const { rows } = await sql<HistoryRow>`
    select w.reference,
      exists (select from alert_case k join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
        where k.organisation_id = ${organisationId} and k.charge_reference = w.reference and a.status <> 'INVALID')
      -- An alert of no known charge that names this ARN: until somebody says otherwise it is about this payment.
      or exists (select from alert a left join alert_case k on k.organisation_id = a.organisation_id and k.alert_id = a.id
        where a.organisation_id = ${organisationId} and a.acquirer_reference_number = c.acquirer_reference_number
          and a.status <> 'INVALID' and k.charge_reference is null)
      or exists (select from representment r
        where r.organisation_id = ${organisationId} and r.transaction_reference_id = w.reference)
      or exists (select from representment r
        where r.organisation_id = ${organisationId} and r.acquirer_reference_number = c.acquirer_reference_number)
      or exists (select from movement m where m.organisation_id = ${organisationId}
        and m.charge_reference = w.reference and m.kind = 'chargeback')
      or coalesce(told.disputed, false) as disputed,
      coalesce(told.fraud, false) as fraud, coalesce(told.revoked, false) as revoked
    from jsonb_array_elements_text(${JSON.stringify(references)}::jsonb) as w (reference)
    left join charge c on c.organisation_id = ${organisationId} and c.reference = w.reference
      and c.acquirer_reference_number is not null
    left join lateral (
      select bool_or(n.is_revoked is not true and n.notice_type = 'FRAUD_NOTICE') as fraud,
        bool_or(n.is_revoked is not true and n.notice_type is distinct from 'FRAUD_NOTICE') as disputed,
        bool_or(n.is_revoked is true) as revoked
      from scheme_notice n
      where n.organisation_id = ${organisationId} and n.acquirer_reference_number = c.acquirer_reference_number
    ) as told on c.reference is not null`.execute(db);
  return new Map(rows.map(({ reference, ...history }) => [reference, history]));
}
