package flatten_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"astrolabe/toolchain/flatten"
)

// FuzzTree flattens packages of two files. Whatever is flattened is flat: it has
// no further file to read, flattening it again changes nothing, and each of its
// lines has an origin.
func FuzzTree(f *testing.F) {
	f.Add("mod a;\n"+contract, "const A: u8 = 1; // mod b;")
	f.Add("mod a { mod b; }"+contract, "\"mod c;\"")
	f.Add("#[cfg(test)] mod a;"+contract, "'")
	f.Add("use hello::a; mod a;"+contract, "fn f() { hello::g() }")
	f.Add("mod a;", contract)
	f.Fuzz(func(t *testing.T, root, module string) {
		files := tree("-- src/lib.cairo --\n")
		files["src/lib.cairo"].Data = []byte(root)
		files["src/a.cairo"] = &fstest.MapFile{Data: []byte(module)}
		source, err := flatten.Tree(files, wanted)
		if err != nil {
			if _, ok := errors.AsType[*flatten.Refusal](err); !ok {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}
		lines := 0
		for at, c := range source.Text {
			if c == '\n' || at == len(source.Text)-1 {
				lines++
			}
		}
		if file, _ := source.Origin(lines); file == "" {
			t.Errorf("line %d: got no origin, want a file", lines)
		}
		again, err := flatten.Tree(fstest.MapFS{"Scarb.toml": files["Scarb.toml"], "src/lib.cairo": {Data: []byte(source.Text)}}, wanted)
		if err != nil || again.Text != source.Text {
			t.Errorf("flattened again: got %v and another text, want the same", err)
		}
	})
}
