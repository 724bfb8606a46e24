/**
 * Brings what identifies a customer into one spelling, so that equal things compare as equal. Pure.
 *
 * Two things that differ must never become one: what cannot be read for certain becomes null, which
 * counts as not known.
 */
import { BlockList, isIP } from 'node:net';
import { isRecord } from '../base/kernel/is-record.ts';

/** Addresses that say nothing about a customer: private, of this machine, of everybody. */
const NOBODYS = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  NOBODYS.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  NOBODYS.addSubnet(network, prefix, 'ipv6');
}

/** An IPv4 address inside IPv6, as the URL standard writes it. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** An IP address in its shortest spelling, without port, brackets and zone; null for a private one. */
export function normaliseIp(text: string): string | null {
  const trimmed = text.trim();
  const bare =
    /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ??
    /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ??
    trimmed;
  const address = bare.replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 0) return null;
  const canonical = version === 4 ? address : shortestIpv6(address);
  const isNobodys = NOBODYS.check(canonical, isIP(canonical) === 4 ? 'ipv4' : 'ipv6');
  return isNobodys ? null : canonical;
}

function shortestIpv6(address: string): string {
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(short);
  if (mapped === null) return short;
  const halves = [mapped[1], mapped[2]].map((half) => Number.parseInt(half ?? '', 16));
  return halves.flatMap((half) => [half >> 8, half & 0xff]).join('.');
}

/** An e-mail address, in whatever case. */
export function normaliseEmail(text: string): string | null {
  const email = text.normalize('NFKC').trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : null;
}

/** A telephone number in its international spelling. */
const PHONE = /^(?:\+|00)[\d\s().\-/]{7,24}$/;

/** What the customer signs in with: an e-mail address or a telephone number in one spelling, an id as it is. */
export function normaliseLogin(text: string): string | null {
  const login = text.normalize('NFC').trim();
  if (login === '') return null;
  const email = normaliseEmail(login);
  if (email !== null) return email;
  // "(0)" is dialled within the country only.
  if (PHONE.test(login)) {
    return `+${login.replace('(0)', '').replace(/^00/, '').replaceAll(/\D/g, '')}`;
  }
  return login;
}

/** A device id or fingerprint: as it is. */
export function normaliseIdentifier(text: string): string | null {
  const identifier = text.trim();
  return identifier === '' ? null : identifier;
}

/** The first six characters of a statement descriptor: what must not change between payments. */
export function descriptorHead(text: string): string | null {
  const head = text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toUpperCase().slice(0, 6);
  return head.trim() === '' ? null : head;
}

/** A country's two letters. */
export function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? code : null;
}

/** Letters that have no accent to take away. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Lower case, no accents, no punctuation, single spaces. Words stay apart: 12 3rd is not 123 rd. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => FOLDED[letter] ?? letter)
    .replaceAll(/['’.]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Words of a street with more than one usual spelling. */
const STREET_WORDS: Readonly<Record<string, string>> = {
  street: 'st',
  avenue: 'ave',
  av: 'ave',
  road: 'rd',
  boulevard: 'blvd',
  drive: 'dr',
  lane: 'ln',
  court: 'ct',
  square: 'sq',
  highway: 'hwy',
  apartment: 'apt',
  suite: 'ste',
  floor: 'fl',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
  strasse: 'str',
};

function foldStreet(text: string): string {
  return fold(text)
    .split(' ')
    .map((word) => STREET_WORDS[word] ?? word.replace(/strasse$/, 'str'))
    .join(' ');
}

/** A postal code; of the longer American one the part that names the place. */
function foldPostalCode(text: string): string {
  const american = /^(\d{5})-\d{4}$/.exec(text.trim());
  return american?.[1] ?? fold(text).replaceAll(' ', '');
}

/**
 * A shipping address as the interface writes it (`line_1`, `city`, …). Null where it names no street, or
 * neither town nor postal code: half a country would agree with it.
 */
export function normaliseAddress(address: unknown): string | null {
  if (!isRecord(address)) return null;
  const part = (name: string): string => {
    const value = address[name];
    return typeof value === 'string' ? value : '';
  };
  const street = foldStreet(`${part('line_1')} ${part('line_2')}`);
  const postalCode = foldPostalCode(part('postal_code'));
  const city = fold(part('city'));
  if (street === '' || (postalCode === '' && city === '')) return null;
  // Names of provinces have many spellings; with a postal code they say nothing new.
  const province = postalCode === '' ? fold(part('country_subdivision')) : '';
  return [street, postalCode, city, province, fold(part('country'))].join('|');
}
