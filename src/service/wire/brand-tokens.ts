/**
 * Translates between the neutral tokens used everywhere in Forestall (`NETA`, `NETB`, `SCHEME_A`,
 * `SCHEME_B`) and the real identifiers of a service, at the wire and nowhere else.
 *
 * Three places carry brands: values of known enumeration fields (`enrolment_type: "NETA_ALERT"`),
 * keys (`neta_alert`, `netb_rdr`) and error codes (`MISSING_NETA_ALERT_CONFIG`). Free text never
 * changes: a note that quotes a real identifier stays as written.
 *
 * @example
 * const tokens = createBrandTokens(parseBrandTokens('NETA=FIRSTNET,NETB=SECONDNET'));
 * tokens.toWire({ type: 'NETA_ALERT' }); // { type: 'FIRSTNET_ALERT' }
 */
import { ConfigError } from '../../base/kernel/errors.ts';

/** The neutral tokens: two networks, two card schemes. */
export const BRAND_TOKENS = ['NETA', 'NETB', 'SCHEME_A', 'SCHEME_B'] as const;
export type BrandToken = (typeof BRAND_TOKENS)[number];

/** Neutral token → real identifier. */
export type BrandTokenMap = Readonly<Record<BrandToken, string>>;

/** The default: the interface is spoken as the specification writes it. */
export const IDENTITY_BRAND_TOKENS: BrandTokenMap = {
  NETA: 'NETA',
  NETB: 'NETB',
  SCHEME_A: 'SCHEME_A',
  SCHEME_B: 'SCHEME_B',
};

/** Translation both ways. With the default map everything is returned as it is, at no cost. */
export interface BrandTokens {
  readonly map: BrandTokenMap;
  readonly isIdentity: boolean;
  /** A body we send. */
  toWire(json: unknown): unknown;
  /** A body we received. */
  fromWire(json: unknown): unknown;
  /** One value of the field `field`, for example a query parameter. */
  valueToWire(field: string, value: string): string;
  /** One error code. */
  codeToWire(code: string): string;
  codeFromWire(code: string): string;
}

const IDENTIFIER = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const NETWORKS = ['NETA', 'NETB'] as const;
const SCHEMES = ['SCHEME_A', 'SCHEME_B'] as const;

/** Fields whose values begin with a network, for example `NETB_RDR`. */
const NETWORK_FIELDS: ReadonlySet<string> = new Set(['type', 'enrolment_type']);

/** Fields whose values may be exactly a scheme. */
const SCHEME_FIELDS: ReadonlySet<string> = new Set([
  'card_scheme',
  'transaction_card_scheme',
  'scheme',
  'dispute_schema',
  'payment_method_card_brand',
  'card_brand',
]);

/** Free-form members: nothing inside them is ours to translate. */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set([
  'order_communications',
  'order_proof_of_consent',
]);

/**
 * Reads the setting: `NETA=…,NETB=…,SCHEME_A=…,SCHEME_B=…`. Tokens left out keep their neutral name.
 *
 * @throws {ConfigError} when an entry is malformed, repeated, unknown or ambiguous
 */
export function parseBrandTokens(setting: string): BrandTokenMap {
  const map: Record<BrandToken, string> = { ...IDENTITY_BRAND_TOKENS };
  const tokensGiven = new Set<string>();
  const entries = setting.split(',').map((entry) => entry.trim());
  for (const entry of entries.filter((candidate) => candidate !== '')) {
    const [token = '', identifier = '', ...rest] = entry.split('=').map((part) => part.trim());
    if (!isBrandToken(token) || rest.length > 0) {
      throw new ConfigError(
        `FORESTALL_BRAND_TOKENS: each entry must be one of ${BRAND_TOKENS.join(', ')}, "=" and the real identifier. Correct the setting.`,
      );
    }
    if (tokensGiven.has(token)) {
      throw new ConfigError(`FORESTALL_BRAND_TOKENS names ${token} twice. Name it once.`);
    }
    tokensGiven.add(token);
    map[token] = identifier;
  }
  assertUsable(map);
  return map;
}

/**
 * Creates the translator.
 *
 * @throws {ConfigError} when an identifier is not upper-case, or two cannot be distinguished
 */
