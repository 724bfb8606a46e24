/** Several installations, each with a database of its own: an organisation moves from one to another while deliveries arrive. */
import type { Capability } from '../../surface/capability.ts';
import { organisationMove } from './move.table.ts';
import { openMoves } from './residence.ts';

export const cells: Capability = {
  name: 'cells',
  tables: [organisationMove],
  residence: openMoves,
};
