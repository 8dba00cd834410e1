package transparency

import (
	"encoding/json"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
)

// signingKeys checks that every key has the id of its public key, and that the keys
// make a trust root.
func (i *inspection) signingKeys(keys []receipt.Key) {
	for _, k := range keys {
		i.keys[k.ID] = k
		if id := signing.ID(k.PublicKey); id != k.ID {
			i.found(checkKeys, "", "the key %s has the public key of %s", domain.Quote(k.ID), id)
		}
	}
	text, err := json.Marshal(receipt.TrustRoot{Keys: keys})
	if err == nil {
		_, err = receipt.ParseTrustRoot(text)
	}
	if err != nil {
		i.found(checkKeys, "", "no trust root can be built from the keys: %v", err)
	}
}

// keyFault returns why the key of a receipt was not one to sign it, and the empty
// string if it was. A key never ends before its last receipt.
func (i *inspection) keyFault(s *StoredReceipt, r *receipt.Receipt) string {
	key, issued := i.keys[r.KeyID], r.Evidence.Issued()
	switch {
	case key.Toolchain != s.Toolchain:
		return fmt.Sprintf("its key %s signs for the toolchain %s, but its job %s was built with %s", key.ID, key.Toolchain, s.Job, s.Toolchain)
	case issued.Before(key.NotBefore):
		return fmt.Sprintf("it was issued at %s, but its key %s is valid from %s", issued.Format(timeForm), key.ID, key.NotBefore.UTC().Format(timeForm))
	case key.NotAfter != nil && issued.After(*key.NotAfter):
		return fmt.Sprintf("it was issued at %s, but its key %s was retired at %s", issued.Format(timeForm), key.ID, key.NotAfter.UTC().Format(timeForm))
	case key.RevokedAt != nil && issued.After(*key.RevokedAt):
		return fmt.Sprintf("it was issued at %s, but its key %s was revoked at %s", issued.Format(timeForm), key.ID, key.RevokedAt.UTC().Format(timeForm))
	}
	return ""
}