export function createBrandTokens(map: BrandTokenMap = IDENTITY_BRAND_TOKENS): BrandTokens {
  assertUsable(map);
  if (BRAND_TOKENS.every((token) => map[token] === token)) return identityTokens(map);
  const outward = createDirection(map, 'outward');
  const inward = createDirection(map, 'inward');
  return {
    map,
    isIdentity: false,
    toWire: (json) => translate(json, outward),
    fromWire: (json) => translate(json, inward),
    valueToWire: (field, value) => translateValue(field, value, outward),
    codeToWire: (code) => translateCode(code, outward),
    codeFromWire: (code) => translateCode(code, inward),
  };
}

function identityTokens(map: BrandTokenMap): BrandTokens {
  const same = (json: unknown): unknown => json;
  const sameText = (value: string): string => value;
  return {
    map,
    isIdentity: true,
    toWire: same,
    fromWire: same,
    valueToWire: (_field, value) => value,
    codeToWire: sameText,
    codeFromWire: sameText,
  };
}

function isBrandToken(value: string): value is BrandToken {
  return (BRAND_TOKENS as readonly string[]).includes(value);
}

function assertUsable(map: BrandTokenMap): void {
  for (const token of BRAND_TOKENS) {
    if (IDENTIFIER.test(map[token])) continue;
    throw new ConfigError(
      `FORESTALL_BRAND_TOKENS: the identifier of ${token} must be upper-case letters, digits and single underscores. Correct the setting.`,
    );
  }
  // NET_B_RDR could mean NETA=NET with the rest B_RDR, or NETB=NET_B with the rest RDR.
  const ambiguous =
    `${map.NETA}_`.startsWith(`${map.NETB}_`) || `${map.NETB}_`.startsWith(`${map.NETA}_`);
  if (ambiguous || map.SCHEME_A === map.SCHEME_B) {
    throw new ConfigError(
      'FORESTALL_BRAND_TOKENS: two identifiers cannot be distinguished. Give each its own.',
    );
  }
}

/** One way of translation, prepared. */
interface Direction {
  readonly networks: readonly { readonly from: string; readonly to: string }[];
  readonly schemes: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
  readonly codes: readonly { readonly pattern: RegExp; readonly to: string }[];
}

function createDirection(map: BrandTokenMap, way: 'outward' | 'inward'): Direction {
  const pair = (token: string, identifier: string): { from: string; to: string } =>
    way === 'outward' ? { from: token, to: identifier } : { from: identifier, to: token };
  const networks = NETWORKS.map((token) => pair(token, map[token]));
  const schemes = SCHEMES.map((token) => pair(token, map[token]));
  const keys = [
    pair('neta_alert', `${map.NETA.toLowerCase()}_alert`),
    pair('netb_rdr', `${map.NETB.toLowerCase()}_rdr`),
  ];
  return {
    networks,
    schemes: new Map(schemes.map(({ from, to }) => [from, to])),
    keys: new Map(keys.map(({ from, to }) => [from, to])),
    // Only as a whole part of the code, so that an identifier inside another word stays.
    codes: networks.map(({ from, to }) => ({ pattern: new RegExp(`(?<=^|_)${from}(?=_|$)`), to })),
  };
}

function translate(json: unknown, direction: Direction): unknown {
  if (Array.isArray(json)) return json.map((entry) => translate(entry, direction));
  if (typeof json !== 'object' || json === null) return json;
  // Entries become own properties, so a key `__proto__` stays data.
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      direction.keys.get(key) ?? key,
      translateMember(key, value, direction),
    ]),
  );
}

function translateMember(key: string, value: unknown, direction: Direction): unknown {
  if (OPAQUE_FIELDS.has(key)) return value;
  return typeof value === 'string'
    ? translateValue(key, value, direction)
    : translate(value, direction);
}

function translateValue(field: string, value: string, direction: Direction): string {
  if (SCHEME_FIELDS.has(field)) return direction.schemes.get(value) ?? value;
  if (NETWORK_FIELDS.has(field)) return translateNetwork(value, direction);
  if (field === 'code') return translateCode(value, direction);
  if (field === 'field') return translatePath(value, direction);
  return value;
}

function translateNetwork(value: string, direction: Direction): string {
  for (const { from, to } of direction.networks) {
    if (value.startsWith(`${from}_`)) return to + value.slice(from.length);
  }
  return value;
}

function translateCode(code: string, direction: Direction): string {
  for (const { pattern, to } of direction.codes) {
    if (pattern.test(code)) return code.replace(pattern, to);
  }
  return code;
}

/** The `field` of an error is a path of keys, for example `neta_alert.descriptors`. */
function translatePath(path: string, direction: Direction): string {
  return path.replaceAll(/[A-Za-z0-9_]+/g, (key) => direction.keys.get(key) ?? key);
}
