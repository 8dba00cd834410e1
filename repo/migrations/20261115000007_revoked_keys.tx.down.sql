DROP INDEX api_keys_revoked;
