/** Whether what an adapter read can be stored and looked up: its words are checked, no matter who wrote it. Pure. */
import { isCurrencyCode } from '../../base/kernel/money.ts';
import type { ProcessorEvent } from '../../service/wire/processor-event.ts';
import { PROCESSOR_EVENT_KINDS } from '../../service/wire/processor-event.ts';

/** Longest id or reference, in characters. */
const WORD_LENGTH_MAX = 200;

/** Names of one charge. */
const REFERENCES_MAX = 5;

/** Whether every word of it is usable. */
export function isUsableEvent(event: ProcessorEvent): boolean {
  const { chargeReferences, refundReference, disputeReference, amountMinor, currency } = event;
  const references = [refundReference, disputeReference].filter((each) => each !== null);
  const isDated = event.occurredAt === null || Number.isFinite(Date.parse(event.occurredAt));
  return (
    PROCESSOR_EVENT_KINDS.includes(event.kind) &&
    [event.id, ...chargeReferences, ...references].every(isWord) &&
    chargeReferences.length <= REFERENCES_MAX &&
    (amountMinor === null || (Number.isSafeInteger(amountMinor) && amountMinor >= 0)) &&
    (currency === null || isCurrencyCode(currency)) &&
    isDated
  );
}

/** Neither NUL nor half a surrogate pair can be stored as text. */
function isWord(text: string): boolean {
  const isLong = text === '' || text.length > WORD_LENGTH_MAX;
  return !isLong && !text.includes('\0') && !/\p{Cs}/u.test(text);
}
