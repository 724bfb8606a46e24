/** Saved views: searches of alerts and reviews that people keep under a name. */
import type { Capability } from '../../surface/capability.ts';
import { savedView } from './saved-view.table.ts';

export const savedViews: Capability = { name: 'saved-views', tables: [savedView] };
