/** Handlers of events inside an embedding program: which there are. The capability of events calls them. */
import { ConfigError } from '../base/kernel/errors.ts';
import type { EventBody } from './event-kind.ts';

/** How a handler is kept. */
export interface HandlerOptions {
  /**
   * Under which its place in the stream is stored: it goes on from there after a restart. All processes that give a handler
   * the same name share the place, and each event is handled by one of them.
   */
  readonly name: string;
  /** Where a name that is new begins. @default 'now' */
  readonly from?: 'now' | 'beginning';
}

export interface EventHandler {
  readonly name: string;
  readonly types: readonly string[];
  readonly from: 'now' | 'beginning';
  readonly handle: (event: EventBody) => Promise<void>;
}

export interface EventHandlers {
  list(): readonly EventHandler[];
  /** @throws {ConfigError} when the name is none, or this process has a handler under it */
  add(handler: EventHandler): void;
}

const NAME = /^[\w.:-]{1,100}$/;

export function createEventHandlers(): EventHandlers {
  const handlers = new Map<string, EventHandler>();
  return {
    list: () => [...handlers.values()],
    add(handler): void {
      const { name } = handler;
      if (!NAME.test(name)) {
        throw new ConfigError(
          `A handler of events needs a name of letters, digits and . : _ -, 100 at most; "${name}" is none.`,
        );
      }
      if (handlers.has(name)) {
        throw new ConfigError(
          `There is a handler of events named "${name}" already. Give each its own name, or one handler several types.`,
        );
      }
      handlers.set(name, handler);
    },
  };
}
