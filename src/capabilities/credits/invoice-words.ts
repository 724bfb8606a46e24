/**
 * What the words on a line of an invoice say it is: a credit, a total, a tax, or an alert. In the languages in which
 * providers bill. A word that can mean two things is said to be unclear, and never guessed. Pure.
 */

/** What a line without an alert is, by its words. `charge`: anything else that is billed or credited. */
export type OtherKind = 'total' | 'subtotal' | 'tax' | 'charge';

/** What the type of an alert's line says. */
export type TypeKind = 'alert' | 'credit' | 'unclear';

/** Begins of a line that adds up others, each in the form that {@link plainWords} gives. */
const TOTALS = words(`
  total, totals, grand total, invoice total, total general, total amount, total due, amount due, balance due, sum, overall
  gesamt, gesamtbetrag, gesamtsumme, summe, endbetrag, endsumme, rechnungsbetrag, rechnungssumme, brutto, bruttobetrag
  montant total, montant ttc, montant du, net a payer, totale, importo totale, importe total, suma, suma total, totaal, eindtotaal
  totalt, summa, i alt, att betala, yhteensa, razem, do zaplaty, celkem, spolu, osszesen, vegosszeg, toplam, genel toplam, итого, всего
  συνολο, valor total, 合計, 総計, 总计, 合计, 總計, 합계, 총계`);

const SUBTOTALS = words(`
  subtotal, sub total, subtotals, net total, net amount, carried forward, carry forward, zwischensumme, ubertrag, netto, nettobetrag
  sous total, montant ht, total ht, subtotale, imponibile, subtotaal, delsumma, delsum, valisumma, suma czesciowa, mezisoucet
  reszosszeg, ara toplam, подытог, μερικο συνολο, 小計, 小计, 소계`);

const TAXES = words(`
  tax, taxes, sales tax, vat, gst, hst, pst, mwst, mehrwertsteuer, ust, umsatzsteuer, tva, iva, igic, btw, moms, alv, mva, podatek
  dph, afa, kdv, imposto, impuesto, impuestos, imposta, ндс, φπα, 消費税, 税, 增值税, 부가세, 부가가치세, total tax, total vat, total mwst, total tva`);

/** Lines that hold a number of things, and no money. */
const COUNTS =
  /\b(?:count|number|no of|quantity|qty|anzahl|nombre|cantidad|numero|aantal|antal|liczba)\b/;

const CREDITS = words(`
  credit, credits, creditnote, creditmemo, gutschrift, gutschriften, avoir, avoirs, abono, abonos, accredito, accrediti, creditnota
  creditering, tegoed, kreditnota, kreditering, hyvitys, uznanie, dobropis, jovairas, credito, kredit, кредит, alacak, 貸方, 贷记, 크레딧`);

/** The provider's own refund of a price, or the outcome of an alert: the words beside it decide. */
const REFUNDS = words(`
  refund, refunds, reversal, reversals, erstattung, ruckerstattung, storno, remboursement, remboursements, reembolso, rimborso
  terugbetaling, aterbetalning, refusion, zwrot`);

/** Words which may be beside a refund without making it an alert's. */
const OF_A_PRICE = words(`
  fee, fees, price, of, the, for, a, charge, charges, gebuhr, der, des, de, la, frais, tarif, tarifa, commissione, kosten, invoice, billing`);

/** After or before a credit: one that was not given. */
const NOT_GIVEN = words(`
  no, not, non, without, pending, requested, request, claimed, denied, rejected, refused, declined, kein, keine, ohne, sans, sin, senza, geen
  beantragt, abgelehnt, refuse, rechazado`);

/** Begins of what a line of one alert is called. */
const ALERTS = words(`
  alert, alerts, rdr, cdrn, ethoca, verifi, warnung, alarm, alerte, alerta, avviso, allarme, melding, varning, alert fee`);

/** What is in a cell, without case, accents, signs, percentages and figures. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim();
}

/** What the words say of a line without an alert; undefined where they name no sum. */
export function kindOfWords(text: string): Exclude<OtherKind, 'charge'> | undefined {
  const plain = plainWords(text);
  // The longest begin decides: “total VAT” is a tax, and “total HT” a subtotal.
  const found = [
    ...[...TAXES].map((begin) => ({ kind: 'tax', begin }) as const),
    ...[...SUBTOTALS].map((begin) => ({ kind: 'subtotal', begin }) as const),
    ...[...TOTALS].map((begin) => ({ kind: 'total', begin }) as const),
  ].filter(({ begin }) => beginsWith(plain, begin));
  const [longest] = found.toSorted((a, b) => b.begin.length - a.begin.length);
  if (longest !== undefined) return longest.kind;
  return plain.split(' ').some((word) => TAXES.has(word)) ? 'tax' : undefined;
}

/** Whether a cell names a sum and nothing else, so that it is no alert. */
export function isSumName(text: string): boolean {
  return /^[\p{L}\s.:-]+$/u.test(text) && kindOfWords(text) !== undefined;
}

/** Whether the line counts something instead of billing it. */
export function isCount(text: string): boolean {
  return COUNTS.test(plainWords(text));
}

/** Whether the words are those of one alert's line. */
export function namesAlert(text: string): boolean {
  const [first = ''] = plainWords(text).split(' ');
  return ALERTS.has(first);
}

/**
 * What the type of a line says. “Alert (refunded)” is an alert: the outcome is no credit. “Alert refund” may be
 * either, and so may a credit that was asked for or refused.
 */
export function kindOfType(text: string): TypeKind {
  const list = plainWords(text)
    .replaceAll(/\b(?:credit|debit) cards?\b/g, ' ')
    .split(' ')
    .filter((word) => word !== '');
  const has = (set: ReadonlySet<string>): boolean => list.some((word) => set.has(word));
  if (has(CREDITS)) return has(NOT_GIVEN) ? 'unclear' : 'credit';
  if (!has(REFUNDS)) return 'alert';
  const isPrice = list.every((word) => REFUNDS.has(word) || OF_A_PRICE.has(word));
  return isPrice ? 'credit' : 'unclear';
}

/** Whether it begins with these words. Scripts without spaces begin with the letters. */
function beginsWith(plain: string, begin: string): boolean {
  if (plain === begin || plain.startsWith(`${begin} `)) return true;
  return /^[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(begin)
    ? plain.startsWith(begin)
    : false;
}

function words(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split(/[,\n]/)
      .map((word) => plainWords(word))
      .filter((word) => word !== ''),
  );
}
