// Every key of the operator's configuration and every field of a Pool's spec does something: it changes a plan of some
// random cluster, or a test is named that shows what it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "config/operator_config.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"

namespace lips {
namespace {

using ::testing::IsEmpty;

const std::filesystem::path sources = LIPS_SOURCE_DIR;

std::string whole_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "Suite.Name" of every test of the source tree.
const std::set<std::string>& names_of_tests() {
  static const std::set<std::string> names = [] {
    std::set<std::string> result;
    const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sources / "tests")) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = whole_text(entry.path());
      for (std::sregex_iterator found(text.begin(), text.end(), test), end; found != end; ++found)
        result.insert((*found)[1].str() + '.' + (*found)[2].str());
    }
    return result;
  }();
  return names;
}

PolicySettings settings_of(const std::string& yaml) {
  const std::string head = "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\n";
  const Result<OperatorConfig> config = parse_operator_config("test", head + "policy: {settings: {" + yaml + "}}\n");
  EXPECT_TRUE(config.has_value()) << yaml << ": " << config.error().message;
  return config ? config->policy.settings : PolicySettings{};
}

// The answers of a policy about a cluster: when it wants to be asked, and its plan.
struct Said {
  Cadence::Trigger trigger = Cadence::Trigger::events;
  Duration interval{}, least{};
  std::vector<DataMove> moves;
  std::vector<ReplicaDrop> drops;
  std::vector<Assignment> assignments;
  std::vector<Deferral> deferrals;
  std::optional<std::vector<NodeRequest>> node_requests;
  std::optional<Duration> replan_after;
  bool operator==(const Said&) const = default;
};

Said said_of(const ClusterSnapshot& cluster, const CostModel& costs, const char* name, const PolicySettings& settings) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, settings);
  if (!policy) return {};
  const Cadence cadence = (*policy)->cadence();
  std::vector<NodeId> reporting;
  if (cadence.trigger == Cadence::Trigger::heartbeats)
    for (const NodeId node : cluster.nodes.ids()) reporting.push_back(node);
  const Result<Plan> plan = (*policy)->decide({cluster, costs, 1, reporting});
  if (!plan) return {};
  return {cadence.trigger,   cadence.interval, cadence.least,       plan->moves,       plan->drops,
          plan->assignments, plan->deferrals,  plan->node_requests, plan->replan_after};
}

constexpr std::uint64_t most_clusters = 600;

// True: some cluster has another plan once this is done to it or to the settings.
bool changes_a_plan(const char* policy, const PolicySettings& before, const PolicySettings& after,
                    const std::function<void(ClusterSnapshot&)>& change = {}) {
  for (std::uint64_t seed = 1; seed <= most_clusters; ++seed) {
    const simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    const ClusterState state = simulation::random_cluster(shape);
    const CostModel costs = simulation::random_costs(shape);
    ClusterSnapshot changed = state.snapshot();
    if (change) change(changed);
    if (said_of(state.snapshot(), costs, policy, before) != said_of(changed, costs, policy, after)) return true;
  }
  return false;
}

