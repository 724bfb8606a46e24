/** What a charge goes by. */

/** A charge of an organisation. */
export interface ChargeKey {
  readonly organisationId: string;
  readonly chargeReference: string;
}
