// A cell of LTE on ns-3: a host sends datagrams to each mobile, or pings it. --KEY=VALUE arguments,
// as below. Prints as JSON goodput in bit/s, the median and the 95th percentile of the RTT in ms,
// the scheme of modulation and coding that most blocks downlink have and the share that have it,
// how many blocks downlink were sent for the first to the fourth time and how many of each erred,
// and the share of all blocks of the uplink that erred.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-apps-module.h>
#include <ns3/internet-module.h>
#include <ns3/lte-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// By how often a block has been sent before.
using Counts = std::array<uint64_t, 4>;

/// Of a direction.
struct Blocks
{
    Counts sent{};
    Counts errors{};
};

Blocks down;
Blocks up;
std::map<int, uint64_t> schemes;
std::vector<double> rtts;

void
Count(Blocks& blocks, const PhyReceptionStatParameters& block)
{
    if (block.m_timestamp > 1000)
    {
        ++blocks.sent.at(block.m_rv);
        blocks.errors.at(block.m_rv) += block.m_correctness == 0;
    }
}

void
OnDown(PhyReceptionStatParameters block)
{
    Count(down, block);
    if (block.m_rv == 0 && block.m_timestamp > 1000)
    {
        ++schemes[block.m_mcs];
    }
}

void
OnUp(PhyReceptionStatParameters block)
{
    Count(up, block);
}

void
OnRtt(Time rtt)
{
    rtts.push_back(rtt.GetSeconds() * 1e3);
}

double
Quantile(double share)
{
    return rtts.empty() ? 0.0 : rtts[share * rtts.size()];
}

double
Sum(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), 0.0);
}

std::string
List(const Counts& counts)
{
    std::string list;
    for (auto count : counts)
    {
        list += (list.empty() ? "" : ", ") + std::to_string(count);
    }
    return "[" + list + "]";
}

void
Print(double goodput)
{
    std::sort(rtts.begin(), rtts.end());
    auto usual = std::max_element(schemes.begin(), schemes.end(), [](auto& one, auto& other) {
        return one.second < other.second;
    });
    NS_ABORT_MSG_IF(usual == schemes.end(), "no blocks downlink");
    std::cout << "{\"goodput_bps\": " << goodput << ", \"rtt_ms\": " << Quantile(0.5)
              << ", \"late_rtt_ms\": " << Quantile(0.95) << ", \"scheme\": " << usual->first
              << ", \"of_scheme\": " << usual->second / double(down.sent[0])
              << ", \"sent\": " << List(down.sent) << ", \"errors\": " << List(down.errors)
              << ", \"uplink_errors\": " << Sum(up.errors) / std::max(Sum(up.sent), 1.0) << "}\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t ues = 1;
    uint32_t payload = 1000;
    double distance = 100;
    double noise = 9;
    double ber = 0;
    bool pings = false;
    double seconds = 11;
    std::string rate = "40Mbps";
    CommandLine line;
    line.AddValue("ues", "mobiles", ues);
    line.AddValue("payload", "of a datagram, bytes", payload);
    line.AddValue("distance", "of each mobile, m", distance);
    line.AddValue("noise", "of a mobile's receiver, dB", noise);
    line.AddValue("ber", "bit error rate of schemes chosen; 0: a tenth of short blocks errs", ber);
    line.AddValue("pings", "instead of datagrams", pings);
    line.AddValue("rate", "to all mobiles together", rate);
    line.AddValue("duration", "s, the first of which does not count", seconds);
    line.Parse(argc, argv);

    Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", StringValue("RlcAmAlways"));
    Config::SetDefault("ns3::LteEnbRrc::SrsPeriodicity", UintegerValue(ues > 1 ? 40 : 20));
    Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize", UintegerValue(100'000));
    Config::SetDefault("ns3::LteSpectrumPhy::DataErrorModelEnabled", BooleanValue(true));
    Config::SetDefault("ns3::LteSpectrumPhy::CtrlErrorModelEnabled", BooleanValue(false));
    Config::SetDefault("ns3::LteUePhy::NoiseFigure", DoubleValue(noise));
    if (ber > 0)
    {
        // Of the downlink: ns-3 chooses schemes of the uplink for a rate of its own.
        Config::SetDefault("ns3::LteAmc::AmcModel", StringValue("PiroEW2010"));
        Config::SetDefault("ns3::LteAmc::Ber", DoubleValue(ber));
    }

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
                                                                  MakeCallback(&OnDown));
    }
    auto phy = cell.Get(0)->GetObject<LteEnbNetDevice>()->GetPhy();
    phy->GetUplinkSpectrumPhy()->TraceConnectWithoutContext("UlPhyReception", MakeCallback(&OnUp));

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
            // So far apart no two share a subframe of the uplink: blocks of one would err.
            ping->SetStartTime(Seconds(1) + MilliSeconds(8 * ue));
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
    Print(8.0 * (received() - before) / (seconds - 1));
    Simulator::Destroy();
}
