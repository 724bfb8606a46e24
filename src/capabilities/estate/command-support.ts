/** What the estate commands share: which file is meant, and reading what the service holds. */
import type { PartnerContext } from '../../surface/terminal/command.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import type { EstateClient, RemoteEstate } from './plan/remote-estate.ts';
import { readRemoteEstate } from './plan/remote-estate.ts';
import { estateFile } from './settings.ts';

/** What is said about the option `--file`. */
export const FILE_HELP = 'the estate file (default: FORESTALL_ESTATE, else estate.yaml)';

/** The estate file: the one that is named, else that of the settings. */
export function fileOf(
  { file }: { readonly file?: string },
  { settings }: Pick<PartnerContext, 'settings'>,
): string {
  return file ?? settings.of(estateFile) ?? 'estate.yaml';
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
