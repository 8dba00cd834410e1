// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

// A signed amount: magnitude and whether it is negative.
#[derive(Copy, Drop, PartialEq, Serde)]
pub struct Signed {
    pub mag: u128,
    pub sign: bool,
}

#[derive(Copy, Drop, Serde)]
pub struct Bounds {
    pub lower: i32,
    pub upper: i32,
}

#[derive(Copy, Drop, Serde)]
pub struct PoolPrice {
    pub sqrt_ratio: u256,
    pub tick: i32,
}

#[starknet::interface]
pub trait IToken<TState> {
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool;
}

#[starknet::interface]
pub trait IClmmPool<TState> {
    fn get_pool_key(self: @TState) -> (ContractAddress, ContractAddress, u32, u32);
    fn get_pool_price(self: @TState) -> PoolPrice;
    fn get_pool_liquidity(self: @TState) -> u128;
    fn get_position_liquidity(
        self: @TState, owner: ContractAddress, salt: felt252, bounds: Bounds
    ) -> u128;
    fn initialize(ref self: TState, price: PoolPrice);
    fn update_position(
        ref self: TState, salt: felt252, bounds: Bounds, liquidity: Signed, amounts: (u128, u128)
    );
    fn swap(
        ref self: TState,
        recipient: ContractAddress,
        zero_for_one: bool,
        amount_in: u128,
        amount_out: u128,
        price_after: PoolPrice
    );
}

// A pool of a concentrated-liquidity exchange. It keeps the books and pays; prices and amounts
// are computed by its callers.
#[starknet::contract]
pub mod ClmmPool {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use super::{Bounds, ITokenDispatcher, ITokenDispatcherTrait, PoolPrice, Signed};

    #[storage]
    struct Storage {
        token0: ContractAddress,
        token1: ContractAddress,
        fee: u32,
        tick_spacing: u32,
        sqrt_ratio: u256,
        tick: i32,
        liquidity: u128,
        positions: Map<(ContractAddress, felt252, i32, i32), u128>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Initialized: Initialized,
        PositionUpdated: PositionUpdated,
        Swapped: Swapped,
    }

    #[derive(Drop, starknet::Event)]
    struct Initialized {
        price: PoolPrice,
    }

    #[derive(Drop, starknet::Event)]
    struct PositionUpdated {
        #[key]
        owner: ContractAddress,
        #[key]
        salt: felt252,
        bounds: Bounds,
        liquidity_delta: Signed,
        delta: (Signed, Signed),
    }

    #[derive(Drop, starknet::Event)]
    struct Swapped {
        #[key]
        locker: ContractAddress,
        #[key]
        recipient: ContractAddress,
        delta: (Signed, Signed),
        price_after: PoolPrice,
        liquidity_after: u128,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        token0: ContractAddress,
        token1: ContractAddress,
        fee: u32,
        tick_spacing: u32
    ) {
        self.token0.write(token0);
        self.token1.write(token1);
        self.fee.write(fee);
        self.tick_spacing.write(tick_spacing);
    }

    #[abi(embed_v0)]
    impl Pool of super::IClmmPool<ContractState> {
        fn get_pool_key(self: @ContractState) -> (ContractAddress, ContractAddress, u32, u32) {
            (self.token0.read(), self.token1.read(), self.fee.read(), self.tick_spacing.read())
        }

        fn get_pool_price(self: @ContractState) -> PoolPrice {
            PoolPrice { sqrt_ratio: self.sqrt_ratio.read(), tick: self.tick.read() }
        }

        fn get_pool_liquidity(self: @ContractState) -> u128 {
            self.liquidity.read()
        }

        fn get_position_liquidity(
            self: @ContractState, owner: ContractAddress, salt: felt252, bounds: Bounds
        ) -> u128 {
            self.positions.read((owner, salt, bounds.lower, bounds.upper))
        }

        fn initialize(ref self: ContractState, price: PoolPrice) {
            assert(self.sqrt_ratio.read() == 0, 'already initialized');
            set_price(ref self, price);
            self.emit(Initialized { price });
        }

        fn update_position(
            ref self: ContractState,
            salt: felt252,
            bounds: Bounds,
            liquidity: Signed,
            amounts: (u128, u128)
        ) {
            let owner = get_caller_address();
            let position = (owner, salt, bounds.lower, bounds.upper);
            let before = self.positions.read(position);
            let (amount0, amount1) = amounts;
            let sign = liquidity.sign;
            if sign {
                self.positions.write(position, before - liquidity.mag);
                self.liquidity.write(self.liquidity.read() - liquidity.mag);
                pay(self.token0.read(), owner, amount0);
                pay(self.token1.read(), owner, amount1);
            } else {
                self.positions.write(position, before + liquidity.mag);
                self.liquidity.write(self.liquidity.read() + liquidity.mag);
                take(self.token0.read(), owner, amount0);
                take(self.token1.read(), owner, amount1);
            }
            let delta = (Signed { mag: amount0, sign }, Signed { mag: amount1, sign });
            self.emit(PositionUpdated { owner, salt, bounds, liquidity_delta: liquidity, delta });
        }

        fn swap(
            ref self: ContractState,
            recipient: ContractAddress,
            zero_for_one: bool,
            amount_in: u128,
            amount_out: u128,
            price_after: PoolPrice
        ) {
            let locker = get_caller_address();
            let paid = Signed { mag: amount_in, sign: false };
            let received = Signed { mag: amount_out, sign: true };
            let delta = if zero_for_one {
                take(self.token0.read(), locker, amount_in);
                pay(self.token1.read(), recipient, amount_out);
                (paid, received)
            } else {
                take(self.token1.read(), locker, amount_in);
                pay(self.token0.read(), recipient, amount_out);
                (received, paid)
            };
            set_price(ref self, price_after);
            let liquidity_after = self.liquidity.read();
            self.emit(Swapped { locker, recipient, delta, price_after, liquidity_after });
        }
    }

    fn set_price(ref self: ContractState, price: PoolPrice) {
        self.sqrt_ratio.write(price.sqrt_ratio);
        self.tick.write(price.tick);
    }

    fn pay(token: ContractAddress, to: ContractAddress, amount: u128) {
        ITokenDispatcher { contract_address: token }.transfer(to, amount.into());
    }

    fn take(token: ContractAddress, from: ContractAddress, amount: u128) {
        ITokenDispatcher { contract_address: token }
            .transfer_from(from, get_contract_address(), amount.into());
    }
}
