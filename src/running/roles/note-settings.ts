/** How a worker is set, noted at its start for all who tell people what works: the rows do not show it. */

import { writeWorkerSettings } from '../../alerts/cases/worker-settings.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { channelNames } from '../../base/notify/notify-settings.ts';
import type { OrganisationParts } from './parts.ts';
import type { WorkOptions } from './work-options.ts';

/** Notes it; of several workers that are set apart, the one that started last counts. */
export async function noteSettings(
  { database, organisationId, clock }: OrganisationParts,
  options: WorkOptions,
): Promise<void> {
  const { mode, notify, policy, reconcileSeconds, merchants = [] } = options;
  // After a restore, "could it refund?" is about every processor that money may have gone through.
  const processors = [options, ...merchants].flatMap(({ processor }) => processor ?? []);
  await writeWorkerSettings(
    database.db,
    { organisationId, now: nowDate(clock) },
    {
      mode,
      hasProcessor: processors.some(({ name }) => name !== 'none'),
      channels: channelNames(notify ?? {}),
      pollSeconds: reconcileSeconds,
      policy: ownerOf(policy),
    },
  );
}

/** Who says which policy is in force. */
function ownerOf(policy: WorkOptions['policy']): 'file' | 'program' | 'console' {
  const { origin, followsConsole } = policy;
  if (followsConsole === true) return 'console';
  return origin === undefined ? 'program' : 'file';
}
