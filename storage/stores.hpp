// All stores over one database, opened together.
#pragma once

#include "storage/anchor_store.hpp"
#include "storage/bisection_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/decision_store.hpp"
#include "storage/event_store.hpp"
#include "storage/improvement_store.hpp"
#include "storage/night_store.hpp"
#include "storage/peak_store.hpp"
#include "storage/pin_store.hpp"
#include "storage/prior_store.hpp"
#include "storage/profile_store.hpp"
#include "storage/report_store.hpp"
#include "storage/retest_store.hpp"
#include "storage/run_store.hpp"
#include "storage/skip_store.hpp"
#include "storage/try_store.hpp"
#include "storage/wish_store.hpp"

namespace tbci::storage {

/// The stores over one database.
struct Stores {
  explicit Stores(Database& shared)
      : database(shared),
        builds(shared),
        runs(shared),
        nights(shared),
        bisections(shared),
        reports(shared),
        profiles(shared),
        events(shared),
        anchors(shared),
        priors(shared),
        retests(shared),
        decisions(shared),
        tries(shared),
        improvements(shared),
        skips(shared),
        pins(shared),
        wishes(shared),
        peaks(shared) {}
  Database& database;
  BuildStore builds;
  RunStore runs;
  NightStore nights;
  BisectionStore bisections;
  ReportStore reports;
  ProfileStore profiles;
  EventStore events;
  AnchorStore anchors;
  PriorStore priors;
  RetestStore retests;
  DecisionStore decisions;
  TryStore tries;
  ImprovementStore improvements;
  SkipStore skips;
  PinStore pins;
  WishStore wishes;
  PeakStore peaks;
};

}  // namespace tbci::storage
