/** The pages of measured costs. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { savingsOfMonth } from './savings-part.ts';

export const costPages: CapabilityPages = { ofMonth: savingsOfMonth };
