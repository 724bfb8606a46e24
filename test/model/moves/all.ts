/** Everything that may happen next in a world. */
import type { Moves } from '../move.ts';
import { arrivalMoves } from './arrivals.ts';
import { clockMoves } from './clock.ts';
import { lookMoves } from './looks.ts';
import { peopleMoves } from './people.ts';
import { processorMoves } from './processor.ts';
import { rimMoves } from './rim.ts';
import { serviceMoves } from './service.ts';
import { stepMoves } from './steps.ts';

const ALL: readonly Moves[] = [
  clockMoves,
  arrivalMoves,
  rimMoves,
  processorMoves,
  serviceMoves,
  peopleMoves,
  lookMoves,
  stepMoves,
];

export const allMoves: Moves = (world, offer) => {
  for (const moves of ALL) moves(world, offer);
};
