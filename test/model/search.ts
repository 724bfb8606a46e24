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
import type { WitnessName } from './witnesses.ts';
import { isReached } from './witnesses.ts';
import type { World } from './world.ts';
import { clone } from './world.ts';

export interface Result {
  readonly states: number;
  /** What broke; empty: everything held. */
  readonly breach: string;
  readonly trace: readonly string[];
  /** What the world should have reached and did not. */
  readonly unreached: readonly WitnessName[];
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
  let unreached: readonly WitnessName[] = scenario.reaches;
  for (let at = 0; at < found.count; at += 1) {
    found.starts.push(found.edges.count);
    const world = decode(found.textAt(at), first);
    if (unreached.length > 0) unreached = unreached.filter((name) => !isReached(name, world));
    const broken = searchFrom(found, { world, at }, { scenario, breaks });
    if (broken !== undefined) return broken;
    if (found.count > STATES_MAX) throw new RangeError('Too many states.');
  }
  found.starts.push(found.edges.count);
  const isAsked = scenario.exits && (breaks === '' || breaks.startsWith('L7'));
  const deadEnd = isAsked ? findDeadEnd(found, breaks) : undefined;
  const states = found.count;
  if (deadEnd === undefined) return { states, breach: '', trace: [], unreached };
  return { states, breach: deadEnd.what, trace: traceTo(found, deadEnd.state), unreached };
}

type Aim = Pick<Search, 'scenario'> & { readonly breaks: string };

interface From {
  readonly world: World;
  readonly at: number;
}

/** Keeps what follows a state, unless something breaks on the way. */
function searchFrom(
  found: Found,
  { world, at }: From,
  { scenario, breaks }: Aim,
): Result | undefined {
  let broken: Result | undefined;
  expand(world, (label, next, kind) => {
    if (broken !== undefined) return;
    if (next.breach === '') checkInvariants(next);
    if (next.breach === '') {
      tidy(next);
      const to = found.keep(encode(next), at);
      if (scenario.exits && to !== at) found.edges.add(to, kind);
    } else if (next.breach.startsWith(breaks)) {
      const trace = [...traceTo(found, at), label];
      broken = { states: found.count, breach: next.breach, trace, unreached: [] };
    }
  });
  return broken;
}

type Visit = (label: string, next: World, kind: MoveKind) => void;

function expand(world: World, visit: Visit): void {
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
    const before = decode(found.textAt(found.parents[at] ?? 0), found.first);
    let via = '';
    expand(before, (label, next) => {
      if (via !== '') return;
      tidy(next);
      if (encode(next) === wanted) via = label;
    });
    labels.unshift(via);
  }
  return labels;
}
