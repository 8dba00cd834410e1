package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// unreadable are the checks whose findings prevent reading rows as facts.
var unreadable = []string{"partitions", "dictionary", "ids", "schema ids", "classes", "privacy pools"}

// itself runs the checks inside the database, except those that say nothing while
// base rows are damaged. It stops if tables are not as they must be, because no
// other statement can then be trusted.
func (l *inspection) itself(ctx context.Context) error {
	for _, check := range l.Inspector.Checks(l.Chain, l.From, l.To) {
		if check.Follows {
			continue
		}
		findings, err := l.run(ctx, check)
		if err != nil {
			return err
		}
		l.misplaced = l.misplaced || len(findings) > 0 && check.Name == "checkpoint"
		l.broken = l.broken || len(findings) > 0 && slices.Contains(unreadable, check.Name)
		if l.full() || l.broken && check.Name == "partitions" {
			break
		}
	}
	if l.broken {
		l.result.Notes = append(l.result.Notes, "some checks were skipped: repair these findings first")
	}
	return nil
}

// following runs the checks that itself left out.
func (l *inspection) following(ctx context.Context) error {
	for _, check := range l.Inspector.Checks(l.Chain, l.From, l.To) {
		switch {
		case !check.Follows:
		case (check.Name == "verified" || check.Name == "class moves") && len(l.altered) > 0: // their repair changes these, too
		case check.Name == "results" && l.misplaced: // it is not known where the tiers end
			l.result.Notes = append(l.result.Notes, "results of jobs were not checked: repair the checkpoint first")
		default:
			if _, err := l.run(ctx, check); err != nil || l.full() {
				return err
			}
		}
	}
	return nil
}

// run runs a check and records what it finds.
func (l *inspection) run(ctx context.Context, check indexing.Check) ([]indexing.Finding, error) {
	l.report("checking %s", check.Name)
	findings, err := check.Run(ctx, l.Limit-len(l.result.Findings))
	if err != nil {
		return nil, err
	}
	if check.Name == "unused" {
		for _, f := range findings {
			l.result.Notes = append(l.result.Notes, f.Detail)
		}
		return nil, nil
	}
	l.found(findings...)
	return findings, nil
}

// layout finds an index that lacks what only the node has, such as one of an
// earlier release. Nothing else is worth looking at: one command makes all of it
// again. If every block has a digest, only the record of the version is lost,
// because digests are of the current version.
func (l *inspection) layout(ctx context.Context) error {
	var outdated []indexing.Finding
	err := l.compareVersions(ctx, func(fact string) bool { return !facts.Rederivable(fact) }, func(f indexing.Finding) { outdated = append(outdated, f) })
	if err != nil || len(outdated) == 0 {
		return err
	}
	digested, err := l.Inspector.Digested(ctx, l.Chain)
	if err != nil {
		return err
	}
	repair := indexing.Advice(l.Chain).Versions()
	if !digested {
		l.broken, repair = true, indexing.Advice(l.Chain).Rollback(0, 0)
		l.result.Notes = append(l.result.Notes, "nothing else was checked, because the index has to be rebuilt; the indexer starts over after the rollback")
	}
	for _, f := range outdated {
		f.Repair = repair
		l.found(f)
	}
	return nil
}

// versions finds derived rows that another version of the program made.
func (l *inspection) versions(ctx context.Context) error {
	err := l.compareVersions(ctx, facts.Rederivable, func(f indexing.Finding) {
		l.found(f)
		l.outdated = true
	})
	if l.outdated {
		l.result.Notes = append(l.result.Notes, "derived rows were not compared: rederive them first")
	}
	return err
}

// compareVersions reports those of the selected facts whose stored rows are not
// of the current version.
func (l *inspection) compareVersions(ctx context.Context, selected func(fact string) bool, report func(indexing.Finding)) error {
	if l.result.Blocks == 0 {
		return nil
	}
	made, err := l.Checkpoints.DeriverVersions(ctx, l.Chain)
	if err != nil {
		return err
	}
	for _, fact := range slices.Sorted(maps.Keys(facts.Versions)) {
		if selected(fact) && made[fact] != facts.Versions[fact] {
			report(indexing.Finding{
				Check:  "versions",
				Detail: fmt.Sprintf("stored %s have version %d; the current version is %d", fact, made[fact], facts.Versions[fact]),
				Repair: indexing.Advice(l.Chain).Rederive(fact),
			})
		}
	}
	return nil
}

// classesAtOnce is the number of classes per read.
const classesAtOnce = 64

// classes compares each class with the digest that was committed with it, and its
// stored schema with its ABI. Nothing is derived with a damaged class.
func (l *inspection) classes(ctx context.Context) error {
	l.report("checking schemas")
	var after *starknet.Felt
	for !l.full() {
		stored, err := l.Archive.StoredClasses(ctx, l.Chain, after, classesAtOnce)
		if err != nil {
			return l.damage(err)
		}
		if len(stored) == 0 {
			return nil
		}
		for _, class := range stored {
			if !class.Holds() {
				l.broken = true
				l.found(indexing.Finding{
					Check: "class digests", Detail: fmt.Sprintf("class %s is not the one that was committed", class.Hash),
					Repair: indexing.Advice(l.Chain).Class(class.Hash),
				})
				continue
			}
			made := facts.StoredClass(class.Hash, class.Sierra, class.ABI, class.Missing)
			a, b := facts.Block{Classes: []*facts.Class{class.Class}}, facts.Block{Classes: []*facts.Class{made}}
			if d, differ := facts.FirstDifference(&a, &b, facts.TableClasses); differ {
				l.found(indexing.Finding{
					Check:  "schemas",
					Detail: fmt.Sprintf("class %s: %s is %s, but its ABI gives %s", class.Hash, d.Column, d.Stored, d.Expected),
				})
			}
		}
		after = &stored[len(stored)-1].Hash
	}
	return nil
}

// damage turns rows that cannot be read into a finding; it returns other errors
// unchanged.
func (l *inspection) damage(err error) error {
	damage, ok := errors.AsType[*indexing.DamageError](err)
	if !ok {
		return err
	}
	l.found(indexing.Finding{Check: "rows", Block: damage.Block, Detail: damage.Error()})
	return nil
}
