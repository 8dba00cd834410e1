// The operations of clients/graphql-operations as Relay's compiler wants them:
// fragments with connections, which it makes pages, refetches and persisted
// documents of. Nothing runs here; run.mjs imports what is compiled.
graphql`
  query explorerQuery($chain: ChainId!, $first: Int!) {
    ...explorer_blocks @arguments(chain: $chain, first: $first)
  }
`;

graphql`
  fragment explorer_blocks on Query
  @argumentDefinitions(chain: { type: "ChainId!" }, first: { type: "Int!" }, after: { type: "Cursor" })
  @refetchable(queryName: "explorerBlocksPageQuery") {
    blocks(chain: $chain, first: $first, after: $after) @connection(key: "explorer_blocks") {
      edges {
        node {
          id
          blockNumber
          blockHash
          parentHash
          ...explorer_transactions
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

graphql`
  fragment explorer_transactions on Block
  @argumentDefinitions(first: { type: "Int", defaultValue: 2 }, after: { type: "Cursor" })
  @refetchable(queryName: "explorerTransactionsPageQuery") {
    transactions(first: $first, after: $after) @connection(key: "explorer_transactions") {
      edges {
        node {
          txHash
          sender {
            label
          }
          receipt {
            actualFeeRaw
          }
          events(first: 5) {
            nodes {
              contract {
                address
                token {
                  symbol
                }
              }
              decodedFields {
                label
              }
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

graphql`
  query explorerMissingQuery($chain: ChainId!, $hash: Felt!) {
    status(chain: $chain) {
      chainId
    }
    transaction(chain: $chain, hash: $hash) @catch(to: RESULT) {
      txHash
    }
  }
`;

graphql`
  subscription explorerFollowSubscription($chain: ChainId!) {
    chainStatus(chain: $chain) {
      chainId
      asOf
    }
  }
`;
