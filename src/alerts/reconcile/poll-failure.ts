/**
 * When a failing poll should alarm a person. Pure.
 *
 * A broken connection heals by itself most of the time; a refused key or a list that cannot be read
 * never does.
 */
import { z } from 'zod';
import { ServiceError } from '../../service/client/service-error.ts';

/** Rounds in a row that may fail before a passing cause becomes an alarm. */
const FAILING_ROUNDS_MAX = 3;

export interface ReadFailure {
  readonly code: string;
  /** Whether it may pass without anybody changing anything. */
  readonly passing: boolean;
  /** Whether the next read would most likely fail alike. */
  readonly stops: boolean;
}

/** An object was read and cannot be placed: an alert that we do not see is an alert that we miss. */
export const OBJECT_UNUSABLE: ReadFailure = {
  code: 'OBJECT_UNUSABLE',
  passing: false,
  stops: false,
};

const failureSchema = z.object({
  sinceMs: z.number(),
  rounds: z.number(),
  /** Whether the alarm was raised: it then lasts until a round succeeds. */
  alarmed: z.boolean(),
  /** Codes of its last round. Absent in records of earlier versions. */
  codes: z.array(z.string()).optional(),
});

/** Failing rounds in a row. Kept as a fact between rounds. */
export type FailureRecord = Readonly<z.infer<typeof failureSchema>>;

const PASSING: ReadonlySet<string> = new Set([
  'rate_limited',
  'server',
  'network',
  'timeout',
  'aborted',
  'budget',
]);

/** Understands what a read threw; undefined when it is not the service's doing but a defect of ours. */
export function readFailureOf(error: unknown): ReadFailure | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const aboutOneItem = error.kind === 'unreadable' || error.kind === 'invalid_request';
  return { code: error.code, passing: PASSING.has(error.kind), stops: !aboutOneItem };
}

/** The record after a round, and whether polling must be taken for broken. */
export function judgeFailure(
  before: FailureRecord | undefined,
  failures: readonly ReadFailure[],
  nowMs: number,
): { readonly record: FailureRecord | null; readonly alarm: boolean } {
  if (failures.length === 0) return { record: null, alarm: false };
  const rounds = (before?.rounds ?? 0) + 1;
  const lasting = failures.some((failure) => !failure.passing);
  const alarm = lasting || rounds >= FAILING_ROUNDS_MAX || before?.alarmed === true;
  const codes = [...new Set(failures.map(({ code }) => code))];
  return { record: { sinceMs: before?.sinceMs ?? nowMs, rounds, alarmed: alarm, codes }, alarm };
}

/** Reads a record back from its fact; undefined when it is none. */
export function readFailureRecord(value: unknown): FailureRecord | undefined {
  return failureSchema.safeParse(value).data;
}
