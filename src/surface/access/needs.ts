/**
 * What a route asks of the sender of a request: a role, and whether they must have proved who they are within the last
 * quarter of an hour. Said where the route is registered, so that nothing is left out: what changes something and says
 * nothing asks for the proof.
 */
import type { RequestHandler } from 'express';
import type { Role } from './role.ts';

/**
 * Whether a sign-in of a while ago suffices.
 *
 * - `always`: it does not. Rights, tokens, the switches of money, what comes into force.
 * - `by what is asked`: the route looks, because some of what it takes moves money and some does not.
 * - `never`: it does. Nothing is let go that was held back, and no person is let in.
 */
export type Proof = 'always' | 'by what is asked' | 'never';

export interface Needs {
  readonly role: Role;
  readonly proof: Proof;
  /** The page to which a person comes back who has proved it, and does it again. @default today's page */
  readonly back?: string;
}

/** For everybody, signed in or not. */
export type ForAnybody = 'anybody';

const said = new WeakMap<RequestHandler, Needs | ForAnybody>();

/** Notes what a handler asks. */
export function withNeeds(handler: RequestHandler, needs: Needs | ForAnybody): RequestHandler {
  said.set(handler, needs);
  return handler;
}

/** What a handler asks; undefined: it does not say. */
export function needsOf(handler: RequestHandler): Needs | ForAnybody | undefined {
  return said.get(handler);
}

/** A form that changes something which is no right, no token and no money: a sign-in of today suffices. */
export function plainly(role: Role): Needs {
  return { role, proof: 'never' };
}

/** A form some of whose acts move money, about which it asks itself. */
export function asAsked(role: Role): Needs {
  return { role, proof: 'by what is asked' };
}

/** A form that asks for the proof whatever it holds; `back` is its page. */
export function proven(role: Role, back: string): Needs {
  return { role, proof: 'always', back };
}
