/**
 * Gathers the candidates for one alert, from our own index and the processor's search, and has them
 * judged. Reads only: nothing is stored here.
 *
 * A processor that offers no search, or cannot be asked just now, is tolerated: the result then
 * depends on our own orders, and says so. Only card and amount, which a twin shares, need its word.
 */
import type { Db } from '../../base/db/database.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import { recordOfProcessorCharge } from '../../orders/charge-record.ts';
import type {
  Answer,
  ChargeQuery,
  Processor,
  ProcessorCharge,
} from '../../service/wire/processor.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { CandidateKey, CandidateQuery, KeyedSearch } from './candidate.store.ts';
import {
  CANDIDATES_MAX,
  findCandidateCharges,
  findChosenCharges,
  findWeakCandidates,
} from './candidate.store.ts';
import { choiceEvidence } from './choice.ts';
import type { MatchSettings, MatchTier } from './match-settings.ts';
import type { MatchResult } from './matcher.ts';
import { matchAlert } from './matcher.ts';
import type { Candidate } from './merge-candidates.ts';
import { mergeCandidates } from './merge-candidates.ts';

const MS_PER_DAY = 86_400_000;

/** What {@link findCharge} works with. */
export interface FindChargeDeps {
  readonly db: Db;
  readonly organisationId: string;
  readonly processor: Pick<Processor, 'name' | 'searchCharges'>;
  readonly settings: MatchSettings;
}

/** The judgement, and what it depends on. */
export interface FoundCharge {
  readonly result: MatchResult;
  /** What the processor's search contributed, in words. */
  readonly search: string;
  /** The processor's search did not answer: what it would have shown is not known, so ask again soon. */
  readonly unanswered: boolean;
  /** Charges the processor showed that clear a tier or carry a sign: worth remembering. */
  readonly learnt: readonly ChargeRecord[];
}

/** Finds the charge an alert is about. Calls the processor's search unless the index is sure. */
export async function findChargeOf(
  deps: FindChargeDeps,
  alert: AlertFacts,
  signal: AbortSignal,
): Promise<FoundCharge> {
  const { db, organisationId, settings } = deps;
  const byKeys = await findCandidateCharges(db, organisationId, { alert, settings });
  const { choices } = byKeys;
  const query: CandidateQuery = { alert, settings, choices };
  const chosen = await findChosenCharges(db, organisationId, choices);
  const own = { ...byKeys, charges: [...byKeys.charges, ...chosen] };
  const first = judge(query, own.charges);
  if (stands(first, own.crowded) && isBeyondDoubt(first)) {
    return { result: first, search: 'not needed', unanswered: false, learnt: [] };
  }
  const found = await searchInTurn(deps.processor, { query, own }, signal);
  const strong = judge(query, [...own.charges, ...found.charges]);
  const crowded = new Set([...own.crowded, ...found.crowded]);
  const enough = found.unasked ? withoutTwinTier(strong) : strong;
  const sure = unlessCrowded(enough, crowded);
  if (enough !== strong) {
    return { result: enough, search: found.text, unanswered: true, learnt: [] };
  }
  if (sure.outcome !== 'none') {
    const learnt = worthKeeping(strong, found.charges);
    const unanswered = found.unasked && sure.outcome !== 'single';
    return { result: sure, search: found.text, unanswered, learnt };
  }
  return await lookFurther(deps, { query, own, found }, signal);
}

/** Nothing clears the bar: what could be meant is gathered by weaker signs, for a person. */
async function lookFurther(
  deps: FindChargeDeps,
  known: {
    readonly query: CandidateQuery;
    readonly own: Pick<KeyedSearch, 'charges' | 'crowded'>;
    readonly found: ProcessorFind;
  },
  signal: AbortSignal,
): Promise<FoundCharge> {
  const { query, own, found } = known;
  const { db, organisationId, processor, settings } = deps;
  const firm = [...own.charges, ...found.charges];
  const { charges: near } = await findWeakCandidates(db, organisationId, query);
  const before = judge(query, [...firm, ...near]);
  // A processor is asked once more only where our own orders offer nothing at all.
  const asked =
    before.outcome === 'none' && before.weakSign === null && !found.failed
      ? await searchProcessor(processor, weakQueriesFor(query.alert, settings), signal)
      : NOT_ASKED;
  const all = judge(query, [...firm, ...near, ...asked.charges]);
  // What carries no sign only shares an amount or four digits with the alert: it need not be seen.
  const signed = worthKeeping(all, [...near, ...asked.charges]);
  const result = judge(query, [...firm, ...signed]);
  return {
    result: unlessCrowded(result, new Set([...own.crowded, ...found.crowded, ...asked.crowded])),
    search: asked === NOT_ASKED || asked.failed ? found.text : asked.text,
    unanswered: found.unasked || asked.unasked,
    learnt: worthKeeping(result, [...found.charges, ...asked.charges]),
  };
}

