#include "daemon/cli/terminal_progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"

namespace tbci::daemon {

namespace {

constexpr auto plain_line_every = std::chrono::seconds(10);

}  // namespace

std::size_t columns_of(std::FILE* stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string bar(int done, int expected, std::chrono::nanoseconds elapsed) {
  constexpr int width = 20;
  if (expected <= 0) return fmt::format("{} done", done);
  const int filled = std::clamp(width * done / expected, 0, width);
  const std::string left =
      done > 0 && done < expected ? fmt::format(", {} left", human_duration(elapsed / done * (expected - done))) : "";
  return fmt::format("[{}{}] {}/{}{}", std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(width - filled), '-'), done, expected, left);
}

std::string stage_state(int done, int expected, std::chrono::nanoseconds elapsed, const std::string& step) {
  return expected <= 0 && done <= 0 ? step : fmt::format("{}  {}", bar(done, expected, elapsed), step);
}

TerminalProgress::TerminalProgress(std::FILE* stream, std::vector<PlannedStage> plan)
    : stream_(stream), interactive_(::isatty(::fileno(stream)) == 1) {
  if (!plan.empty()) total_.emplace(std::move(plan));
}

TerminalProgress::~TerminalProgress() {
  wipe();
}

void TerminalProgress::begin_stage(std::string_view stage, std::string_view about, int expected_steps) {
  stage_ = stage;
  step_.clear();
  begun_ = 0;
  expected_ = expected_steps;
  stage_begin_ = last_plain_line_ = Steady::now();
  if (total_) total_->begin_stage(stage_);
  line(fmt::format("{}: {}", stage_, about));
}

void TerminalProgress::step(std::string_view what) {
  step_ = what;
  ++begun_;
  if (total_) total_->steps(begun_ - 1, expected_, Steady::now());
  draw();
}

void TerminalProgress::expect(int steps) {
  expected_ = steps;
  draw();
}

void TerminalProgress::end_stage(std::string_view outcome) {
  line(fmt::format("{}: {} ({})", stage_, outcome, human_duration(Steady::now() - stage_begin_)));
  step_.clear();
}

void TerminalProgress::note(std::string_view text) {
  line(fmt::format("  {}", text));
  draw();
}

void TerminalProgress::line(const std::string& text) {
  wipe();
  fmt::print(stream_, "{}\n", text);
  std::fflush(stream_);
}

std::string TerminalProgress::state() const {
  const int done = std::max(0, begun_ - 1);
  if (!total_) return stage_state(done, expected_, Steady::now() - stage_begin_, step_);
  const std::string of = expected_ > 0 ? fmt::format("{}/{}", begun_, expected_) : fmt::format("{}", begun_);
  return fmt::format("{} | {} {}: {}", total_->text(Steady::now()), stage_, of, step_);
}

void TerminalProgress::draw() {
  if (step_.empty()) return;
  const std::string text = "  " + state();
  if (interactive_) {
    wipe();
    fmt::print(stream_, "{}", one_line(text, columns_of(stream_) - 1));
    std::fflush(stream_);
    drawn_ = true;
  } else if (Steady::now() - last_plain_line_ >= plain_line_every) {
    last_plain_line_ = Steady::now();
    line(text);
  }
}

void TerminalProgress::wipe() {
  if (drawn_) fmt::print(stream_, "\r\x1b[2K");
  drawn_ = false;
}

}  // namespace tbci::daemon
