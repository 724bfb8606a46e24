/** All SQL of what people chose: one row per alert, the last choice. */
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../../base/db/database.ts';
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
export async function rememberChoice(trx: Transaction<Database>, choice: NewChoice): Promise<void> {
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

/** What people chose for alerts with the same ARN or the same last 4 digits. */
export async function findChoices(
  db: Kysely<Database>,
  organisationId: string,
  alert: AlertFacts,
): Promise<RememberedChoice[]> {
  const { arn, cardLast4 } = alert;
  if (arn === null && cardLast4 === null) return [];
  const rows = await db
    .selectFrom('match_choice')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where((eb) =>
      eb.or([
        ...(arn === null ? [] : [eb('acquirer_reference_number', '=', arn)]),
        ...(cardLast4 === null ? [] : [eb('card_last4', '=', cardLast4)]),
      ]),
    )
    .orderBy('chosen_at', 'desc')
    .limit(CHOICES_MAX)
    .execute();
  return rows.map((row) => ({
    alertId: row.alert_id,
    chargeReference: row.charge_reference,
    operator: row.operator,
    arn: row.acquirer_reference_number,
    authorisationCode: row.authorisation_code,
    cardLast4: row.card_last4,
    amountMinor: row.amount_minor,
    currency: row.currency,
    day: row.authorised_day,
    chargeCardLast4: row.charge_card_last4,
  }));
}
