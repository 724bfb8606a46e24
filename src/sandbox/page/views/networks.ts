/**
 * What the networks and support do besides alerts: lookups, representments, scheme notices, the life of
 * enrolments and their descriptors.
 */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { ENROLMENT_STATUSES, MATCH_TYPES } from '../../../service/wire/enrolment.ts';
import {
  DEFLECTION_STATUSES,
  LOOKUP_STATUSES,
  LOOKUP_TYPES,
} from '../../../service/wire/lookup.ts';
import { REPRESENTMENT_STATUSES } from '../../../service/wire/representment.ts';
import { NOTICE_TYPES, SCHEME_NOTICE_TYPES } from '../../../service/wire/scheme-notice.ts';
import { CASE_NOTICES } from '../../resources/lookup-rules.ts';
import type { DescriptorRecord, EnrolmentRecord, LookupRecord } from '../../state/resources.ts';
import { choices, form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import type { Row } from '../pieces.ts';
import { coded, facts, mark, moment, newest, rows, section, spelled } from '../pieces.ts';

export const networksView: View = {
  path: '/sandbox/page/networks',
  title: 'Networks',
  render: (visit) => html`${section('Lookups', html`${askForm(visit)}`)}
${section('The newest lookups', lookupRows(visit), { live: true })}
${section('Representments', html`${openForm(visit)}`)}
${section('The newest representments', representmentRows(visit), { live: true })}
${section('Scheme notices', html`${reportForm(visit)}`)}
${section('The newest scheme notices', noticeRows(visit), { live: true })}
${section('Enrolments', enrolmentRows(visit), { live: true })}`,
};

function askForm({ here }: Visit): Html {
  return form(here, {
    call: 'POST /sandbox/lookups',
    button: 'Ask for an order',
    done: 'The network has asked:',
    fields: [
      { name: 'type', label: 'Kind', options: choices(LOOKUP_TYPES), wide: true },
      { name: 'transaction_arn', label: 'Acquirer reference number' },
      { name: 'transaction_card_last4', label: 'Last four', value: '4242' },
      { name: 'transaction_amount:number', label: 'Amount in minor units', value: '12990' },
      { name: 'transaction_currency', label: 'Currency', value: 'USD' },
    ],
  });
}

function lookupRows({ here, context }: Visit): Html {
  const list = newest(context.state.lookups.values()).map(
    (lookup): Row => ({
      id: lookup.id,
      title: coded(lookup.type),
      state: html`${mark(lookup.lookup_status)}`,
      aside: lookup.id,
      body: html`${lookupDetails(lookup)}${lookupActions(lookup, here)}`,
    }),
  );
  return rows(list, 'None yet.');
}

function lookupDetails(lookup: LookupRecord): Html {
  return facts([
    ['Kind', spelled(lookup.type)],
    ['Status', spelled(lookup.lookup_status)],
    ['Deflection', spelled(lookup.deflection_status)],
    ['Matched transaction', lookup.integration_transaction_id ?? 'none'],
    ['Parent', lookup.parent_lookup_id],
    ['Asked', moment(lookup.created_at)],
  ]);
}

function lookupActions({ id }: LookupRecord, here: string): Html {
  return html`${form(here, {
    call: `POST /sandbox/lookups/${id}/case-notice`,
    button: 'Send the case notice',
    done: 'The network has sent the notice.',
    fields: [{ name: 'notice', label: 'Case notice', options: choices(CASE_NOTICES) }],
  })}${form(here, {
    call: `PATCH /sandbox/lookups/${id}`,
    button: 'Set it by hand',
    done: 'The lookup is set.',
    fields: [
      { name: 'lookup_status', label: 'Status', options: choices(LOOKUP_STATUSES, 'as it is') },
      {
        name: 'deflection_status',
        label: 'Deflection',
        options: choices(DEFLECTION_STATUSES, 'as it is'),
      },
    ],
    tone: 'plain',
  })}`;
}

function openForm({ here }: Visit): Html {
  return form(here, {
    call: 'POST /sandbox/representments',
    button: 'Contest a dispute',
    done: 'The dispute is contested:',
    fields: [
      { name: 'transaction_reference_id', label: 'Transaction' },
      { name: 'dispute_amount_in_cents:number', label: 'Amount in minor units', value: '12990' },
      { name: 'dispute_currency_code', label: 'Currency', value: 'USD' },
    ],
  });
}

function representmentRows({ here, context }: Visit): Html {
  const list = newest(context.state.representments.values()).map(
    (representment): Row => ({
      id: representment.id,
      title: representment.dispute_reference_id ?? representment.id,
      state: mark(representment.dispute_status),
      aside: representment.id,
      body: html`${facts([
        ['Status', spelled(representment.dispute_status)],
        ['Reason', spelled(representment.dispute_reason_code)],
        ['Transaction', representment.transaction_reference_id],
        ['Due', moment(representment.dispute_due_by)],
      ])}${form(here, {
        call: `PATCH /sandbox/representments/${representment.id}`,
        button: 'Go on',
        done: 'The contest has moved on.',
        fields: [
          { name: 'dispute_status', label: 'Status', options: choices(REPRESENTMENT_STATUSES) },
        ],
      })}`,
    }),
  );
  return rows(list, 'None yet.');
}

function reportForm({ here }: Visit): Html {
  return form(here, {
    call: 'POST /sandbox/scheme-notices',
    button: 'Report',
    done: 'The scheme has reported:',
    fields: [
      { name: 'scheme_notice_type', label: 'Kind', options: choices(SCHEME_NOTICE_TYPES) },
      { name: 'notice_type', label: 'About', options: choices(NOTICE_TYPES) },
      {
        name: 'transaction_amount_in_cents:number',
        label: 'Amount in minor units',
        value: '12990',
      },
      { name: 'transaction_currency_code', label: 'Currency', value: 'USD' },
      { name: 'transaction_acquirer_reference_number', label: 'Acquirer reference number' },
    ],
  });
}

function noticeRows({ here, context }: Visit): Html {
  const list = newest(context.state.schemeNotices.values()).map(
    (notice): Row => ({
      id: notice.id,
      title: html`${notice.scheme_notice_type} <span class="quiet">${coded(notice.notice_type)}</span>`,
      state: notice.is_revoked ? mark('revoked') : undefined,
      aside: notice.id,
      body: html`${facts([
        ['Acquirer reference number', notice.transaction_acquirer_reference_number],
        ['Reported', moment(notice.fraud_reported_at)],
        ['Revoked', moment(notice.notice_revoked_at)],
      ])}${form(here, {
        call: `PATCH /sandbox/scheme-notices/${notice.id}`,
        button: notice.is_revoked ? 'Put it in force again' : 'Revoke it',
        done: 'The notice is changed.',
        fixed: { is_revoked: !notice.is_revoked },
        tone: 'plain',
      })}`,
    }),
  );
  return rows(list, 'None yet.');
}

function enrolmentRows({ here, context }: Visit): Html {
  const list = newest(context.state.enrolments.values()).map(
    (enrolment): Row => ({
      id: enrolment.id,
      title: coded(enrolment.type),
      state: mark(enrolment.status),
      aside: enrolment.id,
      body: html`${facts([
        ['Programme', spelled(enrolment.type)],
        ['Status', spelled(enrolment.status)],
        ['Note', enrolment.note],
        ['BIN', enrolment.netb_rdr?.bin],
        ['CAID', enrolment.netb_rdr?.caid],
      ])}${enrolment.neta_alert === undefined ? '' : descriptors(enrolment, here)}${form(here, {
        call: `PATCH /sandbox/enrolments/${enrolment.id}`,
        button: 'Move it',
        done: 'Support has moved the enrolment.',
        fields: [
          {
            name: 'status',
            label: 'Status',
            options: choices(ENROLMENT_STATUSES),
            value: enrolment.status,
          },
          { name: 'note', label: 'Note' },
        ],
      })}`,
    }),
  );
  return rows(list, 'None.');
}

function descriptors({ id, neta_alert: neta }: EnrolmentRecord, here: string): Html {
  const path = `/sandbox/enrolments/${id}/descriptors`;
  const remove = ({ descriptor, match_type: type }: DescriptorRecord): Html => {
    const query = new URLSearchParams({ descriptor, match_type: type });
    return form(here, {
      call: `DELETE ${path}?${query}`,
      button: 'Remove',
      done: 'The descriptor is removed.',
      tone: 'danger',
    });
  };
  const listed = (neta?.descriptors ?? []).map(
    (entry) => html`<li>${entry.descriptor} <span class="quiet">${coded(entry.match_type)}</span>
${mark(entry.status)} ${remove(entry)}</li>`,
  );
  return html`<ul class="plain">${listed}</ul>${form(here, {
    call: `POST ${path}`,
    button: 'Add the descriptor',
    done: 'The descriptor is added.',
    fields: [
      { name: 'descriptor', label: 'Descriptor', required: true },
      { name: 'match_type', label: 'Matches', options: choices(MATCH_TYPES) },
    ],
    tone: 'plain',
  })}`;
}
