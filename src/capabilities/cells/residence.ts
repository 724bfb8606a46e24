/** Where organisations live, from their moves. */
import type { Absence, Elsewhere, OpenResidence } from '../../surface/residence.ts';
import { createAwayDoor, createAwayReception } from './away-reception.ts';
import { watchMoves, whyAway } from './move-watch.ts';

export const openMoves: OpenResidence = async (work) => {
  const moves = await watchMoves(work);
  const elsewhere: Elsewhere = {
    reception: ({ organisationId, ...options }) =>
      createAwayReception({ ...options, away: () => moves.away(organisationId) }),
    door: createAwayDoor(),
  };
  return {
    ...moves,
    away(organisationId): Absence | undefined {
      const row = moves.away(organisationId);
      return row === undefined ? undefined : { why: whyAway(row), elsewhere };
    },
  };
};
