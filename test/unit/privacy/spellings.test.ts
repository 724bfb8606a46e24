/** Guarantee: a person is found however their name was written by people, browsers, mailers and encoders, and goes from there. */
import { expect, it } from 'vitest';
import { personOf } from '../../../src/base/seal/person.ts';

const ZOE = 'zoë.müller+shop@bücher.example';
const SPELLINGS: readonly (readonly [how: string, who: readonly string[], text: string])[] = [
  ['puny given, unicode stored', ['zoe@xn--bcher-kva.example'], 'to zoe@bücher.example now'],
  ['unicode given, puny stored', ['zoe@bücher.example'], 'to zoe@xn--bcher-kva.example now'],
  ['nfd', [ZOE], ZOE.normalize('NFD')],
  ['given nfd', [ZOE.normalize('NFD')], ZOE],
  ['percent', [ZOE], encodeURIComponent(ZOE)],
  ['percent nfd', [ZOE], encodeURIComponent(ZOE.normalize('NFD'))],
  ['percent lower', [ZOE], encodeURIComponent(ZOE).toLowerCase()],
  ['plus as blank', [ZOE], new URLSearchParams({ q: ZOE }).toString()],
  [
    'json ascii',
    [ZOE],
    JSON.stringify(ZOE).replaceAll(
      /[^\x20-\x7e]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  ],
  ['named entities', [ZOE], 'zo&euml;.m&uuml;ller&plus;shop&commat;b&uuml;cher.example'],
  ['dec entities', [ZOE], [...ZOE].map((c) => `&#${c.codePointAt(0)};`).join('')],
  ['double html', ['ada@x.example'], 'ada&amp;#64;x.example'],
  ['full width dot', ['ada@x.example'], 'ada＠x．example'],
  ['ideographic full stop', ['ada@x.example'], 'ada@x。example'],
  ['quoted printable soft', ['ada.lovelace@x.example'], 'ada.love=\r\nlace@x.example'],
  ['qp nonascii', [ZOE], 'zo=C3=AB.m=C3=BCller+shop@b=C3=BCcher.example'],
  ['base64 in json', [ZOE], JSON.stringify({ a: Buffer.from(ZOE).toString('base64') })],
  [
    'base64 utf16',
    ['ada.lovelace@x.example'],
    Buffer.from('ada.lovelace@x.example', 'utf16le').toString('base64'),
  ],
  [
    'base64 wrapped lines',
    ['ada.lovelace@customers.example'],
    Buffer.from(
      'hello this is long text about ada.lovelace@customers.example and more and more text',
    )
      .toString('base64')
      .replaceAll(/.{30}/g, '$&\r\n'),
  ],
  [
    'nested json 3',
    ['ada@x.example'],
    JSON.stringify(JSON.stringify(JSON.stringify({ e: 'ada\\u0040x.example' }))),
  ],
  ['mailto', ['ada@x.example'], 'mailto:ada%40x.example?subject=x'],
  ['css/js \\x40', ['ada@x.example'], 'ada\\x40x.example'],
  ['blanks around at', ['ada@x.example'], 'ada @ x.example'],
  ['name nfd', ['Zoë Müller'], 'Zoë Müller'.normalize('NFD').toUpperCase()],
  ['name with entity', ['Zoë Müller'], 'Zo&#235; M&uuml;ller'],
  ['at in words', ['ada@x.example'], 'ada [at] x.example'],
  ['name slug', ['Zoë Müller'], '/customers/zo%C3%AB-m%C3%BCller/'],
  ['sharp s', ['Anna Groß'], 'ANNA GROSS'],
  ['turkish', ['Işıl Yılmaz'], 'IŞIL YILMAZ'],
  ['nothing wide inside', ['ada.lovelace@x.example'], 'ada.love\u200blace@x\u2060.example'],
  ['soft hyphen inside', ['Ada Lovelace'], 'Ada Love\u00adlace'],
  ['rtl marks', ['ada@x.example'], '\u202aada@x.example\u202c'],
  ['in url user part', ['ada@x.example'], 'https://ada%40x.example:pw@host/'],
  ['phone full width', ['+44 20 7946 0123'], '＋４４　２０　７９４６　０１２３'],
  ['phone arabic', ['+44 20 7946 0123'], '+٤٤ ٢٠ ٧٩٤٦ ٠١٢٣'],
  ['phone glued', ['+44 20 7946 0123'], '442079460123'],
  ['phone (0)', ['+44 20 7946 0123'], '+44 (0)20 7946 0123'],
  ['phone tel:', ['+44 20 7946 0123'], 'tel:+44-20-7946-0123'],
  ['phone pct', ['+44 20 7946 0123'], '%2B442079460123'],
  ['hex', ['ada@x.example'], Buffer.from('ada@x.example').toString('hex')],
  ['hex upper', ['ada.l@x.example'], Buffer.from('ada.l@x.example').toString('hex').toUpperCase()],
  [
    'base64 urlencoded',
    ['ada.lovelace@x.example'],
    encodeURIComponent(Buffer.from('<ada.lovelace@x.example>').toString('base64')),
  ],
];
it.each(SPELLINGS)('%s', (_how, who, text) => {
  const person = personOf(who);
  expect(person.names(text), text).toBe(true);
  const left = person.redact(text, '[erased]');
  expect(person.names(left)).toBe(false);
  expect(left).toContain('[erased]');
});
