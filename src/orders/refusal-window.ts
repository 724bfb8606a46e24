/**
 * Tells when the service refuses most orders of an integration for one reason. Kept in memory, per
 * process; one drain sends at a time.
 */

/** Outcomes looked back at: as many as travel in one batch. */
const WINDOW_MAX = 100;

/** Equal refusals below which nothing is concluded. */
const REFUSALS_MIN = 10;

/** What became of one order. */
export interface Outcome {
  readonly integrationId: string;
  /** Null for an order that the service took, or had already. */
  readonly code: string | null;
  readonly referenceId: string;
  readonly reason: string;
  readonly at: Date;
}

/** One refusal for most of the last orders of an integration. */
export interface CommonRefusal extends Outcome {
  readonly code: string;
  /** When the first of them was refused. */
  readonly since: Date;
}

/** The last outcomes of each integration. */
export interface RefusalWindow {
  /** Adds what became of a batch. Returns the integrations that should be stopped, and forgets their past. */
  add(outcomes: readonly Outcome[]): CommonRefusal[];
}

/** Creates an empty one. */
export function createRefusalWindow(): RefusalWindow {
  const last = new Map<string, Outcome[]>();
  return {
    add(outcomes): CommonRefusal[] {
      const touched = new Set(outcomes.map(({ integrationId }) => integrationId));
      for (const outcome of outcomes) {
        const { integrationId } = outcome;
        last.set(integrationId, [...(last.get(integrationId) ?? []), outcome].slice(-WINDOW_MAX));
      }
      const common = [...touched].flatMap((id) => commonIn(last.get(id) ?? []) ?? []);
      for (const { integrationId } of common) last.delete(integrationId);
      return common;
    },
  };
}

function commonIn(outcomes: readonly Outcome[]): CommonRefusal | undefined {
  for (const [code, refused] of Map.groupBy(outcomes, (outcome) => outcome.code)) {
    const [first] = refused;
    const example = refused.at(-1);
    if (code === null || first === undefined || example === undefined) continue;
    if (refused.length < REFUSALS_MIN || refused.length * 2 <= outcomes.length) continue;
    return { ...example, code, since: first.at };
  }
  return undefined;
}
