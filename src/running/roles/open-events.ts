/** Opens what vouches for the processor's webhooks, as a setting of the door says that takes them. */
import type { Clock } from '../../base/kernel/clock.ts';
import type { Given } from '../../base/kernel/setting.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import { CAPABILITY_DOORS } from '../../capabilities/doors.ts';
import type { ProcessorEvents } from '../../service/wire/processor-event.ts';
import type { Vouching } from '../../surface/door.ts';
import type { Settings } from '../config.ts';
import { importModule } from './open-processor.ts';

type Open = (how: Vouching) => Promise<ProcessorEvents>;

function saidIn(given: Given): Open | undefined {
  const settings = openSettings(given);
  const [first] = CAPABILITY_DOORS.flatMap(({ vouchFor }) => vouchFor?.(settings) ?? []);
  return first;
}

/** @throws {ConfigError} when a module cannot be loaded or exports no events */
export function openEvents(
  { given }: Pick<Settings, 'given'>,
  clock: Clock,
): Promise<ProcessorEvents | undefined> {
  return saidIn(given)?.({ clock, importModule }) ?? Promise.resolve(undefined);
}

/** The same of each merchant that has a processor of its own. */
export async function openMerchantEvents(
  { layers }: Pick<Settings, 'layers'>,
  clock: Clock,
): Promise<ReadonlyMap<string, ProcessorEvents>> {
  const found = new Map<string, ProcessorEvents>();
  for (const { id, given } of layers?.merchants ?? []) {
    const events = await openEvents({ given }, clock);
    if (events !== undefined) found.set(id, events);
  }
  return found;
}

/** Whether the sandbox's processor is the one in use, and nothing else is said of its webhooks. */
export function tellsItself({ service, processor, given }: Settings): boolean {
  return service.kind === 'sandbox' && processor.kind === 'sandbox' && saidIn(given) === undefined;
}
