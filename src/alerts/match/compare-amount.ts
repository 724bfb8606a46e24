/**
 * Compares amounts, across currencies too where the merchant gave rates.
 *
 * A converted amount only ever helps a person: rates move between payment and alert, so agreement
 * within a tolerance names no payment.
 */
import { formatMoney, isCurrencyCode, minorUnitDigits } from '../../base/kernel/money.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { MatchSettings } from './match-settings.ts';

/** How the alert's amount relates to the charge's. `part`: smaller, in the same currency. */
export type AmountRelation =
  | 'exact'
  | 'part'
  | 'above'
  | 'converted'
  | 'converted_apart'
  | 'unknown';

/** The relation, and how far apart converted amounts are. */
export interface AmountComparison {
  readonly relation: AmountRelation;
  /** Percent of the charge's amount; null unless converted. */
  readonly apartPercent: number | null;
}

const UNKNOWN: AmountComparison = { relation: 'unknown', apartPercent: null };

/** Compares the amounts of an alert and a charge. Pure. */
export function compareAmounts(
  alert: Pick<AlertFacts, 'amountMinor' | 'currency'>,
  charge: Pick<ChargeRecord, 'amountMinor' | 'currency'>,
  settings: Pick<MatchSettings, 'rates' | 'foreignTolerancePercent'>,
): AmountComparison {
  const { amountMinor, currency } = alert;
  if (amountMinor === null) return UNKNOWN;
  // Without a currency the number still says something; nothing is concluded from it alone.
  if (currency === null || currency === charge.currency) {
    return { relation: sameCurrency(amountMinor, charge.amountMinor), apartPercent: null };
  }
  const converted = convert({ amountMinor, currency }, charge.currency, settings.rates);
  if (converted === undefined || charge.amountMinor === 0) return UNKNOWN;
  const apartPercent = (Math.abs(converted - charge.amountMinor) / charge.amountMinor) * 100;
  const within = apartPercent <= settings.foreignTolerancePercent;
  return { relation: within ? 'converted' : 'converted_apart', apartPercent };
}

function sameCurrency(alertMinor: number, chargeMinor: number): AmountRelation {
  if (alertMinor === chargeMinor) return 'exact';
  return alertMinor < chargeMinor ? 'part' : 'above';
}

/** The amount in minor units of another currency, unrounded; undefined without both rates. */
function convert(
  money: { readonly amountMinor: number; readonly currency: string },
  into: string,
  rates: MatchSettings['rates'],
): number | undefined {
  const from = rates[money.currency];
  const to = rates[into];
  if (from === undefined || to === undefined) return undefined;
  const digits = minorUnitDigits(into) - minorUnitDigits(money.currency);
  return ((money.amountMinor * from) / to) * 10 ** digits;
}

/** What the comparison says, in words. */
export function amountText(
  alert: AlertFacts,
  charge: ChargeRecord,
  { relation, apartPercent }: AmountComparison,
): string {
  const onAlert = moneyText(alert.amountMinor, alert.currency);
  const paid = moneyText(charge.amountMinor, charge.currency);
  if (relation === 'exact') return 'amount agrees';
  if (apartPercent !== null) {
    const off = `${apartPercent.toFixed(1)} % apart after conversion`;
    return `amount ${relation === 'converted' ? 'agrees' : 'differs'}: ${onAlert} on the alert, ${paid} on the charge, ${off}`;
  }
  return `amount differs: ${onAlert} on the alert, ${paid} on the charge`;
}

function moneyText(amountMinor: number | null, currency: string | null): string {
  if (amountMinor === null) return 'no amount';
  return isCurrencyCode(currency) ? formatMoney({ amountMinor, currency }) : `${amountMinor}`;
}