function judge(query: CandidateQuery, charges: readonly ChargeRecord[]): MatchResult {
  const { alert, settings, choices } = query;
  const candidates = mergeCandidates(charges).map((candidate): Candidate => {
    const choice = choiceEvidence(alert, candidate.charge, { choices, settings });
    return choice === undefined ? candidate : { ...candidate, choice };
  });
  return matchAlert(alert, candidates, settings);
}

function worthKeeping(result: MatchResult, shown: readonly ChargeRecord[]): ChargeRecord[] {
  const kept = new Set(
    result.candidates
      .filter(({ tier, sign }) => tier !== null || sign !== null)
      .map(({ reference }) => reference),
  );
  return shown.filter(({ reference }) => kept.has(reference));
}

/** A reference or an ARN with card digits and the exact amount: no search could add to that. */
function isBeyondDoubt({ outcome, tier, evidence }: MatchResult): boolean {
  if (outcome !== 'single') return false;
  if (tier === 'transaction_reference') return true;
  const differs = evidence.some(({ verdict }) => verdict === 'differs');
  const exact = evidence.some(({ fact, verdict }) => fact === 'amount' && verdict === 'agrees');
  return tier === 'arn' && exact && !differs;
}

/** The key by which a tier finds its charge; of charges that carry another one it needs to know nothing. */
const KEY_OF_TIER: Readonly<Record<MatchTier, CandidateKey | null>> = {
  // The service's own reference, and a person's choice, are looked up by themselves.
  transaction_reference: null,
  operator_choice: null,
  arn: 'arn',
  authorisation_code: 'authorisation_code',
  card_and_amount: 'card',
};

/**
 * Whether a choice holds although keys have more charges than are looked at. Every charge with the chosen one's own
 * key has been seen, so those not seen share card, amount and date alone: as long as the chosen one agrees in amount
 * and currency too, they are look-alikes, and an ARN is never outvoted by look-alikes.
 */
function stands(result: MatchResult, crowded: ReadonlySet<CandidateKey>): boolean {
  const { outcome, tier, evidence } = result;
  if (outcome !== 'single' || tier === null || crowded.size === 0) return true;
  if (tier === 'transaction_reference') return true;
  const key = KEY_OF_TIER[tier];
  const agrees = (wanted: 'amount' | 'currency'): boolean =>
    evidence.some(({ fact, verdict }) => fact === wanted && verdict === 'agrees');
  return (key === null || !crowded.has(key)) && agrees('amount') && agrees('currency');
}

/** With more candidates than are looked at, nothing is the only one by the keys that they share. */
function unlessCrowded(result: MatchResult, crowded: ReadonlySet<CandidateKey>): MatchResult {
  if (stands(result, crowded)) return result;
  return {
    ...result,
    outcome: 'several',
    chargeReference: null,
    tier: null,
    evidence: [],
    sentence: `More than ${CANDIDATES_MAX} charges share an identifier with this alert; none is chosen.`,
  };
}

/**
 * Card and amount are anybody's who bought the same twice. While a processor that offers a search could
 * not be asked, the twin may lie there unseen, so that tier names nothing; the alert is matched again.
 */
function withoutTwinTier(result: MatchResult): MatchResult {
  if (result.outcome !== 'single' || result.tier !== 'card_and_amount') return result;
  return {
    ...result,
    outcome: 'none',
    chargeReference: null,
    tier: null,
    evidence: [],
    sentence: `Charge ${result.chargeReference} agrees in card and amount, but the processor could not be asked whether another does.`,
  };
}

interface ProcessorFind {
  readonly charges: readonly ChargeRecord[];
  /** Keys of which it showed more than {@link CANDIDATES_MAX}. */
  readonly crowded: ReadonlySet<CandidateKey>;
  /** It could not be asked just now, or offers no search: asking more is of no use. */
  readonly failed: boolean;
  /** It offers a search and could not be asked just now: what it would have shown is not known. */
  readonly unasked: boolean;
  readonly text: string;
}

const NOT_ASKED: ProcessorFind = {
  charges: [],
  crowded: new Set(),
  failed: false,
  unasked: false,
  text: '',
};

/** A question, and the key that it asks by. */
interface KeyedQuery {
  readonly key: CandidateKey;
  readonly query: ChargeQuery;
}

/** A question that was asked. */
interface AskedQuery {
  readonly key: CandidateKey;
  readonly answer: Answer<ProcessorCharge[]>;
}

/** Keys that one charge alone should have: where they leave no doubt, no other key is asked by. */
const FIRM_KEYS: ReadonlySet<CandidateKey> = new Set(['reference', 'arn']);

