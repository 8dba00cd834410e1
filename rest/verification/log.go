package verification

import (
	"context"
	"net/http"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/rest/frame"
)

const logPath = "/v1/verification/log"

// Media types of the log.
const (
	noteMedia = "text/plain; charset=utf-8"
	tileMedia = "application/octet-stream"
)

// forever is for tiles, which never change: a partial one is named with its width.
const forever = "max-age=31536000, immutable"

// size is a parameter that is a number of receipts.
func size(name, about string, required bool) frame.Param {
	return frame.Param{Name: name, In: frame.InQuery, Kind: frame.IntegerKind, Min: 1, Max: frame.MaxBlock, Required: required, Example: "1", About: about}
}

// tilePart is a segment of the path of a tile.
func tilePart(name, example, about string) frame.Param {
	return frame.Param{Name: name, In: frame.InPath, Kind: frame.TextKind, Required: true, Example: example, About: about}
}

// tileParts are the segments after those of all tiles, by their number. A tile has
// three of them only in a log of more than 256,000 receipts; more are needed only
// above 256 million.
var tileParts = [][]frame.Param{
	{tilePart("tile", "000", "Number of a full tile within its level, in three digits.")},
	{tilePart("tile", "000.p", "Number of a partial tile within its level, in three digits, with `.p`; or, of a full tile, `x` and the thousands."),
		tilePart("part", "1", "Width of the partial tile; or the last three digits of the full one.")},
	{tilePart("tile", "x001", "`x` and the thousands of the number of a partial tile within its level."), tilePart("part", "067.p", "The last three digits, with `.p`."),
		tilePart("width", "1", "Width of the partial tile.")},
}

// LogOperations are the routes of the transparency log.
func (h Handlers) LogOperations() []frame.Operation {
	operations := []frame.Operation{
		{
			ID: "getVerificationLogCheckpoint", Path: logPath + "/checkpoint",
			Summary: "Get the newest signed checkpoint of the transparency log.",
			Body:    "VerificationLogCheckpoint", Media: noteMedia, Cache: "no-cache",
			Proof:  []string{"TestLogCanBeAuditedOverHTTP", "TestEmptyLogIsNotFound"},
			Handle: h.checkpoint,
		},
		{
			ID: "getVerificationLogInclusion", Path: logPath + "/inclusion",
			Summary: "Prove that the transparency log has a receipt.",
			Params: []frame.Param{
				size("receiptId", "ID of the receipt.", true),
				size("treeSize", "Size of the log, which must have a signed checkpoint. Default: the size of the newest checkpoint.", false),
			},
			Body: "VerificationLogInclusion", Cache: "no-cache",
			Proof:  []string{"TestProofsOfTheLogVerifyOffline", "TestUnknownSizesOfTheLogAreNotFound", "TestEmptyLogIsNotFound"},
			Handle: h.inclusion,
		},
		{
			ID: "getVerificationLogConsistency", Path: logPath + "/consistency",
			Summary: "Prove that the transparency log extends an earlier state of itself.",
			Params: []frame.Param{
				size("from", "Size of the earlier log.", true),
				size("to", "Size of the later log, which must have a signed checkpoint. Default: the size of the newest checkpoint.", false),
			},
			Body: "VerificationLogConsistency", Cache: "no-cache",
			Proof:  []string{"TestProofsOfTheLogVerifyOffline", "TestUnknownSizesOfTheLogAreNotFound", "TestEmptyLogIsNotFound"},
			Handle: h.consistency,
		},
	}
	for i, id := range []string{"getVerificationLogTile", "getVerificationLogTileInTwoParts", "getVerificationLogTileInThreeParts"} {
		path, params := logPath+"/tile/{height}/{level}", []frame.Param{
			tilePart("height", "8", "Height of the tile. All tiles have the height 8."), tilePart("level", "0", "Level of the tile. The leaves are on level 0."),
		}
		for _, p := range tileParts[i] {
			path, params = path+"/{"+p.Name+"}", append(params, p)
		}
		operations = append(operations, frame.Operation{
			ID: id, Path: path, Summary: "Get a tile of the transparency log.", Params: params,
			Body: "VerificationLogTile", Media: tileMedia, Cache: forever,
			Proof:  []string{"TestLogCanBeAuditedOverHTTP", "TestUnknownTilesOfTheLogAreRefused"},
			Handle: h.tile,
		})
	}
	for i := range operations {
		op := &operations[i]
		op.Method, op.Class, op.Cert, op.Audience, op.Timeout = http.MethodGet, frame.Light, frame.Beta, frame.External, 2*time.Second
		op.Success, op.Errors = http.StatusOK, []domain.Code{domain.CodeNotFound}
	}
	return operations
}

func (h Handlers) checkpoint(ctx context.Context, _ *frame.Call) (any, error) {
	newest, err := h.VerificationLog.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	return frame.Document{Media: noteMedia, Body: []byte(newest.Note)}, nil
}

func (h Handlers) inclusion(ctx context.Context, c *frame.Call) (any, error) {
	return h.VerificationLog.Inclusion(ctx, int64(c.Int("receiptId")), int64(c.Int("treeSize")))
}

func (h Handlers) consistency(ctx context.Context, c *frame.Call) (any, error) {
	return h.VerificationLog.Consistency(ctx, int64(c.Int("from")), int64(c.Int("to")))
}

func (h Handlers) tile(ctx context.Context, c *frame.Call) (any, error) {
	parts := []string{"tile"}
	for _, name := range []string{"height", "level", "tile", "part", "width"} {
		if part := c.Text(name); part != "" {
			parts = append(parts, part)
		}
	}
	path := strings.Join(parts, "/")
	tile, err := tlog.ParseTilePath(path)
	if err != nil {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "%s is not the path of a tile, such as tile/8/0/000 or tile/8/0/000.p/5.", domain.Quote(path))
	}
	data, err := h.VerificationLog.Tile(ctx, tile)
	if err != nil {
		return nil, err
	}
	return frame.Document{Media: tileMedia, Body: data}, nil
}
