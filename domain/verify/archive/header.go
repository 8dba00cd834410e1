package archive

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// blockSize is the unit of a tar stream.
const blockSize = 512

// block is one unit of a tar stream.
type block [blockSize]byte

// The fields of a ustar header.
func (b *block) name() []byte     { return b[0:100] }
func (b *block) mode() []byte     { return b[100:108] }
func (b *block) uid() []byte      { return b[108:116] }
func (b *block) gid() []byte      { return b[116:124] }
func (b *block) size() []byte     { return b[124:136] }
func (b *block) mtime() []byte    { return b[136:148] }
func (b *block) checksum() []byte { return b[148:156] }
func (b *block) kind() *byte      { return &b[156] }
func (b *block) link() []byte     { return b[157:257] }
func (b *block) magic() []byte    { return b[257:265] } // with the version
func (b *block) owners() []byte   { return b[265:329] } // user and group name
func (b *block) device() []byte   { return b[329:345] } // major and minor number
func (b *block) prefix() []byte   { return b[345:500] }

const (
	ustar         = "ustar\x0000"
	gnu           = "ustar  \x00"
	modeFile      = "0000644\x00"
	modeExecute   = "0000755\x00" // also of directories
	zeroShort     = "0000000\x00"
	zeroLong      = "00000000000\x00"
	kindFile      = '0'
	kindDirectory = '5'
)

// header is what a header may say: all other fields are constant.
type header struct {
	path       string // without the slash at the end of a directory
	directory  bool
	executable bool
	size       int64
}

// encode returns the only header block that Read accepts for h. It is false if
// ustar cannot hold the path.
func (h header) encode() (b block, ok bool) {
	name, mode, kind := h.path, modeFile, byte(kindFile)
	if h.directory {
		name, kind = name+"/", kindDirectory
	}
	if h.directory || h.executable {
		mode = modeExecute
	}
	prefix, name, ok := split(name)
	copy(b.name(), name)
	copy(b.prefix(), prefix)
	copy(b.mode(), mode)
	copy(b.uid(), zeroShort)
	copy(b.gid(), zeroShort)
	copy(b.size(), fmt.Sprintf("%011o\x00", h.size))
	copy(b.mtime(), zeroLong)
	*b.kind() = kind
	copy(b.magic(), ustar)
	copy(b.device(), zeroShort+zeroShort)
	copy(b.checksum(), b.sum())
	return b, ok
}

// split divides a path between the fields prefix (155 bytes) and name (100
// bytes), as GNU tar does: a short path is all name; of a longer one, the prefix
// takes as much as it can.
func split(path string) (prefix, name string, ok bool) {
	if len(path) <= 100 {
		return "", path, true
	}
	i := strings.LastIndexByte(path[:min(156, len(path)-1)], '/')
	if i <= 0 || len(path)-i-1 > 100 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}

// sum returns the checksum of a header as its field holds it.
func (b *block) sum() string {
	unsigned, _ := b.total()
	return fmt.Sprintf("%06o\x00 ", unsigned)
}

// total adds the bytes of a header, with spaces for the checksum: as POSIX does,
// and as signed numbers.
func (b *block) total() (unsigned, signed int) {
	for i, c := range b {
		if i >= 148 && i < 156 {
			c = ' '
		}
		unsigned += int(c)
		signed += int(int8(c))
	}
	return unsigned, signed
}

