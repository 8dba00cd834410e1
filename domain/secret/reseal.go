package secret

import "context"

// Resealer stores sealed keys whose master key can be replaced.
type Resealer interface {
	// ResealSecrets replaces the seal of every stored key by what reseal returns
	// for it, in one transaction in which nobody adds a key, and returns their
	// number.
	ResealSecrets(ctx context.Context, reseal func(Sealed) (Sealed, error)) (int, error)
}

// Reseal replaces the master key that seals all stored keys. A crash leaves all
// of them sealed with the old one or all with the new one. Keys that another
// master key has sealed are ErrOtherMaster, and nothing changes.
func Reseal(ctx context.Context, store Resealer, from, to Master) (resealed int, err error) {
	return store.ResealSecrets(ctx, func(s Sealed) (Sealed, error) {
		key, err := from.open(s)
		if err != nil {
			return Sealed{}, err
		}
		return to.seal(key), nil
	})
}
