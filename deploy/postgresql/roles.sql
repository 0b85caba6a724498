-- Two roles: animal_store_owner owns the tables and migrates them (DATABASE_MIGRATION_URL), animal_store reads and writes rows only
-- (DATABASE_URL). Run once as a superuser in the empty database, before the first start; then give both a password with \password.
create role animal_store_owner login;
create role animal_store login;
grant create, usage on schema public to animal_store_owner;
grant usage on schema public to animal_store;
alter default privileges for role animal_store_owner in schema public
  grant select, insert, update, delete on tables to animal_store;
