/**
 * The groups of operations in the document.
 */
export const TAGS = [
  { name: 'Rulesets', description: 'What the network answers to disputes by itself.' },
  { name: 'Merchants', description: 'One per acquiring MID or CAID. Partner keys only.' },
  { name: 'Enrolments', description: 'Merchants in prevention programmes. Partner keys only.' },
  { name: 'Orders', description: 'The order feed.' },
  { name: 'Alerts', description: 'Notices of networks, and how each was resolved.' },
  { name: 'Integrations', description: 'Sources of orders and transactions.' },
  { name: 'Lookups', description: 'Requests of networks for order data.' },
  { name: 'Simulations', description: 'Makes things happen in test organisations.' },
  { name: 'Events', description: 'Webhooks the service sends.' },
  { name: 'Processor', description: 'The HTTP processor contract, played by the sandbox.' },
  {
    name: 'Control',
    description: 'The sandbox itself: its clock, faults, accounts and books. No key.',
  },
] as const;
