# One transfer in ns-2 over a link that drops packets by number: KEY=VALUE arguments, as below.
# Prints a trace, and at the end a line with the time of the start, the time that all
# took and the number of timeouts.
# The SYN is packet 0; Vegas, which has none, sends data as packet 0.
array set set {variant reno profile 2.35 rate 0.8Mb delay 100ms access_rate 8Mb access_delay 0.1ms
               window 28 mss 1000 packets 200 drops {} guard {} duration 3600}
foreach argument $argv {
    lassign [split $argument =] key value
    if {![info exists set($key)]} { error "no $key here" }
    set set($key) $value
}
if {$set(profile) eq "1996"} {
    foreach {name value} {minrto_ 1 rtxcur_init_ 6 maxrto_ 64 tcpTick_ 0.1 singledup_ 0 bugFix_ 0
                          precisionReduce_ 0} {
        Agent/TCP set $name $value
    }
    Agent/TCP/Newreno set newreno_changes1_ 0
    Agent/TCP/Newreno set partial_window_deflation_ 0
}
if {$set(guard) ne ""} { Agent/TCP set bugFix_ $set(guard) }

set ns [new Simulator]
foreach node {sender router receiver} { set $node [$ns node] }
$ns duplex-link $sender $router $set(access_rate) $set(access_delay) DropTail
$ns simplex-link $router $receiver $set(rate) $set(delay) DropTail
$ns simplex-link $receiver $router 10000Mb $set(delay) DropTail
foreach {from to} [list $sender $router $router $receiver $router $sender $receiver $router] {
    $ns queue-limit $from $to 100000
}
set losses [new ErrorModel/List]
$losses droplist $set(drops)
$ns lossmodel $losses $router $receiver

array set sources {tahoe "" reno /Reno newreno /Newreno sack /Sack1 fack /Fack vegas /Vegas}
array set sinks {tahoe "" reno "" newreno "" sack /Sack1 fack /Sack1 vegas ""}

set tcp [new Agent/TCP$sources($set(variant))]
set sink [new Agent/TCPSink$sinks($set(variant))]
$tcp set window_ $set(window)
# Vegas alone counts its headers in packetSize_.
$tcp set packetSize_ [expr {$set(mss) + ($set(variant) eq "vegas" ? 40 : 0)}]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink

# On standard output too: what enters the first link, and the back-off, which each timeout doubles
# (Fack does not count them in nrexmit_).
$ns trace-queue $sender $router stdout
$tcp attach stdout
$tcp trace backoff_
Agent/TCP instproc done {} {
    global ns start tcp
    puts "done $start [expr {[$ns now] - $start}] [$tcp set nrexmit_]"
    exit 0
}

# An agent draws the phase of its clock when the run begins: the flow starts just after a tick.
set tick [$tcp set tcpTick_]
$defaultRNG seed 1
set start [expr {$tick - [$defaultRNG uniform 0 $tick] + 1e-8}]
$defaultRNG seed 1
$ns at $start "$tcp advance $set(packets)"
$ns at $set(duration) "exit 1"
$ns run
