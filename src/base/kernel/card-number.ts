/**
 * Finds full card numbers, so that none is ever stored in a row or sent, in either direction (F82).
 *
 * A card number is a run of 13 to 19 digits, alone or in groups, that passes the Luhn check and
 * begins as the cards of some scheme do (2 to 6). Longer runs, such as the 23 digits of an ARN, are
 * none; the ARN's field is exempt as well, because a mistyped one can be shorter.
 */

/** Fields whose digits are never a card number, whatever they look like. */
const EXEMPT_FIELDS: ReadonlySet<string> = new Set([
  'acquirer_reference_number',
  'transaction_acquirer_reference_number',
]);

/** Digits in one piece, or in groups parted by single spaces or hyphens; not part of a longer run. */
const DIGIT_RUN = /(?<!\d)(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)/g;
/** Digits of the shortest card number. */
const DIGITS_MIN = 13;
const CARD_START = /^[2-6]/;

/** Whether the digits pass the check that every card number passes. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isCardNumber(run: string): boolean {
  const digits = run.replaceAll(/[ -]/g, '');
  return CARD_START.test(digits) && passesLuhn(digits);
}

/** Whether `text` holds a full card number. */
export function holdsCardNumber(text: string): boolean {
  if (text.length < DIGITS_MIN) return false;
  return (text.match(DIGIT_RUN) ?? []).some(isCardNumber);
}

/** Most digits that stay at the front; a short number loses five all the same, as the schemes demand. */
const FRONT_DIGITS_MAX = 6;
const END_DIGITS = 4;
const LOST_DIGITS_MIN = 5;

/** The text with every full card number masked: at most the first six and the last four digits are left. */
export function maskCardNumbers(text: string): string {
  return text.replaceAll(DIGIT_RUN, (run) => {
    if (!isCardNumber(run)) return run;
    const digits = run.replaceAll(/[ -]/g, '');
    const front = Math.min(FRONT_DIGITS_MAX, digits.length - END_DIGITS - LOST_DIGITS_MIN);
    const lost = digits.length - front - END_DIGITS;
    return `${digits.slice(0, front)}${'*'.repeat(lost)}${digits.slice(-END_DIGITS)}`;
  });
}

/** Whether the field may hold digits that look like a card number. */
export function isExemptField(name: string): boolean {
  return EXEMPT_FIELDS.has(name);
}
