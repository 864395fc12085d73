# The scenario `bottleneck` on ns-2: KEY=VALUE arguments, as below. Prints a line per flow: segments
# acknowledged, segments sent again, and timeouts (which TCP/Fack does not count). With `trace` it also
# writes a trace file of that name.
array set set {variant reno flows 1 rate 0.8Mb delay 100ms queue 50 window 20 mss 1000 ack each
               duration 100 trace {}}
foreach argument $argv {
    lassign [split $argument =] key value
    if {![info exists set($key)]} { error "no $key here" }
    set set($key) $value
}
array set agents {tahoe TCP reno TCP/Reno newreno TCP/Newreno sack TCP/Sack1 fack TCP/Fack
                  vegas TCP/Vegas}
array set sinks {tahoe TCPSink reno TCPSink newreno TCPSink sack TCPSink/Sack1 fack TCPSink/Sack1
                 vegas TCPSink}

set ns [new Simulator]
if {$set(trace) ne ""} { $ns trace-all [open $set(trace) w] }
lassign [list [$ns node] [$ns node] [$ns node]] sender router receiver
$ns duplex-link $sender $router 100Mb 1ms DropTail
$ns simplex-link $router $receiver $set(rate) $set(delay) DropTail
$ns simplex-link $receiver $router 10000Mb $set(delay) DropTail
foreach {from to} [list $sender $router $router $sender $receiver $router] {
    $ns queue-limit $from $to 100000
}
$ns queue-limit $router $receiver $set(queue)

for {set i 0} {$i < $set(flows)} {incr i} {
    set kind $sinks($set(variant))
    if {$set(ack) eq "delayed"} { append kind /DelAck }
    set sink [new Agent/$kind]
    set tcp($i) [new Agent/$agents($set(variant))]
    $tcp($i) set window_ $set(window)
    # Vegas alone counts its headers in packetSize_.
    $tcp($i) set packetSize_ [expr {$set(mss) + ($set(variant) eq "vegas" ? 40 : 0)}]
    $ns attach-agent $sender $tcp($i)
    $ns attach-agent $receiver $sink
    $ns connect $tcp($i) $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr {0.01 * $i}] "$ftp start"
}

proc finish {} {
    global ns tcp set
    for {set i 0} {$i < $set(flows)} {incr i} {
        puts [list [$tcp($i) set ack_] [$tcp($i) set nrexmitpack_] [$tcp($i) set nrexmit_]]
    }
    $ns flush-trace
    exit 0
}
$ns at $set(duration) finish
$ns run
