/**
 * 300 disputes with what a person would say about them, written from the programme's conditions and not
 * from the code: each family says in its name why its label is what it is.
 *
 * Ages are given in days before the dispute and before the disputed payment; the dispute comes `GAP` days
 * after the payment.
 */
import type {
  EarlierPayment,
  Payment,
  Subject,
  Verdict,
} from '../../../src/alerts/evidence/payment.ts';
import { NO_TRAITS } from '../../../src/orders/traits.ts';

/** The dispute of every case, unless it says otherwise. */
export const DISPUTED_ON = '2026-11-20';
export const GAP = 40;
export const PAID_ON = dayBefore(DISPUTED_ON, GAP);

export interface LabelledCase {
  readonly name: string;
  readonly label: Verdict;
  readonly subject: Subject;
  readonly payment: Payment;
  readonly earlier: readonly EarlierPayment[];
  readonly emailIsLogin: boolean;
}

export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

type Name = keyof Payment['values'];

/** Everything about the customer's usual payment. */
const USUAL: Payment['values'] = {
  account: 'account of Ada',
  email: 'mail of Ada',
  ip: 'address at home',
  address: 'street of Ada',
  device: 'phone of Ada',
  fingerprint: 'browser of Ada',
};

const GOOD = {
  ...NO_TRAITS,
  settled: true,
  product: true,
  deviceLength: 32,
  fingerprintLength: 32,
};

/** A payment like the usual one in these elements, and in every other one like nobody's. */
function payment(
  options: Partial<Payment> & { readonly like: readonly Name[]; readonly no: string },
): Payment {
  const { like, no, ...rest } = options;
  const values = Object.fromEntries(
    Object.entries(USUAL).map(([name, value]) => [
      name,
      like.some((each) => each === name) ? value : `${name} ${no}`,
    ]),
  );
  return {
    reference: `payment ${no}`,
    day: PAID_ON,
    credential: 'card of Ada',
    subscription: null,
    firstIp: null,
    descriptor: 'SHOP*A',
    country: 'US',
    traits: GOOD,
    values: { ...USUAL, ...values },
    ...rest,
  };
}

const CLEAN = { disputed: false, fraud: false, revoked: false };

function earlier(
  no: string,
  days: number,
  options: Partial<EarlierPayment> & { readonly like: readonly Name[] },
): EarlierPayment {
  return { history: CLEAN, ...payment({ day: dayBefore(PAID_ON, days), ...options, no }) };
}

const SUBJECT: Subject = {
  kind: 'representment',
  id: 'rep_1',
  scheme: 'SCHEME_A',
  reason: '10.4',
  day: DISPUTED_ON,
  isFraudNotice: false,
};

const EVERY: readonly Name[] = ['account', 'email', 'ip', 'address', 'device', 'fingerprint'];
const DISPUTED = payment({ like: EVERY, no: 'disputed' });

interface Options extends Partial<Omit<LabelledCase, 'name' | 'label' | 'subject'>> {
  readonly subject?: Partial<Subject>;
}

function make(name: string, label: Verdict, { subject, ...options }: Options): LabelledCase {
  return {
    name,
    label,
    subject: { ...SUBJECT, ...subject },
    payment: options.payment ?? DISPUTED,
    earlier: options.earlier ?? [],
    emailIsLogin: options.emailIsLogin ?? false,
  };
}

/** Two of them, one an address or a device. */
const ENOUGH: readonly (readonly Name[])[] = [
  ['ip', 'account'],
  ['ip', 'address'],
  ['ip', 'device'],
  ['ip', 'fingerprint'],
  ['device', 'account'],
  ['device', 'address'],
  ['fingerprint', 'account'],
  ['fingerprint', 'address'],
];

/** Too little: one element, two of one kind, or neither address nor device. */
const TOO_LITTLE: readonly (readonly Name[])[] = [
  [],
  ['account'],
  ['email'],
  ['ip'],
  ['address'],
  ['device'],
  ['fingerprint'],
  ['device', 'fingerprint'],
  ['account', 'address'],
  ['account', 'email'],
  ['email', 'address'],
  ['email', 'ip'],
];

function two(
  like: readonly Name[],
  days: readonly [number, number] = [150, 250],
): EarlierPayment[] {
  return [earlier('one', days[0], { like }), earlier('two', days[1], { like })];
}

