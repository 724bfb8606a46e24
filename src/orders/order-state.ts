/**
 * The states of an order in the feed and the moves between them.
 *
 * Nothing is ever lost by a move: each state either has a next moment of action or a reason that a
 * person can read.
 */

const ORDER_TRANSITIONS = {
  /** Stopped before sending: a programme's field is missing. Corrected or released by a person. */
  HELD: ['WAITING', 'HELD'],
  /** To be sent with `POST /v1/orders/`. */
  WAITING: ['CREATED', 'CHECKING', 'REFUSED', 'WAITING', 'HELD'],
  /** The service says it has it, or an update found nothing: read back before anything else. */
  CHECKING: ['CREATED', 'WAITING', 'CHECKING'],
  /** The service holds it. */
  CREATED: ['CHECKING', 'CREATED'],
  /** The service refused it. Corrected or replayed by a person. */
  REFUSED: ['WAITING', 'HELD', 'REFUSED'],
} as const satisfies Record<string, readonly string[]>;

export type OrderState = keyof typeof ORDER_TRANSITIONS;

export const ORDER_STATES: readonly OrderState[] = [
  'HELD',
  'WAITING',
  'CHECKING',
  'CREATED',
  'REFUSED',
];

/** States in which the service certainly holds nothing, so that the order may still be corrected. */
export const CORRECTABLE: readonly OrderState[] = ['HELD', 'REFUSED'];
