// Flows that share a drop-tail link on ns-3: --KEY=VALUE arguments, as below. Prints a line for each
// flow: the bytes delivered between the two times, and the timeouts of its sender.
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

struct Flow
{
    std::string congestion; // ns3::Tcp...
    Time rtt;               // of an idle link
    Time start;
    uint64_t delivered = 0; // bytes
    uint64_t before = 0;    // of them, until the time from which on they count
    uint32_t timeouts = 0;
    Ptr<Socket> sender;
};

std::vector<Flow> flows;

std::vector<Flow> Read(const std::string& text)
{
    std::vector<Flow> read;
    std::istringstream each(text);
    for (std::string word; std::getline(each, word, ',');)
    {
        std::istringstream parts(word);
        std::string congestion;
        std::string rtt;
        std::string start;
        std::getline(parts, congestion, ':');
        std::getline(parts, rtt, ':');
        std::getline(parts, start, ':');
        read.push_back({congestion, Time(rtt), Time(start)});
    }
    return read;
}

void OnState(size_t flow, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state)
{
    flows[flow].timeouts += state == TcpSocketState::CA_LOSS;
}

void Fill(Ptr<Socket> socket, uint32_t room)
{
    while (room > 0 && socket->Send(Create<Packet>(room)) > 0)
    {
        room = socket->GetTxAvailable();
    }
}

void Drain(size_t flow, Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        flows[flow].delivered += packet->GetSize();
    }
}

void Accept(size_t flow, Ptr<Socket> socket, const Address&)
{
    socket->SetRecvCallback(MakeBoundCallback(&Drain, flow));
}

void Count()
{
    for (Flow& flow : flows)
    {
        flow.before = flow.delivered;
    }
}

void SetDefaults(uint32_t mss, uint32_t segmentsPerAck, bool friendly)
{
    const uint32_t buffer = 4096 * mss; // never the limit
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(segmentsPerAck));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", StringValue("40ms"));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpCubic::TcpFriendliness", BooleanValue(friendly));
}

} // namespace

int main(int argc, char* argv[])
{
    std::string list = "Cubic:20ms:0s,Cubic:20ms:1s";
    std::string rate = "50Mbps";
    std::string delay = "5ms";
    uint32_t queue = 83;
    uint32_t mss = 1448;
    uint32_t segmentsPerAck = 2;
    bool friendly = true;
    std::string from = "120s";
    std::string to = "180s";
    CommandLine line;
    line.AddValue("flows", "ns3::Tcp..., round trip and start of each", list);
    line.AddValue("rate", "of the link", rate);
    line.AddValue("delay", "of the link, one way; the rest is on a flow's own wire", delay);
    line.AddValue("queue", "packets waiting or being sent", queue);
    line.AddValue("mss", "bytes", mss);
    line.AddValue("segments-per-ack", "1, or 2 for delayed acknowledgements", segmentsPerAck);
    line.AddValue("friendly", "whether CUBIC is never slower than Reno", friendly);
    line.AddValue("from", "from when on bytes count", from);
    line.AddValue("to", "when it ends", to);
    line.Parse(argc, argv);
    flows = Read(list);
    SetDefaults(mss, segmentsPerAck, friendly);

    NodeContainer routers(2);
    NodeContainer senders(flows.size());
    InternetStackHelper internet;
    internet.Install(routers);
    internet.Install(senders);
    SimpleNetDeviceHelper link; // adds no header
    link.SetNetDevicePointToPointMode(true);
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue(delay));
    const NetDeviceContainer narrow = link.Install(routers);
    narrow.Get(0)->SetAttribute("DataRate", StringValue(rate));
    // The packet being sent is not in the queue.
    DynamicCast<SimpleNetDevice>(narrow.Get(0))
        ->GetQueue()
        ->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, queue - 1));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const Ipv4InterfaceContainer far = addresses.Assign(narrow);
    TrafficControlHelper().Uninstall(narrow);
    for (size_t i = 0; i < flows.size(); ++i)
    {
        link.SetChannelAttribute("Delay", TimeValue(flows[i].rtt / 2 - Time(delay)));
        const NetDeviceContainer access = link.Install({senders.Get(i), routers.Get(0)});
        addresses.NewNetwork();
        addresses.Assign(access);
        TrafficControlHelper().Uninstall(access);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    for (size_t i = 0; i < flows.size(); ++i)
    {
        Flow& flow = flows[i];
        const uint16_t port = 1000 + i;
        const TypeId congestion = TypeId::LookupByName("ns3::Tcp" + flow.congestion);
        const auto tcp = senders.Get(i)->GetObject<TcpL4Protocol>();
        tcp->SetAttribute("SocketType", TypeIdValue(congestion));
        const auto receiver = Socket::CreateSocket(routers.Get(1), TcpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        receiver->Listen();
        receiver->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeBoundCallback(&Accept, i));
        flow.sender = Socket::CreateSocket(senders.Get(i), TcpSocketFactory::GetTypeId());
        flow.sender->TraceConnectWithoutContext("CongState", MakeBoundCallback(&OnState, i));
        flow.sender->SetSendCallback(MakeCallback(&Fill));
        flow.sender->Bind();
        const auto connect = [socket = flow.sender, to = far.GetAddress(1), port] {
            socket->Connect(InetSocketAddress(to, port));
        };
        Simulator::ScheduleWithContext(senders.Get(i)->GetId(), flow.start, connect);
    }

    Simulator::Schedule(Time(from), &Count);
    Simulator::Stop(Time(to));
    Simulator::Run();
    for (const Flow& flow : flows)
    {
        std::cout << flow.delivered - flow.before << " " << flow.timeouts << std::endl;
    }
    Simulator::Destroy();
}
