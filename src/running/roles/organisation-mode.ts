/**
 * Whether the organisation is a test one and whether the processor moves real money: live keys against a
 * test organisation, or the reverse, must never run.
 *
 * Both kinds of organisation share one address, and no operation shows an organisation's name. What does
 * tell is the simulation of an alert through an enrolment that does not exist: a live organisation refuses
 * any simulation, a test organisation only this one. Nothing is created either way. A key without that
 * ability leaves it unknown, and a processor says so only if it wants to.
 */
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Endpoint } from '../../service/client/call.ts';
import type { ClientHooks } from '../../service/client/options.ts';
import { readOptions } from '../../service/client/options.ts';
import type { Sender } from '../../service/client/sender.ts';
import { createSender } from '../../service/client/sender.ts';
import { isServiceError } from '../../service/client/service-error.ts';
import type { BrandTokens } from '../../service/wire/brand-tokens.ts';
import type { Processor } from '../../service/wire/processor.ts';

export interface ServiceAddress {
  readonly url: string;
  readonly apiKey: string;
  readonly partnerApiKey: string | undefined;
  readonly brandTokens: BrandTokens;
}

/** Longest wait for one answer, in milliseconds: the doctor's whole report takes less than ten seconds. */
export const PROBE_MS_MAX = 3_000;

/** Creates the sender of questions that have no effect, the doctor's too. @throws {ConfigError} when the address or a key is unusable */
export function createProbeSender(service: ServiceAddress, hooks?: ClientHooks): Sender {
  return createSender(
    readOptions({
      baseUrl: service.url,
      apiKey: service.apiKey,
      partnerApiKey: service.partnerApiKey,
      brandTokens: service.brandTokens,
      userAgent: 'forestall-doctor',
      timeoutMs: PROBE_MS_MAX,
      hooks,
    }),
  );
}

/** `unknown`: it could not be found out. */
export type Mode = 'test' | 'live' | 'unknown';

const SIMULATE: Endpoint = {
  method: 'POST',
  template: '/v1/simulate/alerts',
  key: 'organisation',
  writer: z.unknown(),
};

/** No enrolment has this id. */
const NO_ENROLMENT = 'enrl_00000000000000000000000000';

/** What the service shows the organisation to be. */
export async function readOrganisationMode(sender: Sender, organisationId: string): Promise<Mode> {
  const refusal = await simulate(sender, organisationId);
  if (isServiceError(refusal, 'SIMULATION_NOT_ALLOWED')) return 'live';
  return isMissing(refusal, 'enrolment_id') ? 'test' : 'unknown';
}

/** Whether the key reaches the organisation; undefined where it could not be found out. */
export async function reachesOrganisation(
  sender: Sender,
  organisationId: string,
): Promise<boolean | undefined> {
  const refusal = await simulate(sender, organisationId);
  if (isMissing(refusal, 'organisation_id')) return false;
  const isReached =
    isServiceError(refusal, 'SIMULATION_NOT_ALLOWED') || isMissing(refusal, 'enrolment_id');
  return isReached ? true : undefined;
}

function isMissing(refusal: unknown, field: string): boolean {
  return isServiceError(refusal, 'NOT_FOUND') && refusal.field === field;
}

/** Tries to simulate an alert through an enrolment that does not exist. Returns what it was refused with. */
async function simulate(sender: Sender, organisationId: string): Promise<unknown> {
  const body = {
    organisation_id: organisationId,
    enrolment_id: NO_ENROLMENT,
    status: 'ACTION_REQUIRED',
    card_scheme: 'SCHEME_A',
    amount_in_cents: 100,
    currency_code: 'USD',
    transaction_acquirer_reference_number: '0'.repeat(23),
    transaction_authorisation_code: '000000',
  };
  try {
    await sender.raw(SIMULATE, { body, options: { attemptsMax: 1 } });
    return undefined;
  } catch (error) {
    return error;
  }
}

export async function readProcessorMode(processor: Pick<Processor, 'capabilities'>): Promise<Mode> {
  return (await processor.capabilities())?.mode ?? 'unknown';
}

/** Whether the two must not meet. */
export function isModeClash(organisation: Mode, processor: Mode): boolean {
  return organisation !== 'unknown' && processor !== 'unknown' && organisation !== processor;
}

/**
 * Refuses to continue where a test organisation meets a live processor, or the reverse. What cannot be known
 * passes: a service that is away must not keep a restarted worker from its deadlines.
 *
 * @throws {ConfigError} naming both
 */
export async function refuseModeClash(
  sender: Sender,
  organisationId: string,
  processor: Pick<Processor, 'capabilities'>,
): Promise<void> {
  const processorMode = await readProcessorMode(processor);
  // Only a processor that says what it is gives reason to ask.
  if (processorMode === 'unknown') return;
  const organisationMode = await readOrganisationMode(sender, organisationId);
  if (isModeClash(organisationMode, processorMode)) {
    throw new ConfigError(
      `FORESTALL_API_KEY belongs to a ${organisationMode} organisation and FORESTALL_PROCESSOR is a ${processorMode} one. Use both of the same kind.`,
    );
  }
}
