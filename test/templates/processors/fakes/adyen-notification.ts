/** Adyen's notifications in the shape of its published examples. */

/** A `NotificationRequestItem`. */
export function notification(
  eventCode: string,
  fields: Record<string, unknown> & { readonly pspReference: string },
): Record<string, unknown> {
  return {
    eventCode,
    success: 'true',
    eventDate: '2026-09-21T14:13:20+02:00',
    merchantAccountCode: 'ShopECOM',
    merchantReference: 'order-6735',
    paymentMethod: 'visa',
    reason: '',
    amount: { currency: 'EUR', value: 1000 },
    ...fields,
  };
}
