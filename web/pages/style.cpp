#include "web/pages/assets.hpp"

namespace tbci::web {

const std::string_view style_css = R"css(
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1c232b; --quiet: #5b6673; --line: #e2e0db; --accent: #b5431a;
  --bad: #a4161a; --bad-soft: #fde7e4; --warn: #7a4d00; --warn-soft: #fdf0d2; --good: #116138; --good-soft: #dff3e6;
  --calm: #44505c; --calm-soft: #eceef0; --blue: #134f8c; --blue-soft: #e2eefb;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --card: #1b2127; --ink: #e6e9ec; --quiet: #9aa5b1; --line: #2e363f; --accent: #ff9a70;
    --bad: #ff9d94; --bad-soft: #4a1f1e; --warn: #f5c76a; --warn-soft: #43330f; --good: #7fd8a4; --good-soft: #163b27;
    --calm: #b9c3cd; --calm-soft: #2a323a; --blue: #94c3f5; --blue-soft: #17324f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans);
  font-variant-numeric: tabular-nums; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.7rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h1 .quiet { font-weight: 400; }
h2 { font-size: 1.15rem; margin: 0 0 .7rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; }
code, pre { font-family: var(--mono); font-size: .87em; overflow-wrap: anywhere; }
.quiet, .empty { color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.top { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.6rem; padding: .7rem max(1rem, calc(50vw - 38rem));
  border-bottom: 1px solid var(--line); background: var(--card); }
.brand { font-weight: 750; font-size: 1.15rem; letter-spacing: -.02em; color: var(--ink); text-decoration: none; }
.top ul { display: flex; flex-wrap: wrap; gap: .2rem .3rem; list-style: none; margin: 0; padding: 0; }
.top li a { display: inline-block; padding: .2rem .7rem; border-radius: 2rem; color: var(--ink); text-decoration: none; }
.top li a:hover { background: var(--calm-soft); }
.top li a[aria-current] { background: var(--ink); color: var(--paper); }
.count { display: inline-block; min-width: 1.35em; padding: 0 .35em; border-radius: 1em; background: var(--bad);
  color: var(--card); font-size: .8em; text-align: center; font-weight: 650; }
main { max-width: 78rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; }
section { margin: 0 0 2.4rem; }
footer { border-top: 1px solid var(--line); padding-top: .8rem; color: var(--quiet); font-size: .9rem; }

.now { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .8rem 1rem; }
.now .doing { margin-top: 0; }
.now .about, .now .step { color: var(--quiet); overflow-wrap: anywhere; }
.now .step { font-family: var(--mono); font-size: .85rem; }
.now .quiet { font-size: .9rem; }
.dot { display: inline-block; width: .6rem; height: .6rem; margin-right: .55rem; border-radius: 50%; background: var(--quiet); }
.dot.on { background: var(--good); animation: beat 2s ease-in-out infinite; }
@keyframes beat { 50% { opacity: .35; } }
@media (prefers-reduced-motion: reduce) { .dot.on { animation: none; } }
.bar { display: flex; align-items: center; gap: .8rem; }
progress { appearance: none; flex: 1 1 auto; height: .5rem; border: 0; border-radius: .3rem; background: var(--calm-soft);
  overflow: hidden; }
progress::-webkit-progress-bar { background: var(--calm-soft); }
progress::-webkit-progress-value { background: var(--good); }
progress::-moz-progress-bar { background: var(--good); }
.steps { white-space: nowrap; color: var(--quiet); font-size: .9rem; }
.stale .now { border-color: var(--bad); }
.stale .now::after { content: "The service does not answer: this is what it last said."; color: var(--bad); }

.facts { margin-bottom: .6rem; }
.note { border-left: 3px solid var(--warn); padding-left: .7rem; overflow-wrap: anywhere; }
.summary { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; margin: .2rem 0 1rem; padding: 0; }
.summary strong { font-size: 1.25rem; }
.chip { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .82rem; font-weight: 600;
  white-space: nowrap; background: var(--calm-soft); color: var(--calm); }
.regression, .confirmed, .failed, .crashed, .timed_out, .timed-out, .out_of_memory, .exception, .protocol
  { --tone: var(--bad); --tone-soft: var(--bad-soft); }
.suspect, .inconclusive, .environment_changed, .environment-changed, .pending, .bisecting, .unattributed
  { --tone: var(--warn); --tone-soft: var(--warn-soft); }
.improvement, .done, .delivered, .recovered { --tone: var(--good); --tone-soft: var(--good-soft); }
.attributed, .reported, .install, .measure, .confirm, .bisect, .report { --tone: var(--blue); --tone-soft: var(--blue-soft); }
.chip { background: var(--tone-soft, var(--calm-soft)); color: var(--tone, var(--calm)); }

.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { padding: .45rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { font-size: .8rem; font-weight: 600; color: var(--quiet); white-space: nowrap; background: var(--calm-soft); }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 9.5rem; }
.findings tbody th { min-width: 11.8rem; }
td { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
.reason { white-space: normal; min-width: 13rem; overflow-wrap: anywhere; color: var(--quiet); }
.between { display: block; color: var(--quiet); font-size: .84rem; }
.why { display: block; font-size: .9em; margin-top: .15rem; }
tr.regression .change strong { color: var(--bad); }
tr.improvement .change strong { color: var(--good); }
.chosen > * { background: var(--calm-soft); }
.wrong { color: var(--bad); }
.drawing { padding-left: 0; padding-right: 0; }
.interval { display: block; margin-top: .15rem; color: var(--tone, var(--quiet)); }
.interval line { stroke: currentColor; stroke-width: 2.5; stroke-linecap: round; }
.interval circle { fill: currentColor; }
.interval .zero { stroke: var(--quiet); stroke-width: 1; }
.interval .limit { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 2 2; opacity: .7; }

.choices { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: .2rem 0 .8rem; }
.choices ul { display: flex; flex-wrap: wrap; gap: .2rem; list-style: none; margin: 0; padding: 0; }
.choices a { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; color: var(--quiet); text-decoration: none; }
.choices a:hover { background: var(--calm-soft); }
.choices a[aria-current] { background: var(--calm-soft); color: var(--ink); font-weight: 600; }
.plot { padding: .4rem .2rem; }
.history { display: block; width: 100%; min-width: 44rem; height: auto; font: 12.5px var(--sans); }
.history .grid { stroke: var(--line); stroke-width: 1; }
.history .tick { fill: var(--quiet); }
.history .value, .history .last { text-anchor: end; }
.history .name, .history .by { text-anchor: middle; }
.history .by { font-weight: 650; }
.history .up { fill: var(--bad); }
.history .down { fill: var(--good); }
.history .spread { stroke: var(--blue); stroke-width: 1.5; opacity: .3; }
.history .point { fill: var(--blue); }
.history .point.slow { fill: var(--bad); }
.history .level { stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; }
.history .step { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 3 3; }
.history line.slow { stroke: var(--bad); stroke-width: 1.2; opacity: .7; }
.history .moved { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 2 4; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; list-style: none; margin: .6rem 0 0; padding: 0;
  color: var(--quiet); font-size: .88rem; }
.key { display: inline-block; width: .7rem; height: .7rem; margin-right: .45rem; border-radius: 50%; background: var(--blue); }
.key.level { width: 1.3rem; height: .2rem; border-radius: .1rem; vertical-align: middle; background: var(--accent); }
.key.slow { background: var(--bad); }
.key.moved { width: .2rem; border-radius: 0; background: var(--warn); }

details { margin-top: .9rem; }
summary { cursor: pointer; padding: .2rem 0; font-weight: 600; }
summary:hover { color: var(--accent); }
pre { margin: .5rem 0 0; padding: .9rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  white-space: pre-wrap; line-height: 1.45; max-height: 34rem; overflow: auto; }
.machine { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: .5rem 0; font-size: .92rem; }
.machine dt { color: var(--quiet); }
.machine dd { margin: 0; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: .7rem;
  padding: .9rem 1.1rem; margin-bottom: .9rem; }
.card ul { list-style: none; margin: .2rem 0 .7rem; padding: 0; }
.card li { margin: .15rem 0; overflow-wrap: anywhere; }
.card .series { font-family: var(--mono); font-size: .9em; }
.card .label { margin: .6rem 0 0; font-size: .82rem; font-weight: 600; color: var(--quiet); }
.card code { color: var(--accent); }
@media (max-width: 66rem) {
  .findings, .findings tbody { display: block; }
  .findings thead { position: absolute; clip-path: inset(50%); }
  .findings tr { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .9rem; padding: .6rem .7rem;
    border-bottom: 1px solid var(--line); }
  .findings tr:last-child { border-bottom: 0; }
  .findings tbody :is(th, td) { border: 0; padding: 0; min-width: 0; text-align: left; }
  .findings tbody :is(th, .reason) { flex: 1 0 100%; }
  .findings .between { display: inline; margin-left: .5em; }
  .findings .pairs::before { content: "pairs: "; color: var(--quiet); }
  .findings .drawing { display: none; }
  .findings td:nth-of-type(3)::after { content: " \2192"; color: var(--quiet); }
  table:not(.findings) .reason:last-child { min-width: 18rem; }
}
@media (max-width: 40rem) {
  body { font-size: 14.5px; }
  th, td { padding: .4rem .55rem; }
  .machine { grid-template-columns: 1fr; }
  .machine dd { margin-bottom: .3rem; }
}
@media print { .top nav, .now { display: none; } .scroll { overflow: visible; } }
)css";

}  // namespace tbci::web