// Keys of the configuration and fields of a Pool's spec that change no plan by themselves, or only after a while, and a
// test that shows what they do.
const std::map<std::string, std::string>& shown_by() {
  static const std::map<std::string, std::string> table{
      // configuration
      {"fallBack", "SteeringGuard.LeavesNobodyAloneWhereItDoesNotFallBack"},
      {"schedulerName", "KubernetesCluster.CountsPodsOfOtherSchedulersUntilTheyAreGone"},
      {"mode", "Steering.APoolsModeWinsOverTheOperators"},
      {"policy.name", "Operator.TakesInAChangedConfigurationAndSaysWhatNeedsARestart"},
      {"policy.seed", "DlSched.MissesTheBestOfFigureOneInSomeOrders"},
      {"policy.epoch", "OperatorConfig.NeedsOnlyTheKeysThatDiffer"},
      {"policy.settings", "PolicySettingsText.ReadsBackBitForBit"},
      {"prices.region", "PoolOffersTest.HaveSizePriceLabelsAndTaintsOfTheirNodes"},
      {"prices.file", "PriceImport.BecomesAFileThatTheOperatorPricesNodesBy"},
      {"prices.metrics", "PriceImport.ReadsKarpentersOfferingPrices"},
      {"prices.instances", "NodePrices.ComeFromTheSheetAndAreReplacedByTheConfiguration"},
      {"prices.spotFactor", "NodePrices.OfSpotNodesDifferByZone"},
      {"prices.spotFactors", "NodePrices.OfSpotNodesDifferByZone"},
      {"prices.unknownCoreHour", "NodePrices.StateADefaultForUnknownNodes"},
      {"prices.acrossZones", "NodePrices.ChargeTransfersByZoneAndRegion"},
      {"prices.acrossRegions", "TransferPrices.TakeOnePriceForAllRegionsWhereOneIsGiven"},
      {"prices.gatewayEndpoint", "NodePrices.ChargeARegionalBucketByTheWayThatItsBytesTake"},
      {"prices.volumeMonth", "NodePrices.AgreeWithTheCarriedSheetWhereBothSayOne"},
      {"prices.bucketMonth", "NodePrices.AgreeWithTheCarriedSheetWhereBothSayOne"},
      {"commitments.reserved", "NodeMeterTest.LeavesOutHoursThatAReservationCovers"},
      {"commitments.savingsPlan", "Operator.LeavesNodeHoursThatCommitmentsCoverOutOfItsBill"},
      {"expected.file", "Announcements.RefuseBadEntriesWithTheirLineAndKeepTheOthers"},
      {"fleet.fromNodePools", "PoolOffersTest.AreWhatMeetsEveryRequirementAndLabel"},
      {"fleet.instanceTypes", "ListedOffers.AreEveryTypeInEveryZoneAndOfEveryCapacityType"},
      {"fleet.zones", "ListedOffers.AreEveryTypeInEveryZoneAndOfEveryCapacityType"},
      {"fleet.capacityTypes", "PoolOffersTest.KeepToTheCapacityTypesOfTheConfiguration"},
      {"fleet.bootTime", "PoolOffersTest.HaveSizePriceLabelsAndTaintsOfTheirNodes"},
      {"fleet.idleTime", "ListedOffers.AreEveryTypeInEveryZoneAndOfEveryCapacityType"},
      {"fleet.interruptionsPerHour", "PoolOffersTest.HaveSizePriceLabelsAndTaintsOfTheirNodes"},
      {"fleet.limitCores", "ListedOffers.ShareTheCoresThatTheConfigurationAllows"},
      {"applications.frameworks", "OperatorConfig.ReadsHowFrameworksMarkTheirPods"},
      {"applications.shufflePerCpuSecond", "JobTables.PeersExchangeAndReadWhatEarlierRunsOfTheirApplicationDid"},
      {"applications.learnTraffic", "ApplicationTrafficTest.IsAskedOfNoAddressButAPodsAndOnlyIfItIsToBeLearned"},
      {"applications.driverPort", "ApplicationTrafficTest.OfTheFirstRunDecidesTheSecondUnderTheNextProcess"},
      {"network.localRead", "Network.GivesAStreamItsTightestLink"},
      {"network.nodeLink", "Network.GivesAStreamItsTightestLink"},
      {"network.rackLink", "Network.GivesAStreamItsTightestLink"},
      {"network.zoneLink", "Network.GivesAStreamItsTightestLink"},
      {"network.zoneStream", "Network.GivesAStreamItsTightestLink"},
      {"network.remoteStream", "Network.GivesAStreamItsTightestLink"},
      {"leaderElection.enabled", "KubernetesCluster.BindsNothingWhileAnotherCopyLeads"},
      {"leaderElection.namespace", "Lease.GoesToTheFirstAndStaysWhileItIsRenewed"},
      {"leaderElection.name", "Lease.GoesToTheFirstAndStaysWhileItIsRenewed"},
      {"leaderElection.leaseDuration", "Lease.EndsForAHolderThatIsCutOffBeforeAnotherMayTakeIt"},
      {"leaderElection.renewDeadline", "Lease.EndsForAHolderThatIsCutOffBeforeAnotherMayTakeIt"},
      {"leaderElection.retryPeriod", "Lease.GoesToTheFirstAndStaysWhileItIsRenewed"},
      {"kubernetes.requestsInFlight", "ApiClient.KeepsAsManyInFlightAsAllowedAndNoMore"},
      {"kubernetes.eventsPerMinute", "EventRecorder.WritesNoMoreThanTheRateAndTheRestLater"},
      {"moves.perZonePair", "MoveAdmission.CountsMovesByPairsOfZonesAndInAll"},
      {"moves.total", "MoveAdmission.CountsMovesByPairsOfZonesAndInAll"},
      {"moves.attempts", "MoveMachine.TriesAgainWithLongerAndLongerPausesAndGivesUp"},
      {"moves.serveStores", "MoveMachine.StartsThePodThatServesFirstAndDoesNotWaitForItForEver"},
      {"moves.bandwidth", "MoverPods.AreWhereAndWhatTheConfigurationSays"},
      {"moves.namespace", "LostNode.JobsAreCreatedInTheMoversNamespace"},
      {"moves.image", "MoverPods.AreWhereAndWhatTheConfigurationSays"},
      {"moves.imagePullPolicy", "MoverPods.AreWhereAndWhatTheConfigurationSays"},
      {"moves.serviceAccount", "MoverPods.AreWhereAndWhatTheConfigurationSays"},
      {"moves.keepFinished", "DataMoves.ThatWereAskedForAreCarriedOutAndTheirObjectsGo"},
      {"moves.unownedEvery", "CopyReviewTest.LooksAtNoStoreWhereItIsNotWanted"},
      {"moves.runAsUser", "MoverPods.AreRootWhereTheyMountANodesDirectoryAlone"},
      {"moves.cpuRequest", "MoverPods.HaveLimitsOfCpuMemoryAndScratch"},
      {"moves.memoryRequest", "MoverPods.HaveLimitsOfCpuMemoryAndScratch"},
      {"moves.cpuLimit", "MoverPods.HaveLimitsOfCpuMemoryAndScratch"},
      {"moves.memoryLimit", "MoverPods.HaveLimitsOfCpuMemoryAndScratch"},
      {"moves.podSpec", "MoverPods.TakeWhatTheSettingsAddToTheirSpec"},
      {"moves.keySecret", "StoreKeySecretTest.ReadsTheKeyThatIsThere"},
      {"data.blocksAndReplicas", "DataCatalogTest.HoldsBackWhatWouldBeTooMuchForAllTogether"},
      {"data.blocksPerNamespace", "DataCatalogTest.HoldsYoungerSetsBackWhenANamespaceHasTooMuch"},
      {"data.filesPerNamespace", "DataCatalogTest.HoldsYoungerSetsBackWhenANamespaceHasTooMuch"},
      {"data.sizePerNamespace", "DataCatalogTest.HoldsYoungerSetsBackWhenANamespaceClaimsTooMuchRoom"},
      {"data.discoverFrom", "HdfsAccess.AnEntryAllowsItsNamespacesFoldersAndUserTogether"},
      {"server.listen", "Operator.AnEmptyAddressServesNothing"},
      {"server.health", "HealthServer.RefusesAPortThatIsTakenAndATextThatIsNoAddress"},
      {"server.stalledAfter", "Operator.ItIsUnhealthyWhenItsLoopStandsStill"},
      {"server.authorize", "StatusServer.AdmitsWhomItIsToldToAdmit"},
      {"journal.directory", "Replay.MakesEveryPlanAgain"},
      {"journal.leastInterval", "Operator.ItsJournalHasNoMoreRecordsThanItIsAllowed"},
      {"journal.timeShare", "Operator.ItsJournalTakesNoMoreThanItsTime"},
      {"journal.size", "EpochJournalTest.KeepsTheNewestEpochsThatFit"},
      {"twin.every", "Operator.SaysWhatOtherSchedulersWouldHaveCost"},
      {"twin.window", "JournalReaderTest.BeginsWithTheFileThatHasTheBeginningOfAWindow"},
      {"twin.policies", "LiveTwinTest.SaysWhatEachPolicyWouldHavePaidForTheSameWork"},
      {"log.level", "LogLines.LeaveOutWhatIsBelowTheLevel"},
      {"log.format", "LogLines.AreJson"},
      // spec of a Pool
      {"pool.namespaces", "DataCatalogTest.APoolSaysWhoMayChooseIt"},
      {"pool.allowedNamespaces", "DataCatalogTest.APoolSaysWhoMayChooseIt"},
      {"pool.parent", "DataCatalogTest.PoolsInACircleCountWithTheirOwnWeight"},
      {"pool.reclaim", "Reclaim.TakesTheLeastWorkAndNoMoreThanTheShare"},
      {"pool.mode", "DataCatalogTest.APoolMaySayWhatIsDoneWithPodsOfOtherSchedulers"},
      {"pool.targets", "TargetKeeper.WaitsForCheapCoresAsLongAsTheDeadlineAllows"},
      {"pool.targets.budgetPerDay", "TargetKeeper.RefusesABudgetBelowTheCheapestWorkOnTheFirstDay"},
      {"pool.targets.meanWait", "TargetKeeper.RefusesNoWaitThatIsHeld"},
      {"pool.targets.completeBy", "TargetKeeper.WaitsForCheapCoresAsLongAsTheDeadlineAllows"},
  };
  return table;
}

