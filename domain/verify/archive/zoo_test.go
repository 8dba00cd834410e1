package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"astrolabe/domain/verify/archive"
)

// hostile is an archive that must be rejected. Entries whose names begin with
// "ok" are allowed; no other may reach the callback.
type hostile struct {
	name    string
	archive []byte
	want    string // part of the message
}

var ok = file("ok", "felt252")

func zoo() []hostile {
	all := containers()
	all = append(all, streams()...)
	all = append(all, headers()...)
	all = append(all, types()...)
	all = append(all, paths()...)
	all = append(all, relations()...)
	all = append(all, nested()...)
	return append(all, limits()...)
}

func containers() []hostile {
	good := gz(tree(ok))
	return []hostile{
		{"nothing", nil, "ends within the gzip header"},
		{"half a gzip header", good[:7], "ends within the gzip header"},
		{"bare tar", tree(ok), "is not gzip"},
		{"zip", []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), "is not gzip"},
		{"compression method", gz(tree(ok), at(2, "\x07")), "compression method 7"},
		{"text flag", gz(tree(ok), at(3, "\x01")), "has the flags 0x01;"},
		{"header checksum flag", gz(tree(ok), at(3, "\x02")), "has the flags 0x02;"},
		{"extra field", gz(tree(ok), at(3, "\x04")), "has the flags 0x04;"},
		{"file name", gz(tree(ok), at(3, "\x08")), "has the flags 0x08;"},
		{"comment", gz(tree(ok), at(3, "\x10")), "has the flags 0x10"},
		{"reserved flag", gz(tree(ok), at(3, "\x80")), "has the flags 0x80"},
		{"modification time", gz(tree(ok), at(4, "\x01\x02\x03\x04")), "holds a modification time"},
		{"high byte of the modification time", gz(tree(ok), at(7, "\x01")), "holds a modification time"},
		{"deflate stream cut short", good[:len(good)-12], "ends within the compressed data"},
		{"reserved block type", gz(tree(ok), at(10, "\x07")), "compressed data is damaged"},
		{"no trailer", good[:len(good)-8], "ends within the gzip trailer"},
		{"half a trailer", good[:len(good)-3], "ends within the gzip trailer"},
		{"wrong checksum", frame(tree(ok), 1, uint32(len(tree(ok)))), "checksum does not match"},
		{"wrong length", gz(tree(ok), func(b []byte) { b[len(b)-4]++ }), "another length"},
		{"second member", append(gz(tree(ok)), gz(tree(ok))...), "second gzip member"},
		{"empty second member", append(gz(tree(ok)), gz(nil)...), "second gzip member"},
		{"one trailing byte", append(gz(tree(ok)), 0), "data after the gzip member"},
		{"trailing zeros", append(gz(tree(ok)), make([]byte, 512)...), "data after the gzip member"},
		{"half of a second member", append(gz(tree(ok)), 0x1f), "data after the gzip member"},
	}
}

func streams() []hostile {
	return []hostile{
		{"empty stream", gz(nil), "ends within a tar header, or without two zero blocks"},
		{"no zero blocks", gz(ok), "without two zero blocks"},
		{"one zero block", gz(append(bytes.Clone(ok), make([]byte, 512)...)), "ends within its two zero blocks"},
		{"half a zero block", gz(append(bytes.Clone(ok), make([]byte, 700)...)), "ends within its two zero blocks"},
		{"three zero blocks", gz(append(tree(ok), make([]byte, 512)...)), "data after the two zero blocks"},
		{"record of 20 blocks", gz(append(tree(ok), make([]byte, 10240-len(tree(ok)))...)), "data after the two zero blocks"},
		{"entry after the end", gz(append(tree(ok), file("z", "")...)), "data after the two zero blocks"},
		{"zero block between entries", gz(append(append(bytes.Clone(ok), make([]byte, 512)...), tree(file("z", ""))...)), "single zero block occurs before the end"},
		{"half a header", gz(ok[:300]), "ends within a tar header"},
		{"content cut short", gz(file("ok", strings.Repeat("x", 2000))[:1000]), `ends within the content of "ok"`},
		{"short content cut short", gz(file("ok", "felt252")[:515]), `ends within the content of "ok"`},
		{"padding cut short", gz(ok[:600]), `ends within the padding of "ok"`},
		{"data in the padding", gz(tree(unsealed(file("ok", "x"), at(1023, "!")))), `padding after "ok" is not zero`},
		{"size beyond the stream", gz(tree(file("ok", "x", at(124, "00000010000\x00")))), `ends within the content of "ok"`},
	}
}