/** Ages at which both bases are certain: 121 before the payment and 324 + 40 = 364 before the dispute. */
const AGES: readonly (readonly [number, number])[] = [
  [121, 122],
  [150, 250],
  [200, 201],
  [121, 324],
  [323, 324],
];

/** What keeps an earlier payment from counting. */
const FORBIDDEN: Readonly<Record<string, Partial<EarlierPayment>>> = {
  'was disputed': { history: { ...CLEAN, disputed: true } },
  'had a fraud report': { history: { ...CLEAN, fraud: true } },
  'was disputed, as noted long ago': { traits: { ...GOOD, disputed: true } },
  'had a fraud report, as noted long ago': { traits: { ...GOOD, fraud: true } },
  'was declined': { traits: { ...GOOD, failed: true, settled: false } },
  'does not say what was sold': { traits: { ...GOOD, product: false } },
  'has another descriptor': { descriptor: 'OTHER*' },
};

/** What leaves it open. */
const OPEN: Readonly<Record<string, Partial<EarlierPayment>>> = {
  'is not said to be settled': { traits: { ...GOOD, settled: false } },
  'had a report that was taken back': { history: { ...CLEAN, revoked: true } },
  'has no known descriptor': { descriptor: null },
};

function agreement(): LabelledCase[] {
  return [
    ...ENOUGH.flatMap((like) =>
      AGES.map((days) =>
        make(`${like.join(' and ')} agree, ${days.join(' and ')} days`, 'qualifies', {
          earlier: two(like, days),
        }),
      ),
    ),
    ...TOO_LITTLE.map((like) =>
      make(`only ${like.join(' and ') || 'nothing'} agrees`, 'not', { earlier: two(like) }),
    ),
    ...ENOUGH.map((like) =>
      make(`${like.join(' and ')} agree, on one payment only`, 'not', {
        earlier: two(like).slice(0, 1),
      }),
    ),
    make('no earlier payment', 'not', {}),
    // Equal on all three means: the same two elements on both.
    ...ENOUGH.filter((like) => !like.includes('ip')).map((like) =>
      make(`one agrees in ${like.join(' and ')}, the other in ip`, 'not', {
        earlier: [earlier('one', 150, { like }), earlier('two', 250, { like: ['ip'] })],
      }),
    ),
    make('one agrees in ip and account, the other in device and address', 'not', {
      earlier: [
        earlier('one', 150, { like: ['ip', 'account'] }),
        earlier('two', 250, { like: ['device', 'address'] }),
      ],
    }),
    make('the first two differ, the next two agree', 'qualifies', {
      earlier: [
        ...two([]),
        earlier('three', 160, { like: EVERY }),
        earlier('four', 170, { like: EVERY }),
      ],
    }),
  ];
}

function standing(): LabelledCase[] {
  return ENOUGH.flatMap((like) => [
    ...Object.entries(FORBIDDEN).flatMap(([words, fault]) => {
      const pair = [earlier('one', 150, { like, ...fault }), earlier('two', 250, { like })];
      const third = earlier('three', 200, { like });
      return [
        make(`${like.join(' and ')}: one of two ${words}`, 'not', { earlier: pair }),
        ...(like[0] === 'ip'
          ? [
              make(`${like.join(' and ')}: one of three ${words}`, 'qualifies', {
                earlier: [...pair, third],
              }),
            ]
          : []),
      ];
    }),
    ...Object.entries(OPEN).map(([words, doubt]) =>
      make(`${like.join(' and ')}: one of two ${words}`, 'edge', {
        earlier: [earlier('one', 150, { like, ...doubt }), earlier('two', 250, { like })],
      }),
    ),
  ]);
}

/** By the age of the younger one before the disputed payment; the other is 200 days old. */
const BY_PAYMENT: Readonly<Record<number, Verdict>> = {
  // 80 + 40 = 120 before the dispute: too young from the payment, at the edge from the dispute.
  80: 'edge',
  79: 'not',
  // From the dispute it is certain, from the payment it is not.
  100: 'edge',
  119: 'edge',
  120: 'edge',
  121: 'qualifies',
};

