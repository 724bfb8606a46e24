/**
 * What a person chose before, as evidence for an alert of today.
 *
 * Two alerts are about the same payment when the networks say so by ARN or authorisation code, with
 * the same card digits and date as the alert for which the person chose. Then the choice names the
 * charge. The same card, amount and date alone are evidence only: two equal purchases look alike.
 */

import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { AlertFacts } from './alert-facts.ts';
import { usableLast4 } from './identifiers.ts';
import type { MatchSettings } from './match-settings.ts';

/** A choice as remembered: the charge, and what the alert said then. */
export interface RememberedChoice {
  readonly alertId: string;
  readonly chargeReference: string;
  readonly operator: string;
  readonly arn: string | null;
  readonly authorisationCode: string | null;
  readonly cardLast4: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly day: number | null;
  /** Of the chosen charge's card. */
  readonly chargeCardLast4: string | null;
}

/**
 * `same_payment`: this charge was chosen for the same payment. `like_payment`: for one of the same card,
 * amount and date. `same_token`: these digits were recognised on a payment with this charge's card.
 * `other_charge`: for the same payment another charge was chosen.
 */
export type ChoiceSign = 'same_payment' | 'like_payment' | 'same_token' | 'other_charge';

/** A sign, and who gave it. */
export interface ChoiceEvidence {
  readonly sign: ChoiceSign;
  readonly operator: string;
  readonly alertId: string;
}

const STRENGTH: readonly ChoiceSign[] = [
  'same_payment',
  'other_charge',
  'like_payment',
  'same_token',
];

/** The strongest thing that earlier choices say about a charge; undefined when they say nothing. Pure. */
export function choiceEvidence(
  alert: AlertFacts,
  charge: ChargeRecord,
  about: { readonly choices: readonly RememberedChoice[]; readonly settings: MatchSettings },
): ChoiceEvidence | undefined {
  const found = about.choices
    .map((choice) => ({ choice, sign: signOf(alert, charge, { ...about, choice }) }))
    .flatMap(({ choice, sign }) =>
      sign === undefined ? [] : [{ sign, operator: choice.operator, alertId: choice.alertId }],
    );
  return found.sort((a, b) => STRENGTH.indexOf(a.sign) - STRENGTH.indexOf(b.sign))[0];
}

function signOf(
  alert: AlertFacts,
  charge: ChargeRecord,
  { choice, settings }: { readonly choice: RememberedChoice; readonly settings: MatchSettings },
): ChoiceSign | undefined {
  // One alert's own choice says nothing new about itself.
  if (choice.alertId === alert.alertId) return undefined;
  const isChosen = choice.chargeReference === charge.reference;
  if (isSamePayment(alert, choice, settings)) return isChosen ? 'same_payment' : 'other_charge';
  if (isChosen && isLikePayment(alert, choice, settings)) return 'like_payment';
  return isSameToken(alert, charge, choice) ? 'same_token' : undefined;
}

function isSamePayment(
  alert: AlertFacts,
  choice: RememberedChoice,
  settings: MatchSettings,
): boolean {
  if (!hasSameCardAndDate(alert, choice, settings)) return false;
  const sameArn = alert.arn !== null && alert.arn === choice.arn;
  const sameCode =
    alert.authorisationCode !== null && alert.authorisationCode === choice.authorisationCode;
  return (sameArn || sameCode) && !partWays(alert, choice);
}

function isLikePayment(
  alert: AlertFacts,
  choice: RememberedChoice,
  settings: MatchSettings,
): boolean {
  return (
    hasSameCardAndDate(alert, choice, settings) &&
    alert.amountMinor === choice.amountMinor &&
    alert.currency === choice.currency &&
    !partWays(alert, choice)
  );
}

/** Both name an identifier, and not the same. */
function partWays(alert: AlertFacts, choice: RememberedChoice): boolean {
  const differ = (one: string | null, other: string | null): boolean =>
    one !== null && other !== null && one !== other;
  return differ(alert.arn, choice.arn) || differ(alert.authorisationCode, choice.authorisationCode);
}

function hasSameCardAndDate(
  alert: AlertFacts,
  choice: RememberedChoice,
  { windowDays }: MatchSettings,
): boolean {
  if (alert.cardLast4 === null || alert.day === null || choice.day === null) return false;
  return alert.cardLast4 === choice.cardLast4 && Math.abs(alert.day - choice.day) <= windowDays;
}

/** The digits on the alert were those of another card before, and this charge was paid with that card. */
function isSameToken(alert: AlertFacts, charge: ChargeRecord, choice: RememberedChoice): boolean {
  const chargeLast4 = usableLast4(charge.cardLast4);
  return (
    chargeLast4 !== null &&
    alert.cardLast4 !== null &&
    alert.cardLast4 !== chargeLast4 &&
    alert.cardLast4 === choice.cardLast4 &&
    chargeLast4 === choice.chargeCardLast4
  );
}