func headers() []hostile {
	bad := func(name, want string, edits ...edit) hostile {
		return hostile{name, gz(tree(ok, file("z", "x", edits...))), want}
	}
	return []hostile{
		bad("GNU magic", "GNU tar format", at(257, "ustar  \x00")),
		bad("no magic", "not POSIX ustar", at(257, "\x00\x00\x00\x00\x00\x00\x00\x00")),
		bad("magic without NUL", "not POSIX ustar", at(257, "ustar 00")),
		bad("upper-case magic", "not POSIX ustar", at(257, "USTAR\x0000")),
		bad("version 01", "not POSIX ustar", at(257, "ustar\x0001")),
		{"wrong header checksum", gz(tree(unsealed(file("z", ""), at(148, "000000\x00 ")))), "wrong checksum"},
		{"byte changed after the checksum", gz(tree(unsealed(file("z", ""), at(0, "y")))), "wrong checksum"},
		{"checksum with spaces", gz(tree(unsealed(file("z", ""), func(b []byte) { b[148] = ' ' }))), "wrong checksum"},
		{"checksum ends with space and NUL", gz(tree(unsealed(file("z", ""), at(154, " \x00")))), "wrong checksum"},
		bad("mode 0664", "must have the mode 0000644", at(100, "0000664\x00")),
		bad("mode 0600", "must have the mode 0000644", at(100, "0000600\x00")),
		bad("set-user-id", "must have the mode 0000644", at(100, "0004755\x00")),
		bad("mode with file type", "must have the mode 0000644", at(100, "0100644\x00")),
		bad("mode with spaces", "must have the mode 0000644", at(100, "   644 \x00")),
		{"directory with mode 0644", gz(tree(directory("z/", at(100, "0000644\x00")))), `directory "z" must have the mode 0000755`},
		{"directory with mode 0777", gz(tree(directory("z/", at(100, "0000777\x00")))), `directory "z" must have the mode 0000755`},
		bad("user id", "user and group id", at(108, "0001750\x00")),
		bad("group id", "user and group id", at(116, "0001750\x00")),
		bad("user id without leading zeros", "user and group id", at(108, "0\x00\x00\x00\x00\x00\x00\x00")),
		bad("binary user id", "user and group id", at(108, "\x80\x00\x00\x00\x00\x00\x00\x00")),
		bad("modification time of an entry", "modification time", at(136, "14371573000\x00")),
		bad("modification time that ends with a space", "modification time", at(136, "00000000000 ")),
		bad("user name", "user and group name", at(265, "root")),
		bad("group name", "user and group name", at(297, "root")),
		bad("user name after NUL", "user and group name", at(280, "x")),
		bad("binary size", "eleven octal digits", at(124, "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01")),
		bad("negative size", "eleven octal digits", at(124, "-0000000001\x00")),
		bad("size with spaces", "eleven octal digits", at(124, "          1\x00")),
		bad("size of twelve digits", "eleven octal digits", at(124, "000000000001")),
		bad("size with digit 8", "eleven octal digits", at(124, "00000000008\x00")),
		bad("link target of a file", "names a link target", at(157, "/etc/passwd")),
		bad("device number of a file", "device numbers", at(329, "0000001\x00")),
		bad("device numbers of NUL", "device numbers", at(329, strings.Repeat("\x00", 16))),
		bad("data after the header fields", "canonical form", at(500, "hidden")),
		bad("data after the path", "canonical form", at(50, "hidden")),
		bad("data after an empty prefix", "canonical form", at(400, "hidden")),
		bad("prefix of a short path", "canonical form", at(0, "b"), at(345, "a")),
		{"prefix that is too short", gz(tree(file(strings.Repeat("y", 40)+"/"+strings.Repeat("x", 40), "", at(345, strings.Repeat("z", 50))))), "canonical form"},
		{"directory with a size", gz(tree(directory("z/", at(124, "00000000001\x00")))), "has a size of 1 bytes"},
		{"directory without a slash", gz(tree(directory("z"))), "with a slash at the end"},
		{"file with a slash", gz(tree(file("z/", "x"))), "only directories have one"},
	}
}

