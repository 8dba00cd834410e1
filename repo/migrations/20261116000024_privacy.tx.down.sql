DROP TABLE privacy_bucket_fees, privacy_bucket_flows, privacy_buckets, privacy_point_assets, privacy_points,
    privacy_assets, privacy_wallets, privacy_counts, privacy_ledgers, privacy_events, privacy_pools;
