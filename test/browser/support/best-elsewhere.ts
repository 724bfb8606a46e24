/**
 * What a task takes in the best of Stripe, Linear, Sentry and Svix, as the public documentation of each tells the steps: none
 * of them can be measured here. Counted are the fewest that the page allows, from the first page after signing in: a click, a key or a text is
 * one, a choice from a list is one, and a confirmation that the page does not name is none. So the true number is this or more.
 */
export interface Elsewhere {
  readonly product: 'Stripe' | 'Linear' | 'Sentry' | 'Svix';
  readonly steps: number;
  readonly how: string;
  /** The page that says so. */
  readonly page: string;
}

/** By task; a task that none of them documents is not here, and its place says so. */
export const BEST_ELSEWHERE = {
  'find a card': {
    product: 'Stripe',
    steps: 3,
    how: 'the search box, the last four digits, the result that appears',
    page: 'https://docs.stripe.com/dashboard/search',
  },
  'see why an alert was refunded': {
    product: 'Stripe',
    steps: 3,
    how: 'the search box, the identifier, Enter; the risk insights stand on the page of the payment',
    page: 'https://docs.stripe.com/dashboard/search',
  },
  'see whether a webhook was lost': 'not documented',
  'accept one dispute with the mouse': {
    product: 'Stripe',
    steps: 4,
    how: 'Disputes, Needs Response, the payment, Accept dispute',
    page: 'https://docs.stripe.com/payments/ach-direct-debit',
  },
  'refund one alert': {
    product: 'Stripe',
    steps: 5,
    how: 'Transactions, the overflow menu, Refund payment, a reason, Refund',
    page: 'https://docs.stripe.com/refunds',
  },
  'decide ten reviews': {
    product: 'Stripe',
    steps: 21,
    how: 'the review queue, the first payment, Approve for each, J between them',
    page: 'https://docs.stripe.com/radar/reviews',
  },
  'claim a review': {
    product: 'Stripe',
    steps: 2,
    how: 'the review queue, the person icon of the row',
    page: 'https://docs.stripe.com/radar/reviews',
  },
  'claim a review and ask a colleague': 'not documented',
  'refund three at once': {
    product: 'Stripe',
    steps: 6,
    how: 'Transactions, three boxes, Refund, a reason',
    page: 'https://docs.stripe.com/refunds',
  },
  'agree as the second person': 'not documented',
  'hand a review over': {
    product: 'Linear',
    steps: 3,
    how: 'the list, A over the issue, the person',
    page: 'https://linear.app/docs/assigning-issues',
  },
  'see what is due within the hour': {
    product: 'Stripe',
    steps: 2,
    how: 'Disputes, Needs Response',
    page: 'https://docs.stripe.com/payments/klarna/disputes',
  },
  'see who decided what last week': {
    product: 'Linear',
    steps: 3,
    how: 'Workspace settings, Administration, Audit log; by days it cannot be narrowed there',
    page: 'https://linear.app/docs/audit-log',
  },
  'see won and lost of last month': 'not documented',
  'see the sum of credits to claim': 'not documented',
  'export last month': {
    product: 'Stripe',
    steps: 4,
    how: 'Refunds, Export, the period, Export',
    page: 'https://support.stripe.com/questions/exporting-refund-reports',
  },
  'find the alerts behind a bar': {
    product: 'Sentry',
    steps: 3,
    how: 'Dashboards, the ellipsis of the widget, Open in Issues',
    page: 'https://docs.sentry.io/product/dashboards/',
  },
  'see what counts in a ratio': 'not documented',
  'add a document': 'not documented',
  'hand in the evidence of a dispute': {
    product: 'Stripe',
    steps: 9,
    how: 'Disputes, Needs Response, the payment, Counter dispute, the reason, Next, the evidence, the checkbox, Submit evidence',
    page: 'https://docs.stripe.com/payments/klarna/disputes',
  },
  'approve a policy': 'not documented',
  'try a policy on the past': {
    product: 'Stripe',
    steps: 6,
    how: 'Radar, Rules, Add rule, its type, the rule, Test rule',
    page: 'https://docs.stripe.com/radar/rules',
  },
  'see which webhook was refused and why': {
    product: 'Svix',
    steps: 2,
    how: 'the endpoint, the message with its attempts',
    page: 'https://docs.svix.com/receiving/using-app-portal/testing-events',
  },
  'see which webhooks were lost': 'not documented',
  'see what a webhook carried': {
    product: 'Svix',
    steps: 2,
    how: 'the endpoint, the message with its payload',
    page: 'https://docs.svix.com/receiving/using-app-portal/testing-events',
  },
  'take a stored event up again': {
    product: 'Svix',
    steps: 4,
    how: 'the endpoint, the message, the options menu of an attempt, Resend',
    page: 'https://docs.svix.com/receiving/using-app-portal/replaying-messages',
  },
  'send an event to an endpoint again': {
    product: 'Svix',
    steps: 4,
    how: 'the endpoint, the message, the options menu of an attempt, Resend',
    page: 'https://docs.svix.com/receiving/using-app-portal/replaying-messages',
  },
  'stop refunds and let them go': 'not documented',
  'see whether it works': {
    product: 'Stripe',
    steps: 1,
    how: 'Workbench',
    page: 'https://docs.stripe.com/dashboard/basics',
  },
  'see which part is ill': {
    product: 'Stripe',
    steps: 1,
    how: 'Workbench',
    page: 'https://docs.stripe.com/dashboard/basics',
  },
  'reach the decision by ear': 'not documented',
} as const satisfies Readonly<Record<string, Elsewhere | 'not documented'>>;