func types() []hostile {
	var all []hostile
	for kind, want := range map[byte]string{
		0: "old format", '1': "a hard link", '2': "a symbolic link", '3': "a character device", '4': "a block device",
		'6': "a FIFO", '7': "a contiguous file", 'x': "a pax header", 'g': "a global pax header", 'L': "a GNU long name",
		'K': "a GNU long link", 'S': "a sparse file", 'Z': "unknown type 'Z'", 0xff: "unknown type 'ÿ'",
	} {
		all = append(all, hostile{fmt.Sprintf("entry of type %q", kind), gz(tree(ok, entry(kind, "z", "0000644\x00", ""))), want})
	}
	return append(all,
		hostile{"pax header with a path", gz(tree(entry('x', "z", "0000644\x00", "20 path=/etc/passwd\n"), ok)), "a pax header"},
		hostile{"symbolic link out of the tree", gz(tree(entry('2', "z", "0000777\x00", "", at(157, "../../etc")))), "a symbolic link"})
}

func paths() []hostile {
	bad := func(name, path, want string) hostile { return hostile{name, gz(tree(file(path, "x"))), want} }
	folder := func(name, path, want string) hostile { return hostile{name, gz(tree(directory(path))), want} }
	return []hostile{
		bad("empty path", "", "empty path"),
		folder("root directory", "/", "empty path"),
		folder("dot directory", "./", `contains the name "."`),
		bad("absolute path", "/etc/passwd", "is absolute"),
		bad("path with a leading dot", "./Scarb.toml", `contains the name "."`),
		bad("parent", "..", `contains the name ".."`),
		bad("traversal", "../evil", `contains the name ".."`),
		bad("traversal inside", "a/../../evil", `contains the name ".."`),
		bad("dot inside", "a/./b", `contains the name "."`),
		bad("double slash", "a//b", `contains the name ""`),
		folder("two slashes at the end", "a//", `contains the name ""`),
		bad("backslash", `a\b`, "contains a backslash"),
		bad("drive", `C:\a`, "contains a backslash"),
		bad("newline", "a\nb", "control character"),
		bad("escape sequence", "a\x1b[31mb", "control character"),
		bad("delete", "a\x7f", "control character"),
		bad("C1 control character", "a\u0085b", "control character"),
		bad("right-to-left override", "a\u202eb", "invisible character"),
		bad("zero-width joiner", "a\u200db", "invisible character"),
		bad("byte order mark", "\ufeffa", "invisible character"),
		bad("no-break space", "a\u00a0b", "invisible character"),
		bad("soft hyphen", "a\u00adb", "invisible character"),
		bad("combining grapheme joiner", "a\u034f", "invisible character"),
		bad("Hangul filler", "a\u3164", "invisible character"),
		bad("halfwidth Hangul filler", "a\uffa0", "invisible character"),
		bad("Khmer inherent vowel", "a\u17b4", "invisible character"),
		bad("variation selector", "a\ufe0f", `"a\ufe0f" contains a control character or another invisible character`),
		bad("supplementary variation selector", "a\U000e0100", "invisible character"),
		bad("Mongolian variation selector", "a\u180b", "invisible character"),
		bad("tag character", "a\U000e0061", "invisible character"),
		bad("invalid UTF-8", "a\xffb", "not valid UTF-8"),
		bad("overlong UTF-8", "a\xc0\xafb", "not valid UTF-8"),
		bad("encoded surrogate", "a\xed\xa0\x80", "not valid UTF-8"),
		folder(".git", ".git/", "leave .git out of the root"),
		bad(".git of a submodule", ".git", "leave .git out of the root"),
		folder(".astrolabe", ".astrolabe/", "leave .astrolabe out of the root"),
		folder(".starkscan", ".starkscan/", "leave .starkscan out of the root"),
		folder("target", "target/", "leave target out of the root"),
		bad("file in target", "target/x", "leave target out of the root"),
		bad("target as a file", "target", "leave target out of the root"),
	}
}

