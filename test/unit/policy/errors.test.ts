/** Guarantee: a policy that is wrong is refused, and each slip is named with its line, column and the word that was meant. */
import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../../src/policy/load.ts';
import { PolicyError } from '../../../src/policy/source.ts';

/** What loading says, line by line. */
function problemsOf(text: string): string[] {
  try {
    loadPolicy(text, { file: 'p.yaml' });
  } catch (error) {
    if (error instanceof PolicyError) return error.message.split('\n');
    throw error;
  }
  return [];
}

type Bad = [string, string, readonly string[]];

/** A slip in a rule, in its fifth line. */
function inRule(line: string, message: string): Bad[] {
  const rule = '  - name: a\n    when: {currency: USD}\n    then: REFUND\n    ';
  return [[line, `rules:\n${rule}${line}\notherwise: REVIEW\n`, [message]]];
}

/** A slip in a condition, which begins in column 11 of the third line. */
function asking(when: string, message: string): Bad[] {
  const text = `rules:\n  - name: a\n    when: ${when}\n    then: REFUND\notherwise: REVIEW\n`;
  return [[when, text, [message]]];
}

/** A slip in the first line. */
function atTop(line: string, message: string): Bad[] {
  return [[line, `${line}\nrules: []\notherwise: REVIEW\n`, [message]]];
}

