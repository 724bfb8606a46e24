/** Checks of everything a processor is asked before money moves: abilities, charges, searches. */
import type { Answer, ChargeQuery, ProcessorCharge } from '../../service/wire/processor.ts';
import type {
  CheckOutcome,
  ConformanceCheck,
  ConformanceSubject,
  FixtureCharge,
} from './conformance-check.ts';
import { abilitiesOf, checks, unless } from './conformance-check.ts';

/** Reading, in the order in which the saga asks. */
export const READING_CHECKS: readonly ConformanceCheck[] = checks({
  'capabilities.stated': [
    'The abilities are stated in whole, non-negative numbers.',
    checkCapabilities,
  ],
  'charge.read': [
    'A captured charge reads back with its amount, currency and whole remainder.',
    checkRead,
  ],
  'charge.absent': ['A reference that belongs to nothing is never found.', checkAbsent],
  'charge.search_by_reference': [
    'A search by reference finds that charge and no other.',
    checkSearchByReference,
  ],
  'charge.search_by_facts': [
    'A search by what the charge shows finds it, or is not offered; it never misleads.',
    checkSearchByFacts,
  ],
  'charge.search_without_match': [
    'A search that nothing fits finds nothing.',
    checkSearchWithoutMatch,
  ],
});

async function checkCapabilities(subject: ConformanceSubject): Promise<CheckOutcome> {
  const stated = await abilitiesOf(subject);
  const numbers = {
    idempotencyTtlHours: stated.idempotencyTtlHours,
    lookupLagSeconds: stated.lookupLagSeconds,
    requestLifetimeSeconds: stated.requestLifetimeSeconds,
  };
  return Object.entries(numbers).flatMap(([name, value]) =>
    unless(Number.isSafeInteger(value) && value >= 0, `${name} is ${value}`),
  );
}

