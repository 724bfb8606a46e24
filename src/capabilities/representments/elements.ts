/**
 * What our rows say about each element of a pack, in sentences for the bank. Pure.
 *
 * Each sentence is a claim with its predicate beside it (`payment-claims.ts`, `order-claims.ts`): nothing is argued
 * that no row says, and nothing that another row denies.
 */
import type { Sentence } from './claim.ts';
import { tellDocuments } from './documents/claims.ts';
import {
  tellAddresses,
  tellCommunication,
  tellCustomer,
  tellDelivery,
  tellDevice,
  tellItems,
  tellOrder,
  tellSubscription,
  tellTerms,
  tellVerification,
} from './order-claims.ts';
import type { PackFacts } from './pack-facts.ts';
import type { ElementName } from './pack-rules.ts';
import {
  tellAuthorisation,
  tellEarlier,
  tellOther,
  tellPayment,
  tellRefund,
} from './payment-claims.ts';

type Teller = (facts: PackFacts) => readonly Sentence[];

const TELLERS: Readonly<Record<ElementName, Teller>> = {
  payment: tellPayment,
  authorisation: tellAuthorisation,
  verification: tellVerification,
  order: tellOrder,
  items: tellItems,
  customer: tellCustomer,
  device: tellDevice,
  addresses: tellAddresses,
  delivery: tellDelivery,
  terms: tellTerms,
  subscription: tellSubscription,
  communication: tellCommunication,
  refund: tellRefund,
  earlier_payments: tellEarlier,
  other_payment: tellOther,
  // Not in the order feed: they are documents of the library.
  refund_policy: () => [],
  authenticity: () => [],
};

/** What the rows, and the documents, say about an element; nothing where they do not hold it. */
export function sentencesOf(element: ElementName, facts: PackFacts): readonly Sentence[] {
  const sentences = TELLERS[element](facts);
  return [...sentences, ...tellDocuments(element, facts, sentences.length > 0)];
}
