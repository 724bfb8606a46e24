/**
 * Whether an adapter moves real money, as its key or its address tells. Forestall does not start with a
 * test organisation and a live processor, or the reverse.
 */
import type { ProcessorCapabilities } from '../wire/processor.ts';

/** What an adapter states of itself; nothing where it cannot be known. */
export type StatedMode = Pick<ProcessorCapabilities, 'mode'>;

/** The mode of the provider's address. A proxy of your own states nothing. */
export function modeOfHost(
  baseUrl: string,
  hosts: { readonly test: RegExp; readonly live: RegExp },
): StatedMode {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  if (hosts.test.test(host)) return { mode: 'test' };
  return hosts.live.test(host) ? { mode: 'live' } : {};
}