func relations() []hostile {
	return []hostile{
		{"unsorted files", gz(tree(file("okb", ""), file("a", ""))), "sorted bytewise"},
		{"sorted by case-insensitive name", gz(tree(file("oka", ""), file("B", ""))), "sorted bytewise"},
		{"sorted by name with the slash", gz(tree(file("ok-b", ""), directory("ok/"))), "sorted bytewise"},
		{"directory after its files", gz(tree(file("a/b", ""), directory("a/"))), `directory "a" has no entry`},
		{"file without its directory", gz(tree(file("a/b", ""))), `directory "a" has no entry`},
		{"directory without its parent", gz(tree(directory("a/b/"))), `directory "a" has no entry`},
		{"duplicate file", gz(tree(ok, ok)), "occurs twice"},
		{"duplicate directory", gz(tree(directory("ok/"), directory("ok/"))), "occurs twice"},
		{"file that is also a directory", gz(tree(ok, directory("ok/"))), "occurs twice"},
		{"directory that is also a file", gz(tree(directory("ok/"), ok)), "occurs twice"},
		{"duplicate that is not adjacent", gz(tree(ok, file("ok-z", ""), ok)), "occurs twice"},
		{"file below a file", gz(tree(ok, file("ok/z", ""))), "which is a file"},
		{"names that differ in case", gz(tree(file("ok.A", ""), file("ok.a", ""))), "only in case"},
		{"directories that differ in case", gz(tree(directory("ok.A/"), directory("ok.a/"))), "only in case"},
		{"names that differ in normalisation", gz(tree(file("oke\u0301", ""), file("ok\u00e9", ""))), "Unicode normalisation"},
		{"names that differ in compatibility", gz(tree(file("okfi", ""), file("ok\ufb01", ""))), "Unicode normalisation"},
		{"names that differ in full case folding", gz(tree(file("okss", ""), file("ok\u00df", ""))), "only in case"},
		{"compatibility characters that give upper case", gz(tree(file("oktm", ""), file("ok\u2122", ""))), "only in case"},
		{"mathematical capital", gz(tree(file("oka", ""), file("ok\U0001d400", ""))), "only in case"},
		{"Kelvin sign", gz(tree(file("okk", ""), file("ok\u212a", ""))), "only in case"},
	}
}

func nested() []hostile {
	var all []hostile
	for _, name := range []string{
		"a.gz", "a.tgz", "a.tar", "a.TAR", "a.zip", "a.xz", "a.zst", "a.bz2", "a.7z", "a.rar", "a.jar", "a.war", "a.whl", "a.lz4", "a.lzma",
		"a.tlz", "a.Z", "a.z", "a.cpio", "a.bz", "a.ar", "a.cab", "a.lz", "a.txz", "a.tzst", "a.tar.LZMA",
	} {
		all = append(all, hostile{"file named " + name, gz(tree(file(name, "text"))), "named like an archive"})
	}
	old := unsealed(file("x", "y"), func(b []byte) { copy(b[257:512], make([]byte, 255)); seal(b[:512]) })
	spaced := func(sum func(header []byte) int) string {
		b := unsealed(file("x\xff", "y"), func(b []byte) { clear(b[257:512]) })
		copy(b[148:], "        ")
		copy(b[148:], fmt.Sprintf("%6o\x00 ", sum(b[:512])))
		return string(b)
	}
	unsigned := func(header []byte) (sum int) {
		for _, c := range header {
			sum += int(c)
		}
		return sum
	}
	signed := func(header []byte) int { return unsigned(header) - 256 } // one byte is above 127
	for format, contents := range map[string][]string{
		"gzip":  {"\x1f\x8b\x08", string(gz(tree(ok)))},
		"zip":   {"PK\x03\x04", "PK\x05\x06" + strings.Repeat("\x00", 18), "PK\x07\x08PK\x03\x04"},
		"tar":   {string(tree(ok)), string(old), spaced(unsigned), spaced(signed), string(tree(file("z", "", at(257, "ustar  \x00"))))},
		"xz":    {"\xfd7zXZ\x00\x00"},
		"zstd":  {"\x28\xb5\x2f\xfd\x00", "\x53\x2a\x4d\x18\x00\x00\x00\x00"},
		"bzip2": {"BZh91AY&SY", "BZh1\x17rE8P\x90"},
		"7z":    {"7z\xbc\xaf\x27\x1c"},
		"rar":   {"Rar!\x1a\x07\x00", "Rar!\x1a\x07\x01\x00"},
		"cpio": {
			"070701" + strings.Repeat("0", 104), "070702" + strings.Repeat("0", 104), "070707" + strings.Repeat("0", 70),
			"\xc7\x71" + strings.Repeat("\x00", 24), "\x71\xc7" + strings.Repeat("\x00", 24),
		},
		"ar":       {"!<arch>\n", "!<thin>\n"},
		"lz4":      {"\x04\x22\x4d\x18\x64", "\x02\x21\x4c\x18"},
		"compress": {"\x1f\x9d\x90"},
		"lzip":     {"LZIP\x01\x0c"},
		"cab":      {"MSCF\x00\x00\x00\x00"},
		"lzma": {
			"\x5d\x00\x00\x80\x00" + strings.Repeat("\xff", 8) + "\x00", "\x5d\x00\x00\x0c\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00",
			"\x6c\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x00",
		},
	} {
		for i, content := range contents {
			all = append(all, hostile{fmt.Sprintf("%s content %d", format, i), gz(tree(file("z.cairo", content))), fmt.Sprintf("is an archive (%s)", format)})
		}
	}
	return all
}

