/** The processor's webhooks in the signed form of the HTTP contract. */
import type { Clock } from '../../base/kernel/clock.ts';
import { createHttpEvents } from '../../service/processor/http-events.ts';
import type { EventVerdict, ProcessorEvents } from '../../service/wire/processor-event.ts';
import { createVerifier, readSignature } from './signature.ts';

/** Vouches for them under these secrets, newest first. */
export function signedEvents(secrets: readonly string[], clock: Clock): ProcessorEvents {
  const verifier = createVerifier({ secrets, clock });
  return createHttpEvents({
    isForm: (header) => readSignature([header]).ok,
    verify(header, raw): EventVerdict {
      const verdict = verifier.verify(header, raw);
      if (verdict.ok) return { kind: 'genuine' };
      return { kind: verdict.authentic ? 'stale' : 'forged' };
    },
  });
}
