/** The alerts of the flood bench. All is made of an alert's digits, so that its processes agree without a message. */

/** Organisations besides the one that is flooded, which is number 0. */
export const OTHERS = 20;

const AMOUNT_MINOR = 4_900;
const DAY_MS = 86_400_000;
const ID_PREFIX = 'netalrt_bench';

/** Which alert. */
export interface AlertNumber {
  readonly createdMs: number;
  readonly organisation: number;
  /** Seven digits at most; no other alert of a run has it. */
  readonly own: number;
}

export const organisationOf = (place: number): string => `org_${String(place).padStart(26, '0')}`;
export const secretOf = (place: number): string => `whsec_of-organisation-${place}`;

const DIGITS = /(\d{13})(\d{2})(\d{7})$/;

function digitsOf({ createdMs, organisation, own }: AlertNumber): string {
  return `${createdMs}${String(organisation).padStart(2, '0')}${String(own).padStart(7, '0')}`;
}

/** The number in an alert's id, or in an acquirer reference number. */
export function numberIn(text: string): AlertNumber | undefined {
  const [, createdMs, organisation, own] = DIGITS.exec(text) ?? [];
  return own === undefined
    ? undefined
    : { createdMs: Number(createdMs), organisation: Number(organisation), own: Number(own) };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
const codeOf = (own: number): string => String(own).padStart(6, '0');

/** Customers pay with cards of their own. */
const last4Of = (own: number): string => String((own * 7_919) % 10_000).padStart(4, '0');

/** The alert as the service has it before it is answered. */
export function alertOf(number: AlertNumber): Record<string, unknown> & { readonly id: string } {
  const { createdMs, organisation, own } = number;
  return {
    id: `${ID_PREFIX}${digitsOf(number)}`,
    organisation_id: organisationOf(organisation),
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: isoOf(createdMs + 2 * DAY_MS),
    transaction_amount_in_cents: AMOUNT_MINOR,
    transaction_currency_code: 'USD',
    transaction_authorised_at: isoOf(createdMs - DAY_MS),
    transaction_authorisation_code: codeOf(own),
    transaction_acquirer_reference_number: `7${digitsOf(number)}`,
    transaction_card_bin: '411111',
    transaction_card_last4: last4Of(own),
    transaction_card_scheme: 'SCHEME_A',
    transaction_refund_outcome: null,
    created_at: isoOf(createdMs),
    updated_at: isoOf(createdMs),
  };
}

/** The charge of an acquirer reference number, as the processor has it. */
export function chargeOf(arn: string, refund?: object): Record<string, unknown> | undefined {
  const number = numberIn(arn);
  if (number === undefined) return undefined;
  const { createdMs, own } = number;
  return {
    reference: `ch_${arn}`,
    status: 'captured',
    amount_in_cents: AMOUNT_MINOR,
    currency: 'USD',
    disputed: false,
    authorised_at: isoOf(createdMs - DAY_MS),
    acquirer_reference_number: arn,
    authorisation_code: codeOf(own),
    refundable_in_cents: refund === undefined ? AMOUNT_MINOR : 0,
    card: { brand: 'SCHEME_A', bin: '411111', last4: last4Of(own) },
    refunds: refund === undefined ? [] : [refund],
  };
}
