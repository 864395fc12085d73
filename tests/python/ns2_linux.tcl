# The scenario `bottleneck` with the congestion control of Linux 2.6 that ns-2.35 contains: KEY=VALUE
# arguments, as below. Prints segments acknowledged.
array set set {congestion westwood rate 0.8Mb delay 100ms queue 50 window 2000 mss 1448 duration 100
               drops {}}
foreach argument $argv {
    lassign [split $argument =] key value
    if {![info exists set($key)]} { error "no $key here" }
    set set($key) $value
}

set ns [new Simulator]
lassign [list [$ns node] [$ns node] [$ns node]] sender router receiver
$ns duplex-link $sender $router 100Mb 1ms DropTail
$ns simplex-link $router $receiver $set(rate) $set(delay) DropTail
$ns simplex-link $receiver $router 10000Mb $set(delay) DropTail
foreach {from to} [list $sender $router $router $sender $receiver $router] {
    $ns queue-limit $from $to 100000
}
$ns queue-limit $router $receiver $set(queue)

set losses [new ErrorModel/List]
$losses droplist [split $set(drops) ,]
$ns lossmodel $losses $sender $router

set tcp [new Agent/TCP/Linux]
set sink [new Agent/TCPSink/Sack1]
$tcp set timestamps_ true
$sink set ts_echo_rfc1323_ true
$tcp set tcpTick_ 0.001
$tcp set minrto_ 1
$tcp set window_ $set(window)
$tcp set packetSize_ $set(mss)
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$tcp select_ca $set(congestion)"
$ns at 0 "$ftp start"

$ns at $set(duration) {
    puts [$tcp set ack_]
    exit 0
}
$ns run
