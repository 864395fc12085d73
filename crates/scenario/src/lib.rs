//! Scenario files: one schema, validated, built into a world.
