/** The pages of events: who is told of them. And the call by which programs read the stream. */
import type { CapabilityPages } from '../../surface/capability.ts';
import { changesCall } from './changes-call.ts';
import { ENDPOINTS_PATH } from './endpoint-parts.ts';
import { registerEndpoints } from './endpoints-page.ts';

export const eventsPages: CapabilityPages = {
  menu: { path: ENDPOINTS_PATH, label: 'Endpoints', group: 'Control', icon: 'webhook' },
  register: registerEndpoints,
  api: [changesCall],
};
