/** Random estates that are valid by themselves, and later versions of them that the service allows. */
import type { Estate, RulesetEntry } from '../../../src/capabilities/estate/plan/estate.ts';

/** From 0 up to, not including, 1; repeats with its seed. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const AT = { file: 'estate.yaml', line: 1, column: 1 };
const OPERATORS = [
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'EQUAL',
  'NOT_EQUAL',
] as const;
const OUTCOMES = ['REFUND', 'CANCEL', 'REFUND_AND_CANCEL', 'ACCEPT_DISPUTE'] as const;
/** They overlap on purpose. */
export const TEXTS = ['SHOP', 'SHOP*EU', 'SHOP*EU 12', 'STORE', 'SHO'];
export const DOLLARS = [0, 1, 25, 50, 100];

function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

function some<Value>(random: Random, values: readonly Value[]): Value[] {
  const taken = values.filter(() => random() < 0.5);
  return taken.length > 0 ? taken : [pick(random, values)];
}

function randomRules(random: Random): Pick<RulesetEntry, 'amount' | 'descriptors' | 'join'> {
  const matchType = (): 'EXACT_MATCH' | 'STARTS_WITH' =>
    random() < 0.5 ? 'EXACT_MATCH' : 'STARTS_WITH';
  return {
    ...(random() < 0.7
      ? { amount: { operator: pick(random, OPERATORS), value: `${pick(random, DOLLARS)}.00 USD` } }
      : {}),
    ...(random() < 0.5
      ? { descriptors: some(random, TEXTS).map((value) => ({ value, match_type: matchType() })) }
      : {}),
    ...(random() < 0.5 ? { join: pick(random, ['AND', 'OR'] as const) } : {}),
  };
}

/** A whole estate of one organisation. */
export function randomEstate(random: Random, organisation: string): Estate {
  const merchants = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => ({
    at: AT,
    key: `merchant-${index}`,
    name: `Merchant ${index}`,
    type: 'GENERIC',
    ...(random() < 0.3 ? { external_id: `ext-${index}` } : {}),
    ...(random() < 0.3 ? { default_representment_service_type: 'ONLINE_SERVICES' as const } : {}),
  }));
  const keys = merchants.map(({ key }) => key);
  const alerts = Array.from({ length: Math.floor(random() * 3) }, (_, index) => ({
    at: AT,
    key: `alerts-${index}`,
    type: 'NETA_ALERT' as const,
    merchants: some(random, keys),
    descriptors: some(random, TEXTS).map((text) => ({
      descriptor: `${text} ${index}`,
      match_type: 'EXACT_MATCH' as const,
    })),
  }));
  const rdr = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => ({
    at: AT,
    key: `rdr-${index}`,
    type: 'NETB_RDR' as const,
    merchants: some(random, keys),
    bin: `40000${index}`,
    // A pair is enrolled once in the whole network.
    caid: `${organisation.slice(-10)}${index}`,
  }));
  const rdrKeys = rdr.map(({ key }) => key);
  const rulesets = Array.from({ length: Math.floor(random() * 5) }, (_, index) => ({
    at: AT,
    key: `ruleset-${index}`,
    enrolments: some(random, rdrKeys),
    outcome: pick(random, OUTCOMES),
    ...randomRules(random),
  }));
  return { organisation, unlisted: 'remove', merchants, enrolments: [...alerts, ...rdr], rulesets };
}

/** A later version: the same merchants and enrolments, perhaps more descriptors, other rulesets. */
export function changedEstate(random: Random, estate: Estate): Estate {
  const rdrKeys = estate.enrolments
    .filter((enrolment) => enrolment.type === 'NETB_RDR')
    .map(({ key }) => key);
  const kept = estate.rulesets.filter(() => random() < 0.8);
  const changed = kept.map((ruleset) => {
    if (random() < 0.3) return ruleset;
    const { amount: _amount, descriptors: _descriptors, join: _join, ...rest } = ruleset;
    return {
      ...rest,
      ...(random() < 0.3 ? { outcome: pick(random, OUTCOMES) } : {}),
      ...(random() < 0.3 ? { enrolments: some(random, rdrKeys) } : {}),
      ...randomRules(random),
    };
  });
  const fresh = Array.from({ length: Math.floor(random() * 2) }, (_, index) => ({
    at: AT,
    key: `later-${index}`,
    enrolments: some(random, rdrKeys),
    outcome: pick(random, OUTCOMES),
    ...randomRules(random),
  }));
  const enrolments = estate.enrolments.map((enrolment) =>
    enrolment.type === 'NETA_ALERT' && random() < 0.5
      ? {
          ...enrolment,
          descriptors: [
            ...enrolment.descriptors,
            { descriptor: `LATER ${enrolment.key}`, match_type: 'STARTS_WITH' as const },
          ],
        }
      : enrolment,
  );
  const merchants = estate.merchants.map((merchant) =>
    random() < 0.3 ? { ...merchant, name: `${merchant.name} renamed` } : merchant,
  );
  return { ...estate, merchants, enrolments, rulesets: [...changed, ...fresh] };
}
