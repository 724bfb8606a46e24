/** The pages of evidence, and what it says on the pages of an alert and of orders. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { evidenceOfAlert, lackingOfOrders, registerEvidence } from './page.ts';

export const evidencePages: CapabilityPages = {
  menu: { path: '/evidence', label: 'Evidence', group: 'Network', icon: 'scale' },
  register: registerEvidence,
  onAlert: evidenceOfAlert,
  onOrders: lackingOfOrders,
};