/** Name, text, messages. Columns were counted by hand in the text. */
const BAD: readonly Bad[] = [
  ['empty file', '', ['p.yaml:1:1: the policy is empty. Write "rules:" and "otherwise:".']],
  [
    'only a comment',
    '# nothing\n',
    ['p.yaml:1:1: the policy is empty. Write "rules:" and "otherwise:".'],
  ],
  ['a list', '- a\n', ['p.yaml:1:1: a policy begins with "rules:" and "otherwise:".']],
  ['a word', 'REFUND\n', ['p.yaml:1:1: a policy begins with "rules:" and "otherwise:".']],
  [
    'tab',
    'rules:\n\t- name: a\notherwise: REVIEW\n',
    ['p.yaml:2:1: a tab is used as indentation. Use spaces.'],
  ],
  [
    'open bracket',
    'rules: [\notherwise: REVIEW\n',
    [
      'p.yaml:2:1: the indentation is wrong, or a bracket is not closed. Align it with its neighbours.',
    ],
  ],
  [
    'open quote',
    'rules: []\notherwise: "REVIEW\n',
    ['p.yaml:3:1: a quotation mark or bracket is not closed. Close it.'],
  ],
  [
    'second colon',
    'rules: []\notherwise: REVIEW: now\n',
    ['p.yaml:2:12: a second ":" on one line. Put quotes around the text, or begin a new line.'],
  ],
  [
    'key twice',
    'rules: []\notherwise: REVIEW\notherwise: REFUND\n',
    ['p.yaml:3:1: this key is written twice. Keep one of them.'],
  ],
  [
    'two documents',
    'rules: []\notherwise: REVIEW\n---\nrules: []\n',
    ['p.yaml:3:1: a second document begins here ("---"). Keep one policy per file.'],
  ],
  [
    'alias',
    'rules: []\notherwise: &o REVIEW\nheld: *o\n',
    ['p.yaml:3:7: aliases ("*…") are not used in policies. Write the value out.'],
  ],
  [
    'tag',
    'rules: []\notherwise: !!str REVIEW\n',
    ['p.yaml:2:18: tags ("!…") are not used in policies. Remove it.'],
  ],
  [
    'no otherwise',
    'rules: []\n',
    ['p.yaml:1:1: "otherwise" is missing: say what happens when no rule applies.'],
  ],
  [
    'no rules',
    'otherwise: REVIEW\n',
    ['p.yaml:1:1: "rules" is missing. Without any rule, write "rules: []".'],
  ],
  [
    'unknown top key',
    'rule: []\notherwise: REVIEW\n',
    ['p.yaml:1:1: unknown key "rule". Did you mean "rules"?'],
  ],
  [
    'rules no list',
    'rules: none\notherwise: REVIEW\n',
    ['p.yaml:1:8: "rules" is a list: begin each rule with "- name:".'],
  ],
  [
    'rule no map',
    'rules:\n  - REFUND\notherwise: REVIEW\n',
    ['p.yaml:2:5: a rule has "name:", "when:" and "then:".'],
  ],
  [
    'empty name',
    'rules:\n  - name: ""\n    when: {currency: USD}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:2:11: a name is a text of 1 to 80 characters.'],
  ],
  [
    'no name',
    'rules:\n  - when: {currency: USD}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:2:5: this rule has no "name".'],
  ],
  [
    'no when',
    'rules:\n  - name: a\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:2:5: this rule has no "when". For all other alerts use "otherwise".'],
  ],
  [
    'no then',
    'rules:\n  - name: a\n    when: {currency: USD}\notherwise: REVIEW\n',
    ['p.yaml:2:5: this rule has no "then".'],
  ],
  [
    'unknown rule key',
    'rules:\n  - name: a\n    whne: {currency: USD}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:5: unknown key "whne". Did you mean "when"?'],
  ],
  [
    'same name',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: REFUND\n  - name: a\n    when: {currency: EUR}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:5:11: the name "a" is used in line 2 already. Choose another.'],
  ],
  [
    'unknown condition',
    'rules:\n  - name: a\n    when: {amuont: {at_most: 5 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:12: unknown condition "amuont". Did you mean "amount"?'],
  ],
  [
    'very unknown condition',
    'rules:\n  - name: a\n    when: {zebra: 1}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:12: unknown condition "zebra". "forestall policy words" lists them all.'],
  ],
  [
    'empty when',
    'rules:\n  - name: a\n    when: \n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:11: conditions are written as "name: value", one per line.'],
  ],
  [
    'when a word',
    'rules:\n  - name: a\n    when: always\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:11: conditions are written as "name: value", one per line.'],
  ],
  [
    'empty map',
    'rules:\n  - name: a\n    when: {}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:11: a condition is missing here.'],
  ],
  [
    'amount without bounds',
    'rules:\n  - name: a\n    when: {amount: 50 USD}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:20: "amount" takes bounds: at_least, at_most, above, below, equals.'],
  ],
  [
    'unknown bound',
    'rules:\n  - name: a\n    when: {amount: {at_moast: 50 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:21: unknown bound "at_moast" of "amount". Did you mean "at_most"?'],
  ],
  [
    'no currency',
    'rules:\n  - name: a\n    when: {amount: {at_most: 50}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: "50" is not an amount. Write it like 49.90 USD.'],
  ],
  [
    'comma',
    'rules:\n  - name: a\n    when: {amount: {at_most: "49,90 USD"}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: "49,90 USD" is not an amount. Write it like 49.90 USD.'],
  ],
  [
    'negative',
    'rules:\n  - name: a\n    when: {amount: {at_most: -5 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: "-5 USD" is not an amount. Write it like 49.90 USD.'],
  ],
  [
    'too many decimals',
    'rules:\n  - name: a\n    when: {amount: {at_most: 5.001 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: USD has 2 decimals, "5.001 USD" has 3.'],
  ],
  [
    'JPY decimals',
    'rules:\n  - name: a\n    when: {amount: {at_most: 5.00 JPY}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: JPY has 0 decimals, "5.00 JPY" has 2.'],
  ],
  [
    'lower-case currency',
    'rules:\n  - name: a\n    when: {amount: {at_most: 5 usd}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: "usd" is not a currency. Write three capital letters, like USD.'],
  ],
  [
    'unmovable',
    'rules:\n  - name: a\n    when: {amount: {at_most: 100000000000 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:30: "100000000000 USD" is above any amount that is moved.'],
  ],
  [
    'two currencies',
    'rules:\n  - name: a\n    when: {amount: {at_least: 5 USD, at_most: 50 EUR}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:20: the bounds of one "amount" must be in one currency. Use a list for several.'],
  ],
  [
    'impossible',
    'rules:\n  - name: a\n    when: {amount: {above: 50 USD, below: 50 USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:20: nothing can be within these bounds of "amount".'],
  ],
  [
    'empty list',
    'rules:\n  - name: a\n    when: {amount: []}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:20: the list of "amount" is empty.'],
  ],
  [
    'bad duration',
    'rules:\n  - name: a\n    when: {order_age: {at_most: 30 days}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:33: "30 days" is not a duration. Write it like 30m, 6h or 2d.'],
  ],
  [
    'duration without unit',
    'rules:\n  - name: a\n    when: {time_left: {below: 6}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:31: "6" is not a duration. Write it like 30m, 6h or 2d.'],
  ],
  [
    'unknown status',
    'rules:\n  - name: a\n    when: {order_status: CLOSED_COMPLET}\n    then: REFUND\notherwise: REVIEW\n',
    [
      'p.yaml:3:26: "CLOSED_COMPLET" is no value of "order_status". Did you mean "CLOSED_COMPLETE"?',
    ],
  ],
  [
    'unknown scheme',
    'rules:\n  - name: a\n    when: {scheme: [SCHEME_A, DINERS]}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:31: "DINERS" is no value of "scheme". Known: SCHEME_A, SCHEME_B.'],
  ],
  [
    'flag',
    'rules:\n  - name: a\n    when: {dispatched: yes}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:24: "dispatched" is true or false.'],
  ],
  [
    'currency code',
    'rules:\n  - name: a\n    when: {currency: [USD, Euro]}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:22: "Euro" is not a currency. Write three capital letters, like USD.'],
  ],
  [
    'currency with comparison',
    'rules:\n  - name: a\n    when: {currency: {starts_with: U}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:22: write currencies as USD or [USD, EUR].'],
  ],
  [
    'text comparison',
    'rules:\n  - name: a\n    when: {descriptor: {start_with: A}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:25: unknown comparison "start_with". Did you mean "starts_with"?'],
  ],
  [
    'empty text',
    'rules:\n  - name: a\n    when: {descriptor: ""}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:24: "descriptor" takes a text, or a list of texts.'],
  ],
  [
    'nested text',
    'rules:\n  - name: a\n    when: {issuer: [{a: b}]}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:21: "issuer" takes a text, or a list of texts.'],
  ],
  [
    'any no list',
    'rules:\n  - name: a\n    when: {any: {currency: USD}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:17: "any" takes a list of conditions, each after a "-".'],
  ],
  [
    'inside any',
    'rules:\n  - name: a\n    when: {any: [{currency: USD}, {curency: EUR}]}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:36: unknown condition "curency". Did you mean "currency"?'],
  ],
  [
    'inside not',
    'rules:\n  - name: a\n    when: {not: {mach: none}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:18: unknown condition "mach". Did you mean "match"?'],
  ],
  [
    'unknown outcome',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: REFUNDS\notherwise: REVIEW\n',
    ['p.yaml:4:11: unknown outcome "REFUNDS". Did you mean "REFUND"?'],
  ],
  [
    'CANCEL',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: CANCEL\notherwise: REVIEW\n',
    [
      'p.yaml:4:11: CANCEL is not for CUSTOM_ORDERS integrations. Use REFUND, and cancel with your own system.',
    ],
  ],
  [
    'REFUND_AND_CANCEL',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: REFUND_AND_CANCEL\notherwise: REVIEW\n',
    [
      'p.yaml:4:11: REFUND_AND_CANCEL is not for CUSTOM_ORDERS integrations. Use REFUND, and cancel with your own system.',
    ],
  ],
  [
    'refund amount',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: half}\notherwise: REVIEW\n',
    [
      'p.yaml:4:20: "half" is no refund amount. Known: full, remainder, alert_amount, whole_charge.',
    ],
  ],
  [
    'refund words',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: {sum: full}}\notherwise: REVIEW\n',
    ['p.yaml:4:21: unknown key "sum". Known: amount, when_refused.'],
  ],
  [
    'when refused, what',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: {when_refused: wait}}\notherwise: REVIEW\n',
    [
      'p.yaml:4:35: "when_refused" takes accept. Without it the alert waits for "held" or a person.',
    ],
  ],
  [
    'refund amount near',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: remander}\notherwise: REVIEW\n',
    ['p.yaml:4:20: "remander" is no refund amount. Did you mean "remainder"?'],
  ],
  [
    'accept detail',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {ACCEPT_DISPUTE: now}\notherwise: REVIEW\n',
    ['p.yaml:4:28: ACCEPT_DISPUTE takes nothing after it.'],
  ],
  [
    'two outcomes',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: full, ACCEPT_DISPUTE: ""}\notherwise: REVIEW\n',
    ['p.yaml:4:26: one outcome only. Remove the others.'],
  ],
  [
    'empty outcome',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: \notherwise: REVIEW\n',
    ['p.yaml:4:11: an outcome is missing. Known: REFUND, ACCEPT_DISPUTE, REVIEW.'],
  ],
  [
    'review word',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: later}\notherwise: REVIEW\n',
    ['p.yaml:4:20: write "fallback:" and "at:" here, for example at: 6h before deadline.'],
  ],
  [
    'fallback missing',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {at: 6h before deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:20: "fallback" is missing.'],
  ],
  [
    'at missing',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: REFUND}}\notherwise: REVIEW\n',
    ['p.yaml:4:20: "at" is missing, for example at: 6h before deadline.'],
  ],
  [
    'bad at',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: REFUND, at: 6h after deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:43: "6h after deadline" is no moment. Write it like 6h before deadline.'],
  ],
  [
    'bad at span',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: REFUND, at: six hours before deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:43: "six hours" is not a duration. Write it like 30m, 6h or 2d.'],
  ],
  [
    'review as fallback',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: REVIEW, at: 6h before deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:31: unknown outcome "REVIEW". Known: REFUND, ACCEPT_DISPUTE.'],
  ],
  [
    'refund too late',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: REFUND, at: 14m before deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:43: REFUND needs 15 minutes before the deadline. Give it more time.'],
  ],
  [
    'accept too late',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 4m before deadline}}\notherwise: REVIEW\n',
    ['p.yaml:4:51: ACCEPT_DISPUTE needs 5 minutes before the deadline. Give it more time.'],
  ],
  [
    'refund amount no word',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {REFUND: [full]}\notherwise: REVIEW\n',
    ['p.yaml:4:20: "" is no refund amount. Known: full, remainder, alert_amount, whole_charge.'],
  ],
  [
    'outcome without a word',
    'rules:\n  - name: a\n    when: {currency: USD}\n    then: {}\notherwise: REVIEW\n',
    ['p.yaml:4:11: an outcome is missing. Known: REFUND, ACCEPT_DISPUTE, REVIEW.'],
  ],
  [
    'more after the moment',
    'rules: []\notherwise: REVIEW\nheld: {fallback: ACCEPT_DISPUTE, at: 6h before deadline or so}\n',
    ['p.yaml:3:38: "6h before deadline or so" is no moment. Write it like 6h before deadline.'],
  ],
  [
    'a moment in a second line',
    'rules: []\notherwise: REVIEW\nheld: {fallback: ACCEPT_DISPUTE, at: "x\\n6h before deadline"}\n',
    ['p.yaml:3:38: "x', '6h before deadline" is no moment. Write it like 6h before deadline.'],
  ],
  [
    'no moment',
    'rules: []\notherwise: REVIEW\nheld: {fallback: ACCEPT_DISPUTE, at: [6h]}\n',
    ['p.yaml:3:38: "" is no moment. Write it like 6h before deadline.'],
  ],
  [
    'unknown list beside a known one',
    'lists: {vips: [a]}\nrules:\n  - name: a\n    when: {descriptor: {in_list: vip}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:4:34: unknown list "vip". Did you mean "vips"?'],
  ],
  [
    'held refund',
    'rules: []\notherwise: REVIEW\nheld: {fallback: REFUND, at: 6h before deadline}\n',
    ['p.yaml:3:7: "held" may fall back to ACCEPT_DISPUTE only: a guard held the refund.'],
  ],
  [
    'held word',
    'rules: []\notherwise: REVIEW\nheld: ACCEPT_DISPUTE\n',
    ['p.yaml:3:7: write "fallback:" and "at:" here, for example at: 6h before deadline.'],
  ],
  [
    'several at once',
    'rules:\n  - name: a\n    when: {amuont: {}}\n    then: REFUDN\n  - name: b\notherwise: NOTHING\n',
    [
      'p.yaml:3:12: unknown condition "amuont". Did you mean "amount"?',
      'p.yaml:4:11: unknown outcome "REFUDN". Did you mean "REFUND"?',
      'p.yaml:5:5: this rule has no "when". For all other alerts use "otherwise".',
      'p.yaml:5:5: this rule has no "then".',
      'p.yaml:6:12: unknown outcome "NOTHING". Known: REFUND, ACCEPT_DISPUTE, REVIEW.',
    ],
  ],
  [
    'deep',
    'rules:\n  - name: a\n    when: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {not: {currency: USD}}}}}}}}}}}}}}}}}}}}}\n    then: REFUND\notherwise: REVIEW\n',
    ['p.yaml:3:95: nested deeper than 16 levels. Simplify it.'],
  ],
  ...inRule(
    'also: fire',
    'p.yaml:5:11: unknown action "fire". Known: cancel_subscription, stop_fulfilment, block_customer, notify.',
  ),
  ...inRule(
    'also: [stop_fulfillment]',
    'p.yaml:5:12: unknown action "stop_fulfillment". Did you mean "stop_fulfilment"?',
  ),
  ...inRule('also: []', 'p.yaml:5:11: the list of "also" is empty.'),
  ...inRule(
    'also:',
    'p.yaml:5:10: an action is missing. Known: cancel_subscription, stop_fulfilment, block_customer, notify.',
  ),
  ...inRule(
    'also: [notify, {notify: again}]',
    'p.yaml:5:20: notify is named twice. Keep one of them.',
  ),
  ...inRule('also: {block_customer: now}', 'p.yaml:5:28: block_customer takes nothing after it.'),
  ...inRule('also: {notify: ""}', 'p.yaml:5:20: notify takes a text of 1 to 300 characters.'),
  ...inRule(
    'also: {notify: a, stop_fulfilment: ""}',
    'p.yaml:5:23: one per line: put a "-" before it.',
  ),
  ...asking(
    '{customer_orders: {at_least: many}}',
    'p.yaml:3:40: "many" is not a number. Write it like 3 or 0.5.',
  ),
  ...asking(
    '{customer_orders: {at_least: -1}}',
    'p.yaml:3:40: "-1" is not a number. Write it like 3 or 0.5.',
  ),
  ...asking(
    '{customer_orders: 3}',
    'p.yaml:3:29: "customer_orders" takes bounds: at_least, at_most, above, below, equals.',
  ),
  ...asking(
    '{hour: {above: 5, below: 5}}',
    'p.yaml:3:18: nothing can be within these bounds of "hour".',
  ),
  ...asking(
    '{customer_orders: {at_least: 3x}}',
    'p.yaml:3:40: "3x" is not a number. Write it like 3 or 0.5.',
  ),
  ...asking('{match: {a: b}}', 'p.yaml:3:19: "match" takes a word, or a list of words.'),
  ...asking('{descriptor: {}}', 'p.yaml:3:24: "descriptor" has nothing to compare with.'),
  ...asking('{any: []}', 'p.yaml:3:17: "any" takes a list of conditions, each after a "-".'),
  ...asking(
    '{weekday: wendesday}',
    'p.yaml:3:21: "wendesday" is no value of "weekday". Did you mean "wednesday"?',
  ),
  ...asking(
    '{customer_email: {starts_with: a}}',
    'p.yaml:3:29: unknown comparison "starts_with". Known: equals, in_list.',
  ),
  ...asking(
    '{descriptor: {in_list: vips}}',
    'p.yaml:3:34: unknown list "vips". Name it under "lists".',
  ),
  ...asking('{descriptor: {contains: []}}', 'p.yaml:3:35: the list of "descriptor" is empty.'),
  ...asking(
    '{descriptor: {ends_wiht: A}}',
    'p.yaml:3:25: unknown comparison "ends_wiht". Did you mean "ends_with"?',
  ),
  ...asking(
    '{customer_order: {at_least: 1}}',
    'p.yaml:3:12: unknown condition "customer_order". Did you mean "customer_orders"?',
  ),
  ...asking('{fraud_notice: maybe}', 'p.yaml:3:26: "fraud_notice" is true or false.'),
  ...atTop(
    'timezone: Berlin/Europe',
    'p.yaml:1:11: "Berlin/Europe" is no time zone. Write it like Europe/Berlin.',
  ),
  ...atTop(
    'timezone: Europe/Berlni',
    'p.yaml:1:11: "Europe/Berlni" is no time zone. Did you mean "Europe/Berlin"?',
  ),
  ...atTop(
    'same_part: once',
    'p.yaml:1:12: "same_part" takes review, again (the same complaint) or another (another one).',
  ),
  ...atTop('author: ""', 'p.yaml:1:9: an author is a text of 1 to 80 characters.'),
  ...atTop(
    'lists: vips.txt',
    'p.yaml:1:8: lists are written as "name: file" or "name: [entry, …]".',
  ),
  ...atTop(
    'lists: {vips: vips.txt}',
    'p.yaml:1:15: the list "vips" names the file vips.txt, which cannot be read.',
  ),
  ...atTop('lists: {vips: }', 'p.yaml:1:15: the list "vips" names no file.'),
  ...atTop('lists: {vips: [a, [b]]}', 'p.yaml:1:19: an entry of a list is a text.'),
  ...atTop('lists: {vips: {a: b}}', 'p.yaml:1:15: a list is a file, or entries in brackets.'),
  ...atTop(
    'rates: rates.yaml',
    'p.yaml:1:8: "rates" names the file rates.yaml, which cannot be read.',
  ),
  ...atTop(
    'rates: [USD]',
    'p.yaml:1:8: rates are a file, or "base: USD" and lines like EUR: 1.08.',
  ),
  ...atTop(
    'rates: {EUR: 1.08}',
    'p.yaml:1:8: "base" is missing: the currency that all rates are given in.',
  ),
  ...atTop(
    'rates: {base: dollar}',
    'p.yaml:1:15: "base" is a currency. Write three capital letters, like USD.',
  ),
  ...atTop(
    'rates: {base: USD, Euro: 1.08}',
    'p.yaml:1:20: "Euro" is not a currency. Write three capital letters, like USD.',
  ),
  ...atTop(
    'rates: {base: USD, EUR: 0}',
    'p.yaml:1:25: the rate of EUR is a number above 0, like 1.08.',
  ),
  ...atTop(
    'rates: {base: USD, EUR: "1,08"}',
    'p.yaml:1:25: the rate of EUR is a number above 0, like 1.08.',
  ),
  ...atTop(
    'rates: {base: USD, USD: 1}',
    'p.yaml:1:20: "USD" is the base: its rate is 1. Remove it.',
  ),
  ...atTop(
    'examples: none',
    'p.yaml:1:11: "examples" is a list: begin each example with "- name:".',
  ),
  ...atTop('examples: [none]', 'p.yaml:1:12: an example has "name:", "given:" and "expect:".'),
  ...atTop('examples: [{name: a, expect: REFUND}]', 'p.yaml:1:12: this example has no "given".'),
  ...atTop(
    'examples: [{name: a, given: {}, expects: REFUND}]',
    'p.yaml:1:33: unknown key "expects". Did you mean "expect"?',
  ),
  ...atTop(
    'examples: [{name: a, given: x, expect: REFUND}]',
    'p.yaml:1:29: what is given is written as "name: value", one per line.',
  ),
  ...atTop(
    'examples: [{name: a, given: {amuont: 5 USD}, expect: REFUND}]',
    'p.yaml:1:30: unknown condition "amuont". Did you mean "amount"?',
  ),
  ...atTop(
    'examples: [{name: a, given: {amount: {at_most: 5 USD}}, expect: REFUND}]',
    'p.yaml:1:38: "" is not an amount. Write it like 49.90 USD.',
  ),
  ...atTop(
    'examples: [{name: a, given: {match: some}, expect: REFUND}]',
    'p.yaml:1:37: "some" is no value of "match". Known: single, none, several.',
  ),
  ...atTop(
    'examples: [{name: a, given: {twin: 1}, expect: REFUND}]',
    'p.yaml:1:36: "twin" is true or false.',
  ),
  ...atTop(
    'examples: [{name: a, given: {issuer: ""}, expect: REFUND}]',
    'p.yaml:1:38: "issuer" takes a text, or a list of texts.',
  ),
  ...atTop(
    'examples: [{name: a, given: {}, expect: REFUSE}]',
    'p.yaml:1:41: unknown outcome "REFUSE". Did you mean "REFUND"?',
  ),
  ...atTop(
    'examples: [{name: a, given: {}, expect: REFUND, rule: smal}]',
    'p.yaml:1:55: there is no rule "smal". Known: otherwise.',
  ),
];

