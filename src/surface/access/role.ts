/**
 * The three roles of people.
 *
 * A viewer reads. A reviewer decides about alerts. An administrator also decides who may do so, and
 * lets money flow again after a pause. Each includes the one before.
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
