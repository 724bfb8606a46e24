/** What a merchant may set for itself, by the names that settings have. */
import { z } from 'zod';
import { ALL_SECRETS, remoteFaults, remoteShape } from '../remote-settings.ts';

export const merchantShape = z.object({
  FORESTALL_PROCESSOR: remoteShape.FORESTALL_PROCESSOR,
  FORESTALL_PROCESSOR_SECRET: remoteShape.FORESTALL_PROCESSOR_SECRET,
  FORESTALL_PROCESSOR_EVENTS: remoteShape.FORESTALL_PROCESSOR_EVENTS,
  FORESTALL_PROCESSOR_EVENT_SECRETS: remoteShape.FORESTALL_PROCESSOR_EVENT_SECRETS,
  FORESTALL_POLICY: z.string().min(1).optional(),
  FORESTALL_MATCHING: z.string().min(1).optional(),
});

/** What is wrong with a merchant's settings, each by the setting's name. */
export function merchantFaults(settings: Readonly<Record<string, string>>): readonly string[] {
  const parsed = merchantShape.safeParse(settings);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`);
  }
  const { data } = parsed;
  if (data.FORESTALL_PROCESSOR === 'sandbox') {
    return ['FORESTALL_PROCESSOR must be none, an http or https address, or the path of a module.'];
  }
  return remoteFaults(data, ALL_SECRETS);
}
