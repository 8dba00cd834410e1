-- The digests before cover another form of the ABI.
UPDATE classes SET digest = NULL WHERE NOT sierra AND abi IS NOT NULL;
