/**
 * Keeps what was asked of the sandbox since its start or its last reset, so that it can be written
 * down as a scenario. What happened by itself (events, deliveries) is in the state.
 */
import type { Endpoint } from '../http/endpoint.ts';
import { invalid } from '../refusal.ts';
import type { RequestEntry } from '../request-log.ts';
import type { SeedData } from '../seed.ts';

export interface RecordedCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly text: string;
  /** Its place in the request log: the time, the answer, and the fault that struck. */
  readonly entry: RequestEntry;
}

/** All of it, in order. */
export interface Recorded {
  readonly startedAtMs: number;
  readonly seeds: readonly SeedData[];
  readonly calls: readonly RecordedCall[];
}

export interface Recorder {
  add(endpoint: Endpoint, call: RecordedCall): void;
  addSeed(data: SeedData): void;
  /** Says why what follows can no longer be told from its beginning. */
  giveUp(reason: string): void;
  restart(nowMs: number): void;
  /** @throws Refusal 422 when it gave up */
  read(): Recorded;
}

/** More would no longer be a story that somebody reads, and the request log forgets its answers. */
const CALLS_MAX = 5_000;

/** All bodies together. */
const TEXT_CHARS_MAX = 32 * 1024 * 1024;

/** They move time, which a scenario tells as such, or begin again. */
const NO_STEPS: ReadonlySet<string> = new Set([
  'POST /sandbox/clock',
  'POST /sandbox/reset',
  'POST /sandbox/snapshot',
  'POST /sandbox/page/do',
]);

/** Why a session that began elsewhere is not told. */
export const RESTORED = 'it continues from a snapshot';

export function createRecorder(startedAtMs: number): Recorder {
  let recorded = nothing(startedAtMs);
  let chars = 0;
  let reason: string | undefined;
  const giveUp = (why: string): void => {
    reason = why;
    recorded = nothing(startedAtMs);
  };
  return {
    add(endpoint, call): void {
      if (reason !== undefined || !isStep(endpoint)) return;
      chars += call.text.length;
      if (chars > TEXT_CHARS_MAX || recorded.calls.length === CALLS_MAX)
        giveUp('more happened than a scenario can hold');
      else recorded.calls.push(call);
    },
    addSeed: (data) => recorded.seeds.push(data),
    giveUp,
    restart(nowMs): void {
      recorded = nothing(nowMs);
      chars = 0;
      reason = undefined;
    },
    read(): Recorded {
      if (reason === undefined) return recorded;
      const message = `This session cannot be written as a scenario: ${reason}. Reset the sandbox first.`;
      throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message }]);
    },
  };
}

function nothing(startedAtMs: number): Recorded & { seeds: SeedData[]; calls: RecordedCall[] } {
  return { startedAtMs, seeds: [], calls: [] };
}

/** Reading the control surface changes nothing and is no part of the story. */
function isStep({ faultable, method, path }: Endpoint): boolean {
  return faultable || (method !== 'GET' && !NO_STEPS.has(`${method} ${path}`));
}
