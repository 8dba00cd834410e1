package classes

import "astrolabe/starknet"

// manifest lists the classes in the order of their names, and says what compiled them.
type manifest struct {
	Compiler compiler `json:"compiler"`
	Classes  []entry  `json:"classes"`
}

// compiler identifies the compiler of all classes.
type compiler struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// entry is a class in the manifest.
type entry struct {
	Name string `json:"name"`
	// Source is the Cairo file's path, and SourceSHA256 the digest of what was compiled.
	Source            string        `json:"source"`
	SourceSHA256      string        `json:"source_sha256"`
	Package           string        `json:"package"`
	ClassHash         starknet.Felt `json:"class_hash"`
	CompiledClassHash starknet.Felt `json:"compiled_class_hash"`
}
