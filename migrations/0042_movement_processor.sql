-- Which processor a refund was sent through, by its name: another one never repeats it, and is never asked about it.
-- Plain SQL, never edited once released.

alter table movement add column processor text;
