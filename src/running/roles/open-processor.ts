/** Opens the merchant's processor as the settings name it: none, an HTTP endpoint, or a module. */
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { maskingProcessor } from '../../alerts/cases/masking-processor.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { ConfigError, messageOf } from '../../base/kernel/errors.ts';
import { createHttpProcessor } from '../../service/processor/http-processor.ts';
import { createNoProcessor } from '../../service/processor/no-processor.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { ProcessorSettings } from '../remote-settings.ts';
import { createProbeSender, refuseModeClash } from './organisation-mode.ts';
import type { OrganisationParts } from './parts.ts';
import { followSourceImports } from './source-imports.ts';

/** The settings, the sandbox's address filled in. */
export type ProcessorEndpoint = Exclude<ProcessorSettings, { kind: 'sandbox' }>;

/** What a processor can be asked. */
export const PROCESSOR_METHODS = [
  'capabilities',
  'searchCharges',
  'readCharge',
  'findRefund',
  'refund',
  'voidCharge',
  'cancelSubscription',
] as const satisfies readonly (keyof Processor)[];

/** @throws {ConfigError} when the module cannot be loaded or exports no processor */
export async function openProcessor(endpoint: ProcessorEndpoint, clock: Clock): Promise<Processor> {
  return maskingProcessor(await openUnmasked(endpoint, clock));
}

async function openUnmasked(endpoint: ProcessorEndpoint, clock: Clock): Promise<Processor> {
  switch (endpoint.kind) {
    case 'none':
      return createNoProcessor();
    case 'http':
      return createHttpProcessor({
        baseUrl: endpoint.url,
        get secret(): string {
          return endpoint.secret;
        },
        clock,
      });
    case 'module':
      return await importProcessor(endpoint.path);
    default:
      return endpoint satisfies never;
  }
}

/**
 * Opens the processor for work: a live one never meets a test organisation, nor the reverse.
 *
 * @throws {ConfigError} also where both say what they are and differ
 */
export async function openOwnProcessor(
  endpoint: ProcessorEndpoint,
  parts: OrganisationParts,
): Promise<Processor> {
  const processor = await openProcessor(endpoint, parts.clock);
  await refuseForeignMode(processor, parts);
  return processor;
}

/** @throws {ConfigError} where organisation and processor say what they are and differ */
export async function refuseForeignMode(
  processor: Processor,
  { endpoints: { serviceUrl, apiKey }, organisationId, brandTokens }: OrganisationParts,
): Promise<void> {
  const service = { url: serviceUrl, apiKey, partnerApiKey: undefined, brandTokens };
  await refuseModeClash(createProbeSender(service), organisationId, processor);
}

/** Loads a module of the merchant; a second time gives the same. @throws {ConfigError} when it cannot be */
export async function importModule(path: string, setting: string): Promise<unknown> {
  const { href } = pathToFileURL(resolve(path));
  followSourceImports();
  try {
    return await import(href);
  } catch (error) {
    // Why a module cannot be loaded helps; where it lies is a setting's value, and who asked for it is our file.
    const reason = [href, resolve(path), path]
      .reduce((text, value) => text.replaceAll(value, 'the module'), messageOf(error))
      .replace(` imported from ${fileURLToPath(import.meta.url)}`, '');
    // What the module throws itself has a next step of its own.
    const isNodes = error instanceof SyntaxError || (error instanceof Error && 'code' in error);
    throw new ConfigError(
      `The module that ${setting} names cannot be loaded: ${reason.replace(/\.$/, '')}.${isNodes ? ' Check the path and what it imports.' : ''}`,
      { cause: error },
    );
  }
}

/** Loads the merchant's processor. @throws {ConfigError} when the module exports none */
export async function importProcessor(
  path: string,
  setting = 'FORESTALL_PROCESSOR',
): Promise<Processor> {
  const module = await importModule(path, setting);
  const processor: unknown =
    typeof module === 'object' && module !== null && 'processor' in module
      ? module.processor
      : undefined;
  if (!isProcessor(processor)) {
    throw new ConfigError(
      `The module that ${setting} names exports no "processor" with name, ${PROCESSOR_METHODS.join(', ')}. "forestall add --list" names adapters to copy.`,
    );
  }
  return processor;
}

/** Whether it has every method of the port. */
export function isProcessor(value: unknown): value is Processor {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'name') === 'string' &&
    PROCESSOR_METHODS.every((method) => typeof Reflect.get(value, method) === 'function')
  );
}
