package verify

import (
	"errors"
	"io"

	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/source"
)

// Rules is the Checker of verification jobs: the rules of source archives and of
// the trees in them.
type Rules struct{}

// Check implements Checker.
func (Rules) Check(r io.Reader, p Package) error {
	tree := source.NewCheck()
	err := archive.Read(r, tree.Add)
	if err == nil {
		err = tree.Done(p.PackageName, p.TargetName)
	}
	if broken, ok := errors.AsType[*archive.Error](err); ok {
		return &Failure{FailureCode(broken.Code), broken.Message}
	}
	if broken, ok := errors.AsType[*source.Error](err); ok {
		return &Failure{FailureCode(broken.Code), broken.Message}
	}
	return err
}
