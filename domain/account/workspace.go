package account

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"astrolabe/domain"
)

// Workspace owns keys and sessions. Workspaces cannot see each other's data.
type Workspace struct {
	ID   string
	Name string
	Plan Plan
	// TraceCertified marks a partner whose keys may call the trace methods.
	TraceCertified bool
	CreatedAt      time.Time
}

// Plans lists all plans.
var Plans = []Plan{Standard, Wallet}

const (
	workspacePrefix = "wsp_"
	idLength        = 20
	maxName         = 255 // also of a subject, as OpenID Connect has it
	maxLabel        = 100
)

// WorkspaceStore keeps workspaces.
type WorkspaceStore interface {
	// AddWorkspace stores a workspace and its audit entry. It reports false and
	// changes nothing when the name is taken.
	AddWorkspace(ctx context.Context, w Workspace, entry Entry) (added bool, err error)
	// FindWorkspace returns the workspace of an id or a name, else not_found.
	FindWorkspace(ctx context.Context, idOrName string) (Workspace, error)
	// ListWorkspaces returns the first workspaces by name.
	ListWorkspaces(ctx context.Context, limit int) ([]Workspace, error)
	// SetPlan changes the plan of a workspace and notifies the processes that
	// cache its keys or sessions. An unknown workspace is not_found.
	SetPlan(ctx context.Context, id string, plan Plan, entry Entry) (Workspace, error)
	// SetTraceCertified enrols a workspace as trace-certified partner or ends
	// that, and notifies as SetPlan does. An unknown workspace is not_found.
	SetTraceCertified(ctx context.Context, id string, certified bool, entry Entry) (Workspace, error)
}

// Workspaces looks after workspaces.
type Workspaces struct {
	store WorkspaceStore
	now   func() time.Time
}

// NewWorkspaces makes the service.
func NewWorkspaces(store WorkspaceStore, now func() time.Time) *Workspaces {
	return &Workspaces{store: store, now: now}
}

// Find returns the workspace of an id or a name, else not_found.
func (s *Workspaces) Find(ctx context.Context, idOrName string) (Workspace, error) {
	return s.store.FindWorkspace(ctx, idOrName)
}

// List returns at most limit workspaces by name, and whether there are more.
func (s *Workspaces) List(ctx context.Context, limit int) (list []Workspace, truncated bool, err error) {
	list, err = s.store.ListWorkspaces(ctx, limit+1)
	if len(list) > limit {
		return list[:limit], true, err
	}
	return list, false, err
}

// Ensure returns the workspace of a name, and creates it if there is none.
func (s *Workspaces) Ensure(ctx context.Context, name string, by Actor) (Workspace, error) {
	found, err := s.store.FindWorkspace(ctx, name)
	if domain.CodeOf(err) != domain.CodeNotFound {
		return found, err
	}
	if err := checkWorkspaceName(name); err != nil {
		return Workspace{}, err
	}
	made := Workspace{
		ID: workspacePrefix + randomText(publicIDDigits, idLength), Name: name, Plan: Standard,
		CreatedAt: moment(s.now),
	}
	added, err := s.store.AddWorkspace(ctx, made, workspaceCreated(made, by))
	if err != nil || added {
		return made, err
	}
	return s.store.FindWorkspace(ctx, name) // another process was first
}

// SetPlan changes the plan of a workspace. Only an operator may.
func (s *Workspaces) SetPlan(ctx context.Context, idOrName string, plan Plan, by Actor) (Workspace, error) {
	if !by.operator() {
		return Workspace{}, domain.Errorf(domain.CodeForbidden, "Only an operator can change a plan.")
	}
	if !slices.Contains(Plans, plan) {
		return Workspace{}, domain.Errorf(domain.CodeInvalidRequest, "plan must be one of %v, got %s.", Plans, domain.Quote(string(plan)))
	}
	found, err := s.store.FindWorkspace(ctx, idOrName)
	if err != nil {
		return Workspace{}, err
	}
	return s.store.SetPlan(ctx, found.ID, plan, planChanged(found, plan, by, moment(s.now)))
}

// SetTraceCertified enrols a workspace as trace-certified partner, whose keys
// with Read have Trace too, or ends that. Only an operator may.
func (s *Workspaces) SetTraceCertified(ctx context.Context, idOrName string, certified bool, by Actor) (Workspace, error) {
	if !by.operator() {
		return Workspace{}, domain.Errorf(domain.CodeForbidden, "Only an operator can enrol a trace-certified partner.")
	}
	found, err := s.store.FindWorkspace(ctx, idOrName)
	if err != nil {
		return Workspace{}, err
	}
	return s.store.SetTraceCertified(ctx, found.ID, certified, traceCertifiedChanged(found, certified, by, moment(s.now)))
}

func checkWorkspaceName(name string) error {
	if name == "" || strings.HasPrefix(name, workspacePrefix) || strings.TrimSpace(name) != name {
		return domain.Errorf(domain.CodeInvalidRequest, "A workspace name must not be empty, begin with %s, or have leading or trailing spaces.", workspacePrefix)
	}
	return checkPrintable("A workspace name", name, maxName)
}

func checkPrintable(what, text string, limit int) error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.RuneCountInString(text) > limit || !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable) {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must have at most %d printable characters.", what, limit)
	}
	return nil
}

// moment is the time as it is stored.
func moment(now func() time.Time) time.Time { return now().UTC().Truncate(time.Microsecond) }