/** The same for the older one; the dispute's count is 40 days more. */
const OLD_BY_PAYMENT: Readonly<Record<number, Verdict>> = {
  324: 'qualifies',
  325: 'edge',
  326: 'edge',
  364: 'edge',
  365: 'edge',
  366: 'not',
};

function ages(): LabelledCase[] {
  const caseOf = (like: readonly Name[], days: number, label: Verdict): LabelledCase =>
    make(`${like.join(' and ')} agree, 200 and ${days} days before the payment`, label, {
      earlier: two(like, [200, days]),
    });
  const authorised = { traits: { ...GOOD, authorisedDay: true } };
  return [
    ...ENOUGH.slice(0, 6).flatMap((like) =>
      Object.entries({ ...BY_PAYMENT, ...OLD_BY_PAYMENT }).map(([days, label]) =>
        caseOf(like, Number(days), label),
      ),
    ),
    // Settled up to seven days later, so 127 days before the payment may be 120.
    ...(
      [
        [200, 'qualifies'],
        [127, 'edge'],
        [128, 'qualifies'],
        [119, 'edge'],
      ] as const
    ).map(([days, label]) =>
      make(`authorised ${days} days before the payment, settled who knows when`, label, {
        earlier: [
          earlier('one', 200, { like: ['ip', 'account'] }),
          earlier('two', days, { like: ['ip', 'account'], ...authorised }),
        ],
      }),
    ),
  ];
}

function about(): LabelledCase[] {
  const pair = two(EVERY);
  const at = (name: string, label: Verdict, subject: Partial<Subject>): LabelledCase =>
    make(name, label, { subject, earlier: pair });
  return [
    at('another scheme', 'elsewhere', { scheme: 'SCHEME_B' }),
    at('a scheme nobody told', 'edge', { scheme: null }),
    ...['13.1', '13.2', '13.7', '12.6', '10.5', '11.3', '4837', '10.40'].map((reason) =>
      at(`reason ${reason}`, 'elsewhere', { reason }),
    ),
    at('a reason nobody told', 'edge', { reason: null }),
    at('a reason with a space behind it', 'qualifies', { reason: '10.4 ' }),
    at('a lookup, which has no reason', 'qualifies', { kind: 'lookup', reason: null }),
    at('an alert with its reason', 'qualifies', { kind: 'alert' }),
    at('a fraud notice', 'qualifies', { kind: 'scheme_notice', reason: null, isFraudNotice: true }),
    at('a dispute notice without a reason', 'edge', { kind: 'scheme_notice', reason: null }),
    // Before 18 April 2026.
    ...['2026-04-17', '2025-12-01'].map((day) =>
      at(`a fraud notice on ${day}`, 'not', {
        kind: 'scheme_notice',
        reason: null,
        isFraudNotice: true,
        day,
      }),
    ),
    at('before there was a programme', 'elsewhere', { day: '2023-04-14' }),
  ];
}

function payments(): LabelledCase[] {
  const pair = two(EVERY);
  const caseOf = (
    name: string,
    label: Verdict,
    changed: Partial<Payment>,
    more: Options = {},
  ): LabelledCase =>
    make(name, label, { payment: { ...DISPUTED, ...changed }, earlier: pair, ...more });
  const secure = { traits: { ...GOOD, threeDSecure: true } };
  return [
    caseOf('no credential', 'not', { credential: null }),
    caseOf('it does not say what was sold', 'not', { traits: { ...GOOD, product: false } }),
    caseOf('its descriptor is another one', 'not', { descriptor: 'OTHER*' }),
    caseOf('its descriptor is not known', 'edge', { descriptor: null }),
    caseOf('3-D Secure, without earlier payments', 'qualifies', secure, { earlier: [] }),
    caseOf('3-D Secure, of another scheme', 'elsewhere', secure, {
      subject: { scheme: 'SCHEME_B' },
    }),
    caseOf('3-D Secure, reason not told', 'edge', secure, { subject: { reason: null } }),
    caseOf(
      '3-D Secure before 17 October 2025',
      'not',
      { ...secure, day: '2025-10-16' },
      { earlier: [] },
    ),
    caseOf(
      '3-D Secure, settled on 17 October 2025',
      'edge',
      { ...secure, day: '2025-10-17' },
      { earlier: [] },
    ),
    caseOf(
      '3-D Secure, settled on 24 October 2025',
      'qualifies',
      { ...secure, day: '2025-10-24' },
      { earlier: [] },
    ),
    caseOf(
      '3-D Secure, before the rule',
      'not',
      { ...secure, day: '2025-09-01' },
      { earlier: [], subject: { day: '2025-10-10' } },
    ),
    // Every value of the disputed payment is missing.
    ...EVERY.map((name) => {
      const like = (['ip', 'device', 'account', 'address'] as const).filter(
        (each) => each !== name,
      );
      return make(
        `${name} is missing on the disputed payment, ${like.join(', ')} agree`,
        'qualifies',
        {
          payment: { ...DISPUTED, values: { ...USUAL, [name]: null } },
          earlier: two(like),
        },
      );
    }),
    ...EVERY.map((name) =>
      make(`nothing is known but ${name}`, 'not', {
        payment: {
          ...DISPUTED,
          values: {
            account: null,
            email: null,
            ip: null,
            address: null,
            device: null,
            fingerprint: null,
            [name]: USUAL[name],
          },
        },
        earlier: pair,
      }),
    ),
  ];
}

