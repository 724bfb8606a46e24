/** The page of a charge, and the call that tells the same to programs. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { historyCall } from './history-call.ts';
import { registerCharge } from './page.ts';

export const historyPages: CapabilityPages = {
  register: registerCharge,
  unlisted: ['/charges'],
  api: [historyCall],
};
