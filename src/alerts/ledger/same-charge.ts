/**
 * Whether an alert (`a`) is about a charge (`c`): conditions in SQL, for the statements that lock and read a ledger. What
 * shares less than they ask for is judged as the match stage judges it: a tier or a weaker sign is a doubt (`doubtsAmong`).
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { ChargeTable } from '../../orders/charge.table.ts';
import { recordOfRow } from '../../orders/charge-record.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import type { AlertRow } from '../match/alert-facts.ts';
import { alertFactsOf } from '../match/alert-facts.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';
import { matchAlert } from '../match/matcher.ts';
import type { Doubt } from './ledger.ts';

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
      and a.enrolment_type = 'NETB_RDR' and a.status <> 'INVALID' and a.refund_outcome is distinct from 'NOT_REFUNDED'`;
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

/**
 * Whether a case without a charge (`k`, its alert `a`) was accepted: by us, or by somebody in the service's dashboard. A
 * claim of our own that is left unrefunded is no word to anybody.
 */
export const IS_ACCEPTED_UNCHARGED = sql`(k.charge_reference is null and k.alert_id not like ${CLAIM_IDS}
  and (k.state in ('DECLARE_ACCEPT', 'DECLARED_ACCEPT') or (k.state = 'CLOSED_REMOTE' and a.status = 'RESOLVED'
    and a.refund_outcome = 'NOT_REFUNDED' and a.enrolment_type <> 'NETB_RDR')))`;

/** The states of {@link IS_ACCEPTED_UNCHARGED}, as the index has them. */
export const ACCEPTED_UNCHARGED_STATES = sql`('DECLARE_ACCEPT', 'DECLARED_ACCEPT', 'CLOSED_REMOTE')`;

/** What is said, and has no charge yet: money of the network, or an acceptance. */
export type WaitingKind = 'network' | 'acceptance';

/** Something that waits for a charge and shares a fact with this one, as {@link waitingBeside} selects it. */
export interface Waiting {
  readonly kind: WaitingKind;
  readonly knownAtMs: number;
  /** The charge that a person named for it; null: none. */
  readonly chosen: string | null;
  readonly alert: Omit<AlertRow, 'authorised_at' | 'snapshot'> & {
    readonly authorised_at: string | null;
  };
  readonly charge: Omit<Selectable<ChargeTable>, 'known_at' | 'authorised_at' | 'settled_at'> & {
    readonly authorised_at: string | null;
    readonly settled_at: string | null;
  };
}

/** One of these agrees wherever the match stage finds a tier or a sign. */
const SHARES = sql`(a.card_last4 = c.card_last4 or a.integration_transaction_id = c.reference
  or a.acquirer_reference_number = c.acquirer_reference_number or upper(trim(a.authorisation_code)) = c.authorisation_code
  or (a.amount_minor = c.amount_minor and a.currency = c.currency))
  and coalesce(abs(extract(epoch from coalesce(c.authorised_at, c.settled_at) - a.authorised_at))
    <= ${sql.lit(apartDays * 86_400)}, true)`;

/** Everything that waits for a charge and may wait for this one: JSON, or null. */
export function waitingBeside(
  organisationId: string,
  chargeReference: string,
): RawBuilder<readonly Waiting[] | null> {
  return sql`(select json_agg(json_build_object('kind', w.kind, 'knownAtMs', extract(epoch from greatest(w.at, a.changed_at)) * 1000,
      'chosen', h.charge_reference, 'charge', to_json(c), 'alert', json_build_object('id', a.id, 'integration_id', a.integration_id,
        'integration_transaction_id', a.integration_transaction_id, 'acquirer_reference_number', a.acquirer_reference_number,
        'authorisation_code', a.authorisation_code, 'card_bin', a.card_bin, 'card_last4', a.card_last4, 'card_scheme', a.card_scheme,
        'amount_minor', a.amount_minor, 'currency', a.currency, 'authorised_at', a.authorised_at, 'descriptor', a.descriptor)))
    from (
      select 'network' as kind, m.observed_from as alert_id, m.created_at as at from movement m
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and m.state in ('PENDING', 'CONFIRMED')
      union all
      select 'acceptance', k.alert_id, k.changed_at from alert_case k
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference is null
        and k.state in ${ACCEPTED_UNCHARGED_STATES} and ${IS_ACCEPTED_UNCHARGED}
    ) w
    join charge c on c.organisation_id = ${organisationId} and c.reference = ${chargeReference}
    join alert a on a.organisation_id = ${organisationId} and a.id = w.alert_id and ${SHARES}
    left join match_choice h on h.organisation_id = ${organisationId} and h.alert_id = w.alert_id)`;
}

/** The last doubt of the kind among them: a person who named another charge has ended it. */
export function doubtAmong(waiting: readonly Waiting[], kind: WaitingKind): Doubt | null {
  const doubts = waiting
    .filter((each) => each.kind === kind && isDoubtful(each))
    .sort((a, b) => b.knownAtMs - a.knownAtMs);
  const [last] = doubts;
  return last === undefined ? null : { alertId: last.alert.id, knownAtMs: last.knownAtMs };
}

function isDoubtful({ alert, charge, chosen }: Waiting): boolean {
  if (chosen !== null && chosen !== charge.reference) return false;
  const record = recordOfRow({
    ...charge,
    authorised_at: dateOf(charge.authorised_at),
    settled_at: dateOf(charge.settled_at),
  });
  const facts = alertFactsOf({
    ...alert,
    authorised_at: dateOf(alert.authorised_at),
    snapshot: {},
  });
  const candidate = { charge: record, sources: [record.source] };
  const { outcome, weakSign } = matchAlert(facts, [candidate], DEFAULT_MATCH_SETTINGS);
  // Other digits of the same price on the same day are another customer's far more often than a wallet's.
  return outcome === 'single' || (weakSign !== null && weakSign !== 'wallet_token');
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
