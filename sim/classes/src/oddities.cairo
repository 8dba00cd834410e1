// SPDX-License-Identifier: Apache-2.0
use starknet::{ClassHash, ContractAddress, EthAddress};

#[derive(Copy, Drop, Serde)]
pub struct Point {
    pub x: i128,
    pub y: i128,
}

// A type of many types: its name in the ABI carries its argument.
#[derive(Copy, Drop, Serde)]
pub struct Tagged<T> {
    pub tag: felt252,
    pub value: T,
}

#[derive(Copy, Drop, Serde)]
pub enum Shape {
    Nothing,
    Circle: u128,
    Segment: (Point, Point),
    Polygon: Span<Point>,
}

// One of every type that calldata and events are made of.
#[derive(Drop, Serde)]
pub struct Everything {
    pub tiny: u8,
    pub small: u16,
    pub medium: u32,
    pub large: u64,
    pub huge: u128,
    pub enormous: u256,
    pub signed_tiny: i8,
    pub signed_small: i16,
    pub signed_medium: i32,
    pub signed_large: i64,
    pub signed_huge: i128,
    pub flag: bool,
    pub felt: felt252,
    pub short: bytes31,
    pub text: ByteArray,
    pub contract: ContractAddress,
    pub class: ClassHash,
    pub l1: EthAddress,
    pub pair: (u8, felt252),
    pub unit: (),
    pub maybe: Option<u64>,
    pub maybe_point: Option<Point>,
    pub list: Array<u256>,
    pub view: Span<felt252>,
    pub lists: Array<Array<u8>>,
    pub points: Array<Point>,
    pub texts: Array<ByteArray>,
    pub tagged: Tagged<u32>,
    pub tagged_point: Tagged<Point>,
    pub shape: Shape,
    pub outcome: Result<u128, felt252>,
}

