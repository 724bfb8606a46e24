/**
 * The three roles of people, and the verbs of programs.
 *
 * A viewer reads. A reviewer decides about alerts. An administrator also decides who may do so, and
 * lets money flow again after a pause. Each includes the one before. A program may do what its verbs say, and nothing else.
 */

export const ROLES = ['viewer', 'reviewer', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** What each role is for, as the console explains it. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'sees everything except raw event bodies, changes nothing',
  reviewer: 'decides about alerts, replays events, pauses, exports',
  administrator: 'also manages operators and policies, and ends a pause',
};

/** Whether `role` includes `needed`. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** What a program may do, as its verbs say it. What is not here no program may: agree as second person, end a pause, rights. */
export const VERB_WORDS = {
  'alerts:read': 'sees alerts, reviews and the history of charges',
  'alerts:decide': 'accepts disputes and asks for another look',
  'alerts:refund': 'decides to refund, says what became of money, chooses the charge',
  'reviews:write': 'claims reviews, hands them over, comments',
  'claims:read': 'sees claims for a refund',
  'claims:write': 'opens claims for a refund, which the policy may refund at once',
  'orders:read': 'sees orders',
  'orders:write': 'hands orders in and corrects them',
  'events:read': 'sees deliveries and findings',
  'events:replay': 'takes deliveries up again',
  'changes:read': 'reads the stream of events: alerts, money, disputes, orders, findings',
  'refunds:stop': 'sees whether refunds are stopped, and stops them',
  'metrics:read': 'reads metrics',
} as const;
export type Verb = keyof typeof VERB_WORDS;

export const VERBS = Object.keys(VERB_WORDS).filter(isVerb);

export function isVerb(word: string): word is Verb {
  return Object.hasOwn(VERB_WORDS, word);
}