describe('each slip with its exact message', () => {
  test.each(BAD)('%s', (_name, text, messages) => {
    expect(problemsOf(text)).toEqual(messages);
  });
});

test('a policy beyond the limits is refused', () => {
  const long = `otherwise: REVIEW\nrules: []\n#${'x'.repeat(256 * 1024)}`;
  expect(problemsOf(long)).toEqual([
    'p.yaml:1:1: the policy is longer than 262144 characters. Shorten it.',
  ]);
  const list = (entries: number) =>
    problemsOf(`lists: {a: [${'b,'.repeat(entries - 1)}b]}\nrules: []\notherwise: REVIEW\n`);
  // Beside the entries: the two maps, the list, the rules and the outcome.
  expect(list(49_995)).toEqual([]);
  expect(list(49_996)).toEqual([
    'p.yaml:3:12: more than 50000 values. Put long lists into files of their own.',
  ]);
  const rule = (index: number) => `  - {name: r${index}, when: {currency: USD}, then: REFUND}\n`;
  const rules = (count: number) =>
    Array.from({ length: count }, (_, index) => rule(index)).join('');
  expect(problemsOf(`otherwise: REVIEW\nrules:\n${rules(500)}`)).toEqual([]);
  expect(problemsOf(`otherwise: REVIEW\nrules:\n${rules(501)}`)).toEqual([
    'p.yaml:3:3: 501 rules; at most 500 are allowed.',
  ]);
});

