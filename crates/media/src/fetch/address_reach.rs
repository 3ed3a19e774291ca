//! Which addresses belong to the public internet (IANA special-purpose registries, RFC 6890 and its updates).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 blocks that are not public.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 14] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Global unicast is `2000::/3`; these blocks of it are not public.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    // Protocol assignments: Teredo, benchmarking, ORCHID and more.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4 embeds any IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Addresses of cloud metadata services, which give machines their credentials. One of them is a public address.
const METADATA_V4: [(Ipv4Addr, u32); 4] = [
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(100, 100, 100, 200), 32),
    (Ipv4Addr::new(192, 0, 0, 192), 32),
];
const METADATA_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), 128),
    (Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42), 128),
];

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressReach {
    /// To the public internet.
    Public,
    /// To this machine, this network, or nowhere.
    NotPublic,
    /// To a link-local address, or another address of a cloud metadata service.
    Metadata,
}

impl AddressReach {
    pub(super) fn of(address: IpAddr) -> Self {
        match (embedded_v4(address), address) {
            (Some(v4), _) | (None, IpAddr::V4(v4)) => Self::of_v4(v4),
            (None, IpAddr::V6(v6)) => Self::of_v6(v6),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let within =
            |&(block, length): &(Ipv4Addr, u32)| (address.to_bits() ^ block.to_bits()) >> (32 - length) == 0;
        if METADATA_V4.iter().any(within) {
            Self::Metadata
        } else if NOT_PUBLIC_V4.iter().any(within) {
            Self::NotPublic
        } else {
            Self::Public
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let bits = address.to_bits();
        let within = |&(block, length): &(Ipv6Addr, u32)| (bits ^ block.to_bits()) >> (128 - length) == 0;
        if METADATA_V6.iter().any(within) {
            Self::Metadata
        } else if bits >> 125 != 0b001 || NOT_PUBLIC_V6.iter().any(within) || is_tunnel(address) {
            Self::NotPublic
        } else {
            Self::Public
        }
    }
}

/// The IPv4 address that an IPv6 address embeds: an IPv4-mapped address, or one with NAT64's well-known prefix (RFC
/// 6052), to which networks without IPv4 resolve every name.
pub(super) fn embedded_v4(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(v6) = address else { return None };
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    }
}

/// Whether an address is an ISATAP address (RFC 5214), which embeds any IPv4 address under any prefix.
fn is_tunnel(address: Ipv6Addr) -> bool {
    matches!(address.segments(), [_, _, _, _, 0 | 0x200, 0x5efe, _, _])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:200::1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert_eq!(AddressReach::of(address.parse().unwrap()), AddressReach::Public, "{address}");
        }
    }

    #[test]
    fn no_other_address_is() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::1.1.1.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::10.1.2.3",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::",
            "2002:101:101::1",
            "2606:4700::5efe:10.0.0.1",
            "2606:4700::200:5efe:10.0.0.1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert_eq!(AddressReach::of(address.parse().unwrap()), AddressReach::NotPublic, "{address}");
        }
    }

    #[test]
    fn metadata_is_told_apart() {
        for address in [
            "100.100.100.200",
            "168.63.129.16",
            "169.254.0.1",
            "169.254.169.254",
            "169.254.170.2",
            "192.0.0.192",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "fd00:ec2::254",
            "fd00:42::42",
            "fd20:ce::254",
            "fe80::1",
        ] {
            assert_eq!(AddressReach::of(address.parse().unwrap()), AddressReach::Metadata, "{address}");
        }
    }
}