// Emits its events under its own name: two selectors stand in their keys.
#[starknet::component]
pub mod LedgerComponent {
    use starknet::ContractAddress;

    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    pub enum Event {
        Credited: Credited,
        Debited: Debited,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Credited {
        #[key]
        pub account: ContractAddress,
        pub amount: u256,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Debited {
        #[key]
        pub account: ContractAddress,
        pub amount: u256,
    }
}

// Emits its events as if they were the contract's.
#[starknet::component]
pub mod NoticeComponent {
    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    pub enum Event {
        Noticed: Noticed,
        Forgotten: Forgotten,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Noticed {
        #[key]
        pub subject: felt252,
        pub note: ByteArray,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Forgotten {}
}

// Events of every awkward shape that a class may have.
#[starknet::contract]
pub mod Oddities {
    use starknet::ContractAddress;
    use super::{Everything, LedgerComponent, NoticeComponent, Point, Shape, Tagged};

    component!(path: LedgerComponent, storage: ledger, event: LedgerEvent);
    component!(path: NoticeComponent, storage: notice, event: NoticeEvent);

    #[storage]
    struct Storage {
        #[substorage(v0)]
        ledger: LedgerComponent::Storage,
        #[substorage(v0)]
        notice: NoticeComponent::Storage,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        LedgerEvent: LedgerComponent::Event,
        #[flat]
        NoticeEvent: NoticeComponent::Event,
        Outer: Outer,
        #[flat]
        Flattened: Flattened,
        Empty: Empty,
        TwentyKeys: TwentyKeys,
        EverythingHappened: EverythingHappened,
        ManyKeys: ManyKeys,
        Malformed: Malformed,
    }

    // Two enums around one event: three selectors.
    #[derive(Drop, starknet::Event)]
    pub enum Outer {
        Inner: Inner,
        Shallow: Shallow,
    }

    #[derive(Drop, starknet::Event)]
    pub enum Inner {
        Deep: Deep,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Deep {
        #[key]
        pub depth: u8,
        pub value: felt252,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Shallow {
        pub value: felt252,
    }

    // A flat enum around a nested one: two selectors, of which the first is not Flattened's.
    #[derive(Drop, starknet::Event)]
    pub enum Flattened {
        Floating: Floating,
        Sunken: Sunken,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Floating {
        #[key]
        pub at: Point,
    }

    #[derive(Drop, starknet::Event)]
    pub enum Sunken {
        Wreck: Wreck,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Wreck {
        pub name: ByteArray,
        #[key]
        pub at: Point,
    }

    #[derive(Drop, starknet::Event)]
    pub struct Empty {}

    // With its selector it has twenty keys.
    #[derive(Drop, starknet::Event)]
    pub struct TwentyKeys {
        #[key]
        pub k01: felt252,
        #[key]
        pub k02: felt252,
        #[key]
        pub k03: felt252,
        #[key]
        pub k04: felt252,
        #[key]
        pub k05: felt252,
        #[key]
        pub k06: felt252,
        #[key]
        pub k07: felt252,
        #[key]
        pub k08: felt252,
        #[key]
        pub k09: felt252,
        #[key]
        pub k10: felt252,
        #[key]
        pub k11: felt252,
        #[key]
        pub k12: felt252,
        #[key]
        pub k13: felt252,
        #[key]
        pub k14: felt252,
        #[key]
        pub k15: felt252,
        #[key]
        pub k16: felt252,
        #[key]
        pub k17: felt252,
        #[key]
        pub k18: felt252,
        #[key]
        pub k19: felt252,
    }

    #[derive(Drop, starknet::Event)]
    pub struct EverythingHappened {
        #[key]
        pub by: ContractAddress,
        pub everything: Everything,
    }

    // Keys and data of every size, in turn.
    #[derive(Drop, starknet::Event)]
    pub struct ManyKeys {
        #[key]
        pub amount: u256,
        pub flag: bool,
        #[key]
        pub text: ByteArray,
        pub small: u8,
        #[key]
        pub list: Span<u64>,
        pub signed: i128,
        #[key]
        pub pair: (u8, Point),
        pub list_of_amounts: Array<u256>,
        #[key]
        pub maybe: Option<u128>,
        pub shape: Shape,
        #[key]
        pub tagged: Tagged<bool>,
        pub last: felt252,
    }

    // An event that a careless contract might emit with a payload that does not fit.
    #[derive(Drop, starknet::Event)]
    pub struct Malformed {
        #[key]
        pub flag: bool,
        pub small: u8,
        pub text: ByteArray,
        pub list: Array<u256>,
    }

    #[external(v0)]
    fn happen(ref self: ContractState, everything: Everything) {
        self.emit(EverythingHappened { by: starknet::get_caller_address(), everything });
    }

    #[external(v0)]
    fn echo(
        self: @ContractState, shapes: Array<Shape>, tagged: Tagged<Point>, unit: ()
    ) -> (Array<Shape>, Tagged<Point>) {
        (shapes, tagged)
    }

    #[external(v0)]
    fn credit(ref self: ContractState, account: ContractAddress, amount: u256) {
        self.ledger.emit(LedgerComponent::Credited { account, amount });
    }

    #[external(v0)]
    fn debit(ref self: ContractState, account: ContractAddress, amount: u256) {
        self.ledger.emit(LedgerComponent::Debited { account, amount });
    }

    #[external(v0)]
    fn notice(ref self: ContractState, subject: felt252, note: ByteArray) {
        self.notice.emit(NoticeComponent::Noticed { subject, note });
    }

    #[external(v0)]
    fn forget(ref self: ContractState) {
        self.notice.emit(NoticeComponent::Forgotten {});
    }

    #[external(v0)]
    fn dive(ref self: ContractState, depth: u8, value: felt252) {
        self.emit(Event::Outer(Outer::Inner(Inner::Deep(Deep { depth, value }))));
        self.emit(Event::Outer(Outer::Shallow(Shallow { value })));
    }

    #[external(v0)]
    fn sink(ref self: ContractState, name: ByteArray, at: Point) {
        self.emit(Event::Flattened(Flattened::Floating(Floating { at })));
        self.emit(Event::Flattened(Flattened::Sunken(Sunken::Wreck(Wreck { name, at }))));
    }

    #[external(v0)]
    fn nothing(ref self: ContractState) {
        self.emit(Empty {});
    }

    #[external(v0)]
    fn announce(ref self: ContractState, first: felt252) {
        self
            .emit(
                TwentyKeys {
                    k01: first,
                    k02: 2,
                    k03: 3,
                    k04: 4,
                    k05: 5,
                    k06: 6,
                    k07: 7,
                    k08: 8,
                    k09: 9,
                    k10: 10,
                    k11: 11,
                    k12: 12,
                    k13: 13,
                    k14: 14,
                    k15: 15,
                    k16: 16,
                    k17: 17,
                    k18: 18,
                    k19: 19,
                }
            );
    }

    #[external(v0)]
    fn tag(ref self: ContractState, amount: u256, text: ByteArray, list: Span<u64>, at: Point) {
        self
            .emit(
                ManyKeys {
                    amount,
                    flag: true,
                    text,
                    small: 1,
                    list,
                    signed: -1,
                    pair: (2, at),
                    list_of_amounts: array![amount],
                    maybe: Option::Some(3),
                    shape: Shape::Segment((at, at)),
                    tagged: Tagged { tag: 'tag', value: false },
                    last: 'last',
                }
            );
    }

    // What a privacy pool calls in a contract that it is told to invoke.
    #[external(v0)]
    fn privacy_invoke(ref self: ContractState, value: felt252) {
        self.emit(Event::Outer(Outer::Shallow(Shallow { value })));
    }

    // Emits raw keys and data, whatever they are: this is how a payload comes not to fit.
    #[external(v0)]
    fn emit_raw(ref self: ContractState, keys: Span<felt252>, data: Span<felt252>) {
        starknet::syscalls::emit_event_syscall(keys, data).unwrap();
    }
}