function identifiers(): LabelledCase[] {
  const sized = (traits: Partial<Payment['traits']>): Partial<Payment> => ({
    traits: { ...GOOD, ...traits },
  });
  const cases: [string, Verdict, readonly Name[], Partial<Payment>][] = [
    ['device id of 14 characters', 'not', ['device', 'account'], sized({ deviceLength: 14 })],
    ['device id of 15 characters', 'qualifies', ['device', 'account'], sized({ deviceLength: 15 })],
    [
      'fingerprint of 19 characters',
      'not',
      ['fingerprint', 'account'],
      sized({ fingerprintLength: 19 }),
    ],
    [
      'fingerprint of 20 characters',
      'qualifies',
      ['fingerprint', 'account'],
      sized({ fingerprintLength: 20 }),
    ],
    [
      'short device id, long fingerprint',
      'qualifies',
      ['device', 'fingerprint', 'address'],
      sized({ deviceLength: 4 }),
    ],
  ];
  return [
    ...cases.map(([name, label, like, changed]) =>
      make(name, label, {
        payment: { ...DISPUTED, ...changed },
        earlier: two(like).map((each) => ({ ...each, ...changed })),
      }),
    ),
    ...(['ip', 'device', 'fingerprint'] as const).flatMap((name) => [
      make(`e-mail and ${name}: customers sign in with it`, 'qualifies', {
        earlier: two(['email', name]),
        emailIsLogin: true,
      }),
      make(`e-mail and ${name}: they do not`, 'not', { earlier: two(['email', name]) }),
    ]),
    make('e-mail and account are one element', 'not', {
      earlier: two(['email', 'account']),
      emailIsLogin: true,
    }),
  ];
}

function subscriptions(): LabelledCase[] {
  const later = (
    payment: Payment | EarlierPayment,
    firstIp: string | null,
  ): Partial<EarlierPayment> => ({
    ...payment,
    subscription: 'subscription of Ada',
    firstIp,
    values: { ...payment.values, ip: null },
  });
  const pair = two(['account']);
  const with_ = (firstIp: string | null, own: string | null): Options => ({
    payment: { ...DISPUTED, ...later(DISPUTED, own) },
    earlier: pair.map((each) => ({ ...each, ...later(each, firstIp) })),
  });
  const home = USUAL.ip;
  return [
    make('later payments without address, the first one has it', 'qualifies', with_(home, home)),
    make('later payments without address, nor has the first one', 'not', with_(null, null)),
    make('the first payments came from different places', 'not', with_('elsewhere', home)),
    make('the merchant’s own address on all, the first payments differ', 'not', {
      payment: { ...DISPUTED, firstIp: 'here' },
      earlier: two(['ip', 'account']).map((each) => ({ ...each, firstIp: 'there' })),
    }),
  ];
}

/** All of them. */
export const LABELLED_CASES: readonly LabelledCase[] = [
  ...agreement(),
  ...standing(),
  ...ages(),
  ...about(),
  ...payments(),
  ...identifiers(),
  ...subscriptions(),
];
