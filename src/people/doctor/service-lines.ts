/** The service: reachable, its clock, the keys with every ability, and the integration. */
import { messageOf } from '../../base/kernel/errors.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import { createProbeSender } from '../../running/roles/organisation-mode.ts';
import { createSkewMeter } from '../../service/client/clock-skew.ts';
import type { Sender } from '../../service/client/sender.ts';
import type { Integration } from '../../service/wire/integration.ts';
import { CUSTOM_ORDERS_TYPE, integrationSchema } from '../../service/wire/integration.ts';
import type { DoctorCheck, DoctorService } from './context.ts';
import type { AbilityProbe, ProbeAnswer } from './probe.ts';
import { ABILITY_PROBES, probeAbility } from './probe.ts';

/** Difference of clocks worth a word, and the one at which webhooks are about to be refused (300 s). */
const SKEW_WARNING_MS = 30_000;
const SKEW_FAILED_MS = 120_000;

const KEY_STEP = {
  organisation: 'Create a key in the dashboard, Settings, API keys, and set FORESTALL_API_KEY.',
  partner: 'Create a partner key in the dashboard and set FORESTALL_PARTNER_API_KEY.',
} as const;

export const serviceLines: DoctorCheck = async ({ service, clock }) => {
  const skew = createSkewMeter(clock);
  const sender = createProbeSender(service, { onResponse: skew.onResponse });
  const hasPartnerKey = service.partnerApiKey !== undefined;
  const probes = ABILITY_PROBES.filter(
    ({ endpoint }) => endpoint.key !== 'partner' || hasPartnerKey,
  );
  // All at once: one after the other a slow service would take half a minute.
  const answers = new Map(
    await Promise.all(
      probes.map(async (probe) => [probe, await probeAbility(sender, probe)] as const),
    ),
  );
  const reached = [...answers.values()].some(({ kind }) => kind !== 'no_answer');
  if (!reached) return [unreachable([...answers.values()])];
  return [
    ok('service', 'answers'),
    clockLine(skew.skewMs()),
    ...keyLines(service, answers),
    await integrationLine(sender, service),
  ];
};

function unreachable(answers: readonly ProbeAnswer[]): StatusLine {
  const codes = new Set(answers.flatMap((each) => (each.kind === 'no_answer' ? [each.code] : [])));
  const [code = ''] = codes;
  const step =
    NO_ANSWER_STEPS[code] ?? 'Check FORESTALL_SERVICE_URL, and whether the service is down.';
  return failed('service', `no answer (${[...codes].join(', ')})`, step);
}

/** What to do, by the client's word for what happened. */
const NO_ANSWER_STEPS: Readonly<Record<string, string>> = {
  TIMEOUT:
    'It takes longer than 3 s: look for a proxy or a firewall, and at the service’s status page.',
  NETWORK:
    'Check the host in FORESTALL_SERVICE_URL, DNS, the firewall, and the certificate that a proxy shows.',
  SERVER_ERROR:
    'The service fails itself: look at its status page. Alerts wait, and are polled once it is back.',
  UNREADABLE: 'Something else answers there: compare FORESTALL_SERVICE_URL with the dashboard.',
};

function clockLine(skewMs: number | undefined): StatusLine {
  const name = 'clock, service';
  if (skewMs === undefined) return ok(name, 'not told by the service');
  const detail = `the service is ${Math.round(skewMs / 1_000)} s ahead of this machine`;
  const step =
    'Switch time synchronisation (NTP) on: from 300 s on every webhook would be refused.';
  if (Math.abs(skewMs) >= SKEW_FAILED_MS) return failed(name, detail, step);
  return Math.abs(skewMs) >= SKEW_WARNING_MS ? warning(name, detail, step) : ok(name, detail);
}

type Answers = ReadonlyMap<AbilityProbe, ProbeAnswer>;

/** A line for each key, and for each ability of a key that is accepted. */
function keyLines(service: DoctorService, answers: Answers): StatusLine[] {
  const lines: StatusLine[] = [];
  for (const key of ['organisation', 'partner'] as const) {
    const own = [...answers].filter(([probe]) => probe.endpoint.key === key);
    const name = key === 'organisation' ? 'API key' : 'partner key';
    if (key === 'partner' && service.partnerApiKey === undefined) {
      const detail = 'none is set: enrolments are known from webhooks only';
      lines.push(warning(name, detail, `${KEY_STEP.partner} It may only read.`));
    } else if (own.some(([, answer]) => answer.kind === 'key_refused')) {
      lines.push(failed(name, 'refused by the service (401)', KEY_STEP[key]));
    } else {
      lines.push(ok(name, 'accepted'));
      lines.push(...own.map(([probe, answer]) => abilityLine(probe, answer)));
    }
  }
  return lines;
}

function abilityLine({ ability, use, needed }: AbilityProbe, answer: ProbeAnswer): StatusLine {
  const name = `ability ${ability}`;
  if (answer.kind === 'may') return ok(name, use);
  if (answer.kind === 'no_answer') {
    return warning(name, `could not be tried (${answer.code})`, 'Run the doctor again later.');
  }
  const step = 'Give the key this ability in the dashboard, Settings, API keys.';
  const detail = `missing: ${use} does not work`;
  return needed ? failed(name, detail, step) : warning(name, detail, step);
}

/** Integrations listed at most. */
const INTEGRATIONS_MAX = 500;

async function integrationLine(sender: Sender, service: DoctorService): Promise<StatusLine> {
  const name = 'integration';
  const found: Integration[] = [];
  try {
    const endpoint = { method: 'GET', template: '/v1/integrations/', key: 'organisation' } as const;
    for await (const integration of sender.all(endpoint, {}, integrationSchema)) {
      found.push(integration);
      if (found.length >= INTEGRATIONS_MAX) break;
    }
  } catch (error) {
    return warning(name, messageOf(error), 'Correct the lines above, then run the doctor again.');
  }
  return judgeIntegrations(found, service.integrationId);
}

/** Orders go to exactly one integration, and it must be one that takes them. Pure. */
export function judgeIntegrations(
  found: readonly Integration[],
  wanted: string | undefined,
): StatusLine {
  const name = 'integration';
  const custom = found.filter(({ type }) => type === CUSTOM_ORDERS_TYPE);
  const chosen = wanted === undefined ? custom[0] : found.find(({ id }) => id === wanted);
  if (wanted === undefined && custom.length > 1) {
    const ids = custom.map(({ id }) => id).join(', ');
    const detail = `${custom.length} take orders (${ids}), and none is chosen`;
    return failed(name, detail, 'Set FORESTALL_INTEGRATION_ID to one of them.');
  }
  if (chosen === undefined) {
    const detail = wanted === undefined ? 'none takes orders' : `${wanted} is not among them`;
    const step = `Create one of type ${CUSTOM_ORDERS_TYPE} in the dashboard, or correct FORESTALL_INTEGRATION_ID.`;
    return failed(name, detail, step);
  }
  if (chosen.type !== CUSTOM_ORDERS_TYPE) {
    const detail = `${chosen.id} is of type ${chosen.type}: it takes PARTIAL orders only`;
    const step = `Use an integration of type ${CUSTOM_ORDERS_TYPE} for an order feed of your own.`;
    return warning(name, detail, step);
  }
  return ok(name, `${chosen.id}, type ${chosen.type}`);
}
