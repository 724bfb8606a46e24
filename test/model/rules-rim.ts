/** The rules at the rim: money that is known in part, orders and signs that come late, people who err (A1 to A9). */
import type { Rule } from './rules.ts';

export const RIM_RULES = {
  olderNeedsWord: {
    says: "money older than the complaint covers a part of the charge by a person's word only (A1)",
    without: 'it is taken for this complaint',
    scenario: 'older money, for another',
    breaks: 'L4',
  },
  olderAsksPerson: {
    says: 'beside older money nothing is refunded for a part by itself (A1)',
    without: 'it is refunded on top',
    scenario: 'older money, for this one',
    breaks: 'L3',
  },
  acceptLooksAtCandidates: {
    says: 'an alert without a charge is not conceded beside money that is out, or about to go, on a charge that a sign points at (A2)',
    without: 'where no charge is known nothing is looked at',
    scenario: 'weak sign',
    breaks: 'L5',
  },
  personToldFirst: {
    says: 'a person who accepts an alert without a charge beside such money is told of it first, and chooses then (A2)',
    without: 'their word is enough, although nothing was told them',
    scenario: 'weak sign',
    breaks: 'L5',
  },
  weakAcceptStands: {
    says: 'an acceptance that a sign ties to the charge stands against its refunds (A2)',
    without: 'only one that names the charge does',
    scenario: 'weak sign',
    breaks: 'L5',
  },
  doubtEndsByPerson: {
    says: 'a person says which charge it is, also after the alert closed (A2)',
    without: 'nobody can',
    scenario: 'weak sign',
    breaks: 'L7 alert 2',
  },
  acceptanceAdopted: {
    says: 'what was accepted before its order came stands on the charge that the order teaches (A2)',
    without: 'it stays without a charge',
    scenario: 'late order',
    breaks: 'L5',
  },
  resumedAcceptLooks: {
    says: 'an acceptance that was decided without a charge is decided anew once the charge is known (A2)',
    without: 'it is said as it was decided',
    scenario: 'late order',
    breaks: 'L5',
  },
  networkDoubtStops: {
    says: 'network money that a sign ties to the charge stops its refund (A2)',
    without: 'it waits for its own charge',
    scenario: 'RDR by a sign',
    breaks: 'L8',
  },
  networkDoubtEnds: {
    says: 'a person names the charge of network money, although its alert is closed (A2)',
    without: 'nobody can',
    scenario: 'RDR by a sign',
    breaks: 'L7 alert 1',
  },
  unsaidMayBeAll: {
    says: 'network money of which neither amount nor outcome is said may be the whole charge for what goes out (A3)',
    without: 'it is nothing',
    scenario: 'RDR says too little',
    breaks: 'L8',
  },
  unsaidIsNoCover: {
    says: 'and is nothing for what is declared (A3)',
    without: 'it covers what the alert asks for',
    scenario: 'RDR says too little',
    breaks: 'L4',
  },
  foreignNetworkStops: {
    says: 'network money in another currency stops refunds (A3)',
    without: 'it is compared with nothing',
    scenario: 'RDR in another currency',
    breaks: 'L8',
  },
  foreignNetworkSaid: {
    says: 'a person says how much of the charge it is (A3)',
    without: 'nobody can',
    scenario: 'RDR in another currency',
    breaks: 'L7 alert 1',
  },
  approvalNamesWord: {
    says: 'an approval names its kind: agreeing to a refund is no word about money (A4)',
    without: 'it serves whatever is said for the alert',
    scenario: 'two words',
    breaks: 'G1',
  },
  agreesToShown: {
    says: 'a second person agrees to what their page shows (A4)',
    without: 'to whatever is asked for by then',
    scenario: 'approvals',
    breaks: 'G1',
  },
  limitCountsComplaint: {
    says: 'the limit counts what one complaint gets in all (A4)',
    without: 'each refund for itself',
    scenario: 'approvals',
    breaks: 'G1',
  },
  vainActKeepsFallback: {
    says: 'what a person asks for and cannot be made gives the fallback back (A5)',
    without: 'the alert has none any more',
    scenario: 'asked in vain',
    breaks: 'L7 alert 1',
  },
  referenceOnce: {
    says: 'money that is named by its reference counts once (A6)',
    without: 'in every statement anew',
    scenario: 'wrong reference',
    breaks: 'L4',
  },
  comparedBeforeSending: {
    says: 'what the match rested on is compared with the alert as it is read before money goes (A7)',
    without: 'the first reading stays',
    scenario: 'corrected alert',
    breaks: 'L3',
  },
  resendCompares: {
    says: 'and before a request that is proven not to have executed is sent again (A7)',
    without: 'it is sent again for what the alert said before',
    scenario: 'corrected alert',
    breaks: 'L3',
  },
  disputeTold: {
    says: 'a dispute of what was refunded is told in the transaction that reads it (A8)',
    without: 'it is no money, and no news',
    scenario: 'disputed after the answer',
    breaks: 'L6',
  },
  captureShrinkPaged: {
    says: 'a second capture under a REFUND is found in the transaction that reads it (A8)',
    without: 'only money that comes back is looked for',
    scenario: 'captured once more',
    breaks: 'L6',
  },
  ownProvider: {
    says: 'a request in doubt is asked for and sent again at its own provider only (A9)',
    without: 'at whichever is set',
    scenario: 'another provider',
    breaks: 'L3',
  },
} as const satisfies Record<string, Rule>;
