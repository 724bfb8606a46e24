/** The page of the estate. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { readMerchantNames } from './estate-look.store.ts';
import { registerEstatePage } from './page.ts';

export const estatePages: CapabilityPages = {
  menu: { path: '/estate', label: 'Estate', group: 'Network', icon: 'network' },
  register: registerEstatePage,
  merchantNames: readMerchantNames,
};
