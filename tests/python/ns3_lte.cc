// A cell of LTE on ns-3: a host sends datagrams to each mobile, or pings the first one. --KEY=VALUE
// arguments, as below. Prints goodput in bit/s, the median RTT in ms, the scheme of modulation and
// coding that most blocks have, and the share of first transmissions in error.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-apps-module.h>
#include <ns3/internet-module.h>
#include <ns3/lte-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

uint64_t firsts = 0;
uint64_t errors = 0;
std::map<int, uint64_t> schemes;
std::vector<double> rtts;

void
OnBlock(PhyReceptionStatParameters block)
{
    if (block.m_rv == 0 && block.m_timestamp > 1000)
    {
        ++firsts;
        errors += block.m_correctness == 0;
        ++schemes[block.m_mcs];
    }
}

void
OnRtt(Time rtt)
{
    rtts.push_back(rtt.GetSeconds() * 1e3);
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t ues = 1;
    uint32_t payload = 1000;
    double distance = 100;
    double noise = 9;
    bool pings = false;
    double seconds = 11;
    std::string rate = "40Mbps";
    CommandLine line;
    line.AddValue("ues", "mobiles", ues);
    line.AddValue("payload", "of a datagram, bytes", payload);
    line.AddValue("distance", "of each mobile, m", distance);
    line.AddValue("noise", "of a mobile's receiver, dB", noise);
    line.AddValue("pings", "instead of datagrams", pings);
    line.AddValue("rate", "to all mobiles together", rate);
    line.AddValue("duration", "s, the first of which does not count", seconds);
    line.Parse(argc, argv);

    Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", StringValue("RlcAmAlways"));
    Config::SetDefault("ns3::LteEnbRrc::SrsPeriodicity", UintegerValue(ues > 1 ? 40 : 20));
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(100'000));
    Config::SetDefault("ns3::LteSpectrumPhy::CtrlErrorModelEnabled", BooleanValue(false));
    Config::SetDefault("ns3::LteUePhy::NoiseFigure", DoubleValue(noise));

    auto lte = CreateObject<LteHelper>();
    auto epc = CreateObject<PointToPointEpcHelper>();
    lte->SetEpcHelper(epc);
    lte->SetSchedulerType("ns3::PfFfMacScheduler");

    NodeContainer remote(1);
    InternetStackHelper internet;
    internet.Install(remote);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    wire.SetChannelAttribute("Delay", StringValue("15ms"));
    auto devices = wire.Install(epc->GetPgwNode(), remote.Get(0));
    Ipv4AddressHelper addresses;
    addresses.SetBase("1.0.0.0", "255.0.0.0");
    addresses.Assign(devices);
    Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(remote.Get(0)->GetObject<Ipv4>())
        ->AddNetworkRouteTo(Ipv4Address("7.0.0.0"), Ipv4Mask("255.0.0.0"), 1);

    NodeContainer enb(1);
    NodeContainer mobiles(ues);
    MobilityHelper mobility;
    mobility.Install(enb);
    mobility.Install(mobiles);
    for (uint32_t ue = 0; ue < ues; ++ue)
    {
        mobiles.Get(ue)->GetObject<MobilityModel>()->SetPosition(Vector(distance, 0, 0));
    }
    auto cell = lte->InstallEnbDevice(enb);
    auto radios = lte->InstallUeDevice(mobiles);
    internet.Install(mobiles);
    auto places = epc->AssignUeIpv4Address(radios);
    for (uint32_t ue = 0; ue < ues; ++ue)
    {
        routing.GetStaticRouting(mobiles.Get(ue)->GetObject<Ipv4>())
            ->SetDefaultRoute(epc->GetUeDefaultGatewayAddress(), 1);
    }
    lte->Attach(radios, cell.Get(0));
    for (uint32_t ue = 0; ue < ues; ++ue)
    {
        auto phy = radios.Get(ue)->GetObject<LteUeNetDevice>()->GetPhy();
        phy->GetDownlinkSpectrumPhy()->TraceConnectWithoutContext("DlPhyReception",
                                                                  MakeCallback(&OnBlock));
    }

    ApplicationContainer sinks;
    for (uint32_t ue = 0; ue < ues; ++ue)
    {
        if (pings)
        {
            auto ping = CreateObject<V4Ping>();
            ping->SetAttribute("Remote", Ipv4AddressValue(places.GetAddress(ue)));
            ping->SetAttribute("Interval", TimeValue(MilliSeconds(101)));
            ping->TraceConnectWithoutContext("Rtt", MakeCallback(&OnRtt));
            remote.Get(0)->AddApplication(ping);
            ping->SetStartTime(Seconds(1) + MilliSeconds(7 * ue));
            continue;
        }
        uint16_t port = 2000 + ue;
        PacketSinkHelper sink("ns3::UdpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(mobiles.Get(ue)));
        OnOffHelper source("ns3::UdpSocketFactory",
                           InetSocketAddress(places.GetAddress(ue), port));
        source.SetConstantRate(DataRate(DataRate(rate).GetBitRate() / ues), payload);
        auto sent = source.Install(remote.Get(0));
        sent.Start(Seconds(0.5));
    }
    uint64_t before = 0;
    auto received = [&sinks] {
        uint64_t bytes = 0;
        for (uint32_t number = 0; number < sinks.GetN(); ++number)
        {
            bytes += DynamicCast<PacketSink>(sinks.Get(number))->GetTotalRx();
        }
        return bytes;
    };
    Simulator::Schedule(Seconds(1), [&] { before = received(); });
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();

    std::sort(rtts.begin(), rtts.end());
    auto usual = std::max_element(schemes.begin(), schemes.end(), [](auto& one, auto& other) {
        return one.second < other.second;
    });
    std::cout << 8.0 * (received() - before) / (seconds - 1) << " "
              << (rtts.empty() ? 0.0 : rtts[rtts.size() / 2]) << " "
              << (usual == schemes.end() ? -1 : usual->first) << " "
              << (firsts ? double(errors) / firsts : 0.0) << "\n";
    Simulator::Destroy();
}