async function checkRead({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const charge = await fixture.captured();
  const answer = await processor.readCharge(charge.reference);
  if (answer.kind === 'not_offered') return { skipped: 'charges cannot be read' };
  if (answer.kind !== 'found') return [`answered ${describe(answer)}`];
  const { value } = answer;
  return [
    ...unless(value.reference === charge.reference, `shows the reference ${value.reference}`),
    ...unless(value.status === 'captured', `shows the status ${value.status}`),
    ...unless(value.amountMinor === charge.amountMinor, `shows the amount ${value.amountMinor}`),
    ...unless(value.currency === charge.currency, `shows the currency ${value.currency}`),
    ...unless(
      value.refundableMinor === charge.amountMinor,
      `shows a remainder of ${value.refundableMinor}`,
    ),
    ...unless(!value.disputed, 'shows a dispute'),
    ...unless(value.refunds.length === 0, 'shows refunds'),
    ...unless(isTimeOrNull(value.authorisedAt), `shows the time ${value.authorisedAt}`),
  ];
}

async function checkAbsent({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const answer = await processor.readCharge(fixture.absentReference);
  return unless(
    answer.kind === 'absent' || answer.kind === 'not_offered',
    `answered ${describe(answer)}`,
  );
}

async function checkSearchByReference(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { reference } = await fixture.captured();
  // Another one, equal in everything else.
  await fixture.captured();
  const answer = await processor.searchCharges({ reference });
  if (answer.kind === 'not_offered') return { skipped: 'searches are not offered' };
  if (answer.kind !== 'found') return [`answered ${describe(answer)}`];
  const found = answer.value.map((charge) => charge.reference);
  return unless(
    found.length === 1 && found[0] === reference,
    `found ${found.join(', ') || 'none'}`,
  );
}

async function checkSearchByFacts(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const made = await fixture.captured();
  const read = await processor.readCharge(made.reference);
  if (read.kind !== 'found') return { skipped: 'the charge could not be read' };
  const problems: string[] = [];
  let offered = 0;
  for (const [name, query] of Object.entries(queriesFrom(read.value))) {
    const answer = await processor.searchCharges(query);
    if (answer.kind === 'not_offered') continue;
    offered += 1;
    problems.push(...judgeSearch({ name, query, made }, answer));
  }
  return offered === 0 ? { skipped: 'no search but by reference is offered' } : problems;
}

/** The questions Forestall asks, as far as the charge shows what they need. */
function queriesFrom(charge: ProcessorCharge): Record<string, ChargeQuery> {
  const { acquirerReferenceNumber, authorisationCode, cardBin, cardLast4 } = charge;
  const { amountMinor, currency } = charge;
  const times = timesAround(charge.authorisedAt);
  const card = cardLast4 === null ? undefined : { cardLast4 };
  const bin = cardBin === null ? {} : { cardBin };
  return {
    ...(acquirerReferenceNumber === null ? {} : { arn: { acquirerReferenceNumber } }),
    ...(authorisationCode === null || card === undefined
      ? {}
      : { code: { authorisationCode, ...card, ...times } }),
    ...(card === undefined ? {} : { card: { ...bin, ...card, amountMinor, currency, ...times } }),
  };
}

const MS_PER_DAY = 86_400_000;

function timesAround(
  authorisedAt: string | null,
): Pick<ChargeQuery, 'authorisedFrom' | 'authorisedTo'> {
  const atMs = Date.parse(authorisedAt ?? '');
  if (!Number.isFinite(atMs)) return {};
  return {
    authorisedFrom: new Date(atMs - MS_PER_DAY).toISOString(),
    authorisedTo: new Date(atMs + MS_PER_DAY).toISOString(),
  };
}

function judgeSearch(
  asked: { readonly name: string; readonly query: ChargeQuery; readonly made: FixtureCharge },
  answer: Answer<ProcessorCharge[]>,
): string[] {
  const { name, query, made } = asked;
  if (answer.kind !== 'found') return [`by ${name}: answered ${describe(answer)}`];
  const isThere = answer.value.some(({ reference }) => reference === made.reference);
  const wrong = answer.value.filter((charge) => contradicts(charge, query));
  return [
    ...unless(isThere, `by ${name}: the charge is not among ${answer.value.length}`),
    ...wrong.map(({ reference }) => `by ${name}: ${reference} contradicts the question`),
  ];
}

/** Whether the charge shows something else than was asked for. What it does not show fits. */
function contradicts(charge: ProcessorCharge, query: ChargeQuery): boolean {
  const pairs: [string | number | null, string | number | undefined][] = [
    [charge.acquirerReferenceNumber, query.acquirerReferenceNumber],
    [charge.authorisationCode, query.authorisationCode],
    [charge.cardLast4, query.cardLast4],
    [charge.amountMinor, query.amountMinor],
    [charge.currency, query.currency],
  ];
  return pairs.some(([shown, asked]) => shown !== null && asked !== undefined && shown !== asked);
}

async function checkSearchWithoutMatch(subject: ConformanceSubject): Promise<CheckOutcome> {
  const { processor, fixture } = subject;
  const { currency } = await fixture.captured();
  const query: ChargeQuery = {
    cardBin: '400000',
    cardLast4: '0000',
    // An amount that is never charged, in a month without payments.
    amountMinor: 987_654_321,
    currency,
    authorisedFrom: '2001-01-01T00:00:00.000Z',
    authorisedTo: '2001-01-31T00:00:00.000Z',
  };
  const answer = await processor.searchCharges(query);
  const isNothing =
    answer.kind === 'absent' ||
    answer.kind === 'not_offered' ||
    (answer.kind === 'found' && answer.value.length === 0);
  return unless(isNothing, `answered ${describe(answer)}`);
}

function isTimeOrNull(value: string | null): boolean {
  return value === null || Number.isFinite(Date.parse(value));
}

export function describe(answer: Answer<unknown>): string {
  return answer.kind === 'unavailable' ? `unavailable: ${answer.reason}` : answer.kind;
}
