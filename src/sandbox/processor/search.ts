/**
 * `GET /processor/charges`: every parameter narrows.
 */
import type { Query } from '../listing.ts';
import type { ChargeRecord } from '../state/charges.ts';

type Test = (charge: ChargeRecord, value: string) => boolean;

const TESTS: Readonly<Record<string, Test>> = {
  reference: (charge, value) => charge.reference === value,
  acquirer_reference_number: (charge, value) => charge.acquirer_reference_number === value,
  authorisation_code: (charge, value) => charge.authorisation_code === value,
  card_bin: (charge, value) => charge.card.bin === value,
  card_last4: (charge, value) => charge.card.last4 === value,
  amount_in_cents: (charge, value) => String(charge.amount_in_cents) === value,
  currency: (charge, value) => charge.currency === value,
  authorised_from: (charge, value) => Date.parse(charge.authorised_at) >= Date.parse(value),
  authorised_to: (charge, value) => Date.parse(charge.authorised_at) <= Date.parse(value),
};

/** The charges that fit. Parameters the contract does not name are ignored. */
export function searchCharges(
  charges: Iterable<ChargeRecord>,
  query: Query,
): readonly ChargeRecord[] {
  const wanted = Object.entries(query).flatMap(([name, value]) => {
    const test = TESTS[name];
    return test === undefined ? [] : [{ test, value }];
  });
  return [...charges].filter((charge) => wanted.every(({ test, value }) => test(charge, value)));
}