/** By its firm keys first; by the others only where those leave a doubt, as with our own index. */
async function searchInTurn(
  processor: FindChargeDeps['processor'],
  {
    query,
    own,
  }: {
    readonly query: CandidateQuery;
    readonly own: Pick<KeyedSearch, 'charges' | 'crowded'>;
  },
  signal: AbortSignal,
): Promise<ProcessorFind> {
  const queries = queriesFor(query.alert, query.settings);
  const firm = queries.filter(({ key }) => FIRM_KEYS.has(key));
  const others = queries.filter(({ key }) => !FIRM_KEYS.has(key));
  if (firm.length === 0 || others.length === 0)
    return await searchProcessor(processor, queries, signal);
  const asked = await askAll(processor, firm, signal);
  const found = foundBy(processor.name, asked);
  const result = judge(query, [...own.charges, ...found.charges]);
  const crowded = new Set([...own.crowded, ...found.crowded]);
  if (stands(result, crowded) && isBeyondDoubt(result)) return found;
  return foundBy(processor.name, [...asked, ...(await askAll(processor, others, signal))]);
}

async function searchProcessor(
  processor: FindChargeDeps['processor'],
  queries: readonly KeyedQuery[],
  signal: AbortSignal,
): Promise<ProcessorFind> {
  if (queries.length === 0) {
    return { ...NOT_ASKED, text: 'nothing to search by' };
  }
  return foundBy(processor.name, await askAll(processor, queries, signal));
}

async function askAll(
  processor: FindChargeDeps['processor'],
  queries: readonly KeyedQuery[],
  signal: AbortSignal,
): Promise<AskedQuery[]> {
  return await Promise.all(
    queries.map(async ({ key, query }) => ({
      key,
      answer: await processor.searchCharges(query, signal),
    })),
  );
}

function foundBy(name: string, asked: readonly AskedQuery[]): ProcessorFind {
  const answers = asked.map(({ answer }) => answer);
  const listOf = (answer: Answer<ProcessorCharge[]>): readonly ProcessorCharge[] =>
    answer.kind === 'found' ? answer.value : [];
  // Of each key a few more than are looked at: a crowd of look-alikes must not push out what an ARN found.
  const charges = answers.flatMap((answer) => listOf(answer).slice(0, CANDIDATES_MAX + 1));
  return {
    charges: charges.map(recordOfProcessorCharge),
    crowded: new Set(
      asked
        .filter(({ answer }) => listOf(answer).length > CANDIDATES_MAX)
        .map(({ key }): CandidateKey => key),
    ),
    failed: answers.some(({ kind }) => kind === 'unavailable' || kind === 'not_offered'),
    unasked: answers.some(({ kind }) => kind === 'unavailable'),
    text: searchText(name, answers, charges.length),
  };
}

function searchText(
  name: string,
  answers: readonly Answer<ProcessorCharge[]>[],
  count: number,
): string {
  const failed = answers.find((answer) => answer.kind === 'unavailable');
  if (failed !== undefined) return `${name} could not be asked: ${failed.reason}`;
  if (answers.every(({ kind }) => kind === 'not_offered')) return `${name} offers no search`;
  return `${name} was asked and showed ${count === 1 ? '1 charge' : `${count} charges`}`;
}

/** One question per key the alert has, as for the index. */
function queriesFor(alert: AlertFacts, settings: MatchSettings): KeyedQuery[] {
  const { reference, arn, authorisationCode, cardLast4, cardBin, amountMinor, currency } = alert;
  const dates = datesFor(alert, settings);
  const queries: KeyedQuery[] = [];
  const ask = (key: CandidateKey, query: ChargeQuery): void => {
    queries.push({ key, query });
  };
  if (reference !== null) ask('reference', { reference });
  if (arn !== null) ask('arn', { acquirerReferenceNumber: arn });
  if (cardLast4 === null) return queries;
  if (authorisationCode !== null) {
    ask('authorisation_code', { authorisationCode, cardLast4, ...dates });
  }
  if (cardBin !== null && amountMinor !== null && currency !== null && alert.day !== null) {
    ask('card', { cardBin, cardLast4, amountMinor, currency, ...dates });
  }
  return queries;
}

/** The same card near the date, and the same amount near it: as for the index. */
function weakQueriesFor(alert: AlertFacts, settings: MatchSettings): KeyedQuery[] {
  const { cardLast4, amountMinor, currency, day } = alert;
  if (day === null) return [];
  const dates = datesFor(alert, settings);
  const queries: ChargeQuery[] = [];
  if (cardLast4 !== null) queries.push({ cardLast4, ...dates });
  if (amountMinor !== null && currency !== null) queries.push({ amountMinor, currency, ...dates });
  return queries.map((query) => ({ key: 'card', query }));
}

function datesFor(
  { day }: AlertFacts,
  { exactWindowDays }: MatchSettings,
): Pick<ChargeQuery, 'authorisedFrom' | 'authorisedTo'> {
  if (day === null) return {};
  return {
    authorisedFrom: new Date((day - exactWindowDays) * MS_PER_DAY).toISOString(),
    authorisedTo: new Date((day + exactWindowDays + 1) * MS_PER_DAY - 1).toISOString(),
  };
}
