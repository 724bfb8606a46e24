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
  /** Says it once: who reloads the page, or goes back to it, pressed nothing. */
  take(number: string | undefined): Message | undefined;
}

/** Older ones are never read: their page was not fetched. */
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
    take(number = ''): Message | undefined {
      const message = kept.get(number);
      kept.delete(number);
      return message;
    },
  };
}
