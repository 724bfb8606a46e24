/** The processor: it answers, as the contract says, and belongs to the same world as the organisation. */
import type { StatusLine } from '../../books/insights/status-line.ts';
import { failed, ok, warning } from '../../books/insights/status-line.ts';
import {
  createProbeSender,
  isModeClash,
  PROBE_MS_MAX,
  readOrganisationMode,
  readProcessorMode,
} from '../../running/roles/organisation-mode.ts';
import type { Processor, ProcessorCapabilities } from '../../service/wire/processor.ts';
import type { DoctorCheck } from './context.ts';

/** No charge has this reference. */
const NO_CHARGE = 'forestall-doctor-no-charge';

const NAME = 'processor';

export const processorLines: DoctorCheck = async ({ processor, settings }) => {
  if ('problem' in processor) {
    return [failed(NAME, processor.problem, 'Correct FORESTALL_PROCESSOR.')];
  }
  if (settings.processor.kind === 'none') {
    const detail = 'none: nothing is refunded by itself, every refund waits for a person';
    return [
      warning(NAME, detail, 'Set FORESTALL_PROCESSOR; "forestall add --list" names the adapters.'),
    ];
  }
  const { value } = processor;
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  const [reading, capabilities] = await Promise.all([
    readingLine(value, signal),
    value.capabilities(signal),
  ]);
  return [reading, safetyLine(capabilities)];
};

/** What to do about a processor that gives no usable answer, by what it did instead. */
const SILENT_STEPS: readonly (readonly [RegExp, string])[] = [
  [
    /answered 40[13]/,
    'It refuses our signature or our rights: compare FORESTALL_PROCESSOR_SECRET on both sides.',
  ],
  [/answered 5/, 'It fails itself: read its log.'],
  [/timeout|aborted/, 'It takes longer than 3 s: look at its load, and for a firewall between.'],
  [
    /broken|never_sent/,
    'Check host, port, DNS and certificate of FORESTALL_PROCESSOR, and that it runs.',
  ],
];

function silentStep(reason: string): string {
  const known = SILENT_STEPS.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? 'Check its address, FORESTALL_PROCESSOR_SECRET, and whether it is down.';
}

async function readingLine(processor: Processor, signal: AbortSignal): Promise<StatusLine> {
  const answer = await processor.readCharge(NO_CHARGE, signal);
  const check = 'Try it with: forestall verify processor';
  switch (answer.kind) {
    case 'absent':
      return ok(NAME, `${processor.name} answers, and knows what it does not have`);
    case 'found': {
      const detail = `${processor.name} finds a charge that cannot exist`;
      return failed(NAME, detail, `Correct its reading of charges. ${check}`);
    }
    case 'not_offered': {
      const detail = `${processor.name} offers no reading of charges: every refund waits for a person`;
      return failed(NAME, detail, `Offer GET /charges/{reference}. ${check}`);
    }
    case 'unavailable':
      return failed(
        NAME,
        `${processor.name} gives no answer (${answer.reason})`,
        silentStep(answer.reason),
      );
  }
}

/** What happens to a refund whose answer is lost depends on these. */
function safetyLine(capabilities: ProcessorCapabilities | undefined): StatusLine {
  const name = 'processor contract';
  if (capabilities === undefined) {
    const step = 'Check its address, FORESTALL_PROCESSOR_SECRET, and whether it is down.';
    return failed(name, 'it did not say what it offers', step);
  }
  const { canLookupByReference, idempotencyTtlHours, refusesOverRefund } = capabilities;
  const ttl = idempotencyTtlHours === 0 ? 'none' : `${idempotencyTtlHours} h`;
  const detail = `look-up by key ${canLookupByReference ? 'yes' : 'no'}, keys live ${ttl}, refuses over-refunds ${refusesOverRefund ? 'yes' : 'no'}`;
  if (!canLookupByReference && idempotencyTtlHours === 0) {
    const step =
      'Offer GET /refunds?idempotency_key=: without it every lost answer waits for a person.';
    return warning(name, detail, step);
  }
  if (!refusesOverRefund) {
    const step =
      'Nothing at the processor stops a second refund made by hand at the same moment: agree with support, or let partial refunds go to review.';
    return warning(name, detail, step);
  }
  return ok(name, detail);
}

export const modeLines: DoctorCheck = async ({ processor, service, settings }) => {
  const name = 'test or live';
  const sender = createProbeSender(service);
  const organisation = await readOrganisationMode(sender, service.organisationId);
  const isThere = 'value' in processor && settings.processor.kind !== 'none';
  const money = isThere ? await readProcessorMode(processor.value) : 'unknown';
  const detail = `organisation ${organisation}, processor ${money}`;
  if (isModeClash(organisation, money)) {
    const step = 'Use a key and a processor of the same kind; work does not start like this.';
    return [failed(name, detail, step)];
  }
  if (!isThere || (organisation !== 'unknown' && money !== 'unknown')) return [ok(name, detail)];
  const step =
    'Compare by hand: test organisations have a name that begins with [TEST]. It is checked at every start once the key may simulate alerts and the processor states its mode.';
  return [warning(name, detail, step)];
};
