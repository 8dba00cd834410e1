-- The digest of a Cairo 0 class now covers its ABI in canonical form. Older ones
-- cover the text of the node that sent it; repair fills them in again.
UPDATE classes SET digest = NULL WHERE NOT sierra AND abi IS NOT NULL;