test('what is exactly at a limit is taken', () => {
  const held = (minutes: number) =>
    problemsOf(
      `rules: []\notherwise: REVIEW\nheld: {fallback: ACCEPT_DISPUTE, at: ${minutes}m before deadline}\n`,
    );
  expect(held(5)).toEqual([]);
  expect(held(4)).toHaveLength(1);
  const letters = [...'ABCDEFGHIJKLMNOPQR'];
  const codes = letters.flatMap((one) => letters.map((other) => `X${one}${other}: 2`));
  const rates = (count: number) =>
    problemsOf(
      `rates: {base: USD, ${codes.slice(0, count - 1).join(', ')}}\nrules: []\notherwise: REVIEW\n`,
    );
  expect(rates(300)).toEqual([]);
  expect(rates(301)).toEqual(['p.yaml:1:8: 301 rates; at most 300 are allowed.']);
});

test('a problem is also data: file, line, column, message', () => {
  const attempt = () => loadPolicy('rules: []\n', { file: 'shop/policy.yaml' });
  expect(attempt).toThrow(PolicyError);
  expect(attempt).toThrow(
    expect.objectContaining({
      code: 'POLICY',
      retryable: false,
      problems: [
        {
          file: 'shop/policy.yaml',
          line: 1,
          column: 1,
          message: '"otherwise" is missing: say what happens when no rule applies.',
        },
      ],
    }),
  );
});

