-- The parameters of the service's sessions, for a role that connects through PgBouncer, which passes none of them on.
-- Run once as a superuser or the role itself. Migrations and commands use DATABASE_MIGRATION_URL, without the pooler, and override them.
alter role animal_store set datestyle = 'ISO';
alter role animal_store set default_transaction_isolation = 'read committed';
alter role animal_store set plan_cache_mode = force_generic_plan;
alter role animal_store set statement_timeout = '1s';
alter role animal_store set idle_in_transaction_session_timeout = '3s';
