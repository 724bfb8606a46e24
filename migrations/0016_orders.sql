-- Orders whose customer was erased: they are neither compared with the service nor repaired, and what was
-- erased is never sent. (Those erased before are told by the word that stands in the place of the address.)
-- Plain SQL, never edited once released. The version before leaves the column empty.

alter table order_record add column erased_at timestamptz;

-- Integrations whose orders are not sent, because the service refused most of them for one reason. One order
-- is tried now and then; once it is taken, the row goes and the others follow.
create table feed_brake (
  organisation_id text        not null,
  integration_id  text        not null,
  error_code      text        not null,
  reason          text        not null,
  -- An order that was refused, by its reference.
  example         text        not null,
  -- Refusals since then were for this reason; those orders are sent again with the others.
  refused_since   timestamptz not null,
  stopped_at      timestamptz not null,
  probes          integer     not null default 0,
  -- The place in the line of the order that was tried last, and when.
  probe_seq       bigint      not null default 0,
  probed_at       timestamptz,
  next_probe_at   timestamptz not null,
  -- Somebody has said to go on all the same, until then.
  passing_until   timestamptz,
  primary key (organisation_id, integration_id)
);
