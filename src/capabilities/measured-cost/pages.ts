/** The pages of measured costs. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { COSTS_PATH, registerCosts } from './page.ts';
import { savingsOfMonth } from './savings-part.ts';

export const costPages: CapabilityPages = {
  menu: { path: COSTS_PATH, label: 'Refund or accept', group: 'Books', icon: 'scale' },
  register: registerCosts,
  ofMonth: savingsOfMonth,
};
