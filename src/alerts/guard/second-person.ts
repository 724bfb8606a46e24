/**
 * Whether two names are two people, as far as anybody can tell who looks at how they came to act here: anyone who makes a
 * colleague, gives one a new token or a right, could be that colleague for a day.
 */
import { personOf } from '../cases/person.ts';

/** Somebody gave a person their place, role, token or right. */
export interface Entrusted {
  readonly name: string;
  readonly by: string;
}

/** For so long what somebody was given makes them the hand of who gave it, in milliseconds. */
export const ENTRUSTED_MS = 24 * 60 * 60_000;

/**
 * Whether neither of them, and no other person, is behind both.
 *
 * @param given what was given within the last {@link ENTRUSTED_MS}
 */
export function areTwoPeople(one: string, other: string, given: readonly Entrusted[]): boolean {
  const behindOne = handsBehind(one, given);
  return ![...handsBehind(other, given)].some((hand) => behindOne.has(hand));
}

/** A person, who made them, who made that one, and so on. The names of one person are one. */
function handsBehind(name: string, given: readonly Entrusted[]): Set<string> {
  const hands = new Set([personOf(name)]);
  // What is added on the way is walked too.
  for (const hand of hands) {
    for (const each of given) {
      if (personOf(each.name) === hand) hands.add(personOf(each.by));
    }
  }
  return hands;
}
