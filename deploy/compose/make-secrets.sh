# Runs in the `secrets` container of compose.yaml: writes new passwords into the volume, unless it has some.
set -eu
cd /run/secrets
# A volume of an earlier release has none.
if [ ! -e webhook_secrets_key ]; then
  (umask 022 && head -c 32 /dev/urandom | base64 >webhook_secrets_key.new)
  mv webhook_secrets_key.new webhook_secrets_key
fi
if [ -e valkey_conf ]; then exit 0; fi

password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
postgres=$(password)
valkey=$(password)

# Readable, because the users of the other containers do not own the files. Only those containers mount the volume.
umask 022
printf '%s' "$postgres" >postgres_password
printf 'postgres://animals:%s@postgres:5432/animals' "$postgres" >database_url
printf 'redis://:%s@valkey:6379' "$valkey" >redis_url
password >grafana_password
# The last file says that all are there.
printf 'requirepass %s\n' "$valkey" >valkey_conf.new
mv valkey_conf.new valkey_conf
