/**
 * Adyen's disputes, and evidence for them: the Disputes API says which defences a dispute has and takes documents for one
 * of them; what a dispute is and how it is now is in your stored notifications alone, because no call reads it.
 * https://docs.adyen.com/risk-management/disputes-api
 *
 * A defence whose answer is lost is not sent again: its INFORMATION_SUPPLIED notification proves that it arrived, and
 * nothing proves that it did not, so a person looks.
 *
 * The key needs the role for API dispute management. Switch on "Include dispute PSP reference" of the webhook.
 */
import type { DisputesAPI } from '@adyen/api-library';
import type {
  EvidenceElement,
  EvidenceSlot,
  EvidenceWanted,
  ProcessorDispute,
  ProcessorDisputeStatus,
} from 'forestall';
import type { DisputeParts, JsonObject } from 'forestall/adapter';
import {
  CallFailure,
  classesOf,
  dueOf,
  isObject,
  oursOf,
  readableDispute,
  textAt,
  utcAt,
  wordsOf,
} from 'forestall/adapter';
import type { AdyenNotifications } from './notifications.ts';
import { amountOf } from './words.ts';

/** What `additionalData.disputeStatus` says. */
export const ADYEN_DISPUTE_WORDS: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['Undefended'],
  under_review: ['Pending', 'Responded'],
  won: ['Won'],
  lost: ['Lost'],
  accepted: ['Accepted'],
  expired: ['Expired', 'Unresponded'],
});

/** What the event says where the status is left out, as for payments in Brazil. */
const BY_EVENT: Readonly<Record<string, ProcessorDisputeStatus>> = wordsOf({
  needs_response: ['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK'],
  under_review: ['INFORMATION_SUPPLIED', 'CHARGEBACK_REVERSED', 'PREARBITRATION_OPEN'],
  won: [
    'ISSUER_RESPONSE_TIMEFRAME_EXPIRED',
    'PREARBITRATION_WON',
    'PREARBITRATION_ISSUER_WITHDRAWN',
  ],
  lost: ['SECOND_CHARGEBACK', 'PREARBITRATION_LOST', 'PREARBITRATION_ACCEPTED'],
  expired: ['DISPUTE_DEFENSE_PERIOD_ENDED'],
});

export const ADYEN_DISPUTE_CLASSES = classesOf({ ours: '000 010 702 901' });

/** What a document of the type shows; any other type is for anything. */
const HOLDS: Readonly<Record<string, readonly EvidenceElement[]>> = {
  InvoiceShowingDistinctTransactions: ['other_payment'],
  ProofOfGoodsOrServicesProvided: ['delivery'],
  ProofOfRecurringTransaction: ['subscription'],
  CancellationOrRefundPolicy: ['refund_policy'],
};

/** The type that takes a letter with everything. */
const OF_ANYTHING = 'DefenseMaterial';

const PDF_MAX = 2 * 1024 * 1024;

/** The Disputes API of the SDK, under your credentials. */
export type AdyenDisputesApi = DisputesAPI['DisputesApi'];

export interface AdyenDisputeOptions {
  readonly merchantAccount: string;
  readonly notifications: AdyenNotifications & Required<Pick<AdyenNotifications, 'disputesSince'>>;
  /** Codes of defences, the best first. @default the one that requires the fewest documents */
  readonly defenses?: readonly string[];
}

/** What the client of a call has for disputes. */
export interface WithDisputes {
  readonly disputes: AdyenDisputesApi;
}

