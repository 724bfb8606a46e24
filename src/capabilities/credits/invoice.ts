/**
 * Compares a provider's invoice with our alerts and credits: billed = alerts − credits. Pure.
 *
 * Expected is the price of each alert of the period, less that of each alert whose credit was granted. Every line
 * of the invoice, and every alert it leaves out, gets one verdict with the sum by which it departs from that; the
 * sums must come to billed − expected, and what they do not come to is shown as unexplained.
 */
import type { Money } from '../../base/kernel/money.ts';
import type { ClaimState, CreditClass } from './credit-claim.table.ts';

export interface InvoiceLine extends Money {
  readonly line: number;
  readonly alertId: string;
  /** A credit's amount is negative. */
  readonly amountMinor: number;
}

export interface BilledAlert {
  readonly alertId: string;
  readonly network: string | null;
  /** Whether it was created within the period. */
  readonly isInPeriod: boolean;
  readonly claim: { readonly class: CreditClass; readonly state: ClaimState } | null;
}

/** What a line, or an alert without one, is. The words are what people read. */
export const VERDICTS = {
  billed: 'billed as agreed',
  credited: 'credited as granted',
  not_owed: 'not billed, and its credit was granted',
  billed_twice: 'billed more than once',
  unknown_alert: 'billed, and our books know no such alert',
  other_period: 'billed, and the alert is of another period',
  price_differs: 'billed at another price',
  currency_differs: 'billed in another currency',
  not_billed: 'not billed',
  credit_missing: 'granted, and not credited on this invoice',
  credit_differs: 'credited with another sum than was billed',
  credit_early: 'credited, and our books do not have it as granted yet: mark the claim',
  credit_other_period: 'credit for an alert of another period',
  credited_twice: 'credited more than once',
  credit_unasked: 'credited, and nothing was claimed',
  credit_unknown: 'credit for an alert that our books do not know',
} as const;

export type Verdict = keyof typeof VERDICTS;

export interface Explained {
  readonly verdict: Verdict;
  /** Null: the invoice has no such line. */
  readonly line: number | null;
  readonly alertId: string;
  /** By how much it departs from what was expected; empty: by nothing. */
  readonly differences: readonly Money[];
  /** Still to be claimed, or claimed and without an answer. */
  readonly claim: BilledAlert['claim'];
}

export interface InvoiceSums {
  readonly currency: string;
  readonly billedMinor: number;
  readonly expectedMinor: number;
  /** What the verdicts come to; billed − expected, unless something is unexplained. */
  readonly explainedMinor: number;
  readonly unexplainedMinor: number;
}

export interface InvoiceResult {
  readonly lines: number;
  readonly alerts: number;
  readonly granted: number;
  readonly prices: Readonly<Record<string, Money>>;
  readonly sums: readonly InvoiceSums[];
  readonly explained: readonly Explained[];
}

/** The agreed price of an alert, by enrolment type. */
export type Prices = Readonly<Record<string, Money>>;

/** Compares. `alerts`: those of the period, and those of other times that a line names. */
export function compareInvoice(
  lines: readonly InvoiceLine[],
  alerts: readonly BilledAlert[],
  agreed: Prices,
): InvoiceResult {
  const known = new Map(alerts.map((alert) => [alert.alertId, alert]));
  const prices = { ...usualPrices(lines, known), ...agreed };
  const byAlert = Map.groupBy(lines, ({ alertId }) => alertId);
  const explained = [...new Set([...byAlert.keys(), ...known.keys()])].flatMap((alertId) => {
    const own = byAlert.get(alertId) ?? [];
    const alert = known.get(alertId);
    return alert?.isInPeriod === true
      ? judgeOwed({ alert, lines: own, price: prices[alert.network ?? ''] })
      : own.map((line) => judgeStranger(line, alert));
  });
  const owed = alerts.filter(({ isInPeriod }) => isInPeriod);
  return {
    lines: lines.length,
    alerts: owed.length,
    granted: owed.filter(isGranted).length,
    prices,
    sums: sumUp({ lines, owed, prices, explained }),
    explained: explained.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity)),
  };
}

/** Whether something is not as agreed. */
export function isDeparture({ verdict }: Explained): boolean {
  return verdict !== 'billed' && verdict !== 'credited' && verdict !== 'not_owed';
}

/** Where no price was agreed: the one that most lines of the network carry. */
function usualPrices(
  lines: readonly InvoiceLine[],
  known: ReadonlyMap<string, BilledAlert>,
): Record<string, Money> {
  const charges = lines.filter(({ amountMinor }) => amountMinor > 0);
  const byNetwork = Map.groupBy(charges, ({ alertId }) => known.get(alertId)?.network ?? '');
  const usual: Record<string, Money> = {};
  for (const [network, own] of byNetwork) {
    const same = Map.groupBy(own, ({ amountMinor, currency }) => `${amountMinor} ${currency}`);
    const [most] = [...same.values()].toSorted((a, b) => b.length - a.length);
    const [first] = most ?? [];
    if (first !== undefined && network !== '') {
      usual[network] = { amountMinor: first.amountMinor, currency: first.currency };
    }
  }
  return usual;
}

function isGranted({ claim }: BilledAlert): boolean {
  return claim?.state === 'GRANTED';
}

interface Owed {
  readonly alert: BilledAlert;
  readonly lines: readonly InvoiceLine[];
  /** Undefined: no price is known, and every sum is taken as it is. */
  readonly price: Money | undefined;
}

