/**
 * Breadth-first search of one world: every state that can be reached, so that the way into a break
 * is the shortest one.
 */
import { decode, encode } from './codec.ts';
import { findDeadEnd } from './exits.ts';
import { Found } from './found.ts';
import { checkInvariants } from './invariants.ts';
import type { MoveKind } from './move.ts';
import { allMoves } from './moves/all.ts';
import type { Rules } from './rules.ts';
import type { Scenario } from './scenario.ts';
import { firstWorld } from './start.ts';
import { tidy } from './tidy.ts';
import type { World } from './world.ts';
import { clone } from './world.ts';

export interface Result {
  readonly states: number;
  /** What broke; empty: everything held. */
  readonly breach: string;
  readonly trace: readonly string[];
}

export interface Search {
  readonly rules: Rules;
  readonly scenario: Scenario;
  /** Only a break whose text begins so ends the search: what a removal is about. */
  readonly breaks?: string;
}

/** More than any scenario has; a mistake in a scenario ends here, not when memory does. */
const STATES_MAX = 3_000_000;

export function search({ rules, scenario, breaks = '' }: Search): Result {
  const first = firstWorld(scenario, rules);
  const found = new Found(first, encode(first));
  for (let at = 0; at < found.count; at += 1) {
    found.starts.push(found.edges.count);
    const broken = searchFrom(found, at, { scenario, breaks });
    if (broken !== undefined) return broken;
    if (found.count > STATES_MAX) throw new RangeError('Too many states.');
  }
  found.starts.push(found.edges.count);
  const isAsked = scenario.exits && (breaks === '' || breaks.startsWith('L7'));
  const deadEnd = isAsked ? findDeadEnd(found) : undefined;
  if (deadEnd === undefined) return { states: found.count, breach: '', trace: [] };
  return { states: found.count, breach: deadEnd.what, trace: traceTo(found, deadEnd.state) };
}

type Aim = Pick<Search, 'scenario'> & { readonly breaks: string };

/** Keeps what follows a state, unless something breaks on the way. */
function searchFrom(found: Found, at: number, { scenario, breaks }: Aim): Result | undefined {
  let broken: Result | undefined;
  expand(found, at, (label, next, kind) => {
    if (broken !== undefined) return;
    if (next.breach === '') checkInvariants(next);
    if (next.breach === '') {
      tidy(next);
      const to = found.keep(encode(next), at);
      if (scenario.exits && to !== at) found.edges.add(to, kind);
    } else if (next.breach.startsWith(breaks)) {
      const trace = [...traceTo(found, at), label];
      broken = { states: found.count, breach: next.breach, trace };
    }
  });
  return broken;
}

type Visit = (label: string, next: World, kind: MoveKind) => void;

function expand(found: Found, at: number, visit: Visit): void {
  const world = decode(found.textAt(at), found.first);
  allMoves(world, (label, apply, kind = 'plain') => {
    const next = clone(world);
    apply(next);
    visit(label, next, kind);
  });
}

/** The labels of the shortest way to a state, found again step by step. */
function traceTo(found: Found, state: number): string[] {
  const labels: string[] = [];
  for (let at = state; at > 0; at = found.parents[at] ?? 0) {
    const wanted = found.textAt(at);
    let via = '';
    expand(found, found.parents[at] ?? 0, (label, next) => {
      if (via !== '') return;
      tidy(next);
      if (encode(next) === wanted) via = label;
    });
    labels.unshift(via);
  }
  return labels;
}