export function adyenDisputes(options: AdyenDisputeOptions): DisputeParts<WithDisputes> {
  const { merchantAccount: merchantAccountCode, notifications } = options;
  const read = async (
    { disputes }: WithDisputes,
    reference: string,
  ): Promise<ProcessorDispute | string | null> => {
    const stored = await notifications.ofPayment(reference).catch(() => {
      throw new CallFailure('the stored notifications could not be read');
    });
    const dispute = disputeOf(reference, stored.filter(isObject));
    if (dispute === null || typeof dispute === 'string') return dispute;
    if (dispute.status !== 'needs_response') return dispute;
    const asked = { disputePspReference: reference, merchantAccountCode };
    const { defenseReasons } = await disputes.retrieveApplicableDefenseReasons(asked);
    return { ...dispute, ...takenBy(defenseReasons ?? [], options.defenses ?? []) };
  };
  const parts: DisputeParts<WithDisputes> = {
    abilities: {
      // A notification comes within minutes, mostly; one that is missing proves nothing.
      lookupLagSeconds: 1800,
      requestLifetimeSeconds: 600,
      showsSubmissions: false,
      showsStaged: false,
    },
    classes: ADYEN_DISPUTE_CLASSES,

    list: async (api, { changedSince }) => {
      const since = changedSince ?? new Date(0).toISOString();
      const references = await notifications.disputesSince(since).catch(() => {
        throw new CallFailure('the stored notifications could not be searched');
      });
      const disputes: (ProcessorDispute | string)[] = [];
      for (const reference of references) {
        disputes.push((await read(api, reference)) ?? `${reference} has no notification`);
      }
      return { disputes, cursor: null };
    },

    read,

    stage: async ({ disputes }, { disputeReference, slot, type, content, idempotencyKey }) => {
      const [, defenseDocumentTypeCode = ''] = slot.split('/');
      const document = {
        content: Buffer.from(content).toString('base64'),
        contentType: type,
        defenseDocumentTypeCode,
      };
      const supplied = await disputes.supplyDefenseDocument(
        {
          defenseDocuments: [document],
          disputePspReference: disputeReference,
          merchantAccountCode,
        },
        { idempotencyKey },
      );
      checkSuccess(supplied.disputeServiceResult);
      return { reference: slot, idempotencyKey, slot };
    },

    submit: async ({ disputes }, { disputeReference, files, idempotencyKey }, shown) => {
      const [defenseReasonCode = ''] = files[0]?.slot.split('/') ?? [];
      const defended = await disputes.defendDispute(
        { defenseReasonCode, disputePspReference: disputeReference, merchantAccountCode },
        { idempotencyKey },
      );
      checkSuccess(defended.disputeServiceResult);
      return { ...shown, status: 'under_review', submission: { idempotencyKey, at: null } };
    },

    accept: async ({ disputes }, idempotencyKey, shown) => {
      const accepted = await disputes.acceptDispute(
        { disputePspReference: shown.reference, merchantAccountCode },
        { idempotencyKey },
      );
      checkSuccess(accepted.disputeServiceResult);
      return { ...shown, status: 'accepted' };
    },
  };
  return parts;
}

/** Longest word of Adyen's that is told to people. */
const WORD_MAX = 120;

/** Adyen answers 200 also where it did not do what was asked, and says so. */
function checkSuccess(
  result: { readonly success?: boolean; readonly errorMessage?: string } | undefined,
): void {
  if (result?.success === true) return;
  if (result?.success !== false)
    throw new CallFailure('the answer does not say whether it is done');
  const code = (result.errorMessage ?? 'not done').slice(0, WORD_MAX);
  throw new CallFailure(code, { code, refusal: { code, failureClass: 'final' } });
}

interface Defense {
  readonly defenseReasonCode: string;
  readonly defenseDocumentTypes?: readonly {
    readonly defenseDocumentTypeCode: string;
    readonly requirementLevel: string;
    readonly available: boolean;
  }[];
}

