/**
 * Opens what vouches for the processor's webhooks: the signed form of the HTTP contract, or a module, which
 * needs the webhook's secret only. The public port then holds no key that can move money.
 */
import { createVerifier, readSignature } from '../../alerts/receive/signature.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createHttpEvents } from '../../service/processor/http-events.ts';
import type { EventVerdict, ProcessorEvents } from '../../service/wire/processor-event.ts';
import type { Settings } from '../config.ts';
import type { EventSettings } from '../remote-settings.ts';
import { importModule } from './open-processor.ts';

/** @throws {ConfigError} when the module cannot be loaded or exports no events */
export async function openEvents(
  settings: EventSettings,
  clock: Clock,
): Promise<ProcessorEvents | undefined> {
  switch (settings.kind) {
    case 'none':
      return undefined;
    case 'http':
      return signedEvents(settings.secrets, clock);
    case 'module':
      return eventsIn(await importModule(settings.path, 'FORESTALL_PROCESSOR_EVENTS'));
    default:
      return settings satisfies never;
  }
}

/** The same of each merchant that has a processor of its own. */
export async function openMerchantEvents(
  { layers }: Pick<Settings, 'layers'>,
  clock: Clock,
): Promise<ReadonlyMap<string, ProcessorEvents>> {
  const found = new Map<string, ProcessorEvents>();
  for (const { id, processorEvents } of layers?.merchants ?? []) {
    const events = await openEvents(processorEvents, clock);
    if (events !== undefined) found.set(id, events);
  }
  return found;
}

/** The events of the HTTP contract under these secrets. */
export function signedEvents(secrets: readonly string[], clock: Clock): ProcessorEvents {
  const verifier = createVerifier({ secrets, clock });
  return createHttpEvents({
    isForm: (header) => readSignature([header]).ok,
    verify(header, raw): EventVerdict {
      const verdict = verifier.verify(header, raw);
      if (verdict.ok) return { kind: 'genuine' };
      return { kind: verdict.authentic ? 'stale' : 'forged' };
    },
  });
}

function eventsIn(module: unknown): ProcessorEvents {
  const own = memberOf(module, 'events') ?? memberOf(memberOf(module, 'processor'), 'events');
  if (isEvents(own)) return own;
  throw new ConfigError(
    'The module that FORESTALL_PROCESSOR_EVENTS names exports neither "events" nor a "processor" with them: name, admits, verify, read. "forestall add --list" names adapters to copy.',
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isEvents(value: unknown): value is ProcessorEvents {
  const name = memberOf(value, 'name');
  return (
    typeof name === 'string' &&
    /^[a-z0-9-]{1,40}$/.test(name) &&
    ['admits', 'verify', 'read'].every((method) => typeof memberOf(value, method) === 'function')
  );
}
