/** What the estate commands share: the partner's client, reading the service, exit statuses. */
import { readFileSync } from 'node:fs';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { readEstateSettings } from '../../running/config.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { EstateClient, RemoteEstate } from '../../service/estate/remote-estate.ts';
import { readRemoteEstate } from '../../service/estate/remote-estate.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { tellFailure } from './lifecycle.ts';
import { findRunning } from './running.ts';

/** What is said about the option `--file`. */
export const FILE_HELP = 'the estate file (default: FORESTALL_ESTATE, else estate.yaml)';

/** The estate file: the one that is named, else that of the settings. */
export function fileOf({ file }: { readonly file?: string }): string {
  return file ?? readEstateSettings().FORESTALL_ESTATE ?? 'estate.yaml';
}

/** Reads a file that the command line names. @throws {ConfigError} when it cannot be read */
export function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause) ?? 'unknown reason';
    throw new ConfigError(`${path} cannot be read (${code}). Check the path.`, { cause });
  }
}

/** There is something to do, or something is not done yet. */
export const EXIT_CHANGES = 2;

/** Runs a command. Every failure ends with 1: 2 has a meaning of its own here. */
export async function runEstate(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    tellFailure(error);
    process.exitCode = EXIT.wrong;
  }
}

/** Reads what the service holds, and says how far it is. */
export async function readSlowly(
  client: EstateClient,
  organisations: readonly string[],
): Promise<RemoteEstate> {
  const progress = createProgress('Objects read');
  try {
    return await readRemoteEstate(client, organisations, (objects) =>
      progress.update(objects, objects),
    );
  } finally {
    progress.stop();
  }
}

/** The organisation of the settings, or of what runs in this folder. */
export async function ownOrganisation(): Promise<string> {
  const { FORESTALL_ORGANISATION_ID: named, FORESTALL_SERVICE_URL: url } = readEstateSettings();
  if (named !== undefined) return named;
  if (url === undefined) return (await findRunning()).organisationId;
  throw new ConfigError(
    'Whose estate? Name organisations with --organisation, or set FORESTALL_ORGANISATION_ID.',
  );
}

/** A client with the partner key alone: what an organisation key may not see must not look empty. */
export async function openClient(): Promise<EstateClient> {
  const {
    FORESTALL_SERVICE_URL: url,
    FORESTALL_PARTNER_API_KEY: partnerApiKey,
    FORESTALL_BRAND_TOKENS: brandTokens,
  } = readEstateSettings();
  const endpoint = url === undefined ? await sandboxEndpoint() : { url, partnerApiKey };
  if (endpoint.partnerApiKey === undefined) {
    throw new ConfigError(
      'Merchants and enrolments need a partner key. Set FORESTALL_PARTNER_API_KEY.',
    );
  }
  return createServiceClient({
    baseUrl: endpoint.url,
    partnerApiKey: endpoint.partnerApiKey,
    brandTokens: createBrandTokens(brandTokens),
  });
}

async function sandboxEndpoint(): Promise<{
  readonly url: string;
  readonly partnerApiKey: string;
}> {
  const { sandbox } = await findRunning();
  if (sandbox === undefined) {
    throw new ConfigError(
      'No service is named and no sandbox runs in this folder. Set FORESTALL_SERVICE_URL, or run "forestall start" here.',
    );
  }
  return { url: sandbox.serviceUrl, partnerApiKey: sandbox.partnerApiKey };
}
