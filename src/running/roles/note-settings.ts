/** How a worker is set, noted at its start for all who tell people what works: the rows do not show it. */
import { nowDate } from '../../base/kernel/clock.ts';
import { channelNames } from '../../base/notify/notify-settings.ts';
import { writeWorkerSettings } from '../../books/insights/health.store.ts';
import type { OrganisationParts } from './parts.ts';
import type { WorkOptions } from './work-options.ts';

/** Notes it; of several workers that are set apart, the one that started last counts. */
export async function noteSettings(
  { database, organisationId, clock }: OrganisationParts,
  { mode, processor, notify, policy, reconcileSeconds }: WorkOptions,
): Promise<void> {
  await writeWorkerSettings(
    database.db,
    { organisationId, now: nowDate(clock) },
    {
      mode,
      hasProcessor: processor.name !== 'none',
      channels: channelNames(notify ?? {}),
      pollSeconds: reconcileSeconds,
      policy: ownerOf(policy),
    },
  );
}

/** Who says which policy is in force. */
function ownerOf({
  origin,
  followsConsole,
}: WorkOptions['policy']): 'file' | 'program' | 'console' {
  if (followsConsole === true) return 'console';
  return origin === undefined ? 'program' : 'file';
}
