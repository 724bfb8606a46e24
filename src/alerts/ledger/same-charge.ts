/**
 * What has no charge and may be about this one: money of the network, acceptances. The database fetches what shares a fact
 * with the charge; which of it is meant, the matcher says.
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { ChargeTable } from '../../orders/charge.table.ts';
import { recordOfRow } from '../../orders/charge-record.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import type { AlertRow } from '../match/alert-facts.ts';
import { alertFactsOf } from '../match/alert-facts.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';
import type { Meant } from '../match/matcher.ts';
import { meantBy } from '../match/matcher.ts';
import type { Doubt } from './ledger.ts';

const { exactWindowDays } = DEFAULT_MATCH_SETTINGS;

/**
 * Whether a case without a charge (`k`, its alert `a`) was accepted: by us, or by somebody in the service's dashboard. A
 * claim of our own that is left unrefunded is no word to anybody.
 */
export const IS_ACCEPTED_UNCHARGED = sql`(k.charge_reference is null and k.alert_id not like ${CLAIM_IDS}
  and (k.state in ('DECLARE_ACCEPT', 'DECLARED_ACCEPT') or (k.state = 'CLOSED_REMOTE' and a.status = 'RESOLVED'
    and a.refund_outcome = 'NOT_REFUNDED' and a.enrolment_type <> 'NETB_RDR')))`;

/** The states of {@link IS_ACCEPTED_UNCHARGED}. */
export const ACCEPTED_UNCHARGED_STATES = sql`('DECLARE_ACCEPT', 'DECLARED_ACCEPT', 'CLOSED_REMOTE')`;

/**
 * What waits for a charge: money of the network (`network`), or what was accepted (`acceptance`) or is about to be
 * (`accepting`). `elsewhere`: money of the network that is booked on another charge.
 */
type WaitingKind = 'network' | 'elsewhere' | 'acceptance' | 'accepting';

/** Something that may be about a charge without being placed on it, as {@link waitingForCharge} selects it. */
export interface Waiting {
  readonly kind: WaitingKind;
  readonly knownAtMs: number;
  /** Whether its alert says now that money moved, or may have; an acceptance says so of itself. */
  readonly stands: boolean;
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

const MOMENT = sql`coalesce(c.authorised_at, c.settled_at)`;
/** The match stage compares days, the database moments. */
const APART = sql`make_interval(hours => ${sql.lit((exactWindowDays + 1) * 24)})`;
const NEAR = sql`a.authorised_at between ${MOMENT} - ${APART} and ${MOMENT} + ${APART}`;

/** Whether the network's alert (`a`) says that money moved, or may have. */
const MAY_HAVE_MOVED = sql`(a.status <> 'INVALID' and a.refund_outcome is distinct from 'NOT_REFUNDED')`;

/** Whether an alert, or a charge, lacks the last digits of its card: only there a sum says something. */
const lacksCard = (alias: 'a' | 'c'): RawBuilder<unknown> =>
  sql`coalesce(${sql.ref(alias)}.card_last4, '') !~ '^\\d{4}$'`;

/**
 * The ids of the alerts that share a fact with the charge (`c`), each looked up by an index of its own: one of these agrees wherever
 * the match stage finds a tier or a sign. Card digits and sums count near its day only, and a sum only where digits are missing:
 * alerts without them have an index of their own, because many charges of a shop may have one price.
 */
function sharingFacts(organisationId: string): RawBuilder<unknown> {
  const alerts = sql`select a.id from alert a where a.organisation_id = ${organisationId}`;
  const sums = sql`${alerts} and a.amount_minor = c.amount_minor and a.currency = c.currency and ${NEAR}`;
  return sql`${alerts} and a.integration_transaction_id = c.reference
    union ${alerts} and a.acquirer_reference_number = c.acquirer_reference_number
    union ${alerts} and upper(trim(a.authorisation_code)) = c.authorisation_code
    union ${alerts} and a.card_last4 = c.card_last4 and ${NEAR}
    union ${sums} and ${lacksCard('a')}
    union ${sums} and ${lacksCard('c')}`;
}

/**
 * Everything that waits for a charge and may be about this one, money booked elsewhere where an identifier names it, and what
 * is about to be accepted without a charge: JSON, or null.
 */
export function waitingForCharge(
  organisationId: string,
  chargeReference: string,
): RawBuilder<readonly Waiting[] | null> {
  return sql`(select json_agg(json_build_object('kind', w.kind, 'knownAtMs', extract(epoch from greatest(w.at, a.changed_at)) * 1000,
      'stands', w.kind in ('acceptance', 'accepting') or ${MAY_HAVE_MOVED},
      'chosen', h.charge_reference, 'charge', to_json(c), 'alert', json_build_object('id', a.id, 'integration_id', a.integration_id,
        'integration_transaction_id', a.integration_transaction_id, 'acquirer_reference_number', a.acquirer_reference_number,
        'authorisation_code', a.authorisation_code, 'card_bin', a.card_bin, 'card_last4', a.card_last4, 'card_scheme', a.card_scheme,
        'amount_minor', a.amount_minor, 'currency', a.currency, 'authorised_at', a.authorised_at, 'descriptor', a.descriptor)))
    from charge c
    cross join lateral (${sharingFacts(organisationId)}) f
    join alert a on a.organisation_id = ${organisationId} and a.id = f.id
    cross join lateral (
      select case when m.charge_reference is null then 'network' else 'elsewhere' end as kind, m.created_at as at
      from movement m where m.organisation_id = ${organisationId} and m.observed_from = a.id and m.kind = 'network'
        and (m.charge_reference is null or (m.charge_reference <> c.reference and a.enrolment_type = 'NETB_RDR'
          and (a.acquirer_reference_number = c.acquirer_reference_number or a.integration_transaction_id = c.reference)))
      union all
      select case when k.state = 'DECIDED_ACCEPT' then 'accepting' else 'acceptance' end, k.changed_at from alert_case k
      where k.organisation_id = ${organisationId} and k.alert_id = a.id and k.charge_reference is null
        and (${IS_ACCEPTED_UNCHARGED} or (k.is_open and k.state = 'DECIDED_ACCEPT'))) w
    left join match_choice h on h.organisation_id = ${organisationId} and h.alert_id = a.id
    where c.organisation_id = ${organisationId} and c.reference = ${chargeReference})`;
}

/** Whether it is about the charge, as the match stage judges it: a person who named another one has ended that. */
export function meantIn({ alert, charge, chosen }: Waiting): Meant {
  if (chosen !== null && chosen !== charge.reference) return 'not';
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
  return meantBy(facts, record, DEFAULT_MATCH_SETTINGS);
}

/** The last doubt about money of the network, or about an acceptance, among them. */
export function doubtAmong(
  waiting: readonly Waiting[],
  about: 'network' | 'acceptance',
): Doubt | null {
  const doubts = waiting
    .filter((each) => each.stands && isDoubtful(each, about))
    .sort((a, b) => b.knownAtMs - a.knownAtMs);
  const [last] = doubts;
  return last === undefined ? null : { alertId: last.alert.id, knownAtMs: last.knownAtMs };
}

function isDoubtful(waiting: Waiting, about: 'network' | 'acceptance'): boolean {
  if (waiting.kind === about) return meantIn(waiting) !== 'not';
  if (waiting.kind !== 'elsewhere' || about !== 'network') return false;
  // It has a charge: only what names this one speaks against that.
  const meant = meantIn(waiting);
  return meant === 'named' || meant === 'contradicted';
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
