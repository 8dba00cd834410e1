// SPDX-License-Identifier: Apache-2.0

// Creates pools of a concentrated-liquidity exchange, one for every two tokens and fee.
#[starknet::contract]
pub mod ClmmFactory {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::deploy_syscall;
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait, get_caller_address};

    #[storage]
    struct Storage {
        owner: ContractAddress,
        pool_class: ClassHash,
        tick_spacings: Map<u32, u32>,
        pools: Map<(ContractAddress, ContractAddress, u32), ContractAddress>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        PoolCreated: PoolCreated,
        FeeAmountEnabled: FeeAmountEnabled,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolCreated {
        #[key]
        token0: ContractAddress,
        #[key]
        token1: ContractAddress,
        #[key]
        fee: u32,
        tick_spacing: u32,
        pool: ContractAddress,
    }

    #[derive(Drop, starknet::Event)]
    struct FeeAmountEnabled {
        #[key]
        fee: u32,
        #[key]
        tick_spacing: u32,
    }

    #[constructor]
    fn constructor(ref self: ContractState, owner: ContractAddress, pool_class: ClassHash) {
        self.owner.write(owner);
        self.pool_class.write(pool_class);
    }

    #[external(v0)]
    fn enable_fee_amount(ref self: ContractState, fee: u32, tick_spacing: u32) {
        assert(get_caller_address() == self.owner.read(), 'only owner');
        self.tick_spacings.write(fee, tick_spacing);
        self.emit(FeeAmountEnabled { fee, tick_spacing });
    }

    #[external(v0)]
    fn create_pool(
        ref self: ContractState, token0: ContractAddress, token1: ContractAddress, fee: u32
    ) -> ContractAddress {
        let tick_spacing = self.tick_spacings.read(fee);
        assert(tick_spacing != 0, 'fee not enabled');
        assert(self.pools.read((token0, token1, fee)).is_zero(), 'pool exists');
        let calldata = array![token0.into(), token1.into(), fee.into(), tick_spacing.into()];
        let (pool, _) = deploy_syscall(
            self.pool_class.read(), token0.into() + token1.into(), calldata.span(), false
        )
            .unwrap_syscall();
        self.pools.write((token0, token1, fee), pool);
        self.emit(PoolCreated { token0, token1, fee, tick_spacing, pool });
        pool
    }

    #[external(v0)]
    fn get_pool(
        self: @ContractState, token0: ContractAddress, token1: ContractAddress, fee: u32
    ) -> ContractAddress {
        self.pools.read((token0, token1, fee))
    }
}
