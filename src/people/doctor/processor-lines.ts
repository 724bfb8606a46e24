/** The processor: it answers, as the contract says, and belongs to the same world as the organisation. */
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { Mode } from '../../running/roles/organisation-mode.ts';
import {
  createProbeSender,
  isModeClash,
  PROBE_MS_MAX,
  readOrganisationMode,
  readProcessorMode,
} from '../../running/roles/organisation-mode.ts';
import type { Processor, ProcessorCapabilities } from '../../service/wire/processor.ts';
import type { DoctorCheck, DoctorMerchant } from './context.ts';

/** No charge has this reference. */
const NO_CHARGE = 'forestall-doctor-no-charge';

const NAME = 'processor';

/** What the settings of a processor are called where they are written. */
interface SettingNames {
  readonly address: string;
  readonly secret: string;
}

const OF_ORGANISATION: SettingNames = {
  address: 'FORESTALL_PROCESSOR',
  secret: 'FORESTALL_PROCESSOR_SECRET',
};

const OF_MERCHANT: SettingNames = {
  address: "the merchant's processor in the installation file",
  secret: "the merchant's processor_secret in the installation file",
};

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
    readingLine(value, OF_ORGANISATION, signal),
    value.capabilities(signal),
  ]);
  return [reading, safetyLine(capabilities, OF_ORGANISATION)];
};

/** One line for each merchant with a processor of its own. */
export const merchantLines: DoctorCheck = async ({ merchants = [], service }) => {
  if (merchants.length === 0) return [];
  const organisation = await readOrganisationMode(
    createProbeSender(service),
    service.organisationId,
  );
  return await Promise.all(merchants.map((merchant) => merchantLine(merchant, organisation)));
};

/** It answers, what it offers, and that it is of the organisation's kind: the first that is not well is the line. */
async function merchantLine(
  { id, processor }: DoctorMerchant,
  organisation: Mode,
): Promise<StatusLine> {
  const name = `processor of merchant ${id}`;
  if ('problem' in processor) {
    return failed(name, processor.problem, `Correct ${OF_MERCHANT.address}.`);
  }
  const { value } = processor;
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  const [reading, capabilities] = await Promise.all([
    readingLine(value, OF_MERCHANT, signal),
    value.capabilities(signal),
  ]);
  const safety = safetyLine(capabilities, OF_MERCHANT);
  const mode = modeLine(organisation, capabilities?.mode ?? 'unknown');
  const [worst] = [reading, safety, mode].toSorted((a, b) => weightOf(b) - weightOf(a));
  if (worst !== undefined && worst.status !== 'ok') return { ...worst, name };
  return ok(name, [reading, safety, mode].map(({ detail }) => detail).join('; '));
}

function weightOf({ status }: StatusLine): number {
  return ['ok', 'warning', 'failed'].indexOf(status);
}

function modeLine(organisation: Mode, money: Mode): StatusLine {
  const detail = `organisation ${organisation}, processor ${money}`;
  return isModeClash(organisation, money) ? failed(MODE, detail, SAME_KIND) : ok(MODE, detail);
}

/** What to do about a processor that gives no usable answer, by what it did instead. */
const SILENT_STEPS: readonly (readonly [RegExp, (names: SettingNames) => string])[] = [
  [
    /answered 40[13]/,
    ({ secret }): string =>
      `It refuses our signature or our rights: compare ${secret} on both sides.`,
  ],
  [/answered 5/, (): string => 'It fails itself: read its log.'],
  [
    /timeout|aborted/,
    (): string => 'It takes longer than 3 s: look at its load, and for a firewall between.',
  ],
  [
    /broken|never_sent/,
    ({ address }): string =>
      `Check host, port, DNS and certificate of ${address}, and that it runs.`,
  ],
];

function silentStep(reason: string, names: SettingNames): string {
  const known = SILENT_STEPS.find(([pattern]) => pattern.test(reason));
  return known?.[1](names) ?? downStep(names);
}

function downStep({ secret }: SettingNames): string {
  return `Check its address, ${secret}, and whether it is down.`;
}

async function readingLine(
  processor: Processor,
  names: SettingNames,
  signal: AbortSignal,
): Promise<StatusLine> {
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
        silentStep(answer.reason, names),
      );
  }
}

/** Alerts live about 48 hours, some only 24: a refund that settles later is declared too late. */
const ALERT_HOURS_MIN = 24;

/** What happens to a refund whose answer is lost depends on these, and whether it is declared in time. */
export function safetyLine(
  capabilities: ProcessorCapabilities | undefined,
  names: SettingNames,
): StatusLine {
  const name = 'processor contract';
  if (capabilities === undefined) {
    return failed(name, 'it did not say what it offers', downStep(names));
  }
  const { canLookupByReference, idempotencyTtlHours, refusesOverRefund } = capabilities;
  const ttl = idempotencyTtlHours === 0 ? 'none' : `${idempotencyTtlHours} h`;
  const detail = `look-up by key ${canLookupByReference ? 'yes' : 'no'}, keys live ${ttl}, refuses over-refunds ${refusesOverRefund ? 'yes' : 'no'}`;
  if (!canLookupByReference && idempotencyTtlHours === 0) {
    const step =
      'Offer GET /refunds?idempotency_key=: without it every lost answer waits for a person.';
    return warning(name, detail, step);
  }
  const { asyncRefunds, pendingCounts, settlesAfterHours = 0 } = capabilities;
  if (asyncRefunds && !pendingCounts && settlesAfterHours >= ALERT_HOURS_MIN) {
    const settled = `${detail}, refunds settle after ${settlesAfterHours} h and pending ones are not declared`;
    const step =
      'Each alert would be refunded and still run out unanswered. Set pendingCounts, which declares a refund as soon as it is accepted, or have people answer these alerts.';
    return warning(name, settled, step);
  }
  if (!refusesOverRefund) {
    const step =
      'Nothing at the processor stops a second refund made by hand at the same moment: agree with support, or let partial refunds go to review.';
    return warning(name, detail, step);
  }
  return ok(name, detail);
}

const MODE = 'test or live';
const SAME_KIND = 'Use a key and a processor of the same kind; work does not start like this.';

export const modeLines: DoctorCheck = async ({ processor, service, settings }) => {
  const name = MODE;
  const sender = createProbeSender(service);
  const isThere = 'value' in processor && settings.processor.kind !== 'none';
  const [organisation, money] = await Promise.all([
    readOrganisationMode(sender, service.organisationId),
    isThere ? readProcessorMode(processor.value) : ('unknown' as const),
  ]);
  const line = modeLine(organisation, money);
  const { detail } = line;
  if (line.status === 'failed') return [line];
  if (!isThere || (organisation !== 'unknown' && money !== 'unknown')) return [ok(name, detail)];
  const step =
    'Compare by hand: test organisations have a name that begins with [TEST]. It is checked at every start once the key may simulate alerts and the processor states its mode.';
  return [warning(name, detail, step)];
};
