"""What the paper left open, §IX: estimators, mobiles as hosts, the uplink, senders, workloads."""
