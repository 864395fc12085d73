# A number of Reno flows over one link: ns ns2.tcl FLOWS RATE DELAY WINDOW QUEUE DURATION
# Prints the segments that were delivered, all flows together.

# With all packet headers, ns-2 spends half of its time on clearing them (its manual, 12.1.2). Without
# Flags it sends far more than its link carries.
remove-all-packet-headers
add-packet-header IP TCP Flags
lassign $argv flows rate delay window queue duration
set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate $delay DropTail
$ns queue-limit $left $right $queue
$ns queue-limit $right $left $queue
for {set i 0} {$i < $flows} {incr i} {
    set tcp($i) [new Agent/TCP/Reno]
    set sink($i) [new Agent/TCPSink]
    $tcp($i) set window_ $window
    $tcp($i) set packetSize_ 512
    $ns attach-agent $left $tcp($i)
    $ns attach-agent $right $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [expr {0.01 * $i}] "$ftp start"
}
$ns at $duration finish
proc finish {} {
    global tcp flows
    set delivered 0
    for {set i 0} {$i < $flows} {incr i} { incr delivered [$tcp($i) set ack_] }
    puts $delivered
    exit 0
}
$ns run
