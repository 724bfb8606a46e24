/**
 * What is said after a button was pressed. It waits here for the page that the browser is sent to, so
 * that nothing that a link carries is ever shown as the sandbox's own words.
 */

export interface Message {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

export interface Messages {
  /** Answers the number to ask for it by. */
  add(message: Message): number;
  get(number: string | undefined): Message | undefined;
}

/** Older ones have been read, or never will be. */
const MESSAGES_MAX = 50;

export function createMessages(): Messages {
  const kept = new Map<string, Message>();
  let count = 0;
  return {
    add(message): number {
      count += 1;
      kept.set(String(count), message);
      kept.delete(String(count - MESSAGES_MAX));
      return count;
    },
    get: (number) => kept.get(number ?? ''),
  };
}
