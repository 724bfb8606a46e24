/** All SQL of what people chose: one row per alert, the last choice. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { RememberedChoice } from './choice.ts';

/** Choices looked at for one alert, latest first. A card that was chosen for more often says no more. */
const CHOICES_MAX = 20;

/** A choice to be remembered. */
export interface NewChoice {
  readonly organisationId: string;
  readonly alert: AlertFacts;
  readonly chargeReference: string;
  readonly chargeCardLast4: string | null;
  readonly operator: string;
  readonly now: Date;
}

/** Remembers a choice; a later one for the same alert replaces it. */
export async function rememberChoice(trx: Trx, choice: NewChoice): Promise<void> {
  const { alert } = choice;
  const said = {
    charge_reference: choice.chargeReference,
    operator: choice.operator,
    chosen_at: choice.now,
    acquirer_reference_number: alert.arn,
    authorisation_code: alert.authorisationCode,
    card_bin: alert.cardBin,
    card_last4: alert.cardLast4,
    amount_minor: alert.amountMinor,
    currency: alert.currency,
    authorised_day: alert.day,
    charge_card_last4: choice.chargeCardLast4,
  };
  await trx
    .insertInto('match_choice')
    .values({ organisation_id: choice.organisationId, alert_id: alert.alertId, ...said })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'alert_id']).doUpdateSet(said))
    .execute();
}

/** What people chose for alerts with the same ARN or the same last 4 digits: a part of another statement. */
export function choicesOf(
  organisationId: string,
  { arn, cardLast4 }: AlertFacts,
): RawBuilder<readonly RememberedChoice[] | null> {
  return sql`(select json_agg(json_build_object('alertId', alert_id, 'chargeReference', charge_reference,
      'operator', operator, 'arn', acquirer_reference_number, 'authorisationCode', authorisation_code,
      'cardLast4', card_last4, 'amountMinor', amount_minor, 'currency', currency, 'day', authorised_day,
      'chargeCardLast4', charge_card_last4) order by chosen_at desc)
    from (select * from match_choice where organisation_id = ${organisationId}
      and (acquirer_reference_number = ${arn} or card_last4 = ${cardLast4})
      order by chosen_at desc limit ${CHOICES_MAX}) as chosen)`;
}
