// Everything that a stage of the pipeline works with.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "daemon/config/config.hpp"
#include "daemon/pipeline/workshop.hpp"
#include "daemon/progress.hpp"
#include "storage/anchor_store.hpp"
#include "storage/bisection_store.hpp"
#include "storage/build_store.hpp"
#include "storage/database.hpp"
#include "storage/event_store.hpp"
#include "storage/night_store.hpp"
#include "storage/prior_store.hpp"
#include "storage/profile_store.hpp"
#include "storage/report_store.hpp"
#include "storage/run_store.hpp"

namespace tbci::daemon {

/// The stores over one database.
struct Stores {
  explicit Stores(storage::Database& shared)
      : database(shared),
        builds(shared),
        runs(shared),
        nights(shared),
        bisections(shared),
        reports(shared),
        profiles(shared),
        events(shared),
        anchors(shared),
        priors(shared) {}
  storage::Database& database;
  storage::BuildStore builds;
  storage::RunStore runs;
  storage::NightStore nights;
  storage::BisectionStore bisections;
  storage::ReportStore reports;
  storage::ProfileStore profiles;
  storage::EventStore events;
  storage::AnchorStore anchors;
  storage::PriorStore priors;
};

/// One subject's work: where facts are kept, who does what, and who is told. Used by one thread.
struct Desk {
  const Config& config;
  const SubjectConfig& subject;
  Stores& stores;
  Workshop& workshop;
  const Clock& clock;
  Progress& progress;
  std::stop_token stop;

  const std::string& name() const { return subject.subject.name; }
};

}  // namespace tbci::daemon
