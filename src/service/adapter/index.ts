/**
 * What adapters of payment providers share: one call with every way it can end, the outcome that a shown refund
 * means, exact amounts, and reading what a provider sends without trusting it.
 *
 * The templates under `processors/` are written with it; so can yours be. What decides about money (which word means
 * what, which refusal has which class) is in the adapter, which is yours.
 *
 * @module
 */

export {
  type AdapterCalls,
  type AdapterParts,
  adapterOf,
  type Undone,
} from './adapter.ts';
export { fromDecimal, type ProviderUnits, providerUnits, rescale, toDecimal } from './amounts.ts';
export { CallFailure } from './call-failure.ts';
export {
  type Caller,
  type CallerRequest,
  callerOf,
  nullIfMissing,
  type ProviderAnswer,
  type ProviderApi,
  releaseAuthorised,
} from './caller.ts';
export { type CertificateAt, certificatesBy, isValidAt } from './certificates.ts';
export {
  type DisputeCalls,
  type DisputeParts,
  dueOf,
  fileBlob,
  readableDispute,
  type ShownDispute,
} from './disputes.ts';
export {
  type EventReceiver,
  type EventReceiverOptions,
  eventReceiver,
  serveEvents,
} from './event-server.ts';
export { integerAt, isObject, type JsonObject, objectsAt, textAt, utcAt, valueAt } from './json.ts';
export { modeOfHost, type StatedMode } from './mode.ts';
export {
  asList,
  classesOf,
  classOf,
  fitsUnasked,
  foundAmong,
  movedMinor,
  NOT_REPRESENTABLE,
  outcomeOf,
  ownRefundAmong,
  ownRefundIn,
  type Refusal,
  readAs,
  readableCharge,
  readableRefund,
  refusedOr,
  type Shown,
  unavailable,
} from './outcome.ts';
export {
  ANSWER_BYTES_MAX,
  CALL_TIMEOUT_MS,
  callProvider,
  isDenial,
  isRefusal,
  type ProviderEnd,
  type ProviderReply,
  type ProviderRequest,
  reasonFor,
  singleCall,
  UPLOAD_TIMEOUT_MS,
} from './provider-call.ts';
export { type AccessTokens, accessTokens, type TokenAccess } from './token.ts';
export {
  type EventWords,
  type HmacSigned,
  isHmacOf,
  isoOfSeconds,
  isSame,
  jsonOf,
  kindOf,
  UNSAID,
  verdictOfAge,
} from './webhook.ts';
export { oursOf, type WordsBy, type WordTable, wordsOf } from './words.ts';
