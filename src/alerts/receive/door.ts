/** A door of the public listener besides that of the service's webhooks: `POST /{path}/{name}`. */
import type { Answer } from './answers.ts';
import type { BodyBudget, BodyOutcome } from './body-budget.ts';
import type { RefusedReason } from './counters.ts';

/** Headers of a request by their names in lower case. */
export type DoorHeaders = Readonly<Record<string, string | undefined>>;

/** One request, as a server shows it. Nothing of it is trusted before the verdict. */
export interface DoorRequest {
  /** The last part of the path. */
  readonly name: string;
  readonly headers: DoorHeaders;
  /** Reads the bytes; asked once, under headers that some genuine delivery could carry. */
  readBody(budget: BodyBudget): Promise<BodyOutcome>;
}

/** Takes in what is posted at a door, for one organisation or one merchant of it. */
export interface DoorReception {
  /** Whether it takes anything under that name: a guest in another program leaves the rest to it. */
  knows(name: string): boolean;
  receive(request: DoorRequest): Promise<Answer>;
  /** Logs a request that is turned away unread. */
  refuse(reason: RefusedReason): Answer;
}
