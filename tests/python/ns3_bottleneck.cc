// The scenario `bottleneck` on ns-3: --KEY=VALUE arguments, as below. Prints segments delivered,
// segments sent again, and timeouts.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>

#include <iostream>
#include <sstream>

using namespace ns3;

// Reno by RFC 5681 equation 4. TcpNewReno halves what RFC 6675 calls the pipe, which lacks the
// segments selected and lost by then: one segment less after each loss.
class TcpReno : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId id =
            TypeId("ns3::TcpReno").SetParent<TcpNewReno>().AddConstructor<TcpReno>();
        return id;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t) override
    {
        return std::max(state->GetCwndInSegments() / 2, 2U) * state->m_segmentSize;
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<TcpReno>(this);
    }
};

NS_OBJECT_ENSURE_REGISTERED(TcpReno);

namespace
{

uint64_t delivered = 0; // bytes
uint32_t retransmissions = 0;
uint32_t timeouts = 0;
SequenceNumber32 sent(0);

void OnSent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
    retransmissions += packet->GetSize() > 0 && end <= sent;
    sent = std::max(sent, end);
}

void OnState(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state)
{
    timeouts += state == TcpSocketState::CA_LOSS;
}

void Fill(Ptr<Socket> socket, uint32_t room)
{
    while (room > 0 && socket->Send(Create<Packet>(room)) > 0)
    {
        room = socket->GetTxAvailable();
    }
}

void Drain(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        delivered += packet->GetSize();
    }
}

void Accept(Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeCallback(&Drain));
}

} // namespace

int main(int argc, char* argv[])
{
    std::string congestion = "Reno";
    bool sack = true;
    std::string rate = "800kbps";
    std::string delay = "100ms";
    uint32_t queue = 50;
    uint32_t window = 64;
    uint32_t ssthresh = 64;
    uint32_t mss = 1000;
    uint32_t segmentsPerAck = 1;
    std::string drops;
    std::string duration = "60s";
    CommandLine line;
    line.AddValue("congestion", "ns3::Tcp...", congestion);
    line.AddValue("sack", "selective acknowledgements", sack);
    line.AddValue("rate", "of the link", rate);
    line.AddValue("delay", "of the link, one way", delay);
    line.AddValue("queue", "packets waiting or being sent", queue);
    line.AddValue("window", "segments", window);
    line.AddValue("ssthresh", "to start with, segments", ssthresh);
    line.AddValue("mss", "bytes", mss);
    line.AddValue("segments-per-ack", "1, or 2 for delayed acknowledgements", segmentsPerAck);
    line.AddValue("drops", "packets dropped ahead of the queue; the SYN is 0, data follow", drops);
    line.AddValue("duration", "", duration);
    line.Parse(argc, argv);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::Tcp" + congestion));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold",
                       UintegerValue(ssthresh * mss));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(segmentsPerAck));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", StringValue("100ms"));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * window * mss));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window * mss));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", StringValue("3s"));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
    Config::SetDefault("ns3::TcpVegas::Alpha", UintegerValue(1));
    Config::SetDefault("ns3::TcpVegas::Beta", UintegerValue(3));
    Config::SetDefault("ns3::TcpWestwood::ProtocolType", EnumValue(TcpWestwood::WESTWOODPLUS));

    NodeContainer nodes(3); // sender, router, receiver
    InternetStackHelper().Install(nodes);
    SimpleNetDeviceHelper link; // adds no header
    link.SetNetDevicePointToPointMode(true);
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("1ms"));
    const NetDeviceContainer access = link.Install({nodes.Get(0), nodes.Get(1)});
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue(delay));
    const NetDeviceContainer narrow = link.Install({nodes.Get(1), nodes.Get(2)});
    narrow.Get(0)->SetAttribute("DataRate", StringValue(rate));
    // The packet being sent is not in the queue.
    DynamicCast<SimpleNetDevice>(narrow.Get(0))
        ->GetQueue()
        ->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, queue - 1));

    std::list<uint32_t> lost;
    std::istringstream numbers(drops);
    for (std::string number; std::getline(numbers, number, ',');)
    {
        lost.push_back(std::stoul(number) + 1); // the handshake's acknowledgement counts here
    }
    const auto losses = CreateObject<ReceiveListErrorModel>();
    losses->SetList(lost);
    access.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(access);
    addresses.NewNetwork();
    const Ipv4InterfaceContainer far = addresses.Assign(narrow);
    TrafficControlHelper().Uninstall(access);
    TrafficControlHelper().Uninstall(narrow);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    const auto receiver = Socket::CreateSocket(nodes.Get(2), TcpSocketFactory::GetTypeId());
    receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
    receiver->Listen();
    receiver->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&Accept));
    const auto sender = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    sender->TraceConnectWithoutContext("Tx", MakeCallback(&OnSent));
    sender->TraceConnectWithoutContext("CongState", MakeCallback(&OnState));
    sender->SetSendCallback(MakeCallback(&Fill));
    sender->Bind();
    sender->Connect(InetSocketAddress(far.GetAddress(1), 80));

    Simulator::Stop(Time(duration));
    Simulator::Run();
    std::cout << delivered / mss << " " << retransmissions << " " << timeouts << std::endl;
    Simulator::Destroy();
}