/** An alert of the period with its lines: one charge is owed, and one credit where it was granted. */
function judgeOwed(owed: Owed): Explained[] {
  const { alert, lines } = owed;
  const [charge, ...more] = lines.filter(isCharge);
  const [credit, ...further] = lines.filter((line) => !isCharge(line));
  return [
    ...judgeCharge(owed, charge, credit),
    ...more.map((line) => verdictOn(alert, 'billed_twice', { line, differences: [line] })),
    ...judgeCredit(owed, charge, credit),
    ...further.map((line) => verdictOn(alert, 'credited_twice', { line, differences: [line] })),
  ];
}

/** An alert that was billed with nothing was billed; a credit is below zero. */
function isCharge({ amountMinor }: InvoiceLine): boolean {
  return amountMinor >= 0;
}

function judgeCharge(
  { alert, price }: Owed,
  charge: InvoiceLine | undefined,
  credit: InvoiceLine | undefined,
): Explained[] {
  if (charge === undefined) {
    if (isGranted(alert) && credit === undefined) return [verdictOn(alert, 'not_owed', {})];
    return [verdictOn(alert, 'not_billed', { differences: minus(price) })];
  }
  const line = charge;
  if (line.amountMinor === 0 && isGranted(alert) && credit === undefined) {
    return [verdictOn(alert, 'not_owed', { line })];
  }
  if (price === undefined)
    return [verdictOn(alert, 'price_differs', { line, differences: [line] })];
  if (price.currency !== charge.currency) {
    return [verdictOn(alert, 'currency_differs', { line, differences: [line, ...minus(price)] })];
  }
  const over = charge.amountMinor - price.amountMinor;
  if (over === 0) return [verdictOn(alert, 'billed', { line })];
  const differences = [{ amountMinor: over, currency: price.currency }];
  return [verdictOn(alert, 'price_differs', { line, differences })];
}

function judgeCredit(
  { alert, price }: Owed,
  charge: InvoiceLine | undefined,
  credit: InvoiceLine | undefined,
): Explained[] {
  if (!isGranted(alert)) {
    if (credit === undefined) return [];
    const verdict = alert.claim === null ? 'credit_unasked' : 'credit_early';
    return [verdictOn(alert, verdict, { line: credit, differences: [credit] })];
  }
  const owed = price === undefined ? [] : [price];
  if (credit === undefined) {
    const isBilled = charge !== undefined && charge.amountMinor > 0;
    return isBilled ? [verdictOn(alert, 'credit_missing', { differences: owed })] : [];
  }
  const line = credit;
  const billed = charge ?? price;
  const isWhole =
    billed !== undefined &&
    billed.currency === credit.currency &&
    billed.amountMinor === -credit.amountMinor;
  const differences = added([credit, ...owed]);
  return [verdictOn(alert, isWhole ? 'credited' : 'credit_differs', { line, differences })];
}

/** A line about an alert that this invoice owes nothing for. */
function judgeStranger(line: InvoiceLine, alert: BilledAlert | undefined): Explained {
  const isCredit = !isCharge(line);
  const unknown = isCredit ? 'credit_unknown' : 'unknown_alert';
  const other = isCredit ? 'credit_other_period' : 'other_period';
  const about = alert ?? { alertId: line.alertId, claim: null };
  return verdictOn(about, alert === undefined ? unknown : other, { line, differences: [line] });
}

function verdictOn(
  { alertId, claim }: Pick<BilledAlert, 'alertId' | 'claim'>,
  verdict: Verdict,
  cause: { readonly line?: InvoiceLine; readonly differences?: readonly Money[] },
): Explained {
  const { line, differences = [] } = cause;
  return { verdict, line: line?.line ?? null, alertId, differences: added(differences), claim };
}

function minus(money: Money | undefined): Money[] {
  if (money === undefined) return [];
  return [{ amountMinor: -money.amountMinor, currency: money.currency }];
}

/** One sum for each currency; none that is nothing. */
function added(list: readonly Money[]): Money[] {
  const sums = new Map<string, number>();
  for (const { amountMinor, currency } of list) {
    sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  }
  return [...sums]
    .filter(([, amountMinor]) => amountMinor !== 0)
    .map(([currency, amountMinor]) => ({ amountMinor, currency }));
}

/** Billed from the lines alone, expected from the alerts alone: the verdicts have to bridge the two. */
function sumUp(invoice: {
  readonly lines: readonly InvoiceLine[];
  readonly owed: readonly BilledAlert[];
  readonly prices: Prices;
  readonly explained: readonly Explained[];
}): InvoiceSums[] {
  const { lines, owed, prices, explained } = invoice;
  const expected = owed
    .filter((alert) => !isGranted(alert))
    .flatMap(({ network }) => prices[network ?? ''] ?? []);
  const differences = explained.flatMap((each) => each.differences);
  const inCurrency = (list: readonly Money[], currency: string): number =>
    list.reduce((sum, each) => (each.currency === currency ? sum + each.amountMinor : sum), 0);
  const currencies = new Set([...lines, ...expected].map(({ currency }) => currency));
  return [...currencies].toSorted().map((currency) => {
    const billedMinor = inCurrency(lines, currency);
    const expectedMinor = inCurrency(expected, currency);
    const explainedMinor = inCurrency(differences, currency);
    const unexplainedMinor = billedMinor - expectedMinor - explainedMinor;
    return { currency, billedMinor, expectedMinor, explainedMinor, unexplainedMinor };
  });
}
