/** The pages of representments: the disputes that are contested, and the pack of one. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { registerDocuments } from './documents/pages.ts';
import { registerDisputes } from './filing/pages.ts';
import { registerRepresentments } from './list-page.ts';
import { registerOutcomes } from './outcomes/page.ts';
import { registerRepresentment } from './pack-page.ts';

export const representmentsPages: CapabilityPages = {
  menu: { path: '/representments', label: 'Representments', group: 'Network', icon: 'gavel' },
  register(router, context, form): void {
    registerDocuments(router, context, form);
    registerOutcomes(router, context);
    registerDisputes(router, context, form);
    registerRepresentments(router, context);
    registerRepresentment(router, context, form);
  },
};
