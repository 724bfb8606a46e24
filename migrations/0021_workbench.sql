-- The workbench of reviews: searches that are shared, files beside an alert, and who was called into a comment.
-- Plain SQL, never edited once released. The version before leaves all of it empty.

-- A saved search belongs to a page, and to one person or to all. (The version before knows only alerts.)
alter table saved_view
  add column page      text    not null default '/alerts' check (page in ('/alerts', '/reviews')),
  add column is_shared boolean not null default false;

-- A file that somebody laid beside an alert. Its bytes may be sealed; `key_id` then names the key.
create table review_attachment (
  organisation_id text        not null,
  id              text        not null,
  alert_id        text        not null,
  operator        text        not null,
  file_name       text        not null check (length(file_name) between 1 and 200),
  byte_count      integer     not null check (byte_count between 1 and 2097152),
  body            bytea       not null,
  key_id          text,
  at              timestamptz not null,
  primary key (organisation_id, id)
);
create index review_attachment_by_alert on review_attachment (organisation_id, alert_id, at);
create index review_attachment_by_age on review_attachment (organisation_id, at);

-- Who was called into a comment by `@name`, until they have seen it.
create table review_mention (
  organisation_id text        not null,
  comment_id      bigint      not null,
  alert_id        text        not null,
  operator        text        not null,
  mentioned_by    text        not null,
  at              timestamptz not null,
  seen_at         timestamptz,
  primary key (organisation_id, comment_id, operator)
);
create index review_mention_unseen on review_mention (organisation_id, operator, at) where seen_at is null;
create index review_mention_by_age on review_mention (organisation_id, at);

-- What the search box asks for: the beginning of an id, an amount, a processor's reference.
create index alert_by_prefix on alert (organisation_id, id text_pattern_ops);
create index alert_by_amount on alert (organisation_id, amount_minor, created_at desc) where amount_minor is not null;
create index movement_by_prefix on movement (organisation_id, id text_pattern_ops);
create index movement_by_reference on movement (organisation_id, processor_reference) where processor_reference is not null;
