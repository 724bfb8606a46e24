/** Figures of a month, and the outcome of alerts lately, on today's page. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { FIGURES_PATH, registerFigures } from './page.ts';
import { figuresOnToday } from './recent-part.ts';

export const figuresPages: CapabilityPages = {
  menu: { path: FIGURES_PATH, label: 'Figures', group: 'Books', icon: 'activity' },
  register: registerFigures,
  onToday: figuresOnToday,
};
