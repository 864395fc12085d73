//! TCP endpoints (RFC 9293) as machines without sockets.
