package verify

import (
	"context"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// declared returns finalized_declaration_unavailable unless an indexed block
// declares the class. A declaration that is not final yet is accepted: it is
// looked up again when the build is compared with it.
func (j *Jobs) declared(ctx context.Context, c domain.Chain, hash starknet.Felt) error {
	classes, err := j.classes.Of(ctx, c, []starknet.Felt{hash})
	if err != nil {
		return err
	}
	if classes[0] != nil && classes[0].Declaration != nil {
		return nil
	}
	statuses, err := j.statuses.Of(ctx, []domain.Chain{c})
	if err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return domain.Errorf(domain.CodeDeclarationUnavailable, "%s: "+format, append([]any{domain.Argument("selectedClassHash")}, args...)...)
	}
	coverage := statuses[0].Head.Coverage
	switch {
	case coverage == nil:
		return refuse("No block of %s is indexed yet, so the declaration of class %s is unknown.", c, hash)
	case classes[0] != nil:
		return refuse("Class %s was declared before block %d, where the index of this service begins, so it cannot be verified here.", hash, coverage.First)
	case coverage.First > 0:
		return refuse("No indexed block (%d to %d) declares class %s. It is undeclared, or was declared before block %d, where the index of this service begins.",
			coverage.First, coverage.Last, hash, coverage.First)
	}
	return refuse("Class %s is undeclared through block %d, the newest indexed one.", hash, coverage.Last)
}