func limits() []hostile {
	noise := make([]byte, archive.MaxFile)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	many := make([][]byte, 0, archive.MaxEntries+1)
	for i := range archive.MaxEntries + 1 {
		many = append(many, file(fmt.Sprintf("ok%05d", i), ""))
	}
	many[archive.MaxEntries] = file("z", "")
	var deep [][]byte
	for depth := range archive.MaxDepth {
		deep = append(deep, directory("ok/"+strings.Repeat("o/", depth)))
	}
	deepest := "ok/" + strings.Repeat("o/", archive.MaxDepth-1) + "z"
	zeros := string(make([]byte, archive.MaxFile))
	var large [][]byte
	for i := range 8 {
		large = append(large, file(fmt.Sprintf("ok%d", i), zeros))
	}
	return []hostile{
		{"more than 10 MiB", gz(tree(file("ok1", string(noise)), file("ok2", string(noise)))), "larger than 10 MiB"},
		{"10 MiB of data after the member", append(gz(tree(ok)), make([]byte, 11<<20)...), "data after the gzip member"},
		{"file of 8 MiB and one byte", gz(tree(file("z", zeros+"\x00"))), "at most 8 MiB"},
		{"file that claims 8 GiB", gz(tree(file("z", "", at(124, "77777777777\x00")))), "at most 8 MiB"},
		{"more than 64 MiB", gz(tree(large...)), "expands to more than 64 MiB"},
		{"bomb after the end", gz(append(tree(ok), make([]byte, 100<<20)...)), "data after the two zero blocks"},
		{"5,001 entries", gz(tree(many...)), "more than 5,000 entries"},
		{"33 levels", gz(tree(append(deep, file(deepest, ""))...)), "33 levels deep"},
		{"path of 256 bytes", gz(tree(file(strings.Repeat("z", 100), "", at(345, strings.Repeat("y", 155))))), "has 256 bytes"},
	}
}

func TestEveryHostileArchiveIsRejectedForItsReason(t *testing.T) {
	t.Parallel()
	all := zoo()
	if len(all) < 60 {
		t.Errorf("got %d hostile archives, want at least 60", len(all))
	}
	t.Logf("%d hostile archives", len(all))
	for _, h := range all {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			err := archive.Read(bytes.NewReader(h.archive), func(f archive.File) error {
				if !strings.HasPrefix(f.Path, "ok") {
					t.Errorf("got the entry %q passed on, want it rejected before", f.Path)
				}
				return nil
			})
			rejected, is := errors.AsType[*archive.Error](err)
			if !is || rejected.Code != "archive_rejected" || !strings.Contains(rejected.Message, h.want) {
				t.Fatalf("got %v, want archive_rejected with %q", err, h.want)
			}
			if strings.ContainsFunc(rejected.Message, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("got the message %q, want only characters that can be printed safely", rejected.Message)
			}
		})
	}
}
