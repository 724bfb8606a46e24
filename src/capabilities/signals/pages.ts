/** The calls of the JSON API about claims. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { claimCalls } from './claim-calls.ts';

export const signalsPages: CapabilityPages = { api: claimCalls };
