package indexing

import "astrolabe/domain/facts"

// DerivedTables are the tables that are derived from base rows and classes.
var DerivedTables = []facts.Table{facts.TableDeployments, facts.TableTransfers, facts.TableUntyped, facts.TablePrivacyEvents, facts.TableActivity, facts.TableTokens}