test('no text makes the reader fail in another way', () => {
  // Every prefix of a whole policy: a file cut off while it was being written.
  const whole =
    'name: x\nrules:\n  - name: a\n    when:\n      any:\n        - amount: {at_most: 5.00 USD}\n        - not: {descriptor: {starts_with: [A, B]}}\n    then: {REVIEW: {fallback: REFUND, at: 6h before deadline}}\notherwise: REFUND\n';
  expect(problemsOf(whole)).toEqual([]);
  for (let length = 0; length < whole.length - 1; length++) {
    const cut = whole.slice(0, length);
    const problems = problemsOf(cut);
    // Only a cut inside the last word, or before the last line end, can leave a whole policy.
    expect({ cut, ok: problems.length === 0 }).toEqual({ cut, ok: false });
  }
});

test('each slip is told once, where it stands', () => {
  expect(problemsOf('name: []\nrules: []\notherwise: REVIEW\n')).toEqual([
    'p.yaml:1:7: a name is a text of 1 to 80 characters.',
  ]);
  expect(problemsOf('rules: []\notherwise: REVIEW\nheld: {at: 1h, at: 2h, at: 3h}\n')).toEqual([
    'p.yaml:3:16: this key is written twice. Keep one of them.',
    'p.yaml:3:24: this key is written twice. Keep one of them.',
  ]);
});
