"""The paper's open ends, §IX: estimators, mobiles as hosts, the uplink, senders, workloads."""
