package transparency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// published is a log that a test may change before it is audited.
type published struct {
	checkpoint string
	tiles      map[string][]byte
}

// Checkpoint implements transparency.Source.
func (p *published) Checkpoint(context.Context) (string, error) { return p.checkpoint, nil }

// Tile implements transparency.Source.
func (p *published) Tile(_ context.Context, tile tlog.Tile) ([]byte, error) {
	data, ok := p.tiles[tile.Path()]
	if !ok {
		return nil, errors.New("not found")
	}
	return data, nil
}

// publish returns what a log publishes in its newest state.
func publish(t *testing.T, m *memory) *published {
	t.Helper()
	newest := must(m.Checkpoint(t.Context(), 0))
	p := &published{newest.Note, map[string][]byte{}}
	for _, tile := range tlog.NewTiles(transparency.TileHeight, 0, newest.Size) {
		p.tiles[tile.Path()] = must(transparency.NewLog(m).Tile(t.Context(), tile))
	}
	return p
}

// filled returns a log of invented receipts.
func filled(t *testing.T, signer transparency.Signer, name string, size int) *memory {
	t.Helper()
	m, digests := &memory{}, make([]string, size)
	for i := range digests {
		digests[i] = fmt.Sprintf("sha256:%s%d", name, i)
	}
	m.grow(t, signer, digests...)
	return m
}

func TestAnAuditRecomputesTheLogFromItsTiles(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	root := text(t, rootOf(signer))
	for _, size := range []int{1, 2, 255, 256, 257, 700, 65_536, 66_000} {
		m := filled(t, signer, "a", size)
		audited, err := transparency.Audit(t.Context(), publish(t, m), "", root, receipt.Rules{})
		if err != nil || len(audited.Differences) > 0 || audited.Checkpoint.Size != int64(size) {
			t.Errorf("%d receipts: got %v and %v, want no difference", size, audited, err)
		}
	}
}

func TestAnAuditNamesEveryChangedTile(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	root, m := text(t, rootOf(signer)), filled(t, signer, "a", 700)
	for path, data := range publish(t, m).tiles {
		for i := range data {
			if len(data) > 1000 && i%31 != 0 { // the hashes of a full tile are alike
				continue
			}
			p := publish(t, m)
			p.tiles[path] = bytes.Clone(data)
			p.tiles[path][i] ^= 1 << (i % 8)
			audited, err := transparency.Audit(t.Context(), p, "", root, receipt.Rules{})
			if err != nil || len(audited.Differences) == 0 {
				t.Fatalf("%s, byte %d: got %v and %v, want a difference", path, i, audited, err)
			}
			for _, d := range audited.Differences {
				expectReason(t, path, d, transparency.WrongTile)
			}
			if strings.HasPrefix(path, "tile/8/0/") && len(data) == 8192 && !strings.Contains(audited.Differences[0].Message, path) {
				t.Errorf("%s: got %v, want its name", path, audited.Differences[0])
			}
		}
		p := publish(t, m)
		p.tiles[path] = data[:len(data)-1]
		audited, err := transparency.Audit(t.Context(), p, "", root, receipt.Rules{})
		if err != nil || len(audited.Differences) == 0 || !strings.Contains(audited.Differences[0].Message, path) {
			t.Errorf("%s without its last byte: got %v and %v, want a difference that names it", path, audited, err)
		}
	}
	p := publish(t, m)
	p.tiles["tile/8/0/000"], p.tiles["tile/8/0/001"] = p.tiles["tile/8/0/001"], p.tiles["tile/8/0/000"]
	audited := must(transparency.Audit(t.Context(), p, "", root, receipt.Rules{}))
	if named := messages(audited); len(audited.Differences) != 3 || !strings.Contains(named, "tile/8/0/000") || !strings.Contains(named, "tile/8/0/001") {
		t.Errorf("got the differences\n%s\nwant both tiles and the root", named)
	}
}

func messages(a *transparency.Audited) string {
	var lines []string
	for _, d := range a.Differences {
		lines = append(lines, d.Error())
	}
	return strings.Join(lines, "\n")
}

func TestAnAuditFindsALogThatDoesNotOnlyGrow(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	root := text(t, rootOf(signer))
	saved := must(filled(t, signer, "a", 300).Checkpoint(t.Context(), 0)).Note
	for _, c := range []struct {
		what string
		log  *memory
		want []string
	}{
		{"the same log", filled(t, signer, "a", 300), nil},
		{"a grown log", filled(t, signer, "a", 700), nil},
		{"a cut log", filled(t, signer, "a", 299), []string{"not_consistent: The log has 299 receipts, but it had 300 when the saved checkpoint was signed at 2026-11-16T12:00:00Z."}},
		{"another log", filled(t, signer, "b", 300), []string{"not_consistent: The log was rewritten"}},
		{"another grown log", filled(t, signer, "b", 301), []string{"not_consistent: The log was rewritten"}},
	} {
		audited, err := transparency.Audit(t.Context(), publish(t, c.log), saved, root, receipt.Rules{})
		if err != nil || len(audited.Differences) != len(c.want) {
			t.Errorf("%s: got %v and %v, want the differences %v", c.what, audited, err, c.want)
			continue
		}
		for i, want := range c.want {
			if got := audited.Differences[i].Error(); !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %s, want %s", c.what, got, want)
			}
		}
	}
}

func TestAnAuditRefusesWhatItCannotTrust(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	m := filled(t, signer, "a", 3)
	root, p := text(t, rootOf(signer)), publish(t, m)
	_, err := transparency.Audit(t.Context(), p, "", root, receipt.Rules{TrustRootDigest: "sha256:" + strings.Repeat("0", 64)})
	expectReason(t, "another trust root", err, receipt.TrustRootChanged)
	everyChange([]byte(p.checkpoint), func(what string, changed []byte) {
		_, err := transparency.Audit(t.Context(), &published{string(changed), p.tiles}, "", root, receipt.Rules{})
		expectReason(t, "checkpoint: "+what, err, checkpointReasons...)
		if len(changed) > 0 {
			_, err = transparency.Audit(t.Context(), p, string(changed), root, receipt.Rules{})
			expectReason(t, "saved checkpoint: "+what, err, checkpointReasons...)
		}
	})
	signer.Key.Environment = receipt.Demo
	_, err = transparency.Audit(t.Context(), p, "", text(t, rootOf(signer)), receipt.Rules{})
	expectReason(t, "a demo key", err, receipt.DemoKey)
	delete(p.tiles, "tile/8/0/000.p/3")
	if _, err := transparency.Audit(t.Context(), p, "", root, receipt.Rules{}); err == nil || !strings.Contains(err.Error(), "tile/8/0/000.p/3: not found") {
		t.Errorf("got %v, want the tile that cannot be read", err)
	}
}

func TestTilesAreThoseOfTlog(t *testing.T) {
	t.Parallel()
	m := filled(t, signerOf("k", 1), "a", 700)
	paths := []string{}
	for path, data := range publish(t, m).tiles {
		tile := must(tlog.ParseTilePath(path))
		if want := must(tlog.ReadTileData(tile, m)); !bytes.Equal(data, want) {
			t.Errorf("%s: got %x, want %x", path, data, want)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if got, want := strings.Join(paths, " "), "tile/8/0/000 tile/8/0/001 tile/8/0/002.p/188 tile/8/1/000.p/2"; got != want {
		t.Errorf("got the tiles %s, want %s", got, want)
	}
}
