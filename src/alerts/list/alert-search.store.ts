/**
 * Finds alerts by whatever a person has at hand: an alert's id, a charge, a refund of ours or of the processor, an event,
 * an order, a card as it is printed, an amount, an ARN, an authorisation code, a customer's address, a descriptor. The
 * beginning of an id, a reference or a descriptor will do.
 *
 * Each is looked up along its own index; nothing reads all alerts.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import { minorUnitDigits } from '../../base/kernel/money.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import { literally } from './alert-list.store.ts';
import { amountsOf, BEGINNING_MIN, cardOf, saysEnough } from './search-words.ts';

/** Alerts that one kind of match yields at most: beyond that the text says too little. */
const MATCHES_MAX = 500;

/** The ids of alerts that the text names, in no order. */
export async function searchAlerts(
  db: Db,
  organisationId: string,
  text: string,
): Promise<string[]> {
  const wanted = text.trim();
  const kinds = [
    byAlert(organisationId, sql`id = ${wanted}`),
    byAlert(organisationId, sql`integration_transaction_id = ${wanted}`),
    byAlert(organisationId, sql`lower(descriptor) like ${`${literally(wanted.toLowerCase())}%`}`),
    byCharge(organisationId, sql`${wanted}`),
    byRefund(organisationId, sql`processor_reference = ${wanted}`),
    byEvent(organisationId, wanted),
    ...byBeginning(organisationId, wanted),
    ...byReference(organisationId, wanted),
    ...byAmount(organisationId, wanted),
    byOrder(organisationId, sql`reference_id = ${wanted}`),
  ];
  const card = /^\d{4}$/.test(wanted) ? { last4: wanted, bin: null } : cardOf(wanted);
  if (card !== undefined) {
    const bin = card.bin === null ? sql`` : sql`and card_bin = ${card.bin}`;
    kinds.push(byAlert(organisationId, sql`card_last4 = ${card.last4} ${bin}`));
  }
  if (/^\d{22,24}$/.test(wanted)) {
    kinds.push(byAlert(organisationId, sql`acquirer_reference_number = ${wanted}`));
  }
  if (/^[A-Za-z0-9]{6,7}$/.test(wanted)) {
    kinds.push(byAlert(organisationId, sql`authorisation_code = ${wanted}`));
  }
  if (/^\S+@\S+$/.test(wanted)) {
    kinds.push(
      byOrder(
        organisationId,
        sql`lower(body->>'customer_email') = ${wanted.toLowerCase()} and body->>'customer_email' is not null`,
      ),
    );
    const dataKeys = dataKeysOf(db);
    if (dataKeys !== undefined) {
      const named = { organisationId, field: 'customer_email', value: wanted } as const;
      const hashes = customerIndexes(dataKeys, named);
      kinds.push(byOrder(organisationId, sql`email_hmac = any(${hashes}::bytea[])`));
    }
  }
  const { rows } = await sql<{ id: string }>`
    select distinct id from (${sql.join(kinds, sql` union all `)}) as named`.execute(db);
  return rows.map(({ id }) => id);
}

/** Alerts of a day that are listed at most. */
const ENDED_MAX = 10_000;

/** The ids of alerts that ended on a day, UTC, as the figures count them. */
export async function endedAlerts(
  db: Db,
  organisationId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<string[]> {
  const within = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`organisation_id = ${organisationId} and ${column} >= ${from} and ${column} < ${to} and alert_id not like ${CLAIM_IDS}`;
  const { rows } = await sql<{ id: string }>`
    (select alert_id as id from alert_case where ${within(sql`closed_at`)} and missed_at is null limit ${ENDED_MAX})
    union
    (select alert_id from alert_case where ${within(sql`missed_at`)} limit ${ENDED_MAX})`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

function byAlert(organisationId: string, is: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select id from alert where organisation_id = ${organisationId} and ${is} limit ${MATCHES_MAX})`;
}

function byCharge(organisationId: string, reference: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select alert_id as id from alert_case
    where organisation_id = ${organisationId} and charge_reference = ${reference} limit ${MATCHES_MAX})`;
}

/** The refund's own alert, and those that are answered with it. */
function byRefund(organisationId: string, is: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select k.alert_id as id
    from (select id, alert_id, charge_reference from movement where organisation_id = ${organisationId} and ${is} limit ${MATCHES_MAX}) as m
    join alert_case as k on k.organisation_id = ${organisationId} and k.charge_reference = m.charge_reference
      and (k.alert_id = m.alert_id or k.movement_id = m.id)
    limit ${MATCHES_MAX})`;
}

function byEvent(organisationId: string, eventId: string): RawBuilder<unknown> {
  return sql`(select entity_id as id from entity_change
    where organisation_id = ${organisationId} and event_id = ${eventId} and entity = 'alert' limit ${MATCHES_MAX})`;
}

function byBeginning(organisationId: string, wanted: string): RawBuilder<unknown>[] {
  const [, prefix = '', rest = ''] = /^(netalrt_|mv_)?([a-z0-9]+)$/.exec(wanted) ?? [];
  if (rest.length < BEGINNING_MIN) return [];
  const like = (name: string): RawBuilder<unknown> => sql`id like ${`${literally(name + rest)}%`}`;
  if (prefix === '' && !/^[0-9a-f]+$/.test(rest)) return [];
  return [
    ...(prefix === 'mv_' ? [] : [byAlert(organisationId, like(ID_PREFIXES.alert))]),
    ...(prefix === ID_PREFIXES.alert ? [] : [byRefund(organisationId, like('mv_'))]),
  ];
}

/** Charges and orders whose references begin so. */
function byReference(organisationId: string, wanted: string): RawBuilder<unknown>[] {
  if (!saysEnough(wanted)) return [];
  const like = `${literally(wanted)}%`;
  return [
    sql`(select k.alert_id as id
      from (select reference from charge where organisation_id = ${organisationId} and reference like ${like} limit ${MATCHES_MAX}) as c
      join alert_case as k on k.organisation_id = ${organisationId} and k.charge_reference = c.reference
      limit ${MATCHES_MAX})`,
    byOrder(organisationId, sql`reference_id like ${like}`),
  ];
}

function byAmount(organisationId: string, wanted: string): RawBuilder<unknown>[] {
  return amountsOf(wanted).map(({ minor, currency, digits }) => {
    const is =
      currency === null
        ? sql`currency = any(${currenciesOf(digits)}::text[])`
        : sql`currency = ${currency}`;
    return sql`(select id from alert where organisation_id = ${organisationId} and amount_minor = ${minor} and ${is}
      order by created_at desc limit ${MATCHES_MAX})`;
  });
}

/** Every currency whose minor unit has so many digits. */
function currenciesOf(digits: number): string[] {
  return Intl.supportedValuesOf('currency').filter((code) => minorUnitDigits(code) === digits);
}

/** Through the charges of the orders that are meant. */
function byOrder(organisationId: string, is: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select k.alert_id as id
    from (select reference_id from order_record where organisation_id = ${organisationId} and ${is} limit ${MATCHES_MAX}) as o
    join charge as c on c.organisation_id = ${organisationId} and c.order_reference = o.reference_id
    join alert_case as k on k.organisation_id = ${organisationId} and k.charge_reference = c.reference
    limit ${MATCHES_MAX})`;
}
