//! Radio bearers: UMTS PDCP, RLC, MAC and PHY.
