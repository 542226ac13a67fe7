//! The names that a server goes by. A page of another site can have its own name lead to this
//! machine (DNS rebinding) and would then be allowed to read what is served; but it cannot change
//! the name that the browser asks for, so a request under a foreign name is refused.

use std::net::{IpAddr, SocketAddr};

/// Whether a client may know the server at `address` by this host, a name or address with its port.
pub fn is_ours(host: &str, address: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    if port != Some(address.port()) {
        return false;
    }
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match bare.parse::<IpAddr>() {
        // A server on all addresses has many; none of them can be another site's name.
        Ok(named) if address.ip().is_unspecified() => named.is_ipv6() == name.starts_with('['),
        Ok(named) => named == address.ip() || named.is_loopback() && address.ip().is_loopback(),
        Err(_) => {
            name == "localhost" && (address.ip().is_loopback() || address.ip().is_unspecified())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let loopback: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert!(is_ours(host, loopback), "{host}");
        }
        let foreign = [
            "",
            ":",
            "localhost",
            "localhost:80",
            "evil.example:8080",
            "127.0.0.1",
            "127.0.0.1:x",
            "localhost.evil.example:8080",
            "192.168.1.2:8080",
            "localhost:8080:8080",
            "[::1]8080",
            "127.0.0.1.evil.example:8080",
            "localhost:65616",
            "user@localhost:8080",
        ];
        for host in foreign {
            assert!(!is_ours(host, loopback), "{host}");
        }
    }

    #[test]
    fn a_server_for_all_answers_addresses_but_no_names() {
        let open: SocketAddr = "0.0.0.0:80".parse().unwrap();
        for host in ["192.168.1.2", "192.168.1.2:80", "localhost", "[fe80::1]"] {
            assert!(is_ours(host, open), "{host}");
        }
        assert!(!is_ours("evil.example", open));
        let one: SocketAddr = "192.168.1.2:80".parse().unwrap();
        assert!(is_ours("192.168.1.2", one));
        assert!(!is_ours("localhost", one) && !is_ours("192.168.1.3", one));
    }
}