TEST(EveryKeyActs, ForEachKeyOfTheConfigurationATestIsNamed) {
  std::vector<std::string> missing;
  for (const ConfigKey& key : keys_of(OperatorConfig{}))
    if (!shown_by().contains(key.path)) missing.push_back(key.path);
  EXPECT_THAT(missing, IsEmpty());
}

TEST(EveryKeyActs, TheTestsThatAreNamedExist) {
  for (const auto& [key, test] : shown_by()) EXPECT_TRUE(names_of_tests().contains(test)) << key << ": " << test;
}

TEST(EveryKeyActs, FieldsOfAPool) {
  using Change = std::function<void(ClusterSnapshot&)>;
  const auto each_pool = [](auto set) {
    return [set](ClusterSnapshot& cluster) {
      for (const PoolId id : cluster.pools.ids()) set(cluster.pools[id], id.index());
    };
  };
  const std::map<std::string, Change> changes{
      {"weight", each_pool([](Pool& pool, std::size_t i) { pool.weight *= i == 0 ? 50 : 1; })},
      {"minimum", each_pool([](Pool& pool, std::size_t i) { pool.minimum = Cores(i == 0 ? 1000 : 0); })},
      {"maximum", each_pool([](Pool& pool, std::size_t) { pool.maximum = Cores(1); })},
      {"shortfallUsdPerCpuHour",
       each_pool([](Pool& pool, std::size_t i) { pool.shortfall_price = UsdPerCpuSecond(i == 0 ? 1 : 0); })}};
  const PolicySettings settings = settings_of("");
  for (const auto& [field, change] : changes) EXPECT_TRUE(changes_a_plan("lips", settings, settings, change)) << field;
  const std::string crd = whole_text(sources / "charts/lips/crds/lips.dev_pools.yaml");
  const std::size_t begin = crd.find("\n            properties:", crd.find("\n          spec:"));
  const std::string spec = crd.substr(begin, crd.find("\n          status:") - begin);
  const std::regex line(R"(\n {14}(\w+):)"), inner(R"(\n {18}(\w+):)");
  std::vector<std::string> missing;
  std::size_t count = 0;
  for (std::sregex_iterator found(spec.begin(), spec.end(), line), end; found != end; ++found, ++count)
    if (const std::string name = (*found)[1]; !changes.contains(name) && !shown_by().contains("pool." + name))
      missing.push_back(name);
  const std::size_t targets = spec.find("\n              targets:");
  ASSERT_NE(targets, std::string::npos);
  const std::string of_targets = spec.substr(targets);
  for (std::sregex_iterator found(of_targets.begin(), of_targets.end(), inner), end; found != end; ++found, ++count)
    if (const std::string name = (*found)[1]; !shown_by().contains("pool.targets." + name)) missing.push_back(name);
  EXPECT_GT(count, 10u);
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
}  // namespace lips
