/**
 * Whether an alert (`a`) is about a charge (`c`): conditions in SQL, for the statements that lock and read a ledger.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';

const { apartDays } = DEFAULT_MATCH_SETTINGS;

/** Neither the card's digits nor the day speak against it. */
const IS_POSSIBLE = sql`(coalesce(a.card_last4 = c.card_last4, true)
  and coalesce(abs(extract(epoch from coalesce(c.authorised_at, c.settled_at) - a.authorised_at))
    <= ${sql.lit(apartDays * 86_400)}, true))`;

/** Acquirers use their reference numbers again, so other digits, or a day far away, speak against it. */
const IS_SAME_NUMBER = sql`(a.acquirer_reference_number = c.acquirer_reference_number and ${IS_POSSIBLE})`;

/** An authorisation code is not unique: a greater amount in the same currency speaks against it. */
const IS_SAME_CODE = sql`(upper(trim(a.authorisation_code)) = c.authorisation_code and a.card_last4 = c.card_last4
  and coalesce(a.currency <> c.currency or a.amount_minor <= c.amount_minor, true))`;

/** The service named no payment, or one of another integration: then the numbers say it. */
const IS_NUMBERED = sql`((a.integration_transaction_id is null or a.integration_id <> c.integration_id)
  and (${IS_SAME_NUMBER} or ${IS_SAME_CODE}))`;

/**
 * Whether the alert names the charge. One that names another payment of the same integration is about that,
 * whatever numbers agree.
 */
export const IS_NAMED = sql`(a.integration_transaction_id = c.reference or ${IS_NUMBERED})`;

/** Whether the network's money is the charge's: what covers must not have a number, a card or a day against it. */
export const IS_MONEY_OF = sql`((a.integration_transaction_id = c.reference and ${IS_POSSIBLE}
    and coalesce(usable_arn(a.acquirer_reference_number) = usable_arn(c.acquirer_reference_number), true))
  or ${IS_NUMBERED})`;

/**
 * The service goes by card and amount alone where it knows no number, and may then name another payment of the same
 * card. What was said, or moved, for an alert with this charge's number, card and amount stands against a refund of
 * the charge all the same. It covers nothing: nobody can say which of the two payments is meant.
 */
export const IS_SURELY_SAME = sql`(${IS_SAME_NUMBER} and a.card_last4 = c.card_last4
  and a.amount_minor = c.amount_minor and a.currency = c.currency)`;

/**
 * The alert whose network money may be this charge's and is not booked on it: its numbers say this charge, and the
 * service named another payment, or the other way round. One row of JSON, or null.
 */
export function networkInDoubt(
  organisationId: string,
  chargeReference: string,
): RawBuilder<unknown> {
  const ofCharge = (named: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select a.id, a.changed_at from charge c join alert a on a.organisation_id = c.organisation_id and ${named}
    where c.organisation_id = ${organisationId} and c.reference = ${chargeReference}
      and a.enrolment_type = 'NETB_RDR' and a.status = 'RESOLVED' and a.refund_outcome = 'REFUNDED'`;
  // The alert may have come long before it said that money moved, and of several doubts the last one decides.
  const knownAt = sql`greatest(m.created_at, a.changed_at)`;
  return sql`(select json_build_object('alertId', m.observed_from, 'knownAtMs', extract(epoch from ${knownAt}) * 1000)
    from movement m join (
      ${ofCharge(sql`a.acquirer_reference_number = c.acquirer_reference_number and ${IS_SURELY_SAME}`)}
      union all
      ${ofCharge(sql`a.integration_transaction_id = c.reference and ${IS_MONEY_OF} is not true`)}
    ) a on a.id = m.observed_from
    where m.organisation_id = ${organisationId} and m.kind = 'network'
      and m.charge_reference is distinct from ${chargeReference}
    order by ${knownAt} desc limit 1)`;
}
