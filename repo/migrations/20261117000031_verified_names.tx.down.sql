DROP TRIGGER verifications_advance_epoch ON verifications;
DROP FUNCTION verifications_advance_epoch();
