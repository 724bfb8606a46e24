/** The last requests the sandbox answered, for tests and for its page. */

/** One request. */
export interface RequestEntry {
  readonly at: string;
  readonly atMs: number;
  readonly method: string;
  /** The path as sent, with its query. */
  readonly path: string;
  /** Method and path template, for example `PATCH /v1/alerts/{alert_id}`; null when none matched. */
  readonly endpoint: string | null;
  /** Id of the key, never its token; null when the key was not accepted. */
  key_id: string | null;
  /** The answer's status, or null when none was sent. */
  status: number | null;
  /** The kind of fault that struck, if any. */
  fault: string | null;
  /** What was sent, as parsed; undefined when it was larger than 16 KiB. */
  body: unknown;
  /** What was answered, as text; null when there was nothing, more than 16 KiB, or much since. */
  answer: string | null;
}

/** Older ones are dropped. */
const ENTRIES_MAX = 20_000;

/** Older answers are dropped first: they take the most room. More than a recording holds. */
const ANSWERS_MAX = 10_000;

export interface RequestLog {
  add(entry: RequestEntry): void;
  all(): readonly RequestEntry[];
  clear(): void;
}

export function createRequestLog(): RequestLog {
  let entries: RequestEntry[] = [];
  return {
    add(entry): void {
      entries.push(entry);
      const old = entries.at(-1 - ANSWERS_MAX);
      if (old !== undefined) old.answer = null;
      if (entries.length >= 2 * ENTRIES_MAX) entries = entries.slice(-ENTRIES_MAX);
    },
    all: () => entries.slice(-ENTRIES_MAX),
    clear(): void {
      entries = [];
    },
  };
}
