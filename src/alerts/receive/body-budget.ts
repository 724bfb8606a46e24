/**
 * What bodies may take of the memory while they arrive, all of them together: none is vouched for
 * yet, and a sender may stop one byte before the end.
 *
 * A body is kept in one buffer that grows, and counts with that buffer's size, so that a body in a hundred
 * thousand pieces takes no more than one in a single piece, which is kept as it came. Its first bytes come out of
 * a share of their own, in which nearly every event fits: large bodies that crawl do not turn small ones away.
 */
import { WEBHOOK_BODY_BYTES_MAX } from '../../base/kernel/limits.ts';

/** Bytes of each body that come out of the share of the small ones; events have 1 to 3 KB. */
export const SMALL_BODY_BYTES = 4 * 1024;

/** The share of the small ones: as many as there are connections ({@link SERVER_LIMITS}). */
export const SMALL_SHARE_BYTES = 5_000 * SMALL_BODY_BYTES;

/** What all bodies together may take beyond their first bytes: 64 of the largest at once. */
export const LARGE_SHARE_BYTES = 64 * WEBHOOK_BODY_BYTES_MAX;

/** The bytes, or why there are none. */
export type BodyOutcome =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly reason: BodyFault };

/**
 * `encoding`: 415. `too_large`: 413. `incomplete`: 400, where anybody is left to be told. `busy`: 503, too
 * many bodies are being read.
 */
export type BodyFault = 'encoding' | 'too_large' | 'incomplete' | 'busy';

/** What the headers say already about a body that is not to be read. */
export function headersFault(
  encoding: string | undefined,
  length: string | null | undefined,
): BodyFault | undefined {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return 'encoding';
  return Number(length ?? 0) > WEBHOOK_BODY_BYTES_MAX ? 'too_large' : undefined;
}

/** One body while it arrives. */
export interface ArrivingBody {
  /** Takes a piece; says why the body is given up, if it is. */
  add(piece: Uint8Array): BodyFault | undefined;
  /** Everything that came. */
  whole(): Buffer;
  /** Gives back what it took; called once, whatever became of it. */
  end(): void;
}

/** The memory that arriving bodies share. */
export interface BodyBudget {
  /** Begins a body of as many bytes as its sender declares, if it does. */
  begin(declaredBytes: number | undefined): ArrivingBody;
}

/** What bodies may take, in one place or in a part of it. */
export interface BodyRoom {
  /** Moves a body from one size to another, where that is allowed. */
  resize(from: number, to: number): boolean;
}

/**
 * Creates room with nothing taken. Inside another room it is one organisation's: half of it at most, so that
 * a flood of one turns none away at the others.
 */
export function createBodyRoom(within?: BodyRoom): BodyRoom {
  const share = within === undefined ? 1 : 0.5;
  let small = 0;
  let large = 0;
  return {
    resize(from, to): boolean {
      const smallAfter = small + smallPart(to) - smallPart(from);
      const largeAfter = large + largePart(to) - largePart(from);
      const isFull =
        smallAfter > share * SMALL_SHARE_BYTES || largeAfter > share * LARGE_SHARE_BYTES;
      if (to > from && isFull) return false;
      if (within?.resize(from, to) === false) return false;
      small = smallAfter;
      large = largeAfter;
      return true;
    },
  };
}

/** Creates the budget of one listener, or of an organisation's part of it. */
export function createBodyBudget({ resize }: BodyRoom = createBodyRoom()): BodyBudget {
  return {
    begin(declaredBytes = WEBHOOK_BODY_BYTES_MAX): ArrivingBody {
      let buffer = EMPTY;
      let used = 0;
      return {
        add(piece): BodyFault | undefined {
          const needed = used + piece.length;
          if (needed > WEBHOOK_BODY_BYTES_MAX) return 'too_large';
          if (needed > buffer.length) {
            const whole = needed === declaredBytes ? wholeOf(piece, needed) : undefined;
            // Twice as large each time, so that what is copied stays in proportion.
            const size = Math.max(needed, Math.min(2 * buffer.length, declaredBytes));
            if (!resize(buffer.length, size)) return 'busy';
            buffer = whole ?? grown(buffer, size);
          }
          buffer.set(piece, used);
          used = needed;
          return undefined;
        },
        whole: () => (used === buffer.length ? buffer : Buffer.from(buffer.subarray(0, used))),
        end(): void {
          resize(buffer.length, 0);
          buffer = EMPTY;
          used = 0;
        },
      };
    },
  };
}

const EMPTY: Buffer = Buffer.alloc(0);

/** A piece that is all of a body, and all of the memory that it keeps: it is kept without a copy. */
function wholeOf(piece: Uint8Array, bytes: number): Buffer | undefined {
  return piece.length === bytes && piece.buffer.byteLength === bytes
    ? Buffer.from(piece.buffer)
    : undefined;
}

function smallPart(bytes: number): number {
  return Math.min(bytes, SMALL_BODY_BYTES);
}

function largePart(bytes: number): number {
  return bytes - smallPart(bytes);
}

function grown(buffer: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  larger.set(buffer);
  return larger;
}