/** What the chosen defence takes: the merchant's first that the dispute has, else the first that asks for least. */
function takenBy(
  defenses: readonly Defense[],
  preferred: readonly string[],
): Pick<ProcessorDispute, 'wants' | 'staged'> {
  const required = ({ defenseDocumentTypes = [] }: Defense): number =>
    defenseDocumentTypes.filter(({ requirementLevel }) => requirementLevel === 'Required').length;
  const chosen =
    preferred
      .map((code) => defenses.find(({ defenseReasonCode }) => defenseReasonCode === code))
      .find((each) => each !== undefined) ??
    defenses.toSorted((a, b) => required(a) - required(b))[0];
  const types = chosen?.defenseDocumentTypes ?? [];
  const general = generalOf(types);
  const slots = types.map((type): EvidenceSlot => {
    const { defenseDocumentTypeCode: code } = type;
    return {
      name: slotOf(chosen, code),
      holds: type === general ? [] : (HOLDS[code] ?? ['authenticity']),
      isRequired: type === general || type.requirementLevel === 'Required',
    };
  });
  const staged = types.flatMap(({ available, defenseDocumentTypeCode: code }) => {
    const slot = slotOf(chosen, code);
    return available ? [{ reference: slot, idempotencyKey: null, slot }] : [];
  });
  return { wants: { ...NOTHING, slots, filesMax: slots.length }, staged };
}

/** The one type that takes the whole of it. */
function generalOf<Type extends NonNullable<Defense['defenseDocumentTypes']>[number]>(
  types: readonly Type[],
): Type | undefined {
  const isAsked = ({ requirementLevel }: Type): boolean => requirementLevel !== 'Optional';
  return (
    types.find(({ defenseDocumentTypeCode: code }) => code === OF_ANYTHING) ??
    types.find(isAsked) ??
    types[0]
  );
}

function slotOf(defense: Defense | undefined, typeCode: string): string {
  return `${defense?.defenseReasonCode ?? ''}/${typeCode}`;
}

/** A dispute that cannot be defended takes nothing. */
const NOTHING: EvidenceWanted = {
  fields: [],
  slots: [],
  fileTypes: ['application/pdf', 'image/jpeg'],
  fileBytesMax: PDF_MAX,
  allBytesMax: 5 * PDF_MAX,
  filesMax: 0,
};

/** The dispute as its notifications show it, the latest last; null where there are none. */
function disputeOf(
  reference: string,
  items: readonly JsonObject[],
): ProcessorDispute | string | null {
  const own = items
    .filter((item) => item['pspReference'] === reference && statusOf(item) !== undefined)
    .toSorted((a, b) => (utcAt(a, 'eventDate') ?? '').localeCompare(utcAt(b, 'eventDate') ?? ''));
  const last = own.at(-1);
  const first = own[0];
  if (last === undefined || first === undefined) return null;
  const text = (name: string): string | null =>
    own.map((item) => textAt(item, 'additionalData', name)).findLast((each) => each !== null) ??
    null;
  const amount = amountOf(first);
  const due = text('defensePeriodEndsAt');
  const supplied = own.find((item) => item['eventCode'] === 'INFORMATION_SUPPLIED');
  return readableDispute({
    reference,
    chargeReference: textAt(first, 'originalReference'),
    reasonCode: text('chargebackReasonCode'),
    amountMinor: amount?.amountMinor,
    currency: amount?.currency,
    status: statusOf(last),
    dueBy: dueOf(due),
    openedAt: utcAt(first, 'eventDate'),
    acquirerReferenceNumber: text('arn'),
    wants: NOTHING,
    staged: [],
    submission:
      supplied === undefined ? null : { idempotencyKey: null, at: utcAt(supplied, 'eventDate') },
  });
}

function statusOf(item: JsonObject): ProcessorDisputeStatus | undefined {
  const said = oursOf(ADYEN_DISPUTE_WORDS, textAt(item, 'additionalData', 'disputeStatus'));
  const event = textAt(item, 'eventCode') ?? '';
  // Of another kind of question there is no dispute yet.
  if (event === 'REQUEST_FOR_INFORMATION' || event === 'NOTIFICATION_OF_FRAUD') return undefined;
  return said ?? oursOf(BY_EVENT, event);
}
