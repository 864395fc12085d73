# The thesis's four-drop study in ns-2: prints when 200 packets were acknowledged, how many were sent
# again and how often the timer expired. Arguments: variant, drops, window, bugFix_.
lassign $argv variant drops window guard

foreach {name value} {minrto_ 1 rtxcur_init_ 6 tcpTick_ 0.1 singledup_ 0 windowInit_ 2} {
    Agent/TCP set $name $value
}
Agent/TCP set bugFix_ $guard
Agent/TCP set window_ $window
Agent/TCP set packetSize_ 1000
Agent/TCP/Newreno set newreno_changes1_ 0
Agent/TCP/Newreno set partial_window_deflation_ 0

set ns [new Simulator]
foreach node {sender router receiver} { set $node [$ns node] }
$ns duplex-link $sender $router 8Mb 0.1ms DropTail
$ns duplex-link $router $receiver 0.8Mb 100ms DropTail
$ns queue-limit $sender $router 1000
$ns queue-limit $router $receiver 1000

set losses [new ErrorModel/List]
$losses droplist $drops
$ns lossmodel $losses $router $receiver

array set sources {tahoe "" reno /Reno newreno /Newreno sack /Sack1 fack /Fack}
array set sinks {tahoe "" reno "" newreno "" sack /Sack1 fack /Sack1}
set tcp [new Agent/TCP$sources($variant)]
set sink [new Agent/TCPSink$sinks($variant)]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink

proc look {} {
    global ns tcp
    if {[$tcp set ack_] >= 200} {
        puts "[$ns now] [$tcp set nrexmitpack_] [$tcp set nrexmit_]"
        exit 0
    }
    $ns after 0.001 look
}

# The SYN is packet 0.
$ns at 0.0 "$tcp advance 201"
$ns at 0.1 look
$ns at 60.0 "exit 1"
$ns run
