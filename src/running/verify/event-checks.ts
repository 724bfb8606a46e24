/** Checks of the provider's webhooks, where the processor takes them: only the provider's word counts. */
import { systemClock } from '../../base/kernel/clock.ts';
import type { EventHeaders, ProcessorEvents } from '../../service/wire/processor-event.ts';
import { PROCESSOR_EVENT_KINDS } from '../../service/wire/processor-event.ts';
import type { CheckOutcome, ConformanceCheck, ConformanceSubject } from './conformance-check.ts';
import { checks, unless } from './conformance-check.ts';

/** Webhooks, from the door to their words. */
export const EVENT_CHECKS: readonly ConformanceCheck[] = checks({
  'events.unsigned_refused': [
    'A webhook that nobody signed is not read, or not believed.',
    checkUnsigned,
  ],
  'events.genuine_only': [
    'A webhook of the provider is believed as it came, and not with a byte changed.',
    checkGenuine,
  ],
});

const NOT_TAKEN = { skipped: 'the processor takes no webhooks' } as const;

/** Headers of no provider: what a stranger would try. */
const STRANGERS: readonly EventHeaders[] = [
  {},
  { 'content-type': 'application/json', authorization: 'Basic eDp4', 'x-signature': 't=1,v1=00' },
  { 'content-type': 'application/x-www-form-urlencoded', 'stripe-signature': 't=1,v1=00' },
];

async function checkUnsigned({ processor }: ConformanceSubject): Promise<CheckOutcome> {
  const { events } = processor;
  if (events === undefined) return NOT_TAKEN;
  const problems: string[] = [];
  for (const headers of STRANGERS) {
    for (const body of ['', '{}', '{"id":"evt_1"}', 'bt_signature=x&bt_payload=eA==']) {
      const verdict = await verdictOf(events, { raw: Buffer.from(body), headers });
      problems.push(...unless(verdict !== 'genuine', `${body || 'nothing'} was believed unsigned`));
    }
  }
  return problems;
}

async function checkGenuine({ processor, fixture }: ConformanceSubject): Promise<CheckOutcome> {
  const { events } = processor;
  if (events === undefined) return NOT_TAKEN;
  if (fixture.signedEvent === undefined) return { skipped: 'the fixture signs no webhook' };
  const sent = await fixture.signedEvent();
  const verdict = await verdictOf(events, sent);
  const readEvents = verdict === 'genuine' ? events.read(sent.raw) : [];
  const unknown = readEvents.filter(({ kind }) => !PROCESSOR_EVENT_KINDS.includes(kind));
  const raw = Buffer.from(sent.raw);
  // In the middle, where the content is.
  const at = Math.floor(raw.length / 2);
  raw.writeUInt8(raw.readUInt8(at) ^ 1, at);
  const changed = await verdictOf(events, { ...sent, raw });
  return [
    ...unless(verdict === 'genuine', `a genuine webhook was ${verdict}`),
    ...unless(readEvents.length > 0, 'a genuine webhook said nothing'),
    ...unless(unknown.length === 0, 'an event has a kind that is none'),
    ...unless(changed !== 'genuine', 'a changed webhook was believed'),
  ];
}

async function verdictOf(
  events: ProcessorEvents,
  { raw, headers }: { readonly raw: Uint8Array; readonly headers: EventHeaders },
): Promise<string> {
  if (!events.admits(headers)) return 'unread';
  return (await events.verify(raw, headers, systemClock.nowMs())).kind;
}
