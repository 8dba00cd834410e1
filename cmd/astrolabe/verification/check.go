package verification

import (
	"bytes"
	"fmt"
	"os"
)

// Check checks a source against every rule.
type Check struct {
	Path    string `arg:"" help:"Archive, or root of a source tree, which is packed in memory." type:"path"`
	Package string `help:"Also check that the tree has this package." env:"-" placeholder:"NAME"`
	Target  string `help:"Also check that the tree has this target of kind starknet-contract." env:"-" placeholder:"NAME"`
}

// Help returns the detailed help text.
func (Check) Help() string {
	return `Prints the digest and the length of the archive, and the packages that the build uses with their targets. ` +
		`A job applies the same rules to an upload.` + "\n\n" + ruleCodes
}

// Run checks the source and prints what it found.
func (v Check) Run(c *Console) error {
	info, err := os.Stat(v.Path)
	if err != nil {
		return usage(err)
	}
	var found examined
	if info.IsDir() {
		packed, failure := packFolder(v.Path)
		if failure != nil {
			return failure
		}
		found, err = examine(bytes.NewReader(packed), v.Package, v.Target)
	} else {
		found, err = examineFile(v.Path, v.Package, v.Target)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "digest %s\nlength %d\nentries %d\n", found.digest, found.length, found.entries)
	for _, p := range found.packages {
		fmt.Fprintf(c.Stdout, "package %q %q  targets %q\n", p.Name, p.Version, p.Targets)
	}
	return nil
}