// parse reads a header. It accepts exactly the blocks that encode returns.
func (b *block) parse() (header, error) {
	if string(b.magic()) == gnu {
		return header{}, rejectf("The archive is in GNU tar format; only POSIX ustar is allowed (tar --format=ustar).")
	}
	if string(b.magic()) != ustar {
		return header{}, rejectf("A tar header is not POSIX ustar: its magic must be \"ustar\", NUL, and its version \"00\" (tar --format=ustar).")
	}
	path, slash := strings.CutSuffix(b.text(), "/")
	if string(b.checksum()) != b.sum() {
		return header{}, rejectf("The tar header of %q has a wrong checksum, or one that is not six octal digits, NUL and a space.", path)
	}
	h := header{path: path, directory: *b.kind() == kindDirectory, executable: string(b.mode()) == modeExecute}
	if err := checkKind(path, *b.kind()); err != nil {
		return h, err
	}
	switch {
	case h.directory && !slash:
		return h, rejectf("The directory %q must be written with a slash at the end.", path)
	case !h.directory && slash:
		return h, rejectf("The file %q is written with a slash at the end; only directories have one.", path)
	}
	if err := b.constants(h); err != nil {
		return h, err
	}
	size, err := octal(b.size())
	if err != nil {
		return h, rejectf("The size of %q must be eleven octal digits and NUL.", path)
	}
	if h.directory && size != 0 {
		return h, rejectf("The directory %q has a size of %d bytes; it must be 0.", path, size)
	}
	h.size = size
	if err := checkPath(path); err != nil {
		return h, err
	}
	if canonical, ok := h.encode(); !ok || canonical != *b {
		return h, rejectf("The tar header of %q is not in canonical form: a path of at most 100 bytes is stored in the field \"name\" alone, "+
			"a longer one has the longest possible prefix, and all unused bytes are NUL.", path)
	}
	return h, nil
}

// text returns the path as the header spells it: up to the first NUL of each
// field. What may follow a NUL is checked with the whole block.
func (b *block) text() string {
	name, _, _ := bytes.Cut(b.name(), []byte{0})
	prefix, _, _ := bytes.Cut(b.prefix(), []byte{0})
	if len(prefix) == 0 {
		return string(name)
	}
	return string(prefix) + "/" + string(name)
}

// constants checks the fields that have one value for a kind of entry.
func (b *block) constants(h header) error {
	mode := string(b.mode())
	switch {
	case h.directory && mode != modeExecute:
		return rejectf("The directory %q must have the mode 0000755.", h.path)
	case mode != modeExecute && mode != modeFile:
		return rejectf("The file %q must have the mode 0000644, or 0000755 if it is executable.", h.path)
	case string(b.uid()) != zeroShort || string(b.gid()) != zeroShort:
		return rejectf("The user and group id of %q must be 0000000 (tar --owner=0 --group=0).", h.path)
	case string(b.mtime()) != zeroLong:
		return rejectf("The modification time of %q must be 00000000000 (tar --mtime=@0).", h.path)
	case !zero(b.owners()):
		return rejectf("The user and group name of %q must be empty (tar --numeric-owner).", h.path)
	case !zero(b.link()):
		return rejectf("The entry %q names a link target; links are not allowed.", h.path)
	case string(b.device()) != zeroShort+zeroShort:
		return rejectf("The device numbers of %q must be 0000000.", h.path)
	}
	return nil
}

// kinds are the entries that other tar files have.
var kinds = map[byte]string{
	0: "a file of an old format; its type must be \"0\"", '1': "a hard link", '2': "a symbolic link",
	'3': "a character device", '4': "a block device", '6': "a FIFO", '7': "a contiguous file", 's': "a socket",
	'x': "a pax header", 'g': "a global pax header", 'X': "a pax header", 'L': "a GNU long name", 'K': "a GNU long link",
	'S': "a sparse file", 'D': "a GNU directory listing", 'M': "a continuation of another volume", 'V': "a volume label",
}

func checkKind(path string, kind byte) error {
	if kind == kindFile || kind == kindDirectory {
		return nil
	}
	what, known := kinds[kind]
	if !known {
		what = "of the unknown type " + strconv.QuoteRune(rune(kind))
	}
	return rejectf("The entry %q is %s; only regular files and directories are allowed.", path, what)
}

// octal parses a number that fills its field with digits and ends with NUL.
func octal(field []byte) (int64, error) {
	last := len(field) - 1
	for _, c := range field[:last] {
		if c < '0' || c > '7' {
			return 0, strconv.ErrSyntax
		}
	}
	if field[last] != 0 {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(string(field[:last]), 8, 64)
}

func zero(bytes []byte) bool {
	for _, b := range bytes {
		if b != 0 {
			return false
		}
	}
	return true
}

// kindOf names a file that is neither regular nor a directory.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return kinds['2']
	case mode&fs.ModeNamedPipe != 0:
		return kinds['6']
	case mode&fs.ModeSocket != 0:
		return kinds['s']
	}
	return "a device"
}
