-- Sign-ins at the identity provider are bounded by the address from which they begin: a flood from one ends nobody else's.
-- Plain SQL, never edited once released. The version before goes on: its rows have no address.

alter table console_oidc_flow add column address_hash bytea;
