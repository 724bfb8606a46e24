/** What an API key may be allowed to do. A key without the ability is answered `403 FORBIDDEN`. */

/** Every ability of the specification. `simulations:enrollments` really has two l. */
export const ABILITIES = [
  'rulesets:read',
  'rulesets:write',
  'merchants:read',
  'merchants:write',
  'enrolments_v2:read',
  'enrolments_v2:write',
  'enrolments:read',
  'enrolments:write',
  'orders:read',
  'orders:write',
  'orders:update',
  'alerts:read',
  'alerts:write',
  'lookups:read',
  'integrations:read',
  'integrations:write',
  'simulations:alerts',
  'simulations:enrollments',
  'simulations:lookups',
  'simulations:scheme_notices',
] as const;

/** One ability. */
export type Ability = (typeof ABILITIES)[number];
