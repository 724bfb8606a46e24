/** Bytes for the words of a state: what `codec.ts` writes and reads. */

const WORD_LIST = [
  'none',
  'pending',
  'settled',
  'failed',
  'REFUNDED',
  'NOT_REFUNDED',
  'INVALID',
  'UNSAID, REFUNDED',
  'UNSAID, LET THROUGH',
  'waiting',
  'forgotten',
  'matched',
  'absent',
  'ACTION_REQUIRED',
  'ACCEPTED',
  'UNMATCHED',
  'HUMAN',
  'DECIDED_REFUND',
  'REFUNDING',
  'DECIDED_ACCEPT',
  'DECLARE_REFUND',
  'DECLARE_ACCEPT',
  'DECLARED_REFUND',
  'DECLARED_ACCEPT',
  'CLOSED_INVALID',
  'CLOSED_REMOTE',
  'CONFLICT',
  'INTENT',
  'SENT',
  'UNKNOWN',
  'PENDING',
  'CONFIRMED',
  'REJECTED',
  'REVERSED',
  'NOT_SENT',
  'retry',
  'ours',
  'final',
  'done',
  'authorised',
  'captured',
  'released',
  'REFUND',
  'ACCEPT',
  'refund',
  'void',
  'cap',
  'breaker',
  'approval',
  'asked',
  'given',
  'nothing',
  'looked before sending',
  'reserved',
  'looked for a request',
  'looked',
  'looked before declaring',
  'looked before accepting',
  'writes the request',
  'awaits the processor',
  'writes the PATCH',
  'awaits the service',
] as const;

const BYTES: ReadonlyMap<string, number> = new Map(WORD_LIST.map((word, byte) => [word, byte]));

const buffer = Buffer.alloc(512);
let at = 0;

/** Starts a new text. */
export function startWriting(): void {
  at = 0;
}

export function position(): number {
  return at;
}

export function putByte(byte: number): void {
  buffer[at] = byte;
  at += 1;
}

export function putWord(word: string): void {
  const byte = BYTES.get(word);
  if (byte === undefined) throw new RangeError(`No byte for the word "${word}".`);
  putByte(byte);
}

export function putFlags(...flags: readonly boolean[]): void {
  let byte = 0;
  for (const flag of flags) byte = byte * 2 + (flag ? 1 : 0);
  putByte(byte);
}

export function textBetween(start: number, end: number): string {
  return buffer.toString('latin1', start, end);
}

/** Swaps two neighbouring parts, so that the smaller stands first: for parts that are alike. */
export function orderParts(first: number, second: number): void {
  if (buffer.compare(buffer, second, at, first, second) >= 0) return;
  const moved = Buffer.from(buffer.subarray(first, second));
  const length = at - second;
  buffer.copyWithin(first, second, at);
  moved.copy(buffer, first + length);
}

let reading = '';

export function startReading(text: string): void {
  reading = text;
  at = 0;
}

export function takeByte(): number {
  const byte = reading.charCodeAt(at);
  at += 1;
  return byte;
}

/** The word's type is the field's: what was written there is read there. */
export function takeWord<Word extends string>(): Word {
  return WORD_LIST[takeByte()] as string as Word;
}

let flags = 0;

/** Flags come back in the order in which they were put; the count is that of `putFlags`. */
export function startFlags(count: number): void {
  flags = takeByte() | (1 << count);
}

export function takeFlag(): boolean {
  // The leading 1 marks where the flags begin: below it stands the next one.
  const top = 31 - Math.clz32(flags);
  const bit = 1 << (top - 1);
  const isSet = (flags & bit) !== 0;
  flags = (flags & (bit - 1)) | bit;
  return isSet;
}
