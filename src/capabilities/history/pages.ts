/** The page of a charge. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { registerCharge } from './page.ts';

export const historyPages: CapabilityPages = { register: registerCharge };
