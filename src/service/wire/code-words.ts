/**
 * Words for the codes of networks and schemes: what a person reads where the interface says `NETA_ALERT`, `SCHEME_A` or
 * `10.4`. Files and the JSON API keep the codes. A code that is not known here is shown as it came.
 */

/** Prevention programmes, by the type of their enrolment. */
const PROGRAMMES: Readonly<Record<string, string>> = {
  NETA_ALERT: 'Alert, network A',
  NETB_RDR: 'RDR, network B',
  NETB_ORDER_INSIGHT: 'Order Insight, network B',
  NETA_CONSUMER_CLARITY: 'Consumer Clarity, network A',
  NETA_FIRST_PARTY_TRUST: 'First-Party Trust, network A',
  NETB_COMPELLING_EVIDENCE_3: 'Compelling Evidence 3.0, network B',
};

const SCHEMES: Readonly<Record<string, string>> = {
  SCHEME_A: 'Visa',
  SCHEME_B: 'Mastercard',
};

/** Reason codes of disputes, as the schemes' rules name them, in short. */
const REASONS: Readonly<Record<string, string>> = {
  '10.1': 'fraud, chip liability shift, counterfeit',
  '10.2': 'fraud, chip liability shift, not counterfeit',
  '10.3': 'fraud, card present',
  '10.4': 'fraud, card absent',
  '10.5': 'fraud, monitoring programme',
  '11.1': 'card in the recovery bulletin',
  '11.2': 'authorisation declined',
  '11.3': 'no authorisation',
  '12.1': 'presented late',
  '12.2': 'wrong transaction code',
  '12.3': 'wrong currency',
  '12.4': 'wrong account number',
  '12.5': 'wrong amount',
  '12.6': 'paid twice, or by other means',
  '12.6.1': 'paid twice',
  '12.6.2': 'paid by other means',
  '12.7': 'invalid data',
  '13.1': 'goods or services not received',
  '13.2': 'recurring payment cancelled',
  '13.3': 'not as described, or defective',
  '13.4': 'counterfeit goods',
  '13.5': 'misrepresented',
  '13.6': 'refund not processed',
  '13.7': 'cancelled goods or services',
  '13.8': 'original credit not accepted',
  '13.9': 'cash not received',
  '4807': 'warning bulletin',
  '4808': 'authorisation missing or declined',
  '4812': 'account number not on file',
  '4831': 'wrong amount',
  '4834': 'processing error, or paid twice',
  '4837': 'fraud, no cardholder authorisation',
  '4840': 'fraud, several payments at once',
  '4841': 'recurring payment cancelled',
  '4842': 'presented late',
  '4846': 'wrong currency',
  '4849': 'questionable merchant activity',
  '4853': 'cardholder dispute',
  '4855': 'goods or services not received',
  '4859': 'service not provided',
  '4860': 'refund not processed',
  '4863': 'cardholder does not recognise it',
  '4870': 'fraud, chip liability shift',
  '4871': 'fraud, chip and PIN liability shift',
};

/** `Alert, network A` for `NETA_ALERT`. */
export function programmeWords(type: string): string {
  return PROGRAMMES[type] ?? type;
}

/** What an alert is answered. */
const ACTIONS: Readonly<Record<string, string>> = {
  REFUND: 'refund',
  ACCEPT_DISPUTE: 'accept the dispute',
  REVIEW: 'ask a person',
};

/** `accept the dispute` for `ACCEPT_DISPUTE`. */
export function actionWords(action: string): string {
  return ACTIONS[action] ?? plainCode(action);
}

/** `not attempted` for `NOT_ATTEMPTED`: a status of the interface as people write it. */
export function plainCode(code: string): string {
  return code.replaceAll('_', ' ').toLowerCase();
}

/** Names and abbreviations, which are no words to write small. */
const NAMES: ReadonlySet<string> = new Set(['SAF', 'TC15', 'TC40']);

/** Any code of an enumeration in words; a value that is no code, or a name, as it is. */
export function codeWords(code: string): string {
  const known = PROGRAMMES[code] ?? SCHEMES[code] ?? ACTIONS[code];
  if (known !== undefined) return known;
  return NAMES.has(code) || !/^[A-Z][A-Z0-9_]+$/.test(code) ? code : plainCode(code);
}

/** A sentence that names programmes, networks or schemes by their codes, in words. */
export function inWords(text: string): string {
  return text
    .replaceAll(/\bNET[AB]_[A-Z0-9_]+\b/g, programmeWords)
    .replaceAll(/\bSCHEME_[AB]\b/g, schemeWords)
    .replaceAll(/\bNET([AB])\b/g, 'network $1');
}

/** `Visa` for `SCHEME_A`. */
export function schemeWords(scheme: string): string {
  return SCHEMES[scheme] ?? scheme;
}

/** `fraud, card absent (10.4)`. */
export function reasonWords(code: string): string {
  const words = reasonAlone(code);
  return words === undefined ? code : `${words} (${code})`;
}

/** `fraud, card absent` for `10.4`; undefined for a code without words. */
export function reasonAlone(code: string): string | undefined {
  return REASONS[code];
}
