package archive

// The limits of an archive. Read and Pack both apply them.
const (
	// MaxCompressed is the largest archive in bytes, as it is uploaded.
	MaxCompressed = 10 << 20
	// MaxExpanded is the largest tar stream in bytes: headers, contents, padding
	// and the two zero blocks at the end.
	MaxExpanded = 64 << 20
	// MaxFile is the largest file in bytes.
	MaxFile = 8 << 20
	// MaxEntries is the largest number of files and directories.
	MaxEntries = 5000
	// MaxDepth is the largest number of names in a path.
	MaxDepth = 32
	// MaxPath is the longest path in bytes, without the slash at the end of a
	// directory.
	MaxPath = 255
)

// excluded are the names at the root of a tree that are no source: those of
// version control, tools and build output.
var excluded = []string{".astrolabe", ".git", ".starkscan", "target"}
