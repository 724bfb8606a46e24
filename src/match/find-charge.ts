/**
 * Gathers the candidates for one alert, from our own index and the processor's search, and has them
 * judged. Reads only: nothing is stored here.
 *
 * A processor that offers no search, or cannot be asked just now, is tolerated: the result then
 * rests on our own orders, and says so.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Answer, ChargeQuery, Processor, ProcessorCharge } from '../refund/processor.ts';
import type { AlertFacts } from './alert-facts.ts';
import { findCandidateCharges } from './charge.store.ts';
import type { ChargeRecord } from './charge-record.ts';
import { recordOfProcessorCharge } from './charge-record.ts';
import type { MatchSettings } from './match-settings.ts';
import { CANDIDATES_MAX } from './match-settings.ts';
import type { MatchResult } from './matcher.ts';
import { matchAlert } from './matcher.ts';
import { mergeCandidates } from './merge-candidates.ts';

const MS_PER_DAY = 86_400_000;

/** What {@link findCharge} works with. */
export interface FindChargeDeps {
  readonly db: Kysely<Database>;
  readonly organisationId: string;
  readonly processor: Pick<Processor, 'name' | 'searchCharges'>;
  readonly settings: MatchSettings;
}

/** The judgement, and what it rests on. */
export interface FoundCharge {
  readonly result: MatchResult;
  /** What the processor's search contributed, in words. */
  readonly search: string;
  /** Charges the processor showed that clear a tier: worth remembering. */
  readonly learnt: readonly ChargeRecord[];
}

/** Finds the charge an alert is about. Calls the processor's search unless the index is sure. */
export async function findChargeOf(
  deps: FindChargeDeps,
  alert: AlertFacts,
  signal: AbortSignal,
): Promise<FoundCharge> {
  const { db, organisationId, settings } = deps;
  const own = await findCandidateCharges(db, organisationId, { alert, settings });
  const first = matchAlert(alert, mergeCandidates(own.charges), settings);
  if (own.complete && isBeyondDoubt(first)) {
    return { result: first, search: 'not needed', learnt: [] };
  }
  const found = await searchProcessor(deps.processor, queriesFor(alert, settings), signal);
  const result = matchAlert(alert, mergeCandidates([...own.charges, ...found.charges]), settings);
  const cleared = new Set(
    result.candidates.filter(({ tier }) => tier !== null).map(({ reference }) => reference),
  );
  return {
    result: own.complete && found.complete ? result : withoutChoice(result),
    search: found.text,
    learnt: found.charges.filter(({ reference }) => cleared.has(reference)),
  };
}

/** A reference or an ARN with card digits and the exact amount: no search could add to that. */
function isBeyondDoubt({ outcome, tier, evidence }: MatchResult): boolean {
  if (outcome !== 'single') return false;
  if (tier === 'transaction_reference') return true;
  const differs = evidence.some(({ verdict }) => verdict === 'differs');
  const exact = evidence.some(({ fact, verdict }) => fact === 'amount' && verdict === 'agrees');
  return tier === 'arn' && exact && !differs;
}

/** With more candidates than are looked at, only the service's own reference names the one. */
function withoutChoice(result: MatchResult): MatchResult {
  if (result.outcome !== 'single' || result.tier === 'transaction_reference') return result;
  return {
    ...result,
    outcome: 'several',
    chargeReference: null,
    tier: null,
    evidence: [],
    sentence: `More than ${CANDIDATES_MAX} charges share an identifier with this alert; none is chosen.`,
  };
}

interface ProcessorFind {
  readonly charges: readonly ChargeRecord[];
  readonly complete: boolean;
  readonly text: string;
}

async function searchProcessor(
  processor: FindChargeDeps['processor'],
  queries: readonly ChargeQuery[],
  signal: AbortSignal,
): Promise<ProcessorFind> {
  if (queries.length === 0) {
    return { charges: [], complete: true, text: 'nothing to search by' };
  }
  const answers = await Promise.all(queries.map((query) => processor.searchCharges(query, signal)));
  const lists = answers.map((answer) => (answer.kind === 'found' ? answer.value : []));
  const charges = lists.flat().slice(0, CANDIDATES_MAX * queries.length);
  return {
    charges: charges.map(recordOfProcessorCharge),
    complete: lists.every((list) => list.length <= CANDIDATES_MAX),
    text: searchText(processor.name, answers, charges.length),
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
function queriesFor(alert: AlertFacts, settings: MatchSettings): ChargeQuery[] {
  const { reference, arn, authorisationCode, cardLast4, cardBin, amountMinor, currency } = alert;
  const dates = datesFor(alert, settings);
  const queries: ChargeQuery[] = [];
  if (reference !== null) queries.push({ reference });
  if (arn !== null) queries.push({ acquirerReferenceNumber: arn });
  if (cardLast4 === null) return queries;
  if (authorisationCode !== null) queries.push({ authorisationCode, cardLast4, ...dates });
  if (cardBin !== null && amountMinor !== null && currency !== null && alert.day !== null) {
    queries.push({ cardBin, cardLast4, amountMinor, currency, ...dates });
  }
  return queries;
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
