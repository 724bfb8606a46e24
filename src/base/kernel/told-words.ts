/**
 * What other systems say in their own words (the text of a fault, the code of a refusal), as it may be logged, kept and
 * shown: without full card numbers, e-mail addresses and secrets. Others repeat in them what they were sent.
 *
 * A secret is known by what comes before it (`Bearer`, `token=`, `sk_live_`) or by how it is made, because its value is
 * not known here; {@link withoutSecrets} takes out those that are known.
 */
import { maskCardNumbers } from './card-number.ts';

const EMAIL_MARK = '[e-mail address]';
const SECRET_MARK = '[secret]';

/** Longest name and longest domain of an address, in characters. */
const LOCAL_LENGTH_MAX = 64;
const DOMAIN_LENGTH_MAX = 255;

const AT = /@|%40|\\u0040|&#(?:64|x40);/gi;
const LOCAL_END = /[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_START = /^(?:\[[\d.:a-f]+\]|[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+)/iu;

/** What comes before a secret, and the secret itself as the second group. */
const NAMED_SECRETS: readonly RegExp[] = [
  /\b((?:bearer|basic)\s+)([\w.~+/=-]{6,})/gi,
  /(\b(?:[\w-]{0,40}[_-])?(?:api[_-]?key|key|token|secret|password|passwd|pwd|authorization|signature)\b["']?\s{0,4}[:=]\s{0,4}["']?)((?!bearer\b|basic\b)[^\s"'&,;<>()[\]{}]{6,})/gi,
  /(:\/\/)([^\s/@:]{1,256}:[^\s/@]{1,256}(?=@))/g,
];

/** Secrets by how they are made: prefixes of keys, signed tokens, long words of chance. */
const MADE_SECRETS: readonly RegExp[] = [
  /\b(?:sk|rk|whsec|ghp|xox[abprs]|AKIA)(?:[_-]?(?:live|test))?[_-]?[A-Za-z0-9]{12,}(?:[_-][A-Za-z0-9]+)*/g,
  /\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g,
];

/** Words that may be tokens: letters of both cases and digits, longer than ids of providers are. */
const LONG_WORD = /(?<![\w+/-])[\w+/-]{36,}={0,2}/g;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The words of another system without what must not be kept or shown. */
export function toldWords(text: string): string {
  let left = maskCardNumbers(text);
  for (const pattern of NAMED_SECRETS) left = left.replace(pattern, `$1${SECRET_MARK}`);
  for (const pattern of MADE_SECRETS) left = left.replace(pattern, SECRET_MARK);
  left = left.replace(LONG_WORD, (word) => (isToken(word) ? SECRET_MARK : word));
  return withoutAddresses(left);
}

function isToken(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && !UUID.test(word);
}

/** Read outwards from each sign, at most as far as an address reaches: in time that grows with the text alone. */
function withoutAddresses(text: string): string {
  let left = '';
  let from = 0;
  for (const { 0: sign, index } of text.matchAll(AT)) {
    if (index < from) continue;
    const after = index + sign.length;
    const local = LOCAL_END.exec(text.slice(Math.max(from, index - LOCAL_LENGTH_MAX), index));
    const domain = DOMAIN_START.exec(text.slice(after, after + DOMAIN_LENGTH_MAX));
    if (local === null || domain === null) continue;
    left += text.slice(from, index - local[0].length) + EMAIL_MARK;
    from = after + domain[0].length;
  }
  return left + text.slice(from);
}

/** The text without these secrets, which the other side was sent. Short ones are no secrets. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .reduce((left, secret) => left.replaceAll(secret, SECRET_MARK), text);
}

const SECRET_LENGTH_MIN = 8;

/** Fields of names and moments, in which the other side says what its words are about. */
const NAMES_SOMETHING = /(?:^|_)(?:id|ids|arn|reference|references|number|key|at|date|datetime)$/i;

/** Deepest part of an answer that is read. */
const DEPTH_MAX = 16;

/**
 * The same in every text of a fault's body, which is returned as it is where it holds nothing of the kind. Fields that name
 * what it is about stay as they are, because they are compared with ours; what lies deeper than 16 levels is left out.
 */
export function toldBody(value: unknown, secrets: readonly string[] = []): unknown {
  return toldPart(value, { secrets, field: '', depth: 0 });
}

interface PartPlace {
  readonly secrets: readonly string[];
  readonly field: string;
  readonly depth: number;
}

function toldPart(value: unknown, place: PartPlace): unknown {
  const { secrets, field, depth } = place;
  if (typeof value === 'string') {
    const left = withoutSecrets(value, secrets);
    return NAMES_SOMETHING.test(field) ? left : toldWords(left);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return null;
  const within = (part: unknown, name: string): unknown =>
    toldPart(part, { secrets, field: name, depth: depth + 1 });
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => within(part, field));
    return parts.some((part, index) => part !== value[index]) ? parts : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, part]): [string, unknown] => [
    toldWords(withoutSecrets(name, secrets)),
    within(part, name),
  ]);
  const isSame = after.every(
    ([name, part], index) => name === before[index]?.[0] && part === before[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(after);
}
