/** An estate and a later version of it. PAIR is replaced by what is unique to an organisation. */
export const FIRST = `
merchants:
  - { key: eu, name: Europe, type: GENERIC }
  - { key: us, name: America, type: GENERIC }
enrolments:
  - { key: eu-alerts, type: NETA_ALERT, merchants: [eu], descriptors: [{ descriptor: 'EXAMPLE*EU PAIR', match_type: STARTS_WITH }] }
  - { key: eu-rdr, type: NETB_RDR, merchants: [eu], bin: '400000', caid: 'PAIR1' }
  - { key: us-rdr, type: NETB_RDR, merchants: [us], bin: '400001', caid: 'PAIR2' }
rulesets:
  - { key: big, enrolments: [eu-rdr, us-rdr], outcome: ACCEPT_DISPUTE, amount: { operator: GREATER_THAN, value: 100.00 USD } }
`;
/** Changes every kind of thing: names, descriptors, a rule in place, a ruleset that must be replaced. */
export const SECOND = FIRST.replace('name: America', 'name: United States')
  .replace(
    'match_type: STARTS_WITH }] }',
    "match_type: STARTS_WITH }, { descriptor: 'NEW PAIR', match_type: EXACT_MATCH }] }",
  )
  .replace(
    'outcome: ACCEPT_DISPUTE, amount: { operator: GREATER_THAN, value: 100.00 USD }',
    'outcome: ACCEPT_DISPUTE, join: OR, amount: { operator: GREATER_THAN, value: 50.00 USD }, descriptors: [{ value: GIFT, match_type: STARTS_WITH }]',
  )
  .replace('merchants:\n', 'merchants:\n  - { key: jp, name: Japan, type: GENERIC }\n');
