/** The pages of credits: the claims, one claim, an invoice compared. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { registerCredits } from './list-page.ts';

export const creditsPages: CapabilityPages = {
  menu: { path: '/credits', label: 'Credits', group: 'Books', icon: 'wallet' },
  register: registerCredits,
};
