/** How the parts of the world offer what may happen next. */
import type { World } from './world.ts';

/** `settles`: a pending refund settles. `person`: a person acts. The search for exits leaves these out. */
export type MoveKind = 'plain' | 'settles' | 'person';

/** Changes a copy of the world. */
export type Apply = (next: World) => unknown;

export type Offer = (label: string, apply: Apply, kind?: MoveKind) => void;

export type Moves = (world: World, offer: Offer) => void;
