/** The page of ratios, and their column on the page of all organisations. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { registerCounted } from './counted-page.ts';
import { ratioColumn } from './ratio-column.ts';
import { registerRatios } from './ratios-page.ts';

export const ratiosPages: CapabilityPages = {
  menu: { path: '/ratios', label: 'Ratios', group: 'Books', icon: 'chart-column' },
  register: (router, context, form) => {
    registerRatios(router, context, form);
    registerCounted(router, context);
  },
  organisationColumn: ratioColumn,
};
